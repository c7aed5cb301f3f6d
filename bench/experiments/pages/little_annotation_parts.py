"""What text is worth to models of second order, each objective through belief propagation beside the model of trees alone, and
rules that name relations, with parts and without."""

import dataclasses

from laboratory import ROOT
from pages.covariance_learning import CONSTRAINTS, accuracy, constraints, interval, points, right_heads, stripped, written
from pages.little_annotation import FROM_RULES, HINGE, RULES, rules, short_text
from pages.self_training import decided, pair, surest

TITLE = "Little annotation, with parts and with relations"
SOURCE = """Models of second order that learn from few trees and text, and models that learn relations from written rules: what [little
annotation](little_annotation.md) has for arcs without relations. Gold tags; everything was chosen on dev, epochs on its first 500
sentences, and test is looked at once for each row."""

TREEBANKS, QUICK_TREEBANKS = ("en_ewt", "fr_sequoia"), ("en_ewt",)
TREES, QUICK_TREES = 150, 50  # The first sentences of train; text comes after them.
TEXT, QUICK_TEXT = 600, 60
BAR = 1.5
RELATIONS = RULES.with_name("little_annotation_relations.txt")
ALONE = "trees alone"


def write(lab, page):
    write_parts(lab, page)
    write_relations(lab, page)


@dataclasses.dataclass
class Data:
    """Trees, text, dev with the part that chooses epochs, and test."""
    train: object
    text: object
    chosen: object
    dev: object
    test: object


def data_of(lab, treebank):
    def part(name, most, skip=0):
        return lab.sample(lab.treebank(treebank, name), lab.pick(most, 60), skip=skip)

    trees = lab.pick(TREES, QUICK_TREES)
    train = lab.sample(lab.treebank(treebank, "train"), trees)
    return Data(train, stripped(lab, part("train", TEXT, skip=trees)), part("dev", 500), part("dev", 10 ** 6), part("test", 10 ** 6))


def models_of(lab, data):
    """The models by their names. What learns from parses of others is trained after these."""
    base = ("--dev", data.chosen, "--order", "2")
    complete = (*base, "--features", "complete")

    def train(trees, *options, number):
        training = (trees, (*options, "--epochs", lab.pick(number, 1)))
        lab.train_all([training])
        return lab.model(*pair(training))

    def with_text(*options):
        return data.train, (*complete, "--epochs", lab.pick(5, 1), "--unannotated", data.text, "--unannotated-min-count", "10",
                            "--unannotated-ratio", "2", *options)

    second = train(data.train, *complete, number=8)
    again = train(surest(lab, data.train, lab.parsed(second, data.text, "--probabilities")), *base, number=3)
    shares = constraints(lab, data.train)
    tried = {f"entropy, weight {w}": with_text("--entropy-weight", w) for w in lab.pick(("0.003", "0.03"), ("0.01",))}
    tried |= {f"shares of the trees, weight {w}": with_text("--constraints", shares, "--constraint-weight", w)
              for w in lab.pick(("0.1",), ("0.1",))}
    tried["taught by itself, sure arcs (0.9)"] = with_text("--teacher", second, "--confidence", "0.9")
    tried["taught by the one after self-training"] = with_text("--teacher", again)
    lab.train_all(tried.values())
    return {ALONE: second, "self-training on whole sentences": again} | {name: lab.model(*pair(t)) for name, t in tried.items()}


def write_parts(lab, page):
    page.heading("Parts and text")
    rows, best = [], {}
    for treebank in lab.pick(TREEBANKS, QUICK_TREEBANKS):
        data = data_of(lab, treebank)
        models = models_of(lab, data)
        base = right_heads(data.test, lab.parsed(models[ALONE], data.test))
        alone = lab.score(models[ALONE], data.dev)["uas"]
        for name, model in models.items():
            dev, test = (lab.score(model, part) for part in (data.dev, data.test))
            right = right_heads(data.test, lab.parsed(model, data.test))
            low, high = interval(base, right)
            gain = dev["uas"] - alone
            best[treebank] = max(best.get(treebank, (gain, name)), (gain, name))
            rows.append([treebank, name, points(dev["uas"]), f"{gain:+.2f}", points(dev["las"]), points(test["uas"]),
                         f"{accuracy(right) - accuracy(base):+.2f}", f"{low:+.2f} to {high:+.2f}", points(test["las"])])
    page.text(f"""Models of second order, `--features complete`, of the first {lab.pick(TREES, QUICK_TREES)} trees and
        {lab.pick(TEXT, QUICK_TEXT)} other sentences of train as text; entropies, shares and teachers are those of belief
        propagation. *Shares of the trees* are the {CONSTRAINTS} most frequent pairs of tags with their shares in the same trees,
        as constraints. Differences are against the model of trees alone.""")
    page.table("parts", ["treebank", "model", "UAS, dev", "against trees alone", "LAS, dev", "UAS, test", "against trees alone",
                         "95 % interval", "LAS, test"], rows, "All words; intervals by the paired bootstrap over sentences.")
    page.claim(f"Our bar: {BAR} UAS on dev by text within one order, the second, with {TEXT} sentences of text",
               "; ".join(f"{gain:+.2f} on {treebank} ({name})" for treebank, (gain, name) in best.items()),
               decided(lab, all(gain >= BAR for gain, _ in best.values())),
               "nobody but the model itself, and the shares of its few trees, says anything of the text")


def write_relations(lab, page):
    page.heading("No trees, and relations")
    text = short_text(lab, lab.pick(1500, 60))
    file, count = rules(lab)
    named = [line for line in RELATIONS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    both = written(lab, "rules-and-relations.txt", file.read_text(encoding="utf-8") + "\n".join(named) + "\n")
    held_out = {name: lab.sample(lab.treebank("en_ewt", name), lab.pick(10 ** 6, 60)) for name in ("dev", "test")}
    base = ("--unannotated", text, "--dev", lab.sample(held_out["dev"], lab.pick(500, 60)), *FROM_RULES, *HINGE, "--epochs",
            lab.pick(4, 1))
    tried = {(1, count, 0): (*base, "--constraints", file),
             (1, count, len(named)): (*base, "--constraints", both, "--labels", "joint"),
             (2, count, 0): (*base, "--constraints", file, "--order", "2"),
             (2, count, len(named)): (*base, "--constraints", both, "--labels", "joint", "--order", "2")}
    lab.train_all([(None, options) for options in tried.values()])
    page.text(f"""en_ewt, from {lab.pick(1500, 60)} sentences of 3 to 20 words as text and all rules of
        `{RULES.relative_to(ROOT)}`, with `{" ".join((*FROM_RULES, *HINGE))}`, 4 epochs; and beside them, with `--labels joint`, the lines of `{RELATIONS.relative_to(ROOT)}`,
        which name relations.""")
    rows = []
    for (order, *lines), options in tried.items():
        scores = [lab.score(lab.model(None, *options), held_out[name])[metric] for name in held_out for metric in ("uas", "las")]
        rows.append([order, *lines, *map(points, scores)])
    page.table("relations", ["order", "rules about arcs", "rules that name relations", "UAS, dev", "LAS, dev", "UAS, test", "LAS, test"],
               rows, "All words.")
