"""Tests how files that are read are named: never by nothing, standard input once, and not the file that is written."""

import os
import subprocess

import every_verb
import support
from support import THREE, Case, json_lines, run
from test_parser import toy_treebank

GRAPHS = ["--root", "single"]


class InputNames(Case):
    def setUp(self):
        super().setUp()
        self.trees = self.file("trees.conllu", toy_treebank(1, 30))
        self.train = ["train", "--train", self.trees, "--model", self.folder / "m", "--epochs", 1]

    def test_empty_names_are_errors(self):
        machine = ["wfsm", "--want", "all"]
        files = [["tree", *GRAPHS], ["decode", *GRAPHS], ["sample", *GRAPHS, "--count", 1], ["draw", *GRAPHS], ["chain"],
                 ["solve", "--method", "bp"], ["wfsm"], ["convert", "--to", "json"], ["render"], ["model", "info"],
                 ["parse", "--model", "m"], ["segment"], ["rank", "--model", "m"],
                 ["features", "--model", "m", "--template", "dir | h.upos d.upos"]]
        commands = [[*command, ""] for command in files]
        commands += [["eval", *names] for names in (("", "a"), ("a", ""), ("a", "b", ""))]
        commands += [[*machine, option, ""] for option in ("--isymbols", "--osymbols", "--features", "--second-features",
                                                           "--other", "--intersect", "--compose")]
        commands += [[*self.train, *more, ""] for more in (["--dev"], ["--unannotated"],
                                                           ["--unannotated", self.trees, "--constraints"],
                                                           ["--unannotated", self.trees, "--teacher"])]
        commands += [["train", "--model", "m", "--train", ""], ["parse", "--model", ""], ["rank", "--model", ""],
                     ["features", "--model", ""]]
        for command in commands:
            done = run(*command, stdin=every_verb.MACHINE, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""), command)
            self.assertRegex(done.stderr, r"^kirchhoff: (FILE|GOLD|SYSTEM|SECOND|--[a-z-]+): '' is no name of a file \(see")
        self.assertEqual(os.listdir(self.folder), ["trees.conllu"])

    def test_standard_input_is_read_once(self):
        for command, second, first in [
                (["wfsm", "--compose", "-"], "--compose", "FILE"),
                (["wfsm", "--want", "kl", "--other", "-", "-"], "--other", "FILE"),
                (["wfsm", "--isymbols", "-", "--intersect", "-", "machine"], "--intersect", "--isymbols"),
                (["eval", "-", "-"], "SYSTEM", "GOLD"),
                (["eval", self.trees, "-", "-"], "SECOND", "SYSTEM"),
                (["train", "--train", "-", "--dev", "-", "--model", "m"], "--dev", "--train"),
                ([*self.train, "--unannotated", "-", "--constraints", "-"], "--constraints", "--unannotated")]:
            done = run(*command, stdin=every_verb.MACHINE, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""), command)
            self.assertIn(f"kirchhoff: {second}: standard input is read as {first} already (see", done.stderr)

    def test_the_gold_standard_may_come_through_a_pipe(self):
        text = self.trees.read_text()
        self.assertEqual(run("eval", "-", self.trees, stdin=text).stdout, run("eval", self.trees, self.trees).stdout)
        done = run("eval", self.trees, "-", stdin=toy_treebank(2, 3))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"trees\.conllu, standard input: the texts differ")
        self.assertIn("kirchhoff: standard input: no sentences", run("eval", "-", self.trees, stdin="").stderr)

    def test_what_is_printed_does_not_go_into_what_is_read(self):
        graphs = self.file("graphs.jsonl", json_lines([THREE] * 3))
        for arguments, path in ((["tree", *GRAPHS], graphs), (["convert", "--to", "conllu"], self.trees)):
            before = path.read_bytes()
            for redirection, shown in ((f'"{path}" >> "{path}"', path.name), (f'< "{path}" >> "{path}"', "standard input"),
                                       (f'"{path}" 1<> "{path}"', path.name)):
                done = subprocess.run(["sh", "-c", f'exec "$@" {redirection}', "sh", support.PROGRAM, *arguments],
                                      capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(f"{shown}: this file is standard output too; write to another one (see", done.stderr)
                self.assertEqual(path.read_bytes(), before)
