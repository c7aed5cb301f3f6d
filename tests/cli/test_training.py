"""Tests of what `kirchhoff train` learns besides trees: relations at once with them, and sentences without trees."""

import json
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
        for more in (["--step", "aggressive"], ["--unannotated", self.dev, "--entropy-weight", "0.01"]):
            said = self.trained("--labels", "joint", *more).stderr
            self.assertGreater(float(re.findall(r"LAS ([\d.]+)", said)[-1]), 60)
        said = self.trained("--labels", "joint", "--order", "2").stderr
        self.assertGreater(float(re.findall(r"LAS ([\d.]+)", said)[-1]), 60)
        self.assertIn("\nlabels: joint\n", run("model", "info", self.model).stdout)

    def test_joint_labels_without_trees(self):
        text = ("train", "--model", self.model, "--unannotated", self.train)
        done = run(*text, "--labels", "joint", "--entropy-weight", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("joint ones need trees, a model to start with, or constraints that name relations", done.stderr)
        rules = self.file("named", "DET -> NOUN right 0.9\nDET -> NOUN right deprel=det 0.9\nVERB -> ROOT any 0.9\n")
        done = run(*text, "--constraints", rules)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "kirchhoff: [train_parser] constraints: relations, such as deprel=det, need labels = joint\n"))
        done = run(*text, "--constraints", rules, "--labels", "joint", "--epochs", "2", "--unannotated-min-count", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        parsed = run("parse", "--model", self.model, self.dev).stdout
        found = {line.split("\t")[7] for line in parsed.splitlines() if line[:1].isdigit()}
        self.assertLessEqual(found, {"root", "dep", "det"})
        self.assertIn("det", found)

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

    def test_parts_and_text(self):
        rules = self.file("rules", "DET -> NOUN right 1\nADJ -> NOUN right 1\nNOUN -> VERB any 1\n* -> * any 1-3 0.8\n"
                          "PUNCT -> VERB left 1\nVERB -> ROOT any 1\nADV -> VERB any 1\n")
        text = ["--unannotated", self.train, "--unannotated-min-count", "2", "--epochs", "3", "--order", "2"]
        right, said = self.right_heads(*text, "--constraints", rules, "--entropy-weight", "0.1", "--max-heads", "6")
        self.assertGreater(right, 0.8)
        self.assertIn("pruner: learnt from sentences without trees", said)
        teacher = self.folder / "teacher.model"
        os.rename(self.model, teacher)
        for more in (["--divergence", "symmetric"], ["--confidence", "0.6"]):
            taught, _ = self.right_heads(*text, "--teacher", teacher, *more)
            self.assertGreater(taught, 0.9 * right)
        beside, _ = self.right_heads("--train", self.train, "--parts", "all", "--unannotated", self.dev, "--entropy-weight",
                                     "0.01", "--unannotated-ratio", "0.2", "--epochs", "2")
        self.assertGreater(beside, 0.9)

    def test_constraints_on_features(self):
        rules = self.file("rules", "NOUN -> VERB any 1\nPUNCT -> VERB left 1\nVERB -> ROOT any 1\nADV -> VERB any 1\n")
        features = self.file("features", "# neighbours\nh.upos=NOUN d.upos=DET dir=leftward 1\nh.upos=NOUN d.upos=ADJ dir=leftward >=0.9\n"
                             "d.upos=DET between=VERB <=0.05\n")
        text = ["--unannotated", self.train, "--unannotated-min-count", "2", "--epochs", "4", "--entropy-weight", "0.1",
                "--constraints", rules]
        without, _ = self.right_heads(*text)
        right, _ = self.right_heads(*text, "--constraint-features", features, "--penalty", "hinge")
        self.assertGreater(right, 0.8)
        self.assertGreater(right, without)
        for line, why in (("h.upos=NOUN", r"expected 'FEATURE \[deprel=RELATION\] SHARE'"),
                          ("h.upos=NOUN 2", "'2' is not a share between 0 and 1"),
                          ("h.colour=red 0.5", "feature: .*colour"), ("h.upos 0.5", "'h.upos' is no atom with a value")):
            bad = self.file("bad", f"dist=leftward:1 0.5\n{line}\n")
            done = run("train", "--model", self.model, "--unannotated", self.dev, "--constraint-features", bad)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, f"^kirchhoff: {bad}:2:1: .*{why}")
            self.assertEqual(done.stderr.count("\n"), 1)
        done = run(*self.arguments("--constraint-features", features))
        self.assertEqual(done.returncode, 2)
        done = run(*self.arguments("--unannotated", self.dev, "--penalty", "kl", "--entropy-weight", "1"))
        self.assertRegex(done.stderr, "--penalty.*--constraints or --constraint-features")

    def test_cost_of_las(self):
        done = run(*self.arguments("--cost", "las"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("--cost las: needs --labels joint, because otherwise relations are chosen after the tree", done.stderr)
        models = []
        for cost in ("las", "mistakes"):
            self.trained("--labels", "joint", "--cost", cost)
            parsed = run("parse", "--model", self.model, "--probabilities", self.dev)
            models.append(parsed.stdout)
        self.assertEqual(*models)

    def test_samples_of_joint_labels(self):
        # Without dev, which would make the probabilities of this simple language as sharp as they should be.
        done = run("train", "--train", self.train, "--model", self.model, "--labels", "joint", "--loss", "crf", "--rate", "0.002",
                   "--epochs", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        sampled = run("parse", "--model", self.model, "--samples", "200", "--seed", "3", self.dev)
        self.assertEqual((sampled.returncode, sampled.stderr), (0, ""))
        self.assertEqual(sampled.stdout, run("parse", "--model", self.model, "--samples", "200", "--seed", "3", "--threads", "3", self.dev).stdout)
        best = run("parse", "--model", self.model, "--probabilities", self.dev).stdout
        blocks = [block.splitlines() for block in best.split("\n\n") if block]
        samples = [block.splitlines() for block in sampled.stdout.split("\n\n") if block]
        expected = found = 0.0
        for i, block in enumerate(blocks):
            words = [line.split("\t") for line in block if not line.startswith("#")]
            for w, word in enumerate(words):
                probabilities = [float(p) for p in re.findall(r"Prob=([\d.]+)", word[9])]
                expected += probabilities[0] * probabilities[1]
                for sample in samples[200 * i:200 * (i + 1)]:
                    other = [line.split("\t") for line in sample if not line.startswith("#")][w]
                    found += (other[6:8] == word[6:8]) / 200
        words = sum(not line.startswith("#") for block in blocks for line in block)
        # Of about 100 words each has 200 samples: the standard error of the mean is below 0.5 / sqrt(100 * 200) = 0.0036.
        self.assertLess(abs(expected - found) / words, 0.02)
        self.assertLess(expected / words, 0.98)

    def test_arc_scores(self):
        self.trained()
        scores = run("parse", "--model", self.model, "--arc-scores", self.dev)
        self.assertEqual((scores.returncode, scores.stderr), (0, ""))
        entropies = [json.loads(line)["entropy"] for line in
                     run("tree", "--root", "single", "--want", "entropy", stdin=scores.stdout).stdout.splitlines()]
        expected = re.findall(r"# entropy = ([\d.]+)", run("parse", "--model", self.model, "--probabilities", self.dev).stdout)
        self.assertEqual(len(entropies), len(expected))
        for one, other in zip(entropies, expected):
            self.assertAlmostEqual(one, float(other), places=5)
        for more in (["--k-best", "2"], ["--samples", "2"], ["--probabilities"], ["--format", "json"]):
            self.assertEqual(run("parse", "--model", self.model, "--arc-scores", *more, self.dev).returncode, 2, more)
        self.assertEqual(run("parse", "--model", self.model, "--arc-scores", stdin="# only = a comment\n\n").stdout, "")

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
