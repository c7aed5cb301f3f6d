"""How well second-order models are solved: propagation, AD3 and linear programming beside the exact tree; Appendix B."""

import math

from pages.turbo_trainings import training

SOLVERS = (("bp", "belief propagation"), ("ad3", "AD3"), ("lp", "linear programming"), ("exact", "exact search"))
SLACK = 1e-6  # scores that differ by less are the same: this is far above rounding, far below a feature's weight


def write(trainings, page):
    write_solvers(trainings, page)
    write_appendix(trainings.lab, page)


def seconds(lab):
    """How long a sentence's linear program may take, and how long the search for its exact tree."""
    return lab.pick(10, 2)


def inference(lab, model, data, sentences, limit):
    """One dictionary of numbers for each sentence; what is not there is None."""
    rows = lab.measure("turbo_inference", "--model", model, "--data", data, "--sentences", sentences, "--seconds", limit)
    return [{name: float(text) if text else None for name, text in row.items()} for row in rows]


def solved(trainings, one):
    """The study of a training whose model is solved in all ways."""
    lab = trainings.lab
    ask = (inference, trainings.part(one.treebank, "dev"), lab.pick(60, 3), seconds(lab))
    return trainings.study(one, {"inference": ask})


def models(lab):
    """The trainings whose models are solved in all ways."""
    return [training(treebank, 2, "adagrad", loss=loss) for treebank in lab.pick(("hu_szeged", "en_ewt"), ("hu_szeged",))
            for loss in ("crf", "svm")]


def studies(trainings):
    return [solved(trainings, one) for one in models(trainings.lab)]


def measured(trainings):
    """For each treebank and loss whose model was there, one dictionary of numbers for each sentence of dev."""
    for one in models(trainings.lab):
        if found := trainings.studies.known(solved(trainings, one)):
            yield one.treebank, one.loss, [{name: math.nan if value is None else value for name, value in row.items()}
                                           for row in found.answers["inference"]]


def share(rows, test):
    return 100.0 * sum(map(bool, map(test, rows))) / len(rows)


def write_solvers(trainings, page):
    page.heading("How well the relaxations are solved")
    page.text("""All solvers get one and the same factor graph of a sentence, a TREE factor and a HEAD factor for each word. The
        exact tree is found by AD3 with branch and bound. A tree with a wrong head is a *search error* when the gold tree has a
        higher score than it, so that the solver missed something better; it is a *model error* when its score is as high as
        gold's; and the gold tree may have been *pruned* before: one of its arcs is not among the candidates.""")
    table, convergence, claims = [], [], []
    for treebank, loss, rows in measured(trainings):
        name = f"{treebank}, {loss.upper()}"
        proved = [row for row in rows if row["exact_converged"]]
        words = sum(row["words"] for row in rows)
        for solver, title in SOLVERS:
            gaps = [row["exact_score"] - row[f"{solver}_score"] for row in proved]
            same = [gap <= SLACK * max(1.0, abs(row["exact_score"])) for gap, row in zip(gaps, proved)]
            table.append([name, title, None if solver == "bp" else share(rows, lambda r: r[f"{solver}_integral"]),
                          share(list(same), lambda s: s), sum(gaps) / len(gaps), max(gaps),
                          f"{100 * sum(r[f'{solver}_right'] for r in rows) / words:.2f}",
                          *errors(solver, rows), 1000 * sum(r[f"{solver}_seconds"] for r in rows) / len(rows)])
            claims.append((loss, solver, table[-1]))
        convergence.append([name, len(rows), share(rows, lambda r: r["bp_converged"]),
                            sum(r["bp_iterations"] for r in rows) / len(rows), share(rows, lambda r: r["bp_converged_in_1000"]),
                            share(rows, lambda r: r["bp_converged_damped"]), share(rows, lambda r: r["lp_converged"]),
                            share(rows, lambda r: r["exact_converged"])])
    if not table:
        page.text("The models of second order have not been trained in this run: dashes all through, so there is no table.")
        return
    page.table("solvers", ["model", "solver", "relaxation integral, %", "best tree found, %", "mean loss of score", "largest",
                           "UAS, all words", "gold pruned, %", "search error, %", "model error, %", "ms a sentence"], table,
               """Scores are the model's own; losses are against the exact tree, over the sentences where it is proved. AD3 and BP
               make the effort that the parser makes; propagation takes the best tree of its arc-factored distribution.""")
    page.table("convergence", ["model", "sentences", "BP converges in 30 iterations, %", "iterations", "in 1000, %",
                               "in 1000 with damping ½, %", "linear program solved, %", "exact tree proved, %"],
               convergence,
               f"""Belief propagation as the parser runs it (beliefs to 10⁻⁴), and for how many sentences the linear program and the
               exact search ended in the {seconds(trainings.lab)} seconds that each has. Where the linear program does not end,
               the best tree by arc scores stands in for its own.""")
    claim_solvers(page, claims, convergence)


def errors(solver, rows):
    """The shares of sentences that are wrong because gold was pruned, by the search, and by the model."""
    wrong = [row for row in rows if row[f"{solver}_right"] < row["words"]]
    pruned = [row for row in wrong if math.isnan(row["gold_score"])]
    missed = [row for row in wrong if row["gold_score"] > row[f"{solver}_score"] + SLACK * max(1.0, abs(row["gold_score"]))]
    return [100.0 * count / len(rows) for count in (len(pruned), len(missed), len(wrong) - len(pruned) - len(missed))]


def claim_solvers(page, claims, convergence):
    page.claim("Belief propagation converges for nearly all sentences (with damping)",
               "; ".join(f"{row[0]}: {row[2]:.0f} % in 30 iterations, {row[5]:.0f} % in 1000 with damping" for row in convergence),
               all(row[5] >= 95 for row in convergence))
    found = {(loss, solver): [row for l, s, row in claims if (l, s) == (loss, solver)] for loss, solver, _ in claims}
    parts = [f"{row[0]}: {', '.join(f'{title} {r[3]:.0f} %' for (s, title) in SOLVERS[:3] for r in found[loss, s] if r[0] == row[0])}"
             for loss in ("crf", "svm") for row in found.get((loss, "bp"), [])]
    better = [r[3] >= b[3] for loss in ("crf", "svm") for r, b in zip(found.get((loss, "ad3"), []), found.get((loss, "bp"), []))]
    page.claim("The relaxation of the best tree (Turbo Parser #2) is less approximate than belief propagation (#1)",
               "best tree found, " + "; ".join(parts), all(better),
               "AD3 and the linear program solve the same relaxation, with whole HEAD factors")


def write_appendix(lab, page):
    rows = lab.measure("flow_graph")
    exact, tree, runs = rows[0], rows[1], rows[2:]
    page.heading("Appendix B: propagation on the flow graph")
    page.text(f"""Two words, all scores 0, the TREE factor replaced by the flow variables of the paper's Fig. 3: eight variables, ten
        factors. The three trees are equally likely, the entropy is log 3 = {math.log(3):.4f}. At the true marginals Bethe's
        entropy of this graph is {float(exact['bethe_entropy']):.4f}. With one TREE factor instead, propagation gives
        {float(tree['bethe_entropy']):.4f}, which is exact.""")
    table = []
    for key in dict.fromkeys((r["solver"], r["damping"]) for r in runs):
        uniform, *others = [r for r in runs if (r["solver"], r["damping"]) == key]
        ends = sorted({tuple(f"{float(r[p]):.3f}" for p in ("p01", "p02", "p12", "p21")) for r in others})
        table.append([*key, uniform["status"], int(uniform["iterations"]), f"{float(uniform['p01']):.4f}",
                      f"{float(uniform['p12']):.4f}", f"{round(float(uniform['bethe_entropy']), 4) + 0.0:.4f}",
                      sum(r["status"] == "converged" for r in others), "; ".join(", ".join(e) for e in ends)])
    page.table("appendix_b", ["schedule", "damping", "from the uniform start", "iterations", "p(0→1), true 0.6667",
                              "p(1→2), true 0.3333", "Bethe's entropy", "of 4 random starts converge",
                              "where they end: p(0→1), p(0→2), p(1→2), p(2→1)"], table,
               """What belief propagation does on it, by schedule and damping, with at most 10,000 iterations. Where nothing
               converges, beliefs go on moving, ever more slowly, towards degenerate ones.""")
    claim_appendix(page, exact, runs)


def claim_appendix(page, exact, runs):
    bethe = float(exact["bethe_entropy"])
    page.claim("On the flow graph Bethe's entropy at the true marginals is −0.3488, below 0", f"{bethe:.4f}", abs(bethe + 0.3488) < 5e-5)
    right = [r for r in runs if r["status"] == "converged" and abs(float(r["p01"]) - 2 / 3) < 1e-3 and abs(float(r["p12"]) - 1 / 3) < 1e-3]
    converged = sum(r["status"] == "converged" for r in runs)
    page.claim("Sum-product propagation on it does not converge to the true marginals",
               f"of {len(runs)} runs (schedules, dampings, starts) {converged} converge, {len(right)} of them to the true marginals",
               not right)
