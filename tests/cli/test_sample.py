"""Tests `kirchhoff sample`: every tree against enumeration, frequencies, seeds, and methods that do not fit."""

import collections
import itertools
import json
import math
import random
import re
import shlex
import subprocess

import support
from oracle import Oracle, arcs_of, reaches_root
from support import NO_TREE, THREE, Case, json_lines, random_graph, run, tree

INDEPENDENT = {"single": ("automatic", "wilson_marginal", "wilson_reject", "colbourn"),
               "multi": ("automatic", "wilson", "colbourn")}
DISTINCT = ("trie", "beam")
ROOTS = ("single", "multi")


def sample(graphs, root="single", *options):
    return run("sample", "--root", root, *options, stdin=json_lines(graphs))


def answers(graphs, root="single", *options):
    done = sample(graphs, root, *options)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(done.stderr or done.stdout)
    return [json.loads(line) for line in done.stdout.splitlines()]


def trees_of(graph, root, *options):
    (found,) = answers([graph], root, *options)
    return found["trees"]


def log_probs(graph, root):
    return Oracle(graph["scores"], root).given(graph.get("require", []), graph.get("forbid", []))


def feasible_graphs(rng, root):
    """With and without labels and constraints."""
    arcs = [[h, d] for h in range(4) for d in range(1, 4) if h != d]
    for n, labels in ((1, 0), (1, 2), (2, 0), (3, 0), (3, 0), (3, 0), (2, 2), (3, 2), (4, 0)):
        graph = random_graph(n, labels, rng)
        if n == 3:
            graph["require"], graph["forbid"] = rng.sample(arcs, rng.randrange(2)), rng.sample(arcs, rng.randrange(3))
        if log_probs(graph, root):
            yield graph


class Enumerated(Case):
    def assert_trees(self, found, graph, root, more=()):
        """Possible under the line's constraints, with the score and log-probability of the enumeration."""
        oracle, logs = Oracle(graph["scores"], root), log_probs(graph, root)
        for t in found:
            self.assertEqual(list(t), ["heads"] + ["labels"] * oracle.labelled + ["score", "log_prob", *more])
            self.assertIn(arcs_of(t), logs)
            self.assert_same(t["score"], oracle.score(arcs_of(t)))
            self.assert_same(t["log_prob"], logs[arcs_of(t)])

    def assert_frequencies(self, found, logs):
        """Chi-square; P(X >= df + 2 sqrt(df x) + 2x) <= exp(-x) bounds the false alarms by 1e-6 (Laurent & Massart)."""
        total, counts = len(found), collections.Counter(found)
        self.assertLessEqual(set(counts), set(logs))
        expected = {t: total * math.exp(log_prob) for t, log_prob in logs.items()}
        common = [t for t, e in expected.items() if e >= 5]
        cells = [(counts[t], expected[t]) for t in common]
        rest = (total - sum(o for o, _ in cells), total - math.fsum(e for _, e in cells))
        cells += [rest] if rest[1] >= 5 else []
        statistic = math.fsum((o - e) ** 2 / e for o, e in cells)
        df, x = len(cells) - 1, math.log(1e6)
        self.assertGreater(df, 0)
        self.assertLess(statistic, df + 2 * math.sqrt(df * x) + 2 * x)

    def test_independent(self):
        rng = random.Random(11)
        for root in ROOTS:
            graphs = list(feasible_graphs(rng, root))
            for method in INDEPENDENT[root]:
                for graph, found in zip(graphs, answers(graphs, root, "--count", 50, "--method", method), strict=True):
                    with self.subTest(graph=graph, root=root, method=method):
                        self.assertEqual(list(found), ["id", "trees", "method"])
                        self.assertEqual((found["id"], len(found["trees"])), (graph["id"], 50))
                        self.assertIn(found["method"], [method] if method != "automatic" else INDEPENDENT[root][1:])
                        self.assert_trees(found["trees"], graph, root)

    def test_frequencies(self):
        rng = random.Random(12)
        for root in ROOTS:
            for graph in (THREE, dict(THREE, forbid=[[0, 2]]), random_graph(3, 0, rng), random_graph(2, 2, rng)):
                for method in INDEPENDENT[root]:
                    with self.subTest(graph=graph, root=root, method=method):
                        found = trees_of(graph, root, "--count", 20000, "--method", method)
                        self.assert_frequencies([arcs_of(t) for t in found], log_probs(graph, root))

    def test_without_replacement_gives_all_trees_and_nothing_else(self):
        rng = random.Random(13)
        for root, method in itertools.product(ROOTS, DISTINCT):
            graphs = [dict(THREE, id="all"), *feasible_graphs(rng, root)]
            for count in (2, len(log_probs(THREE, root)), 100000):
                found = answers(graphs, root, "--count", count, "--method", method)
                for graph, line in zip(graphs, found, strict=True):
                    with self.subTest(graph=graph, root=root, method=method, count=count):
                        self.assert_distinct(line, graph, root, method, count)

    def assert_distinct(self, found, graph, root, method, count):
        all_trees = len(log_probs(graph, root))
        beam = method == "beam"
        self.assertEqual(list(found), ["id", "trees", "method"] + ["threshold"] * beam)
        self.assertEqual((found["id"], found["method"]), (graph["id"], method))
        self.assert_trees(found["trees"], graph, root, ["perturbed"] * beam)
        arcs = [arcs_of(t) for t in found["trees"]]
        self.assertEqual(len(arcs), min(count, all_trees))
        self.assertEqual(len(set(arcs)), len(arcs))
        if beam:
            self.assert_perturbed(found, len(arcs) == all_trees)

    def assert_perturbed(self, found, complete):
        perturbed = [t["perturbed"] for t in found["trees"]]
        self.assertEqual(perturbed, sorted(perturbed, reverse=True))
        if complete:
            self.assertIsNone(found["threshold"])
        else:
            self.assertLess(found["threshold"], perturbed[-1])

    def test_frequencies_of_pairs_without_replacement(self):
        """Every line of the file is the same graph: also a test that their samples are independent."""
        for root in ROOTS:
            logs = log_probs(THREE, root)
            pairs = {(a, b): log_a + log_b - math.log1p(-math.exp(log_a))
                     for (a, log_a), (b, log_b) in itertools.permutations(logs.items(), 2)}
            for method in DISTINCT:
                with self.subTest(root=root, method=method):
                    found = answers([THREE] * 8000, root, "--count", 2, "--method", method)
                    self.assert_frequencies([tuple(map(arcs_of, line["trees"])) for line in found], pairs)

    def test_perturbed_log_probabilities(self):
        """The highest is standard Gumbel; the importance weights p / P(perturbed > threshold) sum to 1 on average."""
        found = answers([THREE] * 4000, "multi", "--count", 3, "--without-replacement")
        highest = [line["trees"][0]["perturbed"] for line in found]
        weight = lambda t, line: math.exp(t["log_prob"]) / -math.expm1(-math.exp(t["log_prob"] - line["threshold"]))
        sums = [math.fsum(weight(t, line) for t in line["trees"]) for line in found]
        for values, mean in ((highest, 0.5772156649), (sums, 1.0)):
            average = math.fsum(values) / len(values)
            deviation = math.sqrt(math.fsum((v - average) ** 2 for v in values) / (len(values) - 1) / len(values))
            self.assertLess(abs(average - mean), 6 * deviation)


class Command(Case):
    def test_edges(self):
        one = {"scores": [[0, -3.5], [0, 0]]}
        only = {"heads": [0], "score": -3.5, "log_prob": 0}
        for root in ROOTS:
            for method in INDEPENDENT[root]:
                self.assertEqual(trees_of(THREE, root, "--count", 0, "--method", method), [])
                self.assertEqual(trees_of(THREE, root, "--count", 0, "--method", method, "--counts"), [])
                self.assertEqual(trees_of(one, root, "--count", 3, "--method", method), [only] * 3)
            for method in DISTINCT:
                self.assertEqual(trees_of(THREE, root, "--count", 0, "--method", method), [])
            self.assertEqual(trees_of(one, root, "--count", 3, "--method", "trie"), [only])
            (found,) = trees_of(one, root, "--count", 3, "--method", "beam")
            self.assertEqual(dict(found, perturbed=0), dict(only, perturbed=0))

    def test_counts(self):
        for graph in (THREE, random_graph(3, 2, random.Random(14))):
            for count in (3, 2000):
                counts = collections.Counter()
                first = {}
                for t in trees_of(graph, "multi", "--count", count):
                    counts[arcs_of(t)] += 1
                    first.setdefault(arcs_of(t), t)
                expected = [dict(first[arcs], count=times) for arcs, times in counts.most_common()]
                found = trees_of(graph, "multi", "--count", count, "--counts")
                self.assertEqual(found, expected)  # most_common keeps the order of equal counts, and so must we
                self.assertEqual([list(t) for t in found], [list(t) for t in expected])

    def test_seeds(self):
        for method in ("automatic", "colbourn", "trie", "beam"):
            options = ("--count", 6, "--method", method)
            at = {seed: trees_of(THREE, "multi", *options, "--seed", seed) for seed in (0, 5, 6, 7, 2**64 - 1)}
            self.assertEqual(trees_of(THREE, "multi", *options), at[0])
            self.assertEqual(len({str(trees) for trees in at.values()}), 5, "other seeds, other trees")
            lines = answers([THREE] * 3, "multi", *options, "--seed", 5)
            self.assertEqual([line["trees"] for line in lines], [at[5], at[6], at[7]], "graph i has seed S + i")
            blank = "\n".join(["", json.dumps(THREE), "", json.dumps(THREE)])
            self.assertEqual(answers(blank, "multi", *options, "--seed", 5), lines[:2])
            last, first = answers([THREE] * 2, "multi", *options, "--seed", 2**64 - 1)
            self.assertEqual((last["trees"], first["trees"]), (at[2**64 - 1], at[0]))

    def test_more_samples_begin_with_the_same(self):
        for method in ("automatic", "wilson", "colbourn", "trie"):
            some, more = (trees_of(THREE, "multi", "--count", k, "--method", method) for k in (4, 11))
            self.assertEqual(more[:4], some)

    def test_same_bytes_for_any_number_of_threads(self):
        rng = random.Random(15)
        text = json_lines([random_graph(1 + i % 6, 0, rng) for i in range(400)])
        for options in (["--count", 3], ["--count", 150, "--counts"], ["--count", 3, "--method", "trie"],
                        ["--count", 3, "--method", "beam"]):
            outputs = [sample(text, "multi", *options, "--threads", t).stdout for t in (1, 2, 8)]
            self.assertEqual(len(outputs[0].splitlines()), 400)
            self.assertEqual(outputs[0], outputs[1])
            self.assertEqual(outputs[0], outputs[2])

    def test_long_sentences(self):
        """Against the probability that `kirchhoff tree` gives the tree."""
        rng = random.Random(16)
        for n, spread in ((60, 1), (60, 10), (100, 3)):
            scores = [[rng.gauss(0, spread) for _ in range(n + 1)] for _ in range(n + 1)]
            for root in ROOTS:
                for method in (*INDEPENDENT[root], *DISTINCT):
                    found = trees_of({"scores": scores}, root, "--count", 5, "--method", method)
                    for t in found:
                        heads = [-1, *t["heads"]]
                        self.assertTrue(all(reaches_root(heads, d) for d in range(1, n + 1)))
                        self.assertTrue(root == "multi" or heads.count(0) == 1)
                        self.assert_same(t["score"], math.fsum(scores[heads[d]][d] for d in range(1, n + 1)))
                    lines = [{"scores": scores, "gold": t["heads"]} for t in found]
                    expected = tree(lines, "log_prob", root).stdout.splitlines()
                    self.assert_same([t["log_prob"] for t in found], [json.loads(e)["log_prob"] for e in expected])

    def test_a_cycle_that_walks_cannot_leave(self):
        graph = {"scores": [[0, 0, 0], [0, 0, 40], [0, 40, 0]]}
        for root in ROOTS:
            (found,) = answers([graph], root, "--count", 2000, "--counts")
            self.assertEqual({tuple(t["heads"]) for t in found["trees"]}, {(0, 1), (2, 0)})
            self.assertGreater(found["trees"][1]["count"], 800)

    def test_graphs_without_any_tree_are_answers(self):
        conflict = dict(THREE, id="c", require=[[1, 2], [2, 1]])
        for method in ("automatic", "colbourn", *DISTINCT):
            done = sample([NO_TREE, conflict, THREE], "single", "--count", 2, "--method", method)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, "kirchhoff: standard input: 2 of 3 graphs without any tree\n")
            lines = [json.loads(line) for line in done.stdout.splitlines()]
            problems = ("word 3 cannot be reached from the root", "required arcs form the cycle 1 -> 2 -> 1")
            self.assertEqual([line.get("error") for line in lines], [*(f"infeasible: {p}" for p in problems), None])
            alone = trees_of(THREE, "single", "--count", 2, "--method", method, "--seed", 2)
            self.assertEqual(lines[2]["trees"], alone, "lines without a tree count")
        strict = sample([THREE, NO_TREE, THREE], "single", "--count", 1, "--strict")
        self.assertEqual((strict.returncode, len(strict.stdout.splitlines())), (1, 2))
        self.assertRegex(strict.stderr, r"^kirchhoff: standard input:2: infeasible: [^\n]*\n$")
        quiet = sample([NO_TREE], "single", "--count", 1, "--quiet")
        self.assertEqual(quiet.stderr, "kirchhoff: standard input: 1 of 1 graphs without any tree\n")

    def test_bad_lines(self):
        done = sample([THREE, dict(THREE, require=[[1, 4]])], "single", "--count", 1)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (1, 1))
        problem = "require[0]: there is no arc from 1 to 4 among 3 words"
        self.assertEqual(done.stderr, f"kirchhoff: standard input:2: {problem}\n")
        done = sample([{"scores": [[0, 1e200], [0, 0]]}], "single", "--count", 1)
        self.assertRegex(done.stderr, r"^kirchhoff: standard input:1: scores.*1e100.*\n$")

    def assert_usage(self, problem, root, *options):
        done = sample([THREE], root, *options)
        self.assertEqual((done.returncode, done.stdout), (2, ""), options)
        self.assertIn(problem, done.stderr)
        self.assertRegex(done.stderr, r"^kirchhoff: [^\n]* \(see 'kirchhoff sample --help'\)\n$")

    def test_methods_that_do_not_fit(self):
        of = {root: ", ".join(INDEPENDENT[root] + DISTINCT) for root in ROOTS}
        for root, method in (("single", "wilson"), ("multi", "wilson_marginal"), ("multi", "wilson_reject")):
            self.assert_usage(f"--method {method} does not fit; with --root {root} take one of: {of[root]} ", root,
                              "--count", 1, "--method", method)
        self.assert_usage(f"--method x is unknown; with --root multi take one of: {of['multi']} ", "multi",
                          "--count", 1, "--method", "x")
        for root in ROOTS:
            for method in INDEPENDENT[root][1:]:
                self.assert_usage(f"{method} does not fit; with --root {root} --without-replacement take one of: "
                                  "automatic, trie, beam ", root, "--count", 1, "--method", method, "--without-replacement")

    def test_without_replacement_is_beam(self):
        draw = lambda *options: sample([THREE], "single", "--count", 3, *options).stdout
        self.assertEqual(draw("--without-replacement"), draw("--method", "beam"))
        for method in DISTINCT:
            self.assertEqual(draw("--without-replacement", "--method", method), draw("--method", method))

    def test_usage(self):
        for options in (["--without-replacement"], ["--method", "trie"], ["--method", "beam"]):
            self.assert_usage("--counts is for samples with replacement", "single", "--count", 1, "--counts", *options)
        self.assert_usage("--count is required", "single")
        for count in ("-1", "x", "1.5", "1000000001"):
            self.assert_usage("--count", "single", "--count", count)
        for seed in ("-1", "x", "1.5", "18446744073709551616", ""):
            self.assert_usage("--seed", "single", "--count", 1, "--seed", seed)
        self.assert_usage("--tolerance", "single", "--count", 1, "--tolerance", 1e-9)
        self.assertEqual(run("sample", "--count", 1, stdin="").returncode, 2)

    def test_help_has_an_example_that_works(self):
        text = run("sample", "--help").stdout
        self.assertEqual(text, run("help", "sample").stdout)
        for method in (*INDEPENDENT["single"], *INDEPENDENT["multi"], *DISTINCT):
            self.assertRegex(text, rf"(?m)^  {method} +(both|single|multi) ")
        example = re.search(r"Example.*?:\n(.*)", text, re.S).group(1)
        command = example.replace("kirchhoff ", shlex.quote(support.PROGRAM) + " ")
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        self.assertEqual(sum(t["count"] for t in json.loads(done.stdout)["trees"]), 1000)
