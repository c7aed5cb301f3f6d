"""Which parsers put most of the mass of all trees on trees with one root child, and what that does to the samplers: the
part on trained weights of the page on sampling."""

import dataclasses
import math
import statistics

from page import Series

PAPER_TRIES = 1.06  # §4.3.1: Stanza's English parser on News Commentary.
UNPRUNED = ("--max-heads", "1000", "--prune", "0")
CRF, MULTI = ("--loss", "crf"), ("--root", "multi")
SHIFTS = (4, 2, 0, -2, -4, -6, -8)


@dataclasses.dataclass
class Model:
    """A parser that was trained here, and what is measured on the sentences of `data`."""
    label: str
    trees: int
    path: object
    data: object
    root: str = "single"
    masses: list = dataclasses.field(default_factory=list)
    _times: list = None

    def measure(self, lab, *options):
        """One row of root_mass for each sentence."""
        rows = lab.measure("root_mass", "--model", self.path, "--data", self.data, *options)
        return [{name: float(value) for name, value in row.items() if value} for row in rows]

    def times(self, lab):
        """Milliseconds for 100 trees of some sentences."""
        if self._times is None:
            self._times = lab.measure("sample_times", "--model", self.path, "--data", self.data, "--graphs", lab.pick(200, 25),
                                      "--repetitions", lab.pick(2, 1))
        return self._times


def train(lab):
    """The models: what is trained, and on how many trees."""
    data, test = lab.treebank("en_ewt", "train"), lab.treebank("en_ewt", "test")
    test = lab.sample(test, 150) if lab.quick else test
    few = lab.sample(data, lab.pick(2500, 250))
    epochs = lab.pick((), ("--epochs", "3"))
    kinds = {
        "default": ("softmax-margin (default), single-root, pruned", few, ()),
        "pruned": ("CRF, single-root, pruned", few, CRF),
        "single": ("CRF, single-root, unpruned", few, (*CRF, *UNPRUNED)),
        "multi_pruned": ("CRF, multi-root, pruned", few, (*CRF, *MULTI)),
        "multi": ("CRF, multi-root, unpruned", few, (*CRF, *MULTI, *UNPRUNED)),
        "svm": ("SVM, single-root, pruned", few, ("--loss", "svm")),
        "default_all": ("softmax-margin (default), single-root, pruned", data, ()),
        "single_all": ("CRF, single-root, unpruned", data, (*CRF, *UNPRUNED)),
        "multi_all": ("CRF, multi-root, unpruned", data, (*CRF, *MULTI, *UNPRUNED)),
    }
    models = {}
    for name, (label, treebank, options) in kinds.items():
        if lab.quick and name not in ("default", "single", "multi"):
            continue
        trees = treebank.read_text(encoding="utf-8").count("\n\n")
        models[name] = Model(label, trees, lab.model(treebank, *options, *epochs), test, "multi" if "multi" in name else "single")
    return models


def tries(row):
    return math.exp(row["log_ratio"])


def reject_draws(row):
    """Exact mean number of draws that WilsonReject takes for a tree."""
    return tries(row) * row["reject_draws"]


def write(lab, page, models):
    """Everything about trained weights."""
    for model in models.values():
        model.masses = model.measure(lab)
    root_mass(page, models)
    samplers(lab, page, models)
    shifts(lab, page, models)
    bias(lab, page, models)


def root_mass(page, models):
    """Z_T / Z_D of every model."""
    page.heading("Which models reach the paper's Z_𝒯/Z_𝒟 of 1.06?")
    page.text("""Expected tries of WilsonReject are Z_𝒯/Z_𝒟. The paper finds 1.06 with Stanza's English parser, and more than
    95 % of the mass on trees with one root child for almost all sentences. These are our own parsers, trained on the training
    part of en_ewt and measured on its test part, sentences of one word left out. "Pruned": a first parser has struck out
    heads, by default down to at most ten for each word; "multi-root": the likelihood that is maximised sums over all trees.

    **A single-root likelihood cannot fix this number.** Every tree of 𝒟 has exactly one root arc. Adding c to all root scores of
    a sentence multiplies the weight of every tree of 𝒟 by e^c, and p(tree) = weight / Z_𝒟 stays as it is; but a tree with m root
    arcs gains e^(mc), so that Z_𝒯/Z_𝒟 moves between 1 (c → −∞) and infinity (c → ∞). No loss that is a function of p over
    𝒟, be it likelihood, margin or risk, can tell these apart: where c ends up is decided by the features that root arcs share
    with others, by regularisation and by the first step. A multi-root likelihood has to move the mass off trees with
    several root children, since it never sees one in the data; and so does a softmax over the heads of each word by itself,
    which is how Stanza is trained and where the root competes with the other heads: its scores are fixed up to a
    constant for each word, which no ratio sees.""")
    rows = []
    for model in models.values():
        ratios = sorted(tries(row) for row in model.masses)
        rows.append([model.label, model.trees, statistics.mean(ratios), statistics.median(ratios), ratios[-1],
                     100 * sum(r < 1 / 0.95 for r in ratios) / len(ratios), len(ratios)])
    page.table("root_mass", ["model", "trained on trees", "mean Z_𝒯/Z_𝒟", "median", "largest", "above 95 % single-root mass, % of sentences",
                             "sentences"], rows, "Expected tries of WilsonReject. The paper: mean 1.06, almost all sentences above 95 %.")
    page.figure("root_mass", "Expected tries of WilsonReject", "share of sentences of en_ewt test with more", "Z_𝒯/Z_𝒟 − 1", "share of sentences",
                [Series(f"{m.label}, {m.trees:,} trees", exceedance([tries(row) - 1 for row in m.masses]),
                        "dashes" if m.root == "multi" else "line", i) for i, m in enumerate(list(models.values())[:7])], "xy")
    for root in ("single", "multi"):
        means = {(m.label, m.trees): statistics.mean(map(tries, m.masses)) for m in models.values() if m.root == root}
        low, high = min(means.values()), max(means.values())
        page.claim(f"trained weights: about 1.06 tries on average (§4.3.1); our parsers with a {root}-root likelihood or loss",
                   f"{low:.3g} to {high:.3g}", all(m <= PAPER_TRIES for m in means.values()),
                   "nothing in the training fixes the ratio" if root == "single" else "the training sees no tree with two root children")


def exceedance(values):
    """(value, share of values that are larger), at some quantiles."""
    values = sorted(v for v in values if v > 1e-12)
    steps = 40
    return [(values[i * (len(values) - 1) // steps], 1 - i / (steps + 1)) for i in range(steps + 1)]


def samplers(lab, page, models):
    """How the three samplers compare on each model."""
    rows, ratios = [], {}
    for name, model in models.items():
        times = {method: [float(row[method]) for row in model.times(lab)] for method in ("colbourn", "wilson_marginal", "wilson_reject", "automatic")}
        mean = {method: statistics.mean(values) for method, values in times.items()}
        ratios[name] = (mean["wilson_reject"] / mean["wilson_marginal"], mean["colbourn"] / mean["wilson_marginal"])
        rows.append([model.label, model.trees, statistics.median(row["marginal_draws"] / row["words"] for row in model.masses),
                     max(row["marginal_draws"] / row["words"] for row in model.masses),
                     statistics.median(reject_draws(row) / row["words"] for row in model.masses),
                     max(reject_draws(row) / row["words"] for row in model.masses),
                     *mean.values(), 100 * statistics.mean(float(row["given_up"]) for row in model.times(lab))])
    page.table("samplers", ["model", "trained on trees", "WilsonMarginal: draws per word, median", "largest", "WilsonReject: draws per word, median",
                            "largest", "Colbourn, ms", "WilsonMarginal, ms", "WilsonReject, ms", "automatic, ms", "given up, %"], rows,
               "How the samplers compare on the same sentences. Draws for a tree are exact means over all sentences, for WilsonReject "
               "tries times draws of a try. Milliseconds are means over a sample of sentences, for 100 trees, from the scores; WilsonReject's "
               "budget of 20 million draws bounds them, after which it takes a tree of Colbourn's (\"given up\").")
    page.claim("trained weights: WilsonReject takes almost the same time as WilsonMarginal (§6, figure 2)",
               "; ".join(f"{models[n].label}, {models[n].trees:,} trees: {r:.3g} times" for n, (r, _) in ratios.items()),
               all(r < 1.25 for r, _ in ratios.values()), "it depends on the model: see the section on Z_𝒯/Z_𝒟")
    page.claim("trained weights: both are faster than Colbourn's sampler (§6, figure 2)",
               "Colbourn : WilsonMarginal is " + ", ".join(f"{c:.2g}" for _, c in ratios.values()) + " in the order of the table",
               all(c > 1 and c > r for r, c in ratios.values()),
               "walks are long where words prefer each other; `automatic` takes what is expected to cost less")


def shifts(lab, page, models):
    """What a shift of all root scores does to WilsonReject."""
    model = models["single"]
    rows = []
    for shift in SHIFTS:
        masses = model.masses if shift == 0 else model.measure(lab, "--shift", shift, "--graphs", lab.pick(400, 40))
        rows.append([shift, statistics.median(map(tries, masses)), statistics.mean(map(tries, masses)),
                     statistics.median(row["reject_draws"] / row["words"] for row in masses),
                     statistics.median(reject_draws(row) / row["words"] for row in masses)])
    page.table("shifts", ["added to all root scores", "Z_𝒯/Z_𝒟, median", "mean", "draws of a try per word, median", "draws of a tree per word, median"], rows,
               f"The same distribution of trees with one root child ({model.label}, {model.trees:,} trees), written with other root scores. A weaker root "
               "makes the tries fewer but each walk longer, because the root is where a walk ends.")
    page.text("""So anybody who samples by WilsonReject from a single-root model may choose the shift, and a ratio near 1.06 says nothing about
    the model's quality. WilsonMarginal needs no such choice: neither its root marginals nor its walks depend on the shift.""")


def bias(lab, page, models):
    """WilsonRC's total variation distance."""
    page.heading("Section 4.1 and appendix E: how biased WilsonRC is")
    page.text("""WilsonRC draws the root's child c by weight, q(c) ∝ w(0 → c), and goes on rightly: q(t) = q(c) p(t | c). Hence its total variation
    distance from the right distribution, the largest error of the probability of any event, is exactly that of the children:
    ½ Σ_t |q(t) − p(t)| = ½ Σ_c |q(c) − p(c)|, with p(c) the marginals of the root arcs. For sentences of up to six words it is also computed by
    going through all trees, and the program stops if the two differ by more than 1e-9.""")
    rows, worst = [], 0.0
    sources = [(f"{m.label}, {m.trees:,} trees", m.masses) for m in models.values()]
    for words in (10, 20, 50):
        random = lab.measure("root_mass", "--weights", "uniform", "--words", words, "--graphs", lab.pick(200, 50))
        sources.append((f"random, uniform, {words} words", [{k: float(v) for k, v in row.items() if v} for row in random]))
    for label, masses in sources:
        distances = sorted(row["rc_distance"] for row in masses)
        short = [row for row in masses if "rc_enumerated" in row]
        worst = max([worst, *(abs(row["rc_enumerated"] - row["rc_distance"]) for row in short)])
        rows.append([label, statistics.mean(distances), statistics.median(distances), distances[-1],
                     100 * sum(d > 0.01 for d in distances) / len(distances), len(short)])
    page.table("bias", ["weights", "mean distance", "median", "largest", "above 0.01, % of sentences", "enumerated"], rows,
               f"Total variation distance of WilsonRC. Largest difference from enumeration: {worst:.1g}.")
    page.claim("WilsonRC is biased unless root weights are proportional to root marginals (appendix E)",
               f"mean distance {min(r[1] for r in rows):.2g} to {max(r[1] for r in rows):.2g}", all(r[1] > 1e-3 for r in rows))
