"""Tests how `kirchhoff sample` tells what its walks cost."""

import math

from support import Case
from test_sample import answers, sample


class WalkTest(Case):
    def test_expected_draws(self):
        # Of two words with the heads 0, 1 and 2, a walk goes from 1 to 2 with probability p and back with probability q;
        # its Green's function has the trace 2 / (1 - p q).
        p, q = math.exp(2) / (math.exp(2) + 1), math.exp(1) / (math.exp(1) + math.exp(0.5))
        graph = {"scores": [[None, 0, 0.5], [None, None, 1], [None, 2, None]]}
        for method in ("wilson", "automatic"):
            (found,) = answers([graph], "multi", "--count", 1, "--method", method, "--expected-draws")
            if found["method"] == "wilson":
                self.assertAlmostEqual(found["expected_draws"], 2 / (1 - p * q), places=9)
        (found,) = answers([graph], "multi", "--count", 0, "--method", "colbourn", "--expected-draws")
        self.assertEqual((found["trees"], found["expected_draws"]), ([], 0))
        for options in (["--without-replacement"], ["--projective"], ["--method", "trie"]):
            done = sample([graph], "multi", "--count", 1, "--expected-draws", *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--expected-draws is for samples with replacement", done.stderr)
