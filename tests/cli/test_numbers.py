"""Tests that all options that take numbers, of all verbs, read them in the same way. The help says which they are."""

import json
import re

from support import THREE, Case, json_lines, run

REQUIRED = {
    "tree": ["--root", "single"], "decode": ["--root", "single"], "sample": ["--root", "single", "--count", 1],
    "draw": ["--root", "single"], "chain": [], "segment": [], "wfsm": [], "solve": ["--method", "bp"], "eval": ["a", "b"],
    "train": ["--train", "t", "--model", "m", "--unannotated", "u"], "parse": ["--model", "m"],
    "rank": ["--model", "m"], "features": ["--model", "m", "--template", "any | h.upos"]}
NEVER = ("", "nan", "-1", "-inf", "0x10", "1e999", " 1", "1x", "\u0661")
WHOLE = ("--max-iterations", "--threads", "--max-line-mb", "--max-mb", "--k-best", "--k-best-tags", "--count", "--seed", "--samples",
         "--order", "--min-count", "--max-heads", "--epochs", "--batch", "--top", "--most",
         "--unannotated-min-count", "--unannotated-from", "--folds")


def number_options(verb):
    """The options whose value is a single letter in the help, or MB."""
    return re.findall(r"^  (--[a-z-]+)\S* (?:[A-Z]|MB)\b(?!/)", run(verb, "--help").stdout, re.M)


class Numbers(Case):
    def test_what_is_no_number_is_a_usage_error(self):
        seen = set()
        for verb, required in REQUIRED.items():
            for option in number_options(verb):
                bad = ["", "nan", "-1"] if option in seen else [*NEVER, *([] if option == "--beta" else ["inf"])]
                if option in WHOLE and option not in seen:
                    bad += ["1e20", "1.5", "99999999999999999999"]
                seen.add(option)
                others = [a for i, a in enumerate(required) if option not in required[max(0, i - 1):i + 1]]
                for value in bad:
                    with self.subTest(verb=verb, option=option, value=value):
                        done = run(verb, *others, option, value)
                        kind = "whole number" if option in WHOLE else "number"
                        self.assertEqual((done.returncode, done.stdout), (2, ""))
                        self.assertRegex(done.stderr, f"^kirchhoff: {option}: '{re.escape(value)}' is not a {kind} "
                                         r"(from|above) \S+(,| to) .*\(see 'kirchhoff " + verb + r" --help'\)\n$")
        self.assertGreaterEqual(len(seen), 25)
        self.assertEqual(set(WHOLE) - seen, set())

    def test_zeros_in_front_are_decimal(self):
        text = json_lines([THREE])
        done = [run("sample", "--root", "multi", "--count", count, stdin=text).stdout for count in ("010", "10")]
        self.assertEqual(done[0], done[1])
        self.assertEqual(len(json.loads(done[0])["trees"]), 10)

    def test_ranges_are_told(self):
        for verb, option, value, message in [
                ("solve", "--damping", "1", "'1' is not a number from 0 to less than 1"),
                ("tree", "--tolerance", "0", "'0' is not a number above 0, at most 1"),
                ("tree", "--floor", "1.5", "'1.5' is not a number from 0 to 1"),
                ("wfsm", "--seed", "18446744073709551616",
                 "'18446744073709551616' is not a whole number from 0 to 2^64 - 1"),
                ("train", "--epochs", "0", "'0' is not a whole number from 1 to 10000"),
                ("eval", "--confidence", "1", "'1' is not a number from 0.01 to 0.9999")]:
            done = run(verb, *REQUIRED[verb], option, value)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"kirchhoff: {option}: {message} (see", done.stderr)

    def test_ends_of_ranges(self):
        for arguments in (["--seed", 2**64 - 1], ["--seed", "0"], ["--threads", "1"], ["--max-line-mb", "1"]):
            done = run("sample", "--root", "multi", "--count", 1, *arguments, stdin=json_lines([THREE]))
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_arguments_of_wants(self):
        for value in ("", "nan", "inf", "-1", "0x2", "1e999"):
            done = run("tree", "--root", "single", "--want", f"renyi={value}", stdin=json_lines([THREE]))
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--want renyi: '{value}' is not ", done.stderr)
