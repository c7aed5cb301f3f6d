"""Relations that are learnt with the tree, beside relations that are chosen after it: scores, time, and how far their
probabilities are to be trusted."""

from pages.covariance_learning import points, words

TITLE = "Joint relations beside two steps"
SOURCE = """`kirchhoff train --labels joint` learns relations together with the tree, by losses that count wrong relations; `--labels
given_tree` (two steps) chooses them after it, by all that is around an arc in the tree. Both with models of arcs and of second
order, gold tags, 6 epochs. The first 400 sentences of dev choose one of them, and the temperatures of probabilities are fitted
there. How the two work: [the parser](../methods/parser.md#learning)."""

TREEBANKS, QUICK_TREEBANKS = ("en_ewt", "hu_szeged", "vi_vtb"), ("en_ewt",)
TREES = 800  # of train, at most
LOSSES, QUICK_LOSSES = ("crf", "svm"), ("crf",)
ORDERS = (1, 2)
LABELLINGS = {"given_tree": "two steps", "joint": "joint"}
BINS = 10


def write(lab, page):
    trainings = {}
    for treebank in lab.pick(TREEBANKS, QUICK_TREEBANKS):
        train = lab.sample(lab.treebank(treebank, "train"), lab.pick(TREES, 60))
        for order in ORDERS:
            for loss in lab.pick(LOSSES, QUICK_LOSSES):
                for labelling in LABELLINGS:
                    trainings[treebank, order, loss, labelling] = (train, (
                        "--dev", part(lab, treebank, "dev", 400), "--epochs", lab.pick(6, 1), "--order", order, "--loss", loss,
                        "--labels", labelling))
    lab.train_all(trainings.values())
    models = {key: lab.model(train, *options) for key, (train, options) in trainings.items()}
    write_scores(lab, page, models)
    write_calibration(lab, page, models)


def part(lab, treebank, name, most=10 ** 6):
    return lab.sample(lab.treebank(treebank, name), lab.pick(most, 60))


def write_scores(lab, page, models):
    page.heading("Scores and time")
    rows, gains = [], {}
    for (treebank, order, loss, labelling), model in models.items():
        scores = {name: lab.score(model, part(lab, treebank, name)) for name in ("dev", "test")}
        rows.append([treebank, order, loss, LABELLINGS[labelling], *(points(scores[name][metric]) for name in scores
                     for metric in ("uas", "las")), round(lab.cost(model)["seconds"], 1)])
        gains.setdefault((order, loss), {}).setdefault(labelling, []).append(scores["test"]["las"])
    page.text(f"""The first {lab.pick(TREES, 60)} trees of train, or all where there are fewer. Time is that of the processor, which
        other work on the machine makes longer; several trainings ran side by side, with one thread each.""")
    page.table("scores", ["treebank", "order", "loss", "relations", "UAS, dev", "LAS, dev", "UAS, test", "LAS, test", "training, s"],
               rows, "All words.")
    told = [f"{means(found, 'joint') - means(found, 'given_tree'):+.2f} with {loss} at order {order}"
            for (order, loss), found in gains.items()]
    page.text(f"LAS of joint relations on test against that of two steps, mean over treebanks: {', '.join(told)}.")


def means(found, labelling):
    return sum(found[labelling]) / len(found[labelling])


def write_calibration(lab, page, models):
    page.heading("Probabilities")
    page.text(f"""The expected calibration error in percent, over {BINS} bins of equal width: of *arcs*, ArcProb against heads
        that are right; of *relations*, LabelProb against relations that are right, of words whose head is; and of *both*,
        their product against words that are right for LAS. On all of dev and on test. Two steps have a temperature for arcs
        only.""")
    rows = []
    for (treebank, order, loss, labelling), model in models.items():
        row = [treebank, order, loss, LABELLINGS[labelling]]
        for name in ("dev", "test"):
            gold = part(lab, treebank, name)
            row += [round(error, 2) for error in errors(gold, lab.parsed(model, gold, "--probabilities"))]
        rows.append(row)
    page.table("calibration", ["treebank", "order", "loss", "relations", *(f"{what}, {name}" for name in ("dev", "test")
                               for what in ("arcs", "relations", "both"))], rows)


def errors(gold, parsed):
    """The calibration errors of arcs, of relations of right arcs, and of both together."""
    arcs, relations, both = [], [], []
    for right, found in zip(words(gold), words(parsed)):
        for a, b in zip(right, found):
            misc = dict(pair.split("=", 1) for pair in b[9].split("|") if "=" in pair)
            arc, relation = float(misc["ArcProb"]), float(misc["LabelProb"])
            arcs.append((arc, a[6] == b[6]))
            if a[6] == b[6]:
                relations.append((relation, a[7] == b[7]))
            both.append((arc * relation, a[6:8] == b[6:8]))
    return [calibration_error(list_) for list_ in (arcs, relations, both)]


def calibration_error(found):
    excess = [0.0] * BINS
    for probability, is_right in found:
        excess[min(BINS - 1, int(probability * BINS))] += probability - is_right
    return 100 * sum(map(abs, excess)) / max(1, len(found))
