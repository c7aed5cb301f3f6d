"""Which parsers put most of the mass of all trees on trees with one root child, and what that does to the samplers: the
part on trained weights of the page on sampling."""

import dataclasses
import math
import statistics

from page import Series, cell

PAPER_TRIES = 1.06  # §4.3.1: Stanza's English parser on News Commentary.
UNPRUNED = ("--max-heads", "1000", "--prune", "0")
CRF, MULTI, SOFTMAX = ("--loss", "crf"), ("--root", "multi"), ("--softmax", "1")
SAMPLERS = {"colbourn": "Colbourn", "wilson_marginal": "WilsonMarginal", "wilson_reject": "WilsonReject",
            "automatic": "automatic"}
SHIFTS = (4, 2, 0, -2, -4, -6, -8)
# What fixes the scores of the root's arcs in each family of models.
FAMILIES = {"single": "nothing in the training fixes the ratio",
            "multi": "the likelihood sums over trees with several root children, and the data have none",
            "softmax": "the root competes with the other heads of each word, as in Stanza's training"}


@dataclasses.dataclass
class Model:
    """A parser that was trained here, and what is measured on the sentences of `data`."""
    family: str
    label: str
    trees: int
    path: object
    data: object
    treebank: object = None
    options: tuple = ()
    masses: list = dataclasses.field(default_factory=list)
    _times: list = None

    def name(self):
        return f"{self.label}, {self.trees:,} trees"

    def source(self):
        """The options that tell a measuring program to take this model's scores."""
        return ("--model", self.path, "--data", self.data, *self.options)

    def measure(self, lab, *options):
        """One row of root_mass for each sentence."""
        return numbers(lab.measure("root_mass", *self.source(), *options))

    def times(self, lab):
        """Milliseconds for 100 trees of some sentences."""
        if self._times is None:
            graphs, repetitions = lab.pick(60, 25), lab.pick(2, 1)
            self._times = numbers(lab.measure("sample_times", *self.source(), "--graphs", graphs,
                                              "--repetitions", repetitions))
        return self._times


def numbers(rows):
    """The numbers of each row, without empty cells."""
    return [{name: float(value) for name, value in row.items() if value} for row in rows]


def train(lab):
    """The models by name; those on all trees end in "_all"."""
    data, test = lab.treebank("en_ewt", "train"), lab.treebank("en_ewt", "test")
    test = lab.sample(test, 150) if lab.quick else test
    few = lab.sample(data, lab.pick(2500, 250))
    kinds = {
        "default": ("single", "softmax-margin (default), single-root, pruned", few, ()),
        "pruned": ("single", "CRF, single-root, pruned", few, CRF),
        "svm": ("single", "SVM, single-root, pruned", few, ("--loss", "svm")),
        "single": ("single", "CRF, single-root, unpruned", few, (*CRF, *UNPRUNED)),
        "multi_pruned": ("multi", "CRF, multi-root, pruned", few, (*CRF, *MULTI)),
        "multi": ("multi", "CRF, multi-root, unpruned", few, (*CRF, *MULTI, *UNPRUNED)),
        "default_all": ("single", "softmax-margin (default), single-root, pruned", data, ()),
        "single_all": ("single", "CRF, single-root, unpruned", data, (*CRF, *UNPRUNED)),
        "multi_all": ("multi", "CRF, multi-root, unpruned", data, (*CRF, *MULTI, *UNPRUNED)),
    }
    if lab.quick:
        kinds = {name: kinds[name] for name in ("default", "single", "multi")}
    models = {}
    for name, (family, label, treebank, options) in kinds.items():
        path = lab.model(treebank, *options, *lab.pick((), ("--epochs", "3")))
        models[name] = Model(family, label, treebank.read_text(encoding="utf-8").count("\n\n"), path, test, treebank)
    for name in [name for name in models if name in ("single", "single_all")]:
        like = models[name]
        models[name.replace("single", "softmax")] = Model("softmax", "softmax over heads, derived", like.trees, like.path,
                                                          test, options=SOFTMAX)
    return models


def largest(models, name):
    """The model that was trained on all trees, where there is one."""
    return models.get(f"{name}_all", models[name])


def exponential(log):
    """e to the power of `log`: a number, or text for what would fill a line."""
    return math.exp(log) if log < math.log(1e5) else f"1e{log / math.log(10):.0f}"


def log_mean(logs):
    """The logarithm of the mean of the exponentials."""
    top = max(logs)
    return top + math.log(statistics.mean(math.exp(log - top) for log in logs))


def log_ratios(model):
    """log(Z_T / Z_D) of every sentence."""
    return [row["log_ratio"] for row in model.masses]


def log_reject_draws(row):
    """The logarithm of the exact mean number of draws per word that WilsonReject takes for a tree."""
    return row["log_ratio"] + math.log(row["reject_draws"] / row["words"])


def write(lab, page, models):
    """Everything about trained weights."""
    for model in models.values():
        model.masses = model.measure(lab)
    root_mass(lab, page, models)
    samplers(lab, page, models)
    shifts(lab, page, models)
    bias(lab, page, models)


def root_mass(lab, page, models):
    """Z_T / Z_D of every model."""
    page.heading("Which models reach the paper's Z_𝒯/Z_𝒟 of 1.06?")
    page.text("""Expected tries of WilsonReject are Z_𝒯/Z_𝒟. The paper finds 1.06 with Stanza's English parser, and more
    than 95 % of the mass on trees with one root child for almost all sentences. These are our own parsers, trained on
    the training part of en_ewt and measured on its test part, sentences of one word left out. "Pruned": a first parser
    has struck out heads, by default down to at most ten for each word. "Multi-root": the likelihood that is maximised
    sums over all trees. "Softmax over heads, derived": not trained as such; the scores are the logarithms of the
    marginals of the unpruned single-root CRF in the row of as many trees, so that the weights of the heads of each word
    add up to 1 and are what a softmax for each word by itself would learn from that CRF.

    **A single-root loss cannot fix this number.** Every tree of 𝒟 has exactly one root arc. Adding c to all root scores
    of a sentence multiplies the weight of every tree of 𝒟 by e^c, and p(tree) = weight / Z_𝒟 stays as it is; but a tree
    with m root arcs gains e^(mc), so that Z_𝒯/Z_𝒟 moves between 1 (c → −∞) and infinity (c → ∞). The derivative of the
    log-likelihood by c is 1 − Σ_j p(0 → j) = 0: no likelihood, margin or risk over 𝒟 can tell one c from another. Where
    it ends up is an accident of training. In 𝒟, root arcs compete with one another only, never with the other heads of
    their dependents, and as the weights grow, so does whatever lies in this direction: in the unpruned CRF the ratio grows
    from epoch to epoch, beyond all bounds. Pruning strikes out most root arcs and hides it.

    A multi-root likelihood has to take the mass off trees with several root children, since the data have none. So has
    a softmax over the heads of each word, which is how Stanza is trained: there the root competes with the other heads,
    and all scores are fixed but for a constant for each word, which no ratio sees.""")
    rows = []
    for model in models.values():
        logs = log_ratios(model)
        uas = None if model.options else lab.score(model.path, model.data, "--root", "single")["uas"]
        rows.append([model.label, model.trees, uas,
                     *map(exponential, (log_mean(logs), statistics.median(logs), max(logs))), sure(model)])
    page.table("root_mass", ["model", "trained on trees", "UAS", "mean Z_𝒯/Z_𝒟", "median", "largest",
                             "above 95 %, % of sentences"], rows,
               "Expected tries of WilsonReject, and how many sentences have more than 95 % of the mass of all trees on "
               f"trees with one root child. The paper: mean {PAPER_TRIES}, almost all sentences. UAS is that of the best trees with "
               "one root child.")
    shown = [largest(models, name) for name in ("default", "single", "multi", "softmax")]
    page.figure("root_mass", "Expected tries of WilsonReject", "share of the sentences of en_ewt test that need more",
                "Z_T / Z_D − 1", "share of sentences",
                [Series(model.name(), exceedance(log_ratios(model)), "line", i) for i, model in enumerate(shown)], "xy")
    growth(lab, page, models)
    most = max(model.trees for model in models.values())
    for family, why in FAMILIES.items():
        chosen = [model for model in models.values() if model.family == family and model.trees == most]
        means, shares = [log_mean(log_ratios(model)) for model in chosen], [sure(model) for model in chosen]
        kind = "softmax over heads" if family == "softmax" else f"{family}-root training"
        page.claim(f"trained weights: {PAPER_TRIES} tries on average, almost all sentences with more than 95 % single-root mass "
                   f"(§4.3.1); here: {kind}, {most:,} trees",
                   f"mean {span([exponential(mean) for mean in sorted(means)])}; "
                   f"{span([round(share) for share in sorted(shares)])} % of sentences",
                   max(means) <= math.log(PAPER_TRIES + 0.04) and min(shares) >= 90, why)


def growth(lab, page, models):
    """The ratio after more and more epochs."""
    rows = []
    few, total = models["single"].treebank, lab.pick(8, 3)
    for epochs in lab.pick((1, 2, 4, 8), (1, 3)):
        options = lab.pick((), ("--epochs", "3")) if epochs == total else ("--epochs", str(epochs))
        path = lab.model(few, *CRF, *UNPRUNED, *options)
        model = Model("single", "", 0, path, models["single"].data)
        model.masses = model.measure(lab, "--samplers", 0)
        logs = log_ratios(model)
        rows.append([epochs, lab.score(path, model.data, "--root", "single")["uas"],
                     exponential(statistics.median(logs)), exponential(max(logs))])
    page.table("epochs", ["epochs", "UAS", "Z_𝒯/Z_𝒟, median", "largest"], rows,
               f"The same for {models['single'].name()}, after more and more epochs.")


def sure(model):
    """The percentage of sentences with more than 95 % single-root mass."""
    return 100 * statistics.mean(log < -math.log(0.95) for log in log_ratios(model))


def span(values):
    """The first and the last of some sorted values, or the only one."""
    return " to ".join(dict.fromkeys(cell(value) for value in (values[0], values[-1])))


def exceedance(logs, steps=40):
    """(Z_T / Z_D - 1, the share of sentences that have more), at some quantiles and within what can be drawn."""
    values = sorted(min(max(math.expm1(min(log, 100)), 1e-6), 1e20) for log in logs)
    return [(values[i * (len(values) - 1) // steps], 1 - i / (steps + 1)) for i in range(steps + 1)]


def samplers(lab, page, models):
    """How the three samplers compare on each model."""
    draws, times, ratios = [], [], {}
    for model in models.values():
        marginal = [row["marginal_draws"] / row["words"] for row in model.masses]
        reject = [log_reject_draws(row) for row in model.masses]
        draws.append([model.label, model.trees, statistics.median(marginal), max(marginal),
                      statistics.median(row["reject_draws"] / row["words"] for row in model.masses),
                      exponential(statistics.median(reject)), exponential(max(reject))])
        mean = {name: statistics.mean(row[name] for row in model.times(lab)) for name in SAMPLERS}
        median = {name: statistics.median(row[name] for row in model.times(lab)) for name in SAMPLERS}
        ratios[model.name()] = [median[name] / median["wilson_marginal"] for name in ("wilson_reject", "colbourn")]
        times.append([model.label, model.trees, *median.values(), *mean.values(),
                      100 * statistics.mean(row["given_up"] for row in model.times(lab))])
    page.table("draws", ["model", "trained on trees", "WilsonMarginal, median", "largest",
                         "WilsonReject: one try, median", "one tree, median", "largest"], draws,
               "Draws of heads per word of the sentence, exact means from the graphs. A tree of WilsonReject takes "
               "Z_𝒯/Z_𝒟 tries, and a try is not WilsonMarginal's walk: it ends at the root only, and where the root is weak "
               "that takes long, however few the tries are.")
    page.table("samplers", ["model", "trained on trees", *(f"{label}, median" for label in SAMPLERS.values()),
                            *(f"{label}, mean" for label in SAMPLERS.values()), "given up, %"], times,
               "Milliseconds for 100 trees, over sentences of en_ewt test, from the scores, set-up included. WilsonReject "
               "takes at most 20 million draws for a tree, and then one of Colbourn's (\"given up\"); without this bound "
               "its times would follow the draws above.")
    low, high = min(ratios, key=ratios.get), max(ratios, key=ratios.get)
    page.claim("trained weights: WilsonReject takes almost the same time as WilsonMarginal (§6, figure 2)",
               f"{cell(ratios[low][0])} ({low}) to {cell(ratios[high][0])} times ({high}) by the median sentence",
               ratios[high][0] < 1.25,
               "it depends on the model: tries are many, or the root is weak and walks are long")
    marginal, reject = [c for _, c in ratios.values()], [c / r for r, c in ratios.values()]
    page.claim("trained weights: both are faster than Colbourn's sampler (§6, figure 2)",
               f"by the median sentence Colbourn : WilsonMarginal is {min(marginal):.2g} to {max(marginal):.2g}, "
               f"Colbourn : WilsonReject {min(reject):.2g} to {max(reject):.2g}", min(marginal + reject) > 1,
               "`automatic` takes what is expected to cost less, sentence by sentence")


def shifts(lab, page, models):
    """What a shift of all root scores does to WilsonReject."""
    model, rows = models["default"], []
    for shift in SHIFTS:
        masses = model.measure(lab, "--shift", shift, "--graphs", lab.pick(400, 40))
        logs = [row["log_ratio"] for row in masses]
        rows.append([shift, exponential(statistics.median(logs)), exponential(log_mean(logs)),
                     statistics.median(row["reject_draws"] / row["words"] for row in masses),
                     exponential(statistics.median(map(log_reject_draws, masses))),
                     statistics.median(row["marginal_draws"] / row["words"] for row in masses)])
    page.table("shifts", ["added to all root scores", "Z_𝒯/Z_𝒟, median", "mean", "WilsonReject: one try, median",
                          "one tree, median", "WilsonMarginal, median"], rows,
               f"The same distribution of trees with one root child ({model.name()}), written with other root scores; "
               "draws per word. A weaker root makes the tries fewer but each walk longer.")
    page.text("""So anybody who samples by WilsonReject from a single-root model may choose the shift, and a ratio near
    1.06 tells nothing about the model's quality. WilsonMarginal needs no such choice: neither its root marginals nor
    its walks depend on the shift.""")


def bias(lab, page, models):
    """WilsonRC's total variation distance."""
    page.heading("Section 4.1 and appendix E: how biased WilsonRC is")
    page.text("""WilsonRC draws the root's child c by weight, q(c) ∝ w(0 → c), and goes on rightly: q(t) = q(c) p(t | c).
    Hence its total variation distance from the right distribution, the largest error in the probability of any event,
    is exactly that of the children: ½ Σ_t |q(t) − p(t)| = ½ Σ_c |q(c) − p(c)|, with p(c) the marginals of the root
    arcs. For sentences of up to six words it is also computed by going through all trees, and the program stops if the
    two differ by more than 1e-9.""")
    sources = {model.name(): model.masses for model in models.values()}
    for words in (10, 20, 50):
        random = lab.measure("root_mass", "--weights", "uniform", "--words", words, "--graphs", lab.pick(200, 50))
        sources[f"random, uniform, {words} words"] = numbers(random)
    rows, worst, enumerated = [], 0.0, 0
    for label, masses in sources.items():
        distances = sorted(row["rc_distance"] for row in masses)
        short = [abs(row["rc_enumerated"] - row["rc_distance"]) for row in masses if "rc_enumerated" in row]
        worst, enumerated = max([worst, *short]), enumerated + len(short)
        rows.append([label, statistics.mean(distances), statistics.median(distances), distances[-1],
                     100 * statistics.mean(d > 0.01 for d in distances)])
    page.table("bias", ["weights", "mean distance", "median", "largest", "above 0.01, % of sentences"], rows,
               f"Total variation distance of WilsonRC from the right distribution. {enumerated:,} graphs were enumerated; "
               f"the two ways differ by at most {worst:.1g}.")
    page.claim("WilsonRC is biased unless root weights are proportional to root marginals (appendix E)",
               f"mean distance {min(row[1] for row in rows):.2g} to {max(row[1] for row in rows):.2g}",
               all(row[1] > 1e-3 for row in rows))
