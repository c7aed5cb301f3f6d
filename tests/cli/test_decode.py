"""Tests `kirchhoff decode` against enumeration, with and without constraints, and what it says without an answer."""

import json
import math
import random
import re
import shlex
import subprocess

import support
from oracle import Oracle, arcs_of
from support import NO_TREE, THREE, Case, json_lines, random_graph, run

def decode(graphs, root="single", *options):
    return run("decode", "--root", root, *options, stdin=json_lines(graphs))


def answer(graph, root="single", *options):
    done = decode([graph], root, *options)
    if done.returncode != 0:
        raise AssertionError(done.stderr or done.stdout)
    return json.loads(done.stdout)


class Enumerated(Case):
    def assert_k_best(self, graph, root, k):
        oracle = Oracle(graph["scores"], root)
        logs = oracle.given(graph.get("require", []), graph.get("forbid", []))
        done = decode([graph], root, "--k-best", k)
        if not logs:
            self.assertEqual(done.returncode, 1)
            self.assertRegex(json.loads(done.stdout)["error"], "^infeasible: ")
            return
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = json.loads(done.stdout)
        self.assertEqual(list(found), ["id", "trees", "mass"])
        self.assertEqual(found["id"], graph["id"])
        expected = sorted(logs.values(), reverse=True)[:k]
        self.assertEqual(len(found["trees"]), len(expected))
        self.assertEqual(len({arcs_of(tree) for tree in found["trees"]}), len(expected), "no tree twice")
        for tree, log_prob in zip(found["trees"], expected):
            self.assertEqual(list(tree), ["heads"] + ["labels"] * oracle.labelled + ["score", "log_prob"])
            self.assert_same(tree["score"], oracle.score(arcs_of(tree)))
            self.assert_same(tree["log_prob"], logs[arcs_of(tree)])
            self.assert_same(tree["log_prob"], log_prob)
        self.assert_same(found["mass"], math.fsum(map(math.exp, expected)))

    def test_k_best(self):
        rng = random.Random(7)
        for n, labels in ((1, 0), (2, 0), (3, 0), (4, 0), (2, 2), (3, 2)):
            for root in ("single", "multi"):
                for k in (1, 5, 5000):
                    with self.subTest(n=n, labels=labels, root=root, k=k):
                        self.assert_k_best(random_graph(n, labels, rng), root, k)

    def test_constraints(self):
        rng = random.Random(8)
        arcs = [[h, d] for h in range(4) for d in range(1, 4) if h != d]
        for labels in (0, 2):
            for _ in range(12):
                graph = random_graph(3, labels, rng)
                graph["require"] = rng.sample(arcs, rng.randrange(3))
                graph["forbid"] = rng.sample(arcs, rng.randrange(3))
                for root in ("single", "multi"):
                    with self.subTest(graph=graph, root=root):
                        self.assert_k_best(graph, root, 4)

    def test_mbr(self):
        rng = random.Random(9)
        for labels in (0, 2):
            for _ in range(8):
                graph = random_graph(3, labels, rng)
                for root in ("single", "multi"):
                    oracle = Oracle(graph["scores"], root)
                    gain = lambda arcs: math.fsum(oracle.marginal(arc) for arc in arcs)
                    (tree,) = answer(graph, root, "--mbr")["trees"]
                    self.assert_same(gain(arcs_of(tree)), max(map(gain, oracle.logs)))
                    self.assert_same(tree["score"], oracle.logs[arcs_of(tree)])

    def test_sparse(self):
        """No tree is better than the mixture: then that is the point of all mixtures nearest to the scores."""
        rng = random.Random(11)
        for n in (1, 2, 3, 4):
            for repeat in range(6 if n < 4 else 3):
                labels = 2 * (repeat % 2)
                graph = random_graph(n, labels, rng)
                for root in ("single", "multi"):
                    oracle = Oracle(graph["scores"], root)
                    found = answer(graph, root, "--sparse")
                    self.assertEqual(list(found), ["id", "trees", "gap"])
                    mixture = {}
                    for tree in found["trees"]:
                        self.assertEqual(list(tree), ["heads"] + ["labels"] * (labels > 0) + ["probability"])
                        for arc in arcs_of(tree):
                            mixture[arc] = mixture.get(arc, 0.0) + tree["probability"]
                    slope = lambda arcs: oracle.score(arcs) - math.fsum(mixture.get(arc, 0.0) for arc in arcs)
                    own = math.fsum(tree["probability"] * slope(arcs_of(tree)) for tree in found["trees"])
                    self.assertLess(max(map(slope, oracle.logs)) - own, 1e-11)
                    self.assertLess(found["gap"], 1e-11)
                    self.assert_same(math.fsum(tree["probability"] for tree in found["trees"]), 1.0)


class Command(Case):
    def test_by_hand(self):
        found = answer(THREE)
        self.assertEqual(found["trees"][0]["heads"], [3, 3, 0])
        self.assertEqual(found["trees"][0]["score"], 6)
        self.assertEqual(found["mass"], math.exp(found["trees"][0]["log_prob"]))

    def test_edges(self):
        self.assertEqual(answer(THREE, "single", "--k-best", "0"), {"id": "three", "trees": [], "mass": 0})
        self.assertEqual(len(answer(THREE, "multi", "--k-best", "999999999")["trees"]), 16)
        one = answer({"scores": [[0, -3.5], [0, 0]]}, "multi", "--k-best", 3)
        self.assertEqual(one, {"id": None, "trees": [{"heads": [0], "score": -3.5, "log_prob": 0}], "mass": 1})

    def test_conflicts_are_answers(self):
        conflict = dict(THREE, id="c", require=[[1, 2], [2, 1]])
        done = decode([NO_TREE, conflict, THREE])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "kirchhoff: standard input: 2 of 3 graphs without any tree\n")
        errors = [json.loads(line).get("error") for line in done.stdout.splitlines()]
        self.assertEqual(errors, ["infeasible: word 3 cannot be reached from the root",
                                  "infeasible: required arcs form the cycle 1 -> 2 -> 1", None])
        strict = decode([THREE, conflict, THREE], "single", "--strict")
        self.assertEqual(strict.returncode, 1)
        self.assertEqual(strict.stderr,
                         "kirchhoff: standard input:2: infeasible: required arcs form the cycle 1 -> 2 -> 1\n")

    def test_bad_lines(self):
        for fields, problem in (({"require": 1}, "require: expected a list, found '1'"),
                                ({"require": [1]}, "require[0]: expected a list, found '1'"),
                                ({"forbid": [[1, 2], [1]]}, "forbid[1]: 1 numbers; expected [head, dependent]"),
                                ({"forbid": [[1, 2, 0]]}, "forbid[0]: 3 numbers; expected [head, dependent]"),
                                ({"require": [[1, 4]]}, "require[0]: there is no arc from 1 to 4 among 3 words"),
                                ({"require": [[1, 0]]}, "require[0]: there is no arc from 1 to 0 among 3 words"),
                                ({"forbid": [[2, 2]]}, "forbid[0]: there is no arc from 2 to 2 among 3 words")):
            done = decode([THREE, dict(THREE, **fields)])
            self.assertEqual((done.returncode, done.stderr), (1, f"kirchhoff: standard input:2: {problem}\n"))
            self.assertEqual(len(done.stdout.splitlines()), 1)
        done = decode([{"scores": [[0, 1e200], [0, 0]]}])
        self.assertRegex(done.stderr, r"^kirchhoff: standard input:1: scores.*1e100.*\n$")

    def test_usage(self):
        for options in (["--k-best", "-1"], ["--k-best", "x"], ["--k-best", "2", "--mbr"], ["--sparse", "--mbr"],
                        ["--sparse", "--k-best", "2"], ["--sparse", "--method", "fast"], ["--what"]):
            done = decode([THREE], "single", *options)
            self.assertEqual((done.returncode, done.stdout), (2, ""), options)
            self.assertRegex(done.stderr, r"^kirchhoff: .*see 'kirchhoff decode --help'\)\n$")
        self.assertEqual(run("decode", stdin="").returncode, 2)

    def test_same_bytes_for_any_number_of_threads(self):
        rng = random.Random(10)
        text = "".join(json.dumps(random_graph(1 + i % 6, 0, rng)) + "\n" for i in range(400))
        outputs = [decode(text, "multi", "--k-best", "3", "--threads", t).stdout for t in (1, 2, 8)]
        self.assertEqual(len(outputs[0].splitlines()), 400)
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])

    def test_help_has_an_example_that_works(self):
        text = run("decode", "--help").stdout
        self.assertEqual(text, run("help", "decode").stdout)
        example = re.search(r"Example.*?:\n(.*)", text, re.S).group(1)
        command = example.replace("kirchhoff ", shlex.quote(support.PROGRAM) + " ")
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        self.assertEqual(len(json.loads(done.stdout)["trees"]), 2)
