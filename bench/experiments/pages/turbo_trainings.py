"""The trainings behind the page on turbo parsers: which there are, in which order they are run, and their scores.

The list is in one place, in two sizes. What a training gives is kept (studies.py), so the full run can be done in portions
(`reproduce --minutes`); those that are not there yet are dashes on the page."""

import collections
import re

from page import Marked
from studies import Study

TREEBANKS = ("en_ewt", "hu_szeged", "tr_imst", "af_afribooms", "fr_sequoia", "vi_vtb")
LOSSES = ("crf", "softmax_margin", "svm")
STEPS = ("aggressive", "adagrad")
BETAS, GAMMAS = ("1", "3", "5", "inf"), ("0", "1", "3", "5")
CAPS = (0.001, 0.01, 0.1, 1.0)  # the values of 1/(λm) that dev chooses from
TUNED_ON = "hu_szeged"  # the paper: English; there, in Hungarian, it takes a tenth of the time
EPOCHS = {("aggressive", 1): 10, ("aggressive", 2): 10, ("aggressive", "all"): 10, ("adagrad", 1): 8, ("adagrad", 2): 5}  # 10: the paper's
PARTS = {1: "arcs", 2: "next", "all": "all"}  # by order
TURBO = {"Turbo #1": "crf", "Turbo #2": "svm"}  # the paper's models: every two siblings and grandparents

# The parser as its users train it.
DEFAULTS = {"arcs, the default options": (), "second order, `--order 2 --epochs 5`": ("--order", "2", "--epochs", "5")}

# Of "loss" and "beta", "gamma" one is None. A cap is 1/(λm); None stands for the one that dev chose for loss and order.
Training = collections.namedtuple("Training", "treebank order step loss beta gamma features cap")


# Cells of the family of losses that have a name.
NAMED = {("1", "0"): "crf", ("1", "1"): "softmax_margin", ("inf", "0"): "perceptron", ("inf", "1"): "svm"}


def training(treebank, order, step, loss=None, beta=None, gamma=None, features="supported", cap=None):
    if (beta, gamma) in NAMED:  # the same training, under the name that Table 2 has for it
        loss, beta, gamma = NAMED[beta, gamma], None, None
    return Training(treebank, order, step, loss, beta, gamma, features, cap)


def row(treebank, order, step):
    """A row of Table 2: all losses with supported features, and the SVM with all features."""
    return [training(treebank, order, step, loss=loss) for loss in LOSSES] + [
        training(treebank, order, step, loss="svm", features="complete")]


def no_punct(lab, model, data):
    """The UAS without punctuation."""
    return round(lab.score(model, data)["uas_no_punct"], 4)


def scores(lab, model, data):
    """The scores of the page's last table."""
    judged = lab.score(model, data)
    return [round(judged[metric], 4) for metric in ("uas", "las", "uas_no_punct")]


def features(lab, model):
    """How many features of arcs and parts a model could have used, and how many have a weight; from its card."""
    found = re.search(r"features: \w+, (\d+) of arcs and parts, (\d+) with a weight", lab.run("model", "info", model))
    return [int(found[1]), int(found[2])]


class Trainings:
    """Runs the trainings of one run of the laboratory."""

    def __init__(self, lab, studies):
        self.lab, self.studies = lab, studies
        self.treebanks = lab.pick(TREEBANKS, ("hu_szeged",))
        self.tuned_on = lab.pick(TUNED_ON, "hu_szeged")
        self.grids = lab.pick((("en_ewt", 1), ("hu_szeged", 2)), (("hu_szeged", 1), ("hu_szeged", 2)))
        self.betas, self.gammas = lab.pick((BETAS, GAMMAS), (("1", "inf"), ("0", "1")))
        self.tried, self.caps = lab.pick(CAPS, CAPS[1:3]), {}
        self.wanted = self.done = None

    def plan(self):
        """All trainings in the order in which they are run: whole rows first, and what takes longest last."""
        small = [name for name in self.treebanks if name != "en_ewt"]
        large = [name for name in self.treebanks if name == "en_ewt"]
        rows = [(name, 1) for name in small + large] + [(name, 2) for name in small]
        plan = [one for name, order in rows for step in STEPS for one in row(name, order, step)]
        grids = [one for name, order in self.grids for one in self.grid(name, order).values()]
        slow = [one for name in large for step in STEPS[::-1] for one in row(name, 2, step)[::-1]]
        turbo = [self.turbo(name, loss) for name in small + large for loss in TURBO.values()]
        return list(dict.fromkeys(plan + grids + slow + turbo))

    def turbo(self, treebank, loss):
        """Turbo Parser #1 or #2, by Algorithm 1."""
        return training(treebank, "all", "aggressive", loss=loss)

    def grid(self, treebank, order):
        """Table 3: the family of losses, by Algorithm 1; the trainings by β and γ."""
        return {(b, g): training(treebank, order, "aggressive", beta=b, gamma=g) for b in self.betas for g in self.gammas}

    def run(self, more=()):
        """Runs what is not there yet, as far as the time goes, and `more` studies."""
        self.tune()
        plan = self.plan()
        defaults = [self.default_study(name) for name in DEFAULTS]
        self.studies.run([*filter(None, map(self.study, plan)), *defaults, *more])
        self.wanted, self.done = len(plan), sum(self.found(one) is not None for one in plan)

    def tune(self):
        """For CRF and SVM and both orders, the 1/(λm) with the best UAS on dev; the other losses take the nearer one's."""
        tried = {(loss, order): [training(self.tuned_on, order, "aggressive", loss=loss, cap=cap) for cap in self.tried]
                 for loss in ("crf", "svm") for order in (1, 2)}
        self.studies.run([self.study(one) for trainings in tried.values() for one in trainings])
        for key, trainings in tried.items():
            found = [(self.uas(one, "dev"), one.cap) for one in trainings]
            self.caps[key] = None if any(uas is None for uas, _ in found) else max(found)[1]

    def cap_of(self, one):
        kind = "svm" if one.loss in ("svm", "perceptron") or one.beta == "inf" else "crf"
        return one.cap or self.caps[kind, 1 if one.order == 1 else 2]

    def part(self, treebank, part):
        path = self.lab.treebank(treebank, part)
        return self.lab.sample(path, 150 if part == "train" else 50) if self.lab.quick else path

    def options(self, one, train):
        loss = ["--loss", one.loss] if one.loss else ["--beta", one.beta, "--gamma", one.gamma]
        step = ["--step", one.step]
        if one.step == "aggressive":
            sentences = sum(line.startswith("1\t") for line in train.read_text(encoding="utf-8").splitlines())
            step += ["--batch", "1", "--lambda", f"{1 / (self.cap_of(one) * sentences):.6g}"]
        relaxed = ["--relaxed"] if one.order == "all" and one.loss == "svm" else []
        return ["--parts", PARTS[one.order], *loss, *relaxed, *step, "--features", one.features, "--min-count", "1",
                "--epochs", self.lab.pick(EPOCHS[one.step, one.order], 2)]

    def files(self, one):
        """The treebank's training part and the options of a training; None while the longest step is not known."""
        if one.step == "aggressive" and self.cap_of(one) is None:
            return None
        train = self.part(one.treebank, "train")
        return train, ("--dev", self.part(one.treebank, "dev"), *self.options(one, train))

    def asks(self, one):
        """What the page says of a training."""
        dev, test = ((no_punct, self.part(one.treebank, part)) for part in ("dev", "test"))
        if one.cap is not None:
            return {"dev": dev}
        asks = {"test": test}
        if one.step == "aggressive" and (one.treebank, one.order) in self.grids and one.features == "supported":
            asks["dev"] = dev
        if one.loss == "svm" and one.order != "all":
            asks["features"] = (features,)
        return asks

    def study(self, one, more=None):
        """A training as a study, with `more` questions; None while the longest step is not known."""
        files = self.files(one)
        return files and Study(*files, {**self.asks(one), **(more or {})})

    def default_study(self, name):
        """The study of a model of en_ewt by the program's own defaults."""
        asks = {part: (scores, self.part("en_ewt", part)) for part in ("dev", "test")}
        return Study(self.part("en_ewt", "train"), ("--dev", self.part("en_ewt", "dev"), *DEFAULTS[name]), asks)

    def found(self, one):
        """What is known of a training, or None when there was no time for it."""
        study = self.study(one)
        return self.studies.known(study) if study else None

    def uas(self, one, part="test"):
        """The UAS without punctuation."""
        found = self.found(one)
        return None if found is None else found.answers[part]

    def marked(self, one, text):
        """What stands in a cell for a training, with the letter of its origin; a dash when there is none."""
        found = self.found(one)
        return None if found is None else Marked(text, self.studies.mark(found))

    def features(self, one):
        """How many features of arcs and parts a model could have used, and how many have a weight."""
        found = self.found(one)
        return (None, None) if found is None else found.answers["features"]
