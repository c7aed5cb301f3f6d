"""Tests --projective of `tree`, `decode`, `sample`, `train` and `parse` against the trees whose arcs do not cross."""

import json
import math
import pathlib
import random
import tempfile

from oracle import Oracle, arcs_of
from support import Case, json_lines, random_graph, run

TREEBANK = pathlib.Path(__file__).resolve().parents[2] / "examples" / "treebank"


def crosses(arcs):
    spans = [tuple(sorted(arc[:2])) for arc in arcs]
    return any(a < x < b < y for a, b in spans for x, y in spans)


def projective(graph, root):
    """The log-weights of the trees whose arcs do not cross."""
    return {arcs: log for arcs, log in Oracle(graph["scores"], root).logs.items() if not crosses(arcs)}


def log_sum(logs):
    return math.log(math.fsum(math.exp(x) for x in logs.values()))


class Enumerated(Case):
    def graphs(self, root):
        rng = random.Random(5)
        graphs = [random_graph(n, labels, rng) for n in (1, 2, 3, 4) for labels in (0, 0, 2)]
        return [g for g in graphs if projective(g, root)]

    def test_tree_and_decode(self):
        for root in ("single", "multi"):
            graphs = self.graphs(root)
            self.assertGreater(len(graphs), 5)
            done = run("tree", "--root", root, "--projective", "--want", "log_partition,marginals,entropy",
                       stdin=json_lines(graphs))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            best = run("decode", "--root", root, "--projective", "--k-best", "1000", stdin=json_lines(graphs))
            self.assertEqual((best.returncode, best.stderr), (0, ""))
            for graph, line, list_line in zip(graphs, done.stdout.splitlines(), best.stdout.splitlines()):
                logs = projective(graph, root)
                log_z = log_sum(logs)
                found = json.loads(line)
                self.assertAlmostEqual(found["log_partition"], log_z, 10)
                for arc in {arc for arcs in logs for arc in arcs}:
                    p = math.fsum(math.exp(x - log_z) for arcs, x in logs.items() if arc in arcs)
                    cell = found["marginals"][arc[0]][arc[1]]
                    self.assertAlmostEqual(cell[arc[2]] if isinstance(cell, list) else cell, p, 10)
                trees = json.loads(list_line)["trees"]
                self.assertEqual({arcs_of(t) for t in trees}, set(logs))
                scores = [t["score"] for t in trees]
                self.assertTrue(all(a >= b - 1e-12 for a, b in zip(scores, scores[1:])))  # but for rounding

    def test_sample(self):
        for graph in self.graphs("multi")[:4]:
            done = run("sample", "--root", "multi", "--projective", "--count", "50", stdin=json_lines([graph]))
            found = json.loads(done.stdout)
            self.assertEqual(found["method"], "top_down")
            self.assertTrue(all(arcs_of(t) in projective(graph, "multi") for t in found["trees"]))
            done = run("sample", "--root", "multi", "--projective", "--count", "1000", "--without-replacement",
                       stdin=json_lines([graph]))
            self.assertEqual({arcs_of(t) for t in json.loads(done.stdout)["trees"]}, set(projective(graph, "multi")))
        done = run("sample", "--root", "multi", "--projective", "--count", "1", "--method", "wilson", stdin="")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--projective take one of: automatic, trie, beam", done.stderr)

    def test_no_projective_tree(self):
        crossing = {"id": "x", "scores": [[None, 0, 0, None, None], [None, None, None, 0, None],
                                          [None, None, None, None, 0], [None] * 5, [None] * 5]}
        done = run("decode", "--root", "multi", "--projective", stdin=json_lines([crossing]))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no projective tree", json.loads(done.stdout)["error"])


class Parser(Case):
    def test_train_and_parse(self):
        with tempfile.TemporaryDirectory() as folder:
            model = str(pathlib.Path(folder) / "m")
            done = run("train", "--train", str(TREEBANK / "train.conllu"), "--model", model, "--projective", "--epochs",
                       "2", "--quiet")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("projective", run("model", "info", model).stdout)
            dev = str(TREEBANK / "dev.conllu")
            for options in ([], ["--k-best", "3"], ["--samples", "3"]):
                parsed = run("parse", "--model", model, "--projective", *options, dev)
                self.assertEqual((parsed.returncode, parsed.stderr), (0, ""))
                trees = [[(int(w[6]), int(w[0])) for line in block.splitlines() if (w := line.split("\t"))[0].isdigit()]
                         for block in parsed.stdout.split("\n\n") if block]
                self.assertGreater(len(trees), 5)
                self.assertFalse(any(crosses(tree) for tree in trees))
