"""Learning curves with little annotation: from written rules and no trees, and from few trees and text.

Everything is chosen on dev, the models that are chosen are scored on test once, and the options of each row are those of
`kirchhoff train`, so that a reader can run it. The guide is docs/guides/little_annotation.md."""

from laboratory import ROOT
from pages.covariance_learning import accuracy, interval, points, right_heads, stripped, words, written
from pages.self_training import COPIES, decided, pair, surest, trained

TITLE = "Learning with little annotation"
SOURCE = """Parsers of en_ewt with gold tags: from no trees and written rules, and from 50 or 150 trees and text. The methods are
those that feature covariances are for [Druck09; Zmigrod21, section 6], and distillation and self-training beside them; the
report and the paper train no parser. Everything was chosen on dev. Test is looked at once for each row, and nothing is chosen
on it."""

RULES = ROOT / "bench" / "experiments" / "pages" / "little_annotation_rules.txt"
FROM_RULES = ("--entropy-weight", "0.1")
HINGE = ("--penalty", "hinge")
FULL_SIZES, QUICK_SIZES = (150, 50), (50,)
BEFORE_TEXT = 150  # The first sentences of train are trees, and text comes after them.
ARCS = ("--features", "complete", "--loss", "crf")  # The best supervised model of arcs on dev, of those that were tried.
TEXT, QUICK_TEXT = 5000, 60
BAR_RULES, BAR_GAIN, BAR_SIZE = 55.0, 1.5, 150
SECOND, AGAIN = "second order, trees alone", "second order, self-training on whole sentences"
BY_SECOND, BY_AGAIN = "arcs, taught by second order", "arcs, taught by second order after self-training"


def write(lab, page):
    write_rules(lab, page)
    for size in lab.pick(FULL_SIZES, QUICK_SIZES):
        write_trees(lab, page, size)


def part(lab, name, most=10 ** 6):
    return lab.sample(lab.treebank("en_ewt", name), lab.pick(most, 60))


def chosen_on(lab):
    """Trees that choose the epoch: a part of dev, to save time."""
    return "--dev", part(lab, "dev", 500)


def epochs(lab, number):
    return "--epochs", lab.pick(number, 1)


def short_text(lab, most):
    """The first sentences of 3 to 20 words after the trees, without trees: all arcs are candidates without a pruner."""
    kept = []
    for sentence in words(lab.sample(lab.treebank("en_ewt", "train"), 10 ** 6, skip=BEFORE_TEXT)):
        if 3 <= len(sentence) <= 20 and len(kept) < most:
            kept.append("".join("\t".join([*columns[:6], "_", "_", "_", "_"]) + "\n" for columns in sentence))
    return written(lab, f"short-{most}.conllu", "\n".join(kept) + "\n")


def rules(lab, most=None):
    """The first rules of the file, or all."""
    lines = [line for line in RULES.read_text(encoding="utf-8").splitlines() if not line.startswith("#")][:most]
    return written(lab, f"rules-{len(lines)}.txt", "\n".join(lines) + "\n"), len(lines)


def write_rules(lab, page):
    page.heading("No trees")
    text = short_text(lab, lab.pick(1500, 60))
    file, count = rules(lab)
    rows = [("hinge", HINGE, *rules(lab, most)) for most in lab.pick((6, 12, 18, None), (6, None))]
    rows += [("squared", ("--penalty", "squared"), file, count), ("kl", ("--penalty", "kl"), file, count),
             ("hinge, Rényi's entropy of order 2", (*HINGE, "--regularise", "renyi=2"), file, count)]
    base = ("--unannotated", text, *chosen_on(lab), *FROM_RULES, *epochs(lab, 4))
    tried = [(None, (*base, "--constraints", given, *more)) for _, more, given, _ in rows]
    lab.train_all(tried)
    found = []
    for (name, _, _, number), training in zip(rows, tried):
        model = lab.model(training[0], *training[1])
        found.append((name, number, uas(lab, model, "dev"), uas(lab, model, "test")))
    page.text(f"""The text is {lab.pick(1500, 60)} sentences of 3 to 20 words. Rules are those of `{RULES.relative_to(ROOT)}`, or the first
        lines of it, with `{" ".join(FROM_RULES)}`, 4 epochs.""")
    page.table("rules", ["rules", "penalty", "UAS, dev", "UAS, test"],
               [[number, name, points(on_dev), points(on_test)] for name, number, on_dev, on_test in found], "UAS of all words.")
    best = max(found, key=lambda row: row[2])
    page.claim(f"Our bar: {BAR_RULES} UAS on dev without trees, from about twenty written rules",
               f"{points(best[2])} on dev ({best[1]} rules, {best[0]}), {points(best[3])} on test", decided(lab, best[2] >= BAR_RULES))


def write_trees(lab, page, size):
    page.heading(f"{size} trees")
    train = lab.sample(lab.treebank("en_ewt", "train"), size)
    text = stripped(lab, lab.sample(lab.treebank("en_ewt", "train"), lab.pick(TEXT, QUICK_TEXT), skip=BEFORE_TEXT))
    file, _ = rules(lab)
    every = max(1, lab.pick(TEXT, QUICK_TEXT) // size)  # All of the text in each epoch.

    def of(*options, number=8):
        return train, (*chosen_on(lab), *epochs(lab, number), *options)

    def by_text(ratio, *options):
        return of(*ARCS, "--unannotated", text, "--unannotated-min-count", "10", "--unannotated-ratio", ratio, *options, number=4)

    alone = {"arcs, trees alone, default features": of("--loss", "crf", number=12), "arcs, trees alone": of(*ARCS),
             SECOND: of("--features", "complete", "--order", "2")}
    lab.train_all(alone.values())
    arcs, second = (lab.model(*pair(alone[name])) for name in list(alone)[1:])
    again = surest(lab, train, lab.parsed(second, text, "--probabilities"))
    taught = {
        AGAIN: (again, (*chosen_on(lab), *epochs(lab, 3), "--order", "2")),
        BY_SECOND: by_text(every, "--teacher", second),
        "arcs, self-training on arcs": by_text(every, "--teacher", arcs, "--confidence", "0.8"),
        "arcs, and rules": by_text(4, "--constraints", file, *HINGE, "--constraint-weight", "0.1"),
        "arcs, and entropy": by_text(4, "--entropy-weight", "0.01"),
    }
    lab.train_all(taught.values())
    if further := trained(lab, taught[AGAIN]):
        taught[BY_AGAIN] = by_text(every, "--teacher", further)
        lab.train_all([taught[BY_AGAIN]])
    models = {name: trained(lab, training) for name, training in {**alone, **taught}.items()}
    base = right_heads(part(lab, "test"), lab.parsed(arcs, part(lab, "test")))
    page.text(f"""*Arcs* is the supervised model that all others are compared with: `{" ".join(ARCS)}`, 8 epochs. The text is
        {lab.pick(TEXT, QUICK_TEXT)} sentences. For self-training on whole sentences the trees, {COPIES} times, and the half of the
        text's parses that the model is surest of are a treebank for `--order 2`.""")
    rows, gains = [], {}
    for name, model in models.items():
        if model is None:
            rows.append([name] + [None] * 5)
            continue
        right = right_heads(part(lab, "test"), lab.parsed(model, part(lab, "test")))
        low, high = interval(base, right)
        gains[name] = uas(lab, model, "dev") - uas(lab, arcs, "dev")
        rows.append([name, points(uas(lab, model, "dev")), f"{gains[name]:+.2f}", points(accuracy(right)),
                     f"{accuracy(right) - accuracy(base):+.2f}", f"{low:+.2f} to {high:+.2f}"])
    page.table(f"trees-{size}", ["model", "UAS, dev", "against arcs", "UAS, test", "against arcs", "95 % interval"], rows,
               "UAS of all words; intervals by the paired bootstrap over sentences.")
    if size == BAR_SIZE or lab.quick:
        told = {name: f"{gains[name]:+.2f}" if name in gains else "–" for name in (AGAIN, BY_SECOND, BY_AGAIN, SECOND)}
        best = max(gains.get(BY_SECOND, 0.0), gains.get(BY_AGAIN, 0.0))
        page.claim(f"Our bar: {BAR_GAIN} UAS on dev by text, over the supervised model of {size} trees, for arcs",
                   f"{told[BY_SECOND]} taught by second order, {told[BY_AGAIN]} by the one that learnt from its own parses",
                   decided(lab, best >= BAR_GAIN), "the teachers are models of second order, which are better without text, too")
        page.claim("The same for second order",
                   f"{told[AGAIN]} over arcs by learning from its own parses, where it has {told[SECOND]} without text",
                   decided(lab, gains.get(AGAIN, 0.0) - gains[SECOND] >= BAR_GAIN),
                   "nothing but the model itself says anything of the text: what it is sure of it mostly knows already")


def uas(lab, model, name):
    return lab.score(model, part(lab, name))["uas"]
