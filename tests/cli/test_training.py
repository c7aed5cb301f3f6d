"""Tests of what `kirchhoff train` learns besides trees: relations at once with them, and sentences without trees."""

import os
import re

from support import run
from test_parser import ToyCase


class TrainingTest(ToyCase):
    def test_joint_labels(self):
        said = self.trained("--labels", "joint", "--loss", "risk").stderr
        self.assertGreater(float(re.findall(r"LAS ([\d.]+)", said)[-1]), 60)
        self.assertIn("\nlabels: joint\n", run("model", "info", self.model).stdout)
        parsed = run("parse", "--model", self.model, "--probabilities", self.dev)
        self.assertEqual((parsed.returncode, parsed.stderr), (0, ""))
        for probability in re.findall(r"Prob=([\d.]+)", parsed.stdout):
            self.assertTrue(0 <= float(probability) <= 1)
        for more in (["--order", "2"], ["--step", "aggressive"], ["--unannotated", self.dev, "--entropy-weight", "1"]):
            done = run(*self.arguments("--labels", "joint", *more))
            self.assertEqual(done.returncode, 1)
            self.assertIn("labels: joint ones need a model of arcs", done.stderr)

    def right_heads(self, *arguments):
        """The share of right heads on dev after training with these arguments, and what training said."""
        done = run("train", "--model", self.model, "--seed", "1", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        parsed = run("parse", "--model", self.model, self.dev).stdout
        words = [(g.split("\t"), f.split("\t")) for g, f in zip(self.dev.read_text().splitlines(), parsed.splitlines()) if g]
        return sum(g[6] == f[6] for g, f in words) / len(words), done.stderr

    def test_without_trees(self):
        rules = self.file("rules", "DET -> NOUN right 1\nADJ -> NOUN right 1\nNOUN -> VERB any 1\n* -> * any 1-3 0.8\n"
                          "PUNCT -> VERB left 1\nVERB -> ROOT any 1\nADV -> VERB any 1 # all of it\n")
        text = ["--unannotated", self.train, "--unannotated-min-count", "2", "--epochs", "6"]
        right, said = self.right_heads(*text, "--constraints", rules, "--penalty", "hinge", "--entropy-weight", "0.1",
                                       "--regularise", "renyi=2", "--dev", self.dev)
        self.assertGreater(right, 0.85)
        self.assertIn("pruner: none is learnt without trees", said)
        self.assertIn("unannotated: 60 sentences", said)
        teacher = self.folder / "teacher.model"
        os.rename(self.model, teacher)
        student, _ = self.right_heads(*text, "--teacher", teacher, "--confidence", "0.6")
        for divergence in ("reverse", "symmetric"):
            taught, _ = self.right_heads(*text, "--teacher", teacher, "--divergence", divergence)
            self.assertGreater(taught, 0.9 * student)
        self.assertGreater(student, right - 0.1)
        further, _ = self.right_heads("--train", self.train, "--start", teacher, "--epochs", "1", "--unannotated", self.train,
                                      "--unannotated-ratio", "0.5", "--unannotated-from", "1", "--entropy-weight", "0.01")
        self.assertGreater(further, 0.9)

    def test_without_trees_something_must_be_there(self):
        done = run("train", "--model", self.model)
        self.assertEqual((done.returncode, done.stderr), (2, "kirchhoff: --train is required (see 'kirchhoff train --help')\n"))
        for wrong in ("gauss", "renyi", "renyi=", "renyi=x", "renyi=-1"):
            done = run(*self.arguments("--unannotated", self.dev, "--entropy-weight", "1", "--regularise", wrong))
            self.assertEqual(done.returncode, 2, wrong)
            self.assertRegex(done.stderr, "^kirchhoff: --regularise: .*\n$")
        rules = self.file("rules", "DET -> NOUN right 1\nADJ -> colour=red right 1\n")
        done = run("train", "--model", self.model, "--unannotated", self.dev, "--constraints", rules)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, f"^kirchhoff: {rules}:2:1: .*'colour=red' is no condition on words\n$")
