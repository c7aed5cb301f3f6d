"""The page of parts: what a model scores beside arcs, on six treebanks, with accuracy, cost and how well it is solved."""

import re

from page import Marked
from pages.turbo_trainings import TREEBANKS
from studies import Study

TITLE = "Parts of several arcs"
SOURCE = """What a model scores beside arcs (`kirchhoff train --parts`), on the six treebanks with a training part: next
siblings and grandparents, which is the default for second order; every two siblings and grandparents, the model of the
turbo parsers of Martins et al. (2010), by belief propagation (Turbo Parser #1) and by the relaxation (Turbo Parser #2);
and the scores of non-projective arcs on top of it."""

RELAXED = ("--loss", "svm", "--relaxed")
MODELS = {
    "next": ("--parts", "next"),
    "next, bigrams": ("--parts", "next,bigrams"),
    "all (Turbo #1)": ("--parts", "all"),
    "next, SVM": ("--parts", "next", "--loss", "svm"),
    "all, SVM relaxed (Turbo #2)": ("--parts", "all", *RELAXED),
    "the same, all features": ("--parts", "all", *RELAXED, "--features", "complete"),
    "the same, non-projective": ("--parts", "all,nonprojective", *RELAXED, "--features", "complete"),
}


def part(lab, treebank, which):
    path = lab.treebank(treebank, which)
    return lab.sample(path, 60 if which == "train" else 20) if lab.quick else path


def study(lab, treebank, options):
    train, dev, test = (part(lab, treebank, which) for which in ("train", "dev", "test"))
    options = ("--dev", dev, *options, "--epochs", lab.pick("5", "1"))
    return Study(train, options, {"test": (score, test), "solved": (solved, dev)})


def score(lab, model, data):
    """UAS and LAS of all words."""
    judged = lab.score(model, data)
    return {metric: round(judged[metric], 4) for metric in ("uas", "las")}


def solved(lab, model, data):
    """Of how many sentences in a hundred belief propagation converged, and the tree is certified (None if not searched)."""
    comments = re.findall(r"^# inference = (.*)$", lab.parsed(model, data, "--stats").read_text(encoding="utf-8"), flags=re.M)
    converged = sum(comment.startswith("bp converged") for comment in comments)
    searched = [comment for comment in comments if "; tree " in comment]
    certified = sum("tree certified" in comment for comment in searched)
    return 100.0 * converged / len(comments), 100.0 * certified / len(searched) if searched else None


def write(lab, page):
    treebanks = lab.pick(sorted(TREEBANKS, key=lambda name: name == "en_ewt"), ("hu_szeged",))
    wanted = {(name, kind): study(lab, name, options) for name in treebanks for kind, options in MODELS.items()}
    found = {key: finding for key, finding in zip(wanted, page.studies.run(wanted.values())) if finding}

    def row(name, value):
        """A value of each model, each with the letter of its origin."""
        return [Marked(value(found[name, kind]), page.studies.mark(found[name, kind])) if (name, kind) in found else None
                for kind in MODELS]

    page.heading("Accuracy")
    for metric in ("uas", "las"):
        rows = [[name, *row(name, lambda finding: f"{finding.answers['test'][metric]:.2f}")] for name in treebanks]
        page.table(metric, ["treebank", *MODELS], rows, f"{metric.upper()} on test, all words, gold tags. AdaGrad, features seen "
                   "twice, the best of 5 epochs on dev; softmax-margin unless a column says SVM.")
    if len(found) < len(wanted):
        page.text(f"{len(found)} of {len(wanted)} trainings of this page have been run; a dash stands for each of the others, and "
                  "a run with `MINUTES=60` goes on with them.")
    judge(page, treebanks, {key: finding.answers["test"] for key, finding in found.items()})
    write_cost(page, treebanks, row, found)
    page.heading("How well the models are solved")
    rows = [[*key, *(Marked(None if share is None else f"{share:.2f}", page.studies.mark(finding)) for share in finding.answers["solved"])]
            for key, finding in found.items()]
    page.table("solved", ["treebank", "model", "BP converged, %", "tree certified, %"], rows, "Sentences of dev on which belief "
               "propagation converges to 1e-4 in at most 230 iterations (90 in trainings of the commits aace9ad and 76236b5), and "
               "those whose tree AD3 proves to be the best one to a relative gap of 1e-4 (`kirchhoff parse --stats`).")
    converged = [finding.answers["solved"][0] for finding in found.values()]
    if converged:
        page.text(f"Belief propagation converges on {min(converged):.2f} % of the sentences or more with each of these models.")


def write_cost(page, treebanks, row, found):
    page.heading("Cost")
    page.table("seconds", ["treebank", *MODELS], [[name, *row(name, lambda finding: finding.seconds)] for name in treebanks],
               "Seconds of processor time for the whole training, pruner and relations included; the footer says where, and how "
               "many trainings ran side by side.")
    ratios = []
    for name in treebanks:
        one, other = found.get((name, "all (Turbo #1)")), found.get((name, "next"))
        if one and other and one.origin == other.origin:  # Times of different machines cannot be compared.
            ratios.append(one.seconds / other.seconds)
    if ratios:
        page.text(f"All siblings take {min(ratios):.1f} to {max(ratios):.1f} times as long as next ones on the {len(ratios)} treebanks "
                  "where both have the same origin.")


def judge(page, treebanks, scores):
    """What the table says, in words."""
    def gains(kind, base):
        pairs = [(scores.get((name, kind)), scores.get((name, base))) for name in treebanks]
        return [a["uas"] - b["uas"] for a, b in pairs if a and b]

    for kind, base, text in (("all (Turbo #1)", "next", "All siblings against next ones, softmax-margin"),
                             ("all, SVM relaxed (Turbo #2)", "next, SVM", "All siblings, relaxed, against next ones, SVM"),
                             ("the same, non-projective", "the same, all features", "Scores of non-projective arcs")):
        found = gains(kind, base)
        if found:
            page.text(f"{text}: UAS changes by {min(found):+.2f} to {max(found):+.2f}, on average {sum(found) / len(found):+.2f}; "
                      f"better on {sum(g > 0 for g in found)} of {len(found)} treebanks.")
