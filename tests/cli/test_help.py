"""Tests the help of every verb, whose examples must run, and the spellings that options take."""

import json
import os
import pathlib
import re
import subprocess

import support
from support import THREE, Case, json_lines, run

VERBS = ("tree", "decode", "sample", "draw", "chain", "segment", "wfsm", "solve", "eval", "convert", "render", "train",
         "parse", "serve", "rank", "features", "model", "completions", "man")
REPOSITORY = support.HERE.parent.parent


def options_of(help_text):
    """The options with their descriptions, whose lines are joined."""
    found = {}
    for line in help_text.split("\n"):
        entry = re.match(r"  (-\S+)(.*)", line)
        if entry:
            name = entry[1]
            found[name] = line[30:].strip() if len(line) > 30 and line[29] == " " and line[28] != ":" else ""
        elif line.startswith(" " * 30) and found:
            found[name] = (found[name] + " " + line.strip()).strip()
    return found


class HelpTexts(Case):
    def test_the_list_of_verbs_is_complete(self):
        listed = re.findall(r"^  (\w+) {2,}\S", run("--help").stdout, re.M)
        self.assertEqual(listed, [*VERBS, "help"])

    def test_lines_are_short(self):
        for verb in VERBS:
            for line in run(verb, "--help").stdout.split("\n"):
                self.assertLessEqual(len(line), 120, line)

    def test_choices_are_shown_as_names(self):
        for verb, choices in {"solve": ["bp|max_product|lp|ilp|ad3|exact", "flooding|sequential|residual", "json|uai"],
                              "train": ["crf|svm|perceptron|softmax_margin|risk", "aggressive|adagrad"],
                              "parse": ["automatic|bp|ad3|lp|exact", "single|multi", "conllu|conllx|json|displacy"],
                              "rank": ["entropy|margin|variance|expected_gradient", "word|sentence"],
                              "wfsm": ["neglog|log|real"], "eval": ["length|pos|deprel|distance"]}.items():
            text = run(verb, "--help").stdout
            for choice in choices:
                self.assertRegex(text, rf"--[a-z]+ {re.escape(choice)}[ \n]")
            self.assertNotRegex(text, r"\w+->\d", "no map of names to numbers")

    def test_every_option_is_explained_in_a_sentence(self):
        for verb in (*VERBS, ("model", "info")):
            text = run(*([verb] if isinstance(verb, str) else verb), "--help").stdout
            options = options_of(text[:text.find("\n\n", text.index("Options:"))])
            for name, description in options.items():
                with self.subTest(verb=verb, option=name):
                    self.assertRegex(description, r"^[A-Z][\w' ]*\w.*\.$")
                    self.assertGreaterEqual(len(description.split()), 4)


class Examples(Case):
    """Examples run in the order of VERBS, but training comes first: parse, model and eval need what it makes. That of
    serve does not end by itself; tests of its own start it."""

    def test_examples_run(self):
        (self.folder / "examples").symlink_to(REPOSITORY / "examples")
        program = pathlib.Path(support.PROGRAM)
        env = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}")
        for verb in ("train", "parse", *(v for v in VERBS if v not in ("train", "parse", "serve"))):
            text = run(verb, "--help").stdout
            self.assertEqual(run("help", verb).stdout, text)
            example = re.search(r"^Example[^\n]*:\n((?:  .*\n)+)", text, re.M)
            self.assertIsNotNone(example, verb)
            command = example[1].replace("kirchhoff train", "kirchhoff train --epochs 1 --quiet")
            done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=self.folder, env=env)
            with self.subTest(verb=verb):
                self.assertEqual((done.returncode, done.stderr), (0, ""), command)
                self.assertTrue(len(done.stdout) > 50 or verb in ("train", "parse"), done.stdout)
        for name in ("demo.model", "parsed.conllu", "birds.html", "trees.html"):
            self.assertGreater((self.folder / name).stat().st_size, 1000, name)


class Spellings(Case):
    def test_aliases(self):
        text = json_lines([THREE])
        outputs = {run("decode", "--root", "single", name, 2, stdin=text).stdout for name in ("--k-best", "--kbest", "--k")}
        self.assertEqual(len(outputs), 1)
        self.assertEqual(len(json.loads(outputs.pop())["trees"]), 2)
        self.assertIn("--probabilities,--probs", run("parse", "--help").stdout)
        self.assertIn("--k-best,--kbest", run("parse", "--help").stdout)

    def test_hyphens_stand_for_underscores(self):
        for method in ("wilson_marginal", "wilson-marginal"):
            done = run("sample", "--root", "single", "--count", 1, "--method", method, stdin=json_lines([THREE]))
            self.assertEqual(json.loads(done.stdout)["method"], "wilson_marginal")
        graph = '{"scores":[1,2],"factors":[{"type":"xor","vars":[0,1]}]}'
        same = {run("solve", "--method", method, stdin=graph).stdout for method in ("max_product", "max-product")}
        self.assertEqual(len(same), 1)

    def test_unknown_names_are_answered_with_the_known_ones(self):
        model = ["--model", "m"]
        for arguments, option, names in [
                (["tree"], "--root", "single, multi"),
                (["tree", "--root", "single"], "--method", "automatic, fast, robust"),
                (["solve"], "--method", "bp, max_product, lp, ilp, ad3, exact"),
                (["solve", "--method", "bp"], "--schedule", "flooding, sequential, residual"),
                (["solve", "--method", "bp"], "--format", "json, uai"),
                (["wfsm"], "--weights", "neglog, log, real"),
                (["wfsm"], "--arcs", "automatic, acceptor, transducer"),
                (["eval", "a", "b"], "--by", "length, pos, deprel, distance"),
                (["eval", "a", "b"], "--from", "conllu, conllx"),
                (["convert"], "--to", "conllu, conllx, json, displacy"),
                (["train", "--train", "t", *model], "--loss", "crf, svm, perceptron, softmax_margin, risk"),
                (["train", "--train", "t", *model], "--cost", "mistakes, hamming, las"),
                (["train", "--train", "t", *model], "--step", "aggressive, adagrad"),
                (["train", "--train", "t", *model], "--features", "supported, complete"),
                (["parse", *model], "--solver", "automatic, bp, ad3, lp, exact"),
                (["rank", *model], "--by", "entropy, margin, variance, expected_gradient")]:
            done = run(*arguments, option, "auto")
            with self.subTest(arguments=arguments, option=option):
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr, f"kirchhoff: {option}: 'auto' is unknown; take one of: {names} "
                                 f"(see 'kirchhoff {arguments[0]} --help')\n")

    def test_spellings_that_are_gone(self):
        done = run("train", "--train", "t", "--model", "m", "--unlabelled", "u")
        self.assertEqual(done.returncode, 2)


class Wants(Case):
    """`tree` and `wfsm` read --want in the same way."""

    def messages(self, want):
        machine = run("wfsm", "--want", want, stdin="0 0 1 1.0\n0 1 2 0.5\n1\n")
        tree = run("tree", "--root", "single", "--want", want, stdin=json_lines([THREE]))
        return [re.sub(r"known: .*, all \(see.*| \(see.*", "", done.stderr).strip() for done in (machine, tree)]

    def test_errors_are_alike(self):
        for want, message in [("what", "--want: unknown 'what';"), ("", "--want: unknown '';"),
                              ("entropy=2", "--want entropy takes no '='")]:
            self.assertEqual(self.messages(want), [f"kirchhoff: {message}"] * 2)
        self.assertEqual(self.messages("moments")[0], "kirchhoff: --want moments needs moments=M")
        self.assertEqual(self.messages("norm")[1], "kirchhoff: --want norm needs norm=K")
        self.assertEqual(self.messages("paths=1.5")[0],
                         "kirchhoff: --want paths: '1.5' is not a whole number from 0 to 1000000")

    def test_all_of_a_machine(self):
        text = "0 0 1 1.0\n0 1 2 0.5\n1\n"
        without = list(json.loads(run("wfsm", "--want", "all", stdin=text).stdout))
        self.assertEqual(without, ["log_partition", "counts", "entropy", "expected_length", "gradient",
                                         "entropy_gradient", "log_trajectories"])
        features = self.file("features", "0 0 1\n1 0 2\n")
        done = json.loads(run("wfsm", "--want", "all", "--features", features, stdin=text).stdout)
        self.assertEqual(list(done), [*without[:-1], "expectation", "second_order", "covariance", without[-1]])
