"""Tests what `kirchhoff wfsm` says of paths, one by one, and of products of two machines, by hand."""

import math
import pathlib
import tempfile

from support import Case
from test_wfsm import LOOP, answer, wfsm


class Paths(Case):
    def test_distinct(self):
        found = answer(LOOP, "distinct=4", "--seed", "3")["distinct"]
        loops = [len(path["arcs"]) for path in found["paths"]]
        self.assertEqual(len(set(loops)), 4)
        perturbed = [path["perturbed"] for path in found["paths"]]
        self.assertEqual(perturbed, sorted(perturbed, reverse=True))
        self.assertLess(found["threshold"], perturbed[-1])
        for path in found["paths"]:
            self.assert_same(path["log_prob"], math.log(1 - math.exp(-1)) - (len(path["arcs"]) - 1))
        found = answer("0 1 1\n0 1 2\n1\n", "distinct=4")["distinct"]
        self.assertEqual((len(found["paths"]), found["threshold"]), (2, None))

    def test_infinite_sums(self):
        """The best paths and the number of paths need no Z; all else does."""
        text = "0 0 1 0.0\n0 1 2 0.5\n0 2 3 -3.5\n1\n2 5\n"
        found = answer(text, "paths=2,log_trajectories")
        self.assert_same(found, {"paths": [
            {"symbols": [2], "arcs": [1], "states": [0, 1], "log_weight": -0.5, "log_prob": None},
            {"symbols": [1, 2], "arcs": [0, 1], "states": [0, 0, 1], "log_weight": -0.5, "log_prob": None}],
            "log_trajectories": None})
        for want in ("paths=2,entropy", "all", "log_partition"):
            done = wfsm(text, "--want", want)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr,
                             "kirchhoff: standard input:1: Z is infinite: the cycle 0 -> 0 has weight 1\n")
        done = wfsm(text.replace("0.0", "-1"), "--want", "paths=2")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "kirchhoff: paths: no trajectory is the best: the cycle 0 -> 0 has weight 2.71828182845905\n"))
        done = wfsm("0 0 x 0.0\n", "--want", "paths=2")
        self.assertEqual(done.stderr, "kirchhoff: standard input:1: symbol 'x' is not a number >= 0, and there is no table "
                                      "of input symbols\n")

    def test_seed(self):
        draw = lambda *options: answer(LOOP, "samples=20", *options)
        self.assertEqual(draw("--seed", "5"), draw("--seed", "5", "--threads", "3"))
        self.assertNotEqual(draw("--seed", "5"), draw("--seed", "6"))

    def test_products(self):
        """1* 2 with weights w^n v, intersected with all strings of length 3 or composed with a rewriting of 1 as 5."""
        with tempfile.TemporaryDirectory() as folder:
            three, rewrite = pathlib.Path(folder, "three.txt"), pathlib.Path(folder, "rewrite.txt")
            three.write_text("".join(f"{i} {i + 1} {s} 0.25\n" for i in range(3) for s in (1, 2)) + "3\n")
            rewrite.write_text("0 0 1 5 0.5\n0 0 2 0 0\n0\n")
            found = answer(LOOP, "log_partition,log_trajectories,paths=5,text", "--intersect", str(three))
            self.assert_same(found["log_partition"], -2.5 - 0.75)
            self.assert_same(found["log_trajectories"], 0.0)
            self.assertEqual([p["symbols"] for p in found["paths"]], [[1, 1, 2]])
            self.assert_same(answer(found["text"], "log_partition")["log_partition"], found["log_partition"])
            found = answer(LOOP, "log_partition,log_trajectories,text", "--compose", str(rewrite))
            self.assert_same(found["log_partition"], -0.5 - math.log(1 - math.exp(-1.5)))
            self.assertIsNone(found["log_trajectories"])
            self.assertEqual({tuple(line.split()[2:4]) for line in found["text"].splitlines() if len(line.split()) > 3},
                             {("1", "5"), ("2", "0")})
            three.write_text("0 1 3\n1\n")
            done = wfsm(LOOP, "--intersect", str(three))
            self.assertEqual((done.returncode, done.stderr),
                             (1, "kirchhoff: --intersect: no string is common to both machines\n"))
            three.write_text("0 0 1 0\n0\n")
            done = wfsm("0 0 1 0\n0\n", "--intersect", str(three))
            self.assertEqual((done.returncode, done.stderr),
                             (1, "kirchhoff: --intersect: Z is infinite: the cycle 0 -> 0 has weight 1\n"))
            done = wfsm(LOOP, "--intersect", str(three), "--compose", str(rewrite))
            self.assertEqual(done.returncode, 2)
