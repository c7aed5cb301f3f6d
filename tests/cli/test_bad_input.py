"""Tests bad files, lines and command lines: one line on stderr names the place, and the exit status is right."""

import json
import os
import resource
import subprocess

import support
from support import HERE, NO_TREE, THREE, Case, run, tree

GOOD = '{"id":1,"scores":[[0,1],[0,0]]}\n'
INFEASIBLE = '{"id":2,"scores":[[0,1,1,null],[0,0,1,null],[0,1,0,null],[0,1,1,0]]}\n'


class Lines(Case):
    def assert_error(self, done, message, status=1):
        self.assertEqual(done.stderr, f"kirchhoff: {message}\n")
        self.assertEqual(done.returncode, status)

    def test_every_bad_line(self):
        for line, problem in json.loads((HERE / "bad_lines.json").read_text()):
            with self.subTest(line=line):
                path = self.file("graphs.jsonl", GOOD + "\n" + line + "\n" + GOOD)
                done = run("tree", "--root", "single", "--want", "log_partition", "graphs.jsonl", cwd=path.parent)
                self.assert_error(done, f"graphs.jsonl:3: {problem}")
                self.assertEqual(len(done.stdout.splitlines()), 1, "the lines before it are answered")

    def test_not_utf8(self):
        self.assert_error(tree(b'{"scores":[[0,1],[0,0]],"id":"\xff"}'), "standard input:1: not valid JSON: not UTF-8")

    def test_missing_fields(self):
        for want, field in (("log_prob", "gold"), ("risk_gradient", "gold"), ("kl", "other"), ("covariance", "features"),
                            ("ge", "features")):
            self.assert_error(tree(GOOD, want), f"standard input:1: {field}: missing; {want} needs it")
        line = '{"scores":[[0,1],[0,0]],"features":[],"num_features":1}'
        self.assert_error(tree(line, "ge_gradient"), "standard input:1: target: missing; ge_gradient needs it")
        line = '{"scores":[[null,[0,1]],[null,null]],"gold":[0]}'
        self.assert_error(tree(line, "log_prob"), "standard input:1: gold_labels: missing; log_prob needs it")

    def test_a_mistyped_field_is_shown(self):
        line = '{"scores":[[0,1],[0,0]],"golds":[0],"note":"x"}'
        self.assert_error(tree(line, "risk", "single", "--allow-unknown"),
                          "standard input:1: gold: missing; risk needs it; fields ignored: golds, note")

    def test_an_unknown_field_is_answered_with_the_nearest(self):
        for field, nearest in (("golds", "gold"), ("Scores", "scores"), ("gold_label", "gold_labels"), ("forbidden", "forbid"),
                               ("featrues", "features"), ("", "id"), ("words" + "x" * 100_000, "words")):
            line = '{"scores":[[0,1],[0,0]],"%s":[0]}\n' % field
            shown = field if len(field) < 40 else field[:40] + "..."
            hint = f"unknown field; the nearest known one is '{nearest}' (--allow-unknown lets notes pass)"
            for verb, *options in (["tree"], ["decode"], ["sample", "--count", 1], ["draw"]):
                done = run(verb, "--root", "single", *options, stdin=line)
                self.assert_error(done, f"standard input:1: {shown}: {hint}")
                done = run(verb, "--root", "single", "--allow-unknown", *options, stdin=line)
                self.assertEqual((done.returncode, done.stderr), (0, ""), verb)

    def test_gold_of_the_other_root_mode(self):
        line = '{"scores":[[0,1,1],[0,0,1],[0,1,0]],"gold":[0,0]}'
        self.assertEqual(tree(line, "log_prob", "multi").returncode, 0)
        done = tree(line, "log_prob", "single")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^kirchhoff: standard input:1: gold: .*\n$")
        self.assertEqual(tree(line, "marginals", "single").returncode, 0)

    def test_pair_marginals_of_a_large_graph(self):
        graph = {"scores": [[0] * 60] * 60}
        done = tree([graph], "pair_marginals", "single", "--strict")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^kirchhoff: standard input:1: pair_marginals: .*\n$")
        done = tree([graph, json.loads(GOOD)], "pair_marginals")
        large, small = map(json.loads, done.stdout.splitlines())
        self.assertEqual((done.returncode, sorted(large)), (1, ["error", "id", "n"]))
        self.assertRegex(large["error"], "^pair_marginals: the table for 59 words")
        self.assertIn("pair_marginals", small)

    def test_scores_too_large(self):
        limit = "1.1e+100 is not a log-weight, which is a number up to 1e100 in size; use null for an impossible arc"
        for verb, *options in (["tree"], ["decode"], ["sample", "--count", 1], ["draw"]):
            for field, place, cell in (("scores", "[0][1]", "1.1e100"), ("scores", "[0][1]", "-1.1e100"),
                                       ("scores", "[0][1][1]", "[0,1.1e100]"), ("other", "[0][1]", "1.1e100")):
                first = "" if field == "scores" else '"scores":[[0,1],[0,0]],'
                line = '{%s"%s":[[null,%s],[null,null]]}' % (first, field, cell)
                with self.subTest(verb=verb, line=line):
                    done = run(verb, "--root", "single", *options, stdin=line)
                    sign = "-" if cell.startswith("-") else ""
                    self.assert_error(done, f"standard input:1: {field}{place}: {sign}{limit}")
            done = run(verb, "--root", "single", *options, stdin='{"scores":[[1e200,1e100],[1e200,1e200]]}')
            self.assertEqual((done.returncode, done.stderr), (0, ""), "cells without an arc hold anything")


class InfeasibleGraphs(Case):
    ERROR = '{"id":2,"n":3,"error":"infeasible: word 3 cannot be reached from the root"}'

    def test_the_rest_is_processed(self):
        done = tree(GOOD + INFEASIBLE + GOOD, "log_partition")
        lines = done.stdout.splitlines()
        self.assertEqual((len(lines), lines[1], done.returncode), (3, self.ERROR, 1))
        self.assertEqual(json.loads(lines[2])["log_partition"], 1)
        self.assertEqual(done.stderr, "kirchhoff: standard input: 1 of 3 graphs without any tree\n")

    def test_strict_stops(self):
        done = tree(GOOD + INFEASIBLE + GOOD, "log_partition", "single", "--strict")
        self.assertEqual((len(done.stdout.splitlines()), done.returncode), (2, 1))
        problem = "infeasible: word 3 cannot be reached from the root"
        self.assertEqual(done.stderr, f"kirchhoff: standard input:2: {problem}\n")

    def test_quiet(self):
        done = tree(INFEASIBLE, None, "single", "--quiet")
        self.assertEqual((done.stderr, done.returncode), ("kirchhoff: standard input: 1 of 1 graphs without any tree\n", 1))

    def test_single_root_only(self):
        line = '{"scores":[[0,1,1],[0,0,null],[0,null,0]]}'
        self.assertEqual(tree(line, None, "multi").returncode, 0)
        self.assertRegex(json.loads(tree(line, None, "single").stdout)["error"], "^infeasible: .*root")

    def test_other_without_tree(self):
        line = '{"scores":[[0,1],[0,0]],"other":[[0,null],[0,0]]}'
        error = json.loads(tree(line, "kl").stdout)["error"]
        self.assertEqual(error, "infeasible: other: word 1 cannot be reached from the root")


class UnansweredGraphs(Case):
    """Words 1 and 2 are each other's best head by far, which is more than a double can tell of the trees they are not in."""
    APART = {"id": "apart", "scores": [[None, 0, 1, 2], [None, None, 1e30, 2], [None, 1e30, None, 2], [None, 0, 1, None]]}
    LABELLED = {"id": "apart", "scores": [[x if x is None else [x, 0] for x in row] for row in APART["scores"]]}
    PROBLEM = "scores differ too much: some arc is "
    VERBS = [["tree"], ["decode"], ["decode", "--mbr"], ["sample", "--count", 2], ["sample", "--count", 2, "--method", "trie"]]

    def test_the_rest_is_processed(self):
        for graph in (self.APART, self.LABELLED):
            lines = support.json_lines([THREE, graph, NO_TREE, THREE])
            for verb, *options in self.VERBS:
                with self.subTest(verb=verb, options=options):
                    done = run(verb, "--root", "multi", *options, stdin=lines)
                    self.assertEqual((done.returncode, len(done.stdout.splitlines())), (1, 4))
                    self.assertEqual(done.stderr, "kirchhoff: standard input: 1 of 4 graphs without any tree\n"
                                                  "kirchhoff: standard input: 1 of 4 graphs without an answer\n")
                    first, apart, _, last = map(json.loads, done.stdout.splitlines())
                    self.assertEqual((sorted(apart), apart["id"], apart["n"]), (["error", "id", "n"], "apart", 3))
                    self.assertTrue(apart["error"].startswith(self.PROBLEM), apart["error"])
                    self.assertEqual({first["id"], last["id"]}, {"three"})

    def test_strict_stops(self):
        for verb, *options in self.VERBS:
            done = run(verb, "--root", "multi", "--strict", *options, stdin=support.json_lines([THREE, self.APART, THREE]))
            self.assertEqual((done.returncode, len(done.stdout.splitlines())), (1, 2))
            self.assertTrue(done.stderr.startswith(f"kirchhoff: standard input:2: {self.PROBLEM}"), done.stderr)

    def test_other(self):
        done = tree([{**THREE, "other": self.APART["scores"]}, {**THREE, "other": THREE["scores"]}], "kl", "multi")
        first, second = map(json.loads, done.stdout.splitlines())
        self.assertTrue(first["error"].startswith(f"other: {self.PROBLEM}"), first)
        self.assertEqual((second["kl"], done.returncode), (0, 1))

    def test_draw(self):
        lines = support.json_lines([THREE, self.APART, NO_TREE, THREE])
        done = run("draw", "--root", "multi", "--html", "p.html", "--svg", "p.svg", stdin=lines, cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "kirchhoff: standard input: 1 of 4 graphs without any tree\n"
                                      "kirchhoff: standard input: 1 of 4 graphs without an answer\n")
        self.assertIn(f"apart: 1 2 3\n  {self.PROBLEM}", done.stdout)
        self.assertEqual(done.stdout.count("three: "), 2)
        for name in ("p.html", "p.svg"):
            self.assertIn(self.PROBLEM, (self.folder / name).read_text())


class Files(Case):
    def test_no_such_file(self):
        done = run("tree", "--root", "single", "missing.jsonl", cwd=self.folder)
        self.assertEqual(done.stderr, "kirchhoff: missing.jsonl: cannot open: No such file or directory\n")
        self.assertEqual(done.returncode, 1)

    def test_directory(self):
        (self.folder / "folder").mkdir()
        done = run("tree", "--root", "single", "folder", cwd=self.folder)
        self.assertEqual((done.stderr, done.returncode), ("kirchhoff: folder: cannot read: Is a directory\n", 1))

    def test_full_disk(self):
        path = self.file("g.jsonl", GOOD)
        status = os.system(f"'{support.PROGRAM}' tree --root single '{path}' >/dev/full 2>'{self.folder}/err'")
        self.assertEqual(os.waitstatus_to_exitcode(status), 1)
        message = (self.folder / "err").read_text()
        self.assertEqual(message, "kirchhoff: standard output: cannot write: No space left on device\n")

    def test_line_too_long(self):
        line = '{"scores":[[0,1],[0,0]],"id":"' + "x" * 3_000_000 + '"}\n'
        done = tree(GOOD + line, None, "single", "--max-line-mb", "2")
        self.assertEqual(done.stderr, "kirchhoff: standard input:2: the line is longer than 2 MB (see --max-line-mb)\n")
        self.assertEqual((len(done.stdout.splitlines()), done.returncode), (1, 1))
        self.assertEqual(tree(GOOD + line, None, "single", "--max-line-mb", "4").returncode, 0)

    if not support.sanitized():  # Sanitizers reserve address space, so that it cannot be limited.
        def test_line_longer_than_memory(self):
            limit = 400 << 20
            line = b'{"scores":[[0,' + b"1" * (300 << 20) + b"],[0,0]]}\n"
            command = [support.PROGRAM, "tree", "--root", "single", "--threads", "1"]
            done = subprocess.run(command, input=line, capture_output=True,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr.decode(), r"^kirchhoff: standard input:1: [^\n]*(memory|longer than)[^\n]*\n$")


class Usage(Case):
    def assert_usage(self, pattern, *arguments):
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
        self.assertRegex(done.stderr, r"^kirchhoff: [^\n]*\n$")
        self.assertRegex(done.stderr, pattern)

    def test_usage_errors(self):
        tree_of = ("tree", "--root", "single")
        self.assert_usage("--root", "tree")
        self.assert_usage("--root.*single", "tree", "--root", "double")
        self.assert_usage("--bogus", *tree_of, "--bogus")
        self.assert_usage("bogus", "bogus")
        self.assert_usage("bogus", "help", "bogus")
        self.assert_usage("unknown 'entropie'; known: log_partition", *tree_of, "--want", "entropie")
        self.assert_usage("unknown ''", *tree_of, "--want", "entropy,")
        self.assert_usage("renyi needs renyi=ALPHA", *tree_of, "--want", "renyi")
        self.assert_usage("'1' is not a number >= 0 other than 1", *tree_of, "--want", "renyi=1")
        self.assert_usage("'-2' is not", *tree_of, "--want", "renyi=-2")
        self.assert_usage("'0' is not a number > 0", *tree_of, "--want", "norm=0")
        self.assert_usage("'nan' is not", *tree_of, "--want", "norm=nan")
        self.assert_usage("'2x' is not", *tree_of, "--want", "norm=2x")
        self.assert_usage("takes no '='", *tree_of, "--want", "entropy=2")
        self.assert_usage("renyi given twice", *tree_of, "--want", "renyi=2,renyi=3")
        self.assert_usage("--threads", *tree_of, "--threads", "-1")
        self.assert_usage("--threads", *tree_of, "--threads", "many")
        self.assert_usage("--method", *tree_of, "--method", "slow")
        self.assert_usage("--tolerance", *tree_of, "--tolerance", "-1")
        self.assert_usage("--max-line-mb", *tree_of, "--max-line-mb", "0")
