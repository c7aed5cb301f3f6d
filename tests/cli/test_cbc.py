"""What `kirchhoff solve` calls the best assignment, against COIN-OR's Cbc: graphs too large to list, as integer programs.

A factor's configurations are listed by its definition, with a variable for each, so that nothing of the library's own
linear programs is used.
"""

import itertools
import json
import os
import random
import re
import subprocess
import tempfile

from factor_graphs import factor_score, random_graph
from support import Case, run


def variables_of(factor):
    """In the order of the fields, those of trees too."""
    found = factor.get("vars", []) + sum(factor.get("groups", []), []) + [v for _, v in factor.get("both", [])]
    found += factor.get("heads", []) + factor.get("left", []) + factor.get("right", [])
    return found + [v for *_, v in factor.get("arcs", [])]


def renamed(factor, to):
    """The factor over other variables."""
    new = dict(factor)
    for name in ("vars", "heads", "left", "right"):
        if name in factor:
            new[name] = [to[v] for v in factor[name]]
    if "groups" in factor:
        new["groups"] = [[to[v] for v in group] for group in factor["groups"]]
    if "both" in factor:
        new["both"] = [[node, to[v]] for node, v in factor["both"]]
    if "arcs" in factor:
        new["arcs"] = [[h, d, to[v]] for h, d, v in factor["arcs"]]
    return new


def random_tree(rng):
    return {"type": "tree", "n": 2, "root": rng.choice(["single", "multi"]),
            "arcs": [[0, 1, 0], [2, 1, 1], [0, 2, 2], [1, 2, 3]]}


def random_large_graph(rng, kinds):
    """Some twenty variables and ten factors; `kinds` counts their types."""
    n = rng.randrange(12, 24)
    graph = {"scores": [round(rng.gauss(0, 1), 2) for _ in range(n)], "factors": []}
    for _ in range(rng.randrange(2, 6)):
        for factor in [random_tree(rng)] if rng.random() < 0.15 else random_graph(rng)["factors"]:
            own = sorted(set(variables_of(factor)))
            graph["factors"].append(renamed(factor, dict(zip(own, rng.sample(range(n), len(own))))))
            kinds.add(factor["type"])
    return graph


def program(graph):
    """The text of an integer program in the format of CPLEX: y for variables, c for configurations."""
    objective = [f"{s:+} y{i}" for i, s in enumerate(graph["scores"]) if s != 0] or ["0 y0"]
    rows, names = [], [f"y{i}" for i in range(len(graph["scores"]))]
    for f, factor in enumerate(graph["factors"]):
        variables = variables_of(factor)
        allowed = []
        for y in itertools.product((0, 1), repeat=len(variables)):
            score = factor_score(factor, dict(zip(variables, y)))
            if score is not None:
                allowed.append((f"c{f}_{len(allowed)}", y, score))
        if not allowed:
            return None
        names += [name for name, _, _ in allowed]
        objective += [f"{score:+} {name}" for name, _, score in allowed if score != 0]
        rows.append(" + ".join(name for name, _, _ in allowed) + " = 1")
        for k, v in enumerate(variables):
            rows.append(" + ".join(name for name, y, _ in allowed if y[k]) + f" - y{v} = 0")
    rows = [f"r{k}: {row}" for k, row in enumerate(rows)]
    lines = ["Maximize", "obj:", *objective, "Subject To", *rows, "Binary", *names, "End"]
    return "\n".join(lines) + "\n"


def best_by_cbc(graph):
    """The best assignment; None where there is none."""
    text = program(graph)
    if text is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        model, solution = os.path.join(folder, "model.lp"), os.path.join(folder, "solution.txt")
        with open(model, "w") as file:
            file.write(text)
        done = subprocess.run(["cbc", model, "ratioGap", "0", "allowableGap", "0", "solve", "solution", solution],
                              capture_output=True, text=True, timeout=120, check=True)
        with open(solution) as file:
            status, *lines = file.read().splitlines()
    if status.startswith(("Infeasible", "Integer infeasible")):
        return None
    if not status.startswith("Optimal"):
        raise AssertionError(status + "\n" + done.stdout)
    ones = {match[1] for line in lines if (match := re.match(r"[ *]*\d+ (y\d+)\s+(\S+)", line)) and float(match[2]) > 0.5}
    return [int(f"y{i}" in ones) for i in range(len(graph["scores"]))]


def score_of(graph, y):
    parts = [s for s, bit in zip(graph["scores"], y) if bit] + [factor_score(f, y) for f in graph["factors"]]
    return None if None in parts else sum(parts)


class Cbc(Case):
    def test_best_assignments(self):
        rng, kinds, feasible = random.Random(31), set(), 0
        graphs = [random_large_graph(rng, kinds) for _ in range(60)]
        text = "".join(json.dumps(graph) + "\n" for graph in graphs)
        answers = [[json.loads(line) for line in run("solve", "--method", *method, stdin=text).stdout.splitlines()]
                   for method in (("ilp",), ("ad3", "--exact"))]
        for graph, ilp, ad3 in zip(graphs, *answers):
            best = best_by_cbc(graph)
            with self.subTest(graph=graph):
                for found in (ilp, ad3):
                    if best is None:
                        self.assertEqual(found["status"], "infeasible")
                        continue
                    value = score_of(graph, best)
                    self.assertEqual(found["status"], "converged")
                    self.assertAlmostEqual(found["value"], value, delta=1e-6 * max(1, abs(value)))
                    self.assertAlmostEqual(score_of(graph, found["assignment"]), found["value"], delta=1e-9)
            feasible += best is not None
        self.assertGreater(feasible, 20)
        self.assertLess(feasible, 60)
        self.assertGreaterEqual(len(kinds), 17, kinds)
