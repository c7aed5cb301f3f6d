"""The page of parts: what a model scores beside arcs, on six treebanks, with accuracy, cost and how well it is solved."""

import re

from pages.turbo_trainings import TREEBANKS

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


def training(lab, treebank, options):
    epochs = ("--epochs", lab.pick("5", "1"))
    return part(lab, treebank, "train"), ("--dev", part(lab, treebank, "dev"), *options, *epochs)


def solved(lab, model, data):
    """Of how many sentences in a hundred belief propagation converged, and the tree is certified (None if not searched)."""
    comments = re.findall(r"^# inference = (.*)$", lab.parsed(model, data, "--stats").read_text(encoding="utf-8"), flags=re.M)
    converged = sum(comment.startswith("bp converged") for comment in comments)
    searched = [comment for comment in comments if "; tree " in comment]
    certified = sum("tree certified" in comment for comment in searched)
    return 100.0 * converged / len(comments), 100.0 * certified / len(searched) if searched else None


def write(lab, page):
    treebanks = lab.pick(sorted(TREEBANKS, key=lambda name: name == "en_ewt"), ("hu_szeged",))
    lab.train_all([training(lab, name, options) for name in treebanks for options in MODELS.values()])
    models = {(name, kind): lab.affordable(training(lab, name, options)[0], *training(lab, name, options)[1])
              for name in treebanks for kind, options in MODELS.items()}
    scores = {key: lab.score(model, part(lab, key[0], "test")) for key, model in models.items() if model}
    page.heading("Accuracy")
    for metric in ("uas", "las"):
        rows = [[name, *(f"{scores[name, kind][metric]:.2f}" if (name, kind) in scores else None for kind in MODELS)]
                for name in treebanks]
        page.table(metric, ["treebank", *MODELS], rows, f"{metric.upper()} on test, all words, gold tags. AdaGrad, features seen "
                   "twice, the best of 5 epochs on dev; softmax-margin unless a column says SVM.")
    if len(scores) < len(models):
        page.text(f"{len(scores)} of {len(models)} trainings of this page have been run; a dash stands for each of the others, and "
                  "a run with `MINUTES=60` goes on with them.")
    judge(page, treebanks, scores)
    page.heading("Cost")
    seconds = {key: lab.training_seconds(*training(lab, key[0], MODELS[key[1]])) for key in scores}
    rows = [[name, *(seconds.get((name, kind)) for kind in MODELS)] for name in treebanks]
    page.table("seconds", ["treebank", *MODELS], rows, "Seconds of processor time for the whole training, pruner and relations "
               "included, two trainings side by side.")
    ratios = [seconds[name, "all (Turbo #1)"] / seconds[name, "next"] for name in treebanks
              if seconds.get((name, "next")) and seconds.get((name, "all (Turbo #1)"))]
    if ratios:
        page.text(f"All siblings take {min(ratios):.1f} to {max(ratios):.1f} times as long as next ones.")
    page.heading("How well the models are solved")
    rows = []
    for name in treebanks:
        for kind in MODELS:
            if (name, kind) in scores:
                converged, certified = solved(lab, models[name, kind], part(lab, name, "dev"))
                rows.append([name, kind, f"{converged:.2f}", None if certified is None else f"{certified:.2f}"])
    page.table("solved", ["treebank", "model", "BP converged, %", "tree certified, %"], rows, "Sentences of dev on which belief "
               "propagation converges to 1e-4 in at most 90 iterations, and those whose tree AD3 proves to be the best one to a "
               "relative gap of 1e-4 (`kirchhoff parse --stats`).")


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
