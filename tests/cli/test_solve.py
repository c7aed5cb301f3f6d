"""Tests `kirchhoff solve` against enumeration, and all methods on one graph."""

import itertools
import json
import math
import random
import re
import shlex
import subprocess

import support
from factor_graphs import enumerate_graph, factor_score, random_graph
from support import Case, run

METHODS = ("bp", "max_product", "lp", "ilp", "ad3", "exact")
WET = {"id": "wet", "scores": [-1, -0.5, 2],
       "factors": [{"type": "or_out", "vars": [0, 1, 2]}, {"type": "pair", "vars": [0, 1], "score": -1}]}


def solve(graphs, method="exact", *options):
    text = graphs if isinstance(graphs, str) else "".join(json.dumps(graph) + "\n" for graph in graphs)
    return run("solve", "--method", method, *options, stdin=text)


def answer(graph, method="exact", *options):
    done = solve([graph], method, *options)
    if done.returncode != 0:
        raise AssertionError(done.stderr or done.stdout)
    return json.loads(done.stdout)


class Enumerated(Case):
    def test_exact_and_integer(self):
        rng = random.Random(5)
        graphs = [random_graph(rng) for _ in range(60)]
        for graph in graphs:
            scores = enumerate_graph(graph)
            for method, options in (("exact", ()), ("ilp", ()), ("ad3", ("--exact",))):
                done = solve([graph], method, *options)
                with self.subTest(graph=graph, method=method):
                    if done.returncode == 1 and "no linear programming solver" in done.stderr:
                        continue
                    found = json.loads(done.stdout)
                    self.assertEqual(found["id"], graph["id"])
                    if not scores:
                        self.assertEqual((done.returncode, found["status"]), (1, "infeasible"))
                        continue
                    self.assertEqual((done.returncode, found["status"]), (0, "converged"))
                    self.assertAlmostEqual(found["value"], max(scores.values()), delta=1e-5)
                    self.assertAlmostEqual(scores[tuple(found["assignment"])], found["value"], delta=1e-9)
                    if method == "exact":
                        z = math.fsum(map(math.exp, scores.values()))
                        self.assertAlmostEqual(found["log_partition"], math.log(z), delta=1e-9)
                        for i, p in enumerate(found["marginals"]):
                            truth = math.fsum(math.exp(s) for y, s in scores.items() if y[i]) / z
                            self.assertAlmostEqual(p, truth, delta=1e-9)

    def test_dependency_trees(self):
        rng = random.Random(7)
        matrix = [[None if d == 0 or h == d else rng.gauss(0, 1) for d in range(4)] for h in range(4)]
        arcs = [(h, d) for d in (1, 2, 3) for h in range(4) if h != d]
        pairs = [[*a, *b, rng.gauss(0, 1)] for a, b in itertools.combinations(arcs, 2) if a[1] != b[1]]
        for root, form in itertools.product(("single", "multi"), ("factor", "flow")):
            graph = {"id": 3, "arcs": matrix, "root": root, "form": form, "pairs": pairs}
            same = {"scores": [matrix[h][d] for h, d in arcs],
                    "factors": [{"type": "tree", "n": 3, "root": root,
                                 "arcs": [[h, d, i] for i, (h, d) in enumerate(arcs)]}]
                    + [{"type": "pair", "vars": [arcs.index((p[0], p[1])), arcs.index((p[2], p[3]))], "score": p[4]}
                       for p in pairs]}
            scores = enumerate_graph(same)
            best = max(scores, key=scores.get)
            heads = [next(h for (h, d), bit in zip(arcs, best) if bit and d == word) for word in (1, 2, 3)]
            for method, options in (("exact", ()), ("ad3", ("--exact",))):
                found = answer(graph, method, *options)
                self.assertEqual((found["id"], found["heads"]), (3, heads))
                self.assertAlmostEqual(found["value"], scores[best], delta=1e-5)
        # The variables are arcs by dependent and head, and factors may use them.
        required = {"type": "xor", "vars": [arcs.index((0, 3))]}
        self.assertEqual(answer({"arcs": matrix, "root": "single", "factors": [required]})["heads"][2], 0)
        more = {"arcs": [[0] * 4] * 4, "root": "multi", "non_projective": [[1, 3, 5.0]],
                "consecutive_siblings": [[0, 1, 0, 2, 4.0], [0, 1, 0, 3, 2.0]]}
        found = answer(more)
        self.assertEqual((found["value"], found["heads"]), (9.0, [0, 0, 1]))

    def test_beliefs(self):
        rng = random.Random(8)
        graph = {"scores": [rng.gauss(0, 1) for _ in range(19)],
                 "factors": [{"type": "or_out", "vars": [0, 1, 2]},
                             {"type": "table", "vars": [2, 3], "negate": [True, False],
                              "log_potentials": [rng.gauss(0, 1) for _ in range(4)]},
                             {"type": "xor", "vars": list(range(2, 19))}]}
        small = dict(graph, scores=graph["scores"][:4], factors=graph["factors"][:2])
        scores = enumerate_graph(small)
        z = math.fsum(map(math.exp, scores.values()))
        found = answer(small, "bp", "--beliefs")["factor_beliefs"]
        self.assertEqual([len(belief) for belief in found], [8, 4])
        for (variables, negate), belief in zip((((0, 1, 2), (0, 0, 0)), ((2, 3), (1, 0))), found):
            for x, p in zip(itertools.product((0, 1), repeat=len(variables)), belief):
                truth = math.fsum(math.exp(s) for y, s in scores.items()
                                  if all(y[v] != n if bit else y[v] == n for v, n, bit in zip(variables, negate, x))) / z
                self.assertAlmostEqual(p, truth, delta=1e-8)
        self.assertNotIn("factor_beliefs", answer(small, "bp"))
        wide = answer(graph, "bp", "--beliefs")["factor_beliefs"]
        self.assertEqual([belief is None for belief in wide], [False, False, True], "17 variables are too many to list")

    def test_duals_prove_the_bound_and_posteriors_are_its_mixtures(self):
        rng = random.Random(9)
        fractional = 0
        for _ in range(60):
            graph = random_graph(rng)
            # The relaxation of a knapsack of real weights is larger than the mixtures of its configurations.
            real = any(w % 1 for factor in graph["factors"] for w in factor.get("weights", []))
            if real or not enumerate_graph(graph):
                continue
            found = answer(graph, "ad3", "--duals", "--posteriors")
            duals, posteriors = found["duals"], found["factor_posteriors"]
            size, bound, left = 1 + abs(found["bound"]), 0.0, list(graph["scores"])
            for factor, q, posterior in zip(graph["factors"], duals, posteriors):
                variables = list(factor["vars"]) if "vars" in factor else sum(factor.get("groups", []), [])
                variables += factor.get("heads", []) + factor.get("left", []) + factor.get("right", [])
                variables += [v for _, v in factor.get("both", [])]
                negate = factor.get("negate", [])
                negate = negate + [False] * (len(variables) - len(negate))
                values = {}
                for y in itertools.product((0, 1), repeat=len(variables)):
                    score = factor_score(factor, dict(zip(variables, y)))
                    if score is not None:
                        values[tuple(int(bit != bool(n)) for bit, n in zip(y, negate))] = (
                            score, score + sum(d for d, bit in zip(q, y) if bit))
                bound += max(value for _, value in values.values())
                for v, d in zip(variables, q):
                    left[v] -= d
                self.assertAlmostEqual(math.fsum(posterior["weights"]), 1, delta=1e-9)
                self.assertGreater(min(posterior["weights"]), 0)
                mixture = [(w, tuple(y)) for w, y in zip(posterior["weights"], posterior["configurations"])]
                self.assertAlmostEqual(posterior["score"], math.fsum(w * values[y][0] for w, y in mixture), delta=1e-9)
                for i, (v, n) in enumerate(zip(variables, negate)):
                    mean = math.fsum(w * y[i] for w, y in mixture)
                    self.assertAlmostEqual(posterior["inputs"][i], mean, delta=1e-9)
                    self.assertAlmostEqual(1 - mean if n else mean, found["point"][v], delta=0.02)
                    fractional += 0.1 < mean < 0.9
                # A mixture of what is best under the factor's part of the scores.
                best = max(value for _, value in values.values())
                self.assertAlmostEqual(math.fsum(w * values[y][1] for w, y in mixture), best, delta=0.02 * size)
            bound += sum(max(0, x) for x in left)
            self.assertAlmostEqual(bound, found["bound"], delta=1e-6 * size)
        self.assertGreater(fractional, 10)
        self.assertNotIn("duals", answer(WET, "ad3"))
        self.assertNotIn("factor_posteriors", answer(WET, "ad3", "--duals"))

    def test_tree_factor(self):
        arcs = [[h, d] for d in (1, 2, 3) for h in range(4) if h != d]
        rng = random.Random(6)
        for root in ("single", "multi"):
            graph = {"scores": [rng.gauss(0, 1) for _ in arcs],
                     "factors": [{"type": "tree", "n": 3, "root": root,
                                  "arcs": [[h, d, i] for i, (h, d) in enumerate(arcs)]}]}
            scores = enumerate_graph(graph)
            z = math.fsum(map(math.exp, scores.values()))
            for method in ("bp", "exact"):
                found = answer(graph, method)
                self.assertAlmostEqual(found["log_partition"], math.log(z), delta=1e-8)
                for i, p in enumerate(found["marginals"]):
                    truth = math.fsum(math.exp(s) for y, s in scores.items() if y[i]) / z
                    self.assertAlmostEqual(p, truth, delta=1e-8)
            for method in ("max_product", "ad3"):
                self.assertAlmostEqual(answer(graph, method)["value"], max(scores.values()), delta=1e-5)


class Command(Case):
    def test_all_methods(self):
        for method in METHODS:
            done = solve([WET], method)
            if "no linear programming solver" in done.stderr:
                continue
            found = json.loads(done.stdout)
            self.assertEqual((found["id"], found["status"]), ("wet", "converged"), method)
            self.assertEqual(found["assignment"], [0, 1, 1], method)
            self.assertAlmostEqual(found["value"], 1.5, delta=1e-6)

    def test_fields(self):
        self.assertEqual(list(answer(WET, "exact")), ["id", "status", "log_partition", "entropy", "bethe_entropy", "value",
                                                      "marginals", "assignment"])
        self.assertEqual(list(answer(WET, "bp")), ["id", "status", "iterations", "residual", "log_partition",
                                                   "bethe_entropy", "value", "marginals", "assignment"])
        self.assertEqual(list(answer(WET, "ad3")), ["id", "status", "iterations", "residual", "bound", "value", "integral",
                                                    "point", "assignment"])
        for schedule in ("flooding", "sequential", "residual"):
            found = answer(WET, "bp", "--schedule", schedule, "--damping", "0.1")
            self.assertEqual(found["status"], "converged")
        self.assertEqual(answer(WET, "bp", "--max-iterations", "1")["status"], "iteration_limit")

    def test_infeasible_is_an_answer(self):
        bad = {"id": 7, "scores": [0, 0], "factors": [{"type": "xor", "vars": [0]}, {"type": "xor", "vars": [1]},
                                                      {"type": "nand", "vars": [0, 1]}]}
        for method in ("bp", "max_product", "ad3", "exact"):
            done = solve([bad, WET], method)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, "kirchhoff: standard input: 1 of 2 graphs infeasible\n")
            first, second = map(json.loads, done.stdout.splitlines())
            self.assertEqual((first["id"], first["status"]), (7, "infeasible"))
            self.assertEqual(second["status"], "converged")
        self.assertEqual(solve([bad], "bp", "--strict").stderr, "kirchhoff: standard input:1: infeasible\n")

    def test_a_graph_that_cannot_be_answered_is_an_error_of_its_line(self):
        many = {"id": "many", "scores": [0] * 40}
        words = [[0, 1, 0], [0, 2, 1], [1, 2, 2], [2, 1, 3]]
        cycle = {"id": "cycle", "scores": [0, 1, 1e30, 1e30],
                 "factors": [{"type": "tree", "n": 2, "root": "multi", "arcs": words}]}
        for graph, method, problem in [(many, "exact", "assignments"), (cycle, "bp", "scores differ too much")]:
            done = solve([WET, graph, WET], method)
            with self.subTest(method=method):
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stderr, "kirchhoff: standard input: 1 of 3 graphs without an answer\n")
                first, second, third = map(json.loads, done.stdout.splitlines())
                self.assertEqual((first["status"], third["status"]), ("converged", "converged"))
                self.assertEqual(sorted(second), ["error", "id"])
                self.assertIn(problem, second["error"])
                strict = solve([graph, WET], method, "--strict")
                self.assertEqual((strict.returncode, len(strict.stdout.splitlines())), (1, 1))
                self.assertRegex(strict.stderr, f"^kirchhoff: standard input:1: .*{problem}")

    def test_trees_of_scores_that_are_far_apart(self):
        random.seed(3)
        for magnitude in (1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e18, 1e30, 1e90):
            for n, root in [(3, "single"), (4, "multi"), (4, "single")]:
                arcs = [(head, word) for word in range(1, n + 1) for head in range(n + 1) if head != word]
                graph = {"scores": [magnitude * random.gauss(0, 1) for _ in arcs], "factors": [
                    {"type": "tree", "n": n, "root": root, "arcs": [[h, d, i] for i, (h, d) in enumerate(arcs)]}]}
                with self.subTest(magnitude=magnitude, n=n, root=root):
                    found, truth = answer(graph, "bp"), answer(graph)
                    self.assertEqual(found["status"], "converged")
                    for name in ("log_partition", "value", "marginals", "assignment"):
                        self.assert_same(found[name], truth[name], name)

    def test_a_graph_without_variables(self):
        for method, *options in (["bp"], ["max_product"], ["lp"], ["ilp"], ["ad3"], ["ad3", "--exact"], ["exact"]):
            with self.subTest(method=method, options=options):
                found = answer({"scores": []}, method, *options)
                self.assertEqual((found["status"], found["value"], found["assignment"]), ("converged", 0, []))
                if "bound" in found:
                    self.assertEqual((found["bound"], found["point"]), (0, []))
                if "log_partition" in found:
                    self.assertEqual((found["log_partition"], found["marginals"]), (0, []))
                done = solve("MARKOV\n1\n1\n1\n1 0\n1\n2\n", method, "--format", "uai", *options)
                self.assertAlmostEqual(json.loads(done.stdout)["value"], math.log(2), delta=1e-12)
                self.assertEqual(json.loads(done.stdout)["assignment"], [0])

    def test_usage(self):
        for options in (["--method", "magic"], [], ["--method", "bp", "--max-iterations", "0"], ["--method", "bp", "--x"]):
            done = run("solve", *options, stdin="")
            self.assertEqual((done.returncode, done.stdout), (2, ""), options)
            self.assertRegex(done.stderr, r"^kirchhoff: .*see 'kirchhoff solve --help'\)\n$")
        self.assertRegex(solve([WET], "bp", "--damping", "1").stderr, "damping")

    def test_sparse(self):
        # One of three: the nearest point of a simplex. A variable alone: the nearest number from 0 to 1.
        graph = {"id": "s", "scores": [1, 0.8, -1, 0.3, 7], "factors": [{"type": "xor", "vars": [0, 1, 2]}]}
        done = run("solve", "--sparse", "--posteriors", stdin=json.dumps(graph) + "\n")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = json.loads(done.stdout)
        self.assertEqual((found["id"], found["status"]), ("s", "converged"))
        for one, other in zip(found["marginals"], [0.6, 0.4, 0, 0.3, 1]):
            self.assertAlmostEqual(one, other, places=7)
        self.assertLess(max(found["residual"], found["gap"]), 1e-6)
        (mixture,) = found["factor_posteriors"]
        self.assertEqual(len(mixture["weights"]), 2)
        self.assertNotIn("value", found)
        # Over trees it is the mixture of `decode --sparse`.
        arcs = [[None, 0, 1, 2], [None, None, 2, 0], [None, 0.5, None, 1], [None, 1, 3, None]]
        tree = json.loads(run("decode", "--root", "single", "--sparse", stdin=json.dumps({"scores": arcs}) + "\n").stdout)
        found = json.loads(run("solve", "--sparse", stdin=json.dumps({"arcs": arcs, "root": "single"}) + "\n").stdout)
        expected = [sum(t["probability"] for t in tree["trees"] if t["heads"][d - 1] == h)
                    for h in range(4) for d in range(1, 4) if arcs[h][d] is not None]
        self.assertEqual(len(found["marginals"]), len(expected))
        self.assertAlmostEqual(sum(expected), 3, places=7)
        self.assertAlmostEqual(sum(found["marginals"]), 3, places=6)
        self.assertEqual(sorted(round(x, 5) + 0.0 for x in found["marginals"]), sorted(round(x, 5) + 0.0 for x in expected))
        for options in (["--sparse", "--method", "bp"], ["--sparse", "--damping", "0.5"], ["--sparse", "--exact"],
                        ["--sparse", "--time-limit", "1"], ["--sparse", "--beliefs"], []):
            done = run("solve", *options, stdin="")
            self.assertEqual((done.returncode, done.stdout), (2, ""), options)
        impossible = {"scores": [1, 2], "factors": [{"type": "table", "vars": [0, 1], "log_potentials": [None] * 4}]}
        self.assertIn("infeasible", run("solve", "--sparse", stdin=json.dumps(impossible) + "\n").stdout)

    def test_same_bytes_for_any_number_of_threads(self):
        rng = random.Random(8)
        text = "".join(json.dumps(random_graph(rng)) + "\n" for _ in range(150))
        outputs = [solve(text, "bp", "--threads", t).stdout for t in (1, 2, 8)]
        self.assertEqual(len(outputs[0].splitlines()), 150)
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])

    def test_help_has_an_example_that_works(self):
        text = run("solve", "--help").stdout
        self.assertEqual(text, run("help", "solve").stdout)
        example = re.search(r"Example.*?:\n(.*)", text, re.S).group(1)
        command = example.replace("kirchhoff ", shlex.quote(support.PROGRAM) + " ")
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["status"], "converged")
