"""Tests what messages say and hold: odd names, marks and limits of input, graphs without an answer, signals."""

import os
import signal
import subprocess
import time

import every_verb
import support
from support import NO_TREE, THREE, Case, json_lines, run

ODD = "a\nb\x1b[31m\x7f\u0085\u202e\u00e9"
SHOWN = "a\\nb\\x1b[31m\\x7f\\xc2\\x85\\xe2\\x80\\xae\u00e9"
BAD_UAI = "MARKOV\n1\n2\n1\n1 0\n2\n0 0\n"  # no assignment has a weight


class OddNames(Case):
    def check(self, done, status, *texts):
        self.assertEqual(done.returncode, status)
        self.assertEqual(done.stderr.count("\n"), 1)
        for text in (SHOWN, *texts):
            self.assertIn(text, done.stderr)
        self.assertFalse([c for c in done.stderr[:-1] if ord(c) < 32 or 127 <= ord(c) < 160 or c == "\u202e"])

    def test_names_of_files(self):
        for arguments in (["tree", "--root", "single"], ["convert", "--to", "json"], ["wfsm"],
                          ["solve", "--method", "bp"], ["render"], ["model", "info"]):
            self.check(run(*arguments, ODD, cwd=self.folder), 1)
        self.check(run("parse", "--model", ODD, cwd=self.folder), 1)
        self.check(run("eval", ODD, "x", cwd=self.folder), 1)

    def test_values_of_options(self):
        self.check(run("tree", "--root", ODD), 2, "--root: ")
        self.check(run("tree", "--root", "single", "--threads", ODD), 2, "--threads: ")
        self.check(run("tree", "--root", "single", "--want", ODD), 2, "--want: ")
        self.check(run("help", ODD), 2)
        self.check(run(ODD), 2)

    def test_names_in_files(self):
        bad = f"# sent_id = {ODD[2:]}\n1\ta\ta\tX\t_\t_\t1\tdep\t_\t_\n\n"
        done = run("render", stdin=bad)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn(f"sentence '{SHOWN[3:]}': ", done.stderr)

    def test_bytes_that_are_not_utf8(self):
        done = run("tree", "--root", "single", os.fsencode("x").decode() + "\udcff", cwd=self.folder)
        self.assertIn("x\\xff: cannot open", done.stderr)

    def test_tables_and_cards(self):
        text = "1\ta\ta\tX\t_\t_\t0\tr\x1b[31m\u202e\t_\t_\n\n"
        path = self.file("odd.conllu", text)
        done = run("eval", path, path, "--by", "deprel", "--samples", 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("r\\x1b[31m\\xe2\\x80\\xae", done.stdout)
        treebank, model = self.file("t.conllu", every_verb.small_treebank()), self.folder / "m"
        done = run("train", "--train", treebank, "--model", model, "--epochs", 1, "--quiet", "--licence", "x\x1b[31my")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("licence: x [31my\n", run("model", "info", model).stdout)


class Marks(Case):
    """Every text may begin with the mark of UTF-8, and none with that of UTF-16."""

    def texts(self):
        symbols, features = self.file("names", "eps 0\na 1\nb 2\n"), self.file("features", "0 0 1\n")
        yield ["tree", "--root", "single"], json_lines([THREE])
        yield ["wfsm"], every_verb.MACHINE
        yield ["wfsm", "--isymbols", symbols], "0 1 a\n1\n"
        yield ["wfsm", "--features", features, "--want", "expectation"], every_verb.MACHINE
        yield ["solve", "--method", "bp"], every_verb.FACTORS
        yield ["solve", "--method", "bp", "--format", "uai"], every_verb.UAI
        yield ["convert", "--to", "json"], every_verb.small_treebank()
        yield ["render"], every_verb.small_treebank()

    def test_utf8(self):
        for arguments, text in self.texts():
            with self.subTest(arguments=arguments):
                plain, marked = run(*arguments, stdin=text), run(*arguments, stdin="\ufeff" + text)
                self.assertEqual((plain.returncode, plain.stderr), (0, ""))
                self.assertEqual((marked.returncode, marked.stderr, marked.stdout), (0, "", plain.stdout))
        for name in ("names", "features"):
            path = self.folder / name
            path.write_text("\ufeff" + path.read_text())
        self.assertEqual(run("wfsm", "--isymbols", self.folder / "names", stdin="0 1 a\n1\n").stderr, "")
        self.assertEqual(run("wfsm", "--features", self.folder / "features", "--want", "expectation",
                             stdin=every_verb.MACHINE).stderr, "")

    def test_two_marks(self):
        refused = "the text begins with two byte order marks"
        for arguments, text in self.texts():
            with self.subTest(arguments=arguments):
                done = run(*arguments, stdin="\ufeff\ufeff" + text)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(f"standard input:1: {refused}", done.stderr)
        names = self.file("names", "\ufeff\ufeffa 1\n")
        self.assertIn(refused, run("wfsm", "--isymbols", names, stdin="0 1 a\n1\n").stderr)

    def test_a_later_mark(self):
        for arguments, text in self.texts():
            with self.subTest(arguments=arguments):
                done = run(*arguments, stdin=text + "\ufeff" + text)
                self.assertEqual(done.returncode, 1)
                self.assertNotEqual(done.stderr, "")

    def test_only_a_mark(self):
        done = run("tree", "--root", "single", stdin="\ufeff")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_mark_byte_by_byte(self):
        command = [support.PROGRAM, "tree", "--root", "single"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for byte in b"\xef\xbb\xbf":
                process.stdin.write(bytes([byte]))
                process.stdin.flush()
                time.sleep(0.05)
            found = process.communicate(json_lines([THREE]).encode(), timeout=60)[0]
        self.assertEqual(found.decode(), run(*command[1:], stdin=json_lines([THREE])).stdout)

    def test_utf16(self):
        for arguments, text in self.texts():
            for encoding in ("utf-16-le", "utf-16-be"):
                with self.subTest(arguments=arguments, encoding=encoding):
                    done = run(*arguments, stdin=("\ufeff" + text).encode(encoding))
                    self.assertEqual((done.returncode, done.stdout), (1, ""))
                    self.assertIn("standard input:1: the text is in UTF-16; convert it to UTF-8", done.stderr)


class Limits(Case):
    def endless(self, *arguments):
        """Gives the program input that does not end."""
        with subprocess.Popen(["yes", "0 0 1 1"], stdout=subprocess.PIPE) as source:
            done = subprocess.run([support.PROGRAM, *arguments], stdin=source.stdout, capture_output=True, timeout=120)
            source.kill()
        return done.returncode, done.stdout, done.stderr.decode()

    def test_input_that_does_not_end(self):
        message = "kirchhoff: standard input: the text is longer than 1 MB (see --max{}-mb)\n"
        self.assertEqual(self.endless("wfsm", "--max-mb", "1"), (1, b"", message.format("")))
        found = self.endless("solve", "--method", "bp", "--format", "uai", "--max-line-mb", "1")
        self.assertEqual(found, (1, b"", message.format("-line")))

    def test_the_limit_itself_is_allowed(self):
        text = every_verb.MACHINE + "\n" * ((1 << 20) - len(every_verb.MACHINE))
        self.assertEqual(run("wfsm", "--max-mb", 1, stdin=text).returncode, 0)
        self.assertEqual(run("wfsm", "--max-mb", 1, stdin=text + "\n").returncode, 1)


class WithoutAnswer(Case):
    def test_standard_error_says_so(self):
        graph = json_lines([THREE, NO_TREE])
        factors = '{"scores":[1,1],"factors":[{"type":"xor","vars":[0,1]},{"type":"imply","vars":[0,1]}' \
                  ',{"type":"imply","vars":[1,0]}]}\n'
        for arguments, text, message in [
                (["tree", "--root", "single"], graph, "1 of 2 graphs without any tree"),
                (["decode", "--root", "single"], graph, "1 of 2 graphs without any tree"),
                (["sample", "--root", "single", "--count", 1], graph, "1 of 2 graphs without any tree"),
                (["draw", "--root", "single"], graph, "1 of 2 graphs without any tree"),
                (["solve", "--method", "exact"], factors, "1 of 1 graphs infeasible"),
                (["solve", "--method", "exact", "--format", "uai"], BAD_UAI, "infeasible"),
                (["wfsm"], "0 1 1\n2 2 1\n", "no trajectory leads")]:
            for quiet in ([], ["--quiet"]):
                done = run(*arguments, *quiet, stdin=text)
                with self.subTest(arguments=arguments, quiet=quiet):
                    self.assertEqual(done.returncode, 1)
                    self.assertRegex(done.stderr, f"^kirchhoff: standard input: {message}")


class Signals(Case):
    def test_every_request_to_end_saves_the_state(self):
        treebank = support.EXAMPLES / "treebank" / "train.conllu"
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            model = self.folder / f"m{number}"
            command = [support.PROGRAM, "train", "--train", treebank, "--model", model, "--epochs", 10000]
            with subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True) as process:
                while "epoch 1" not in process.stderr.readline():
                    self.assertIsNone(process.poll())
                process.send_signal(number)
                error = process.stderr.read()
                self.assertEqual(process.wait(timeout=120), 128 + number)
            self.assertIn("kirchhoff: stopped; to go on, run the same command with --resume", error)
            self.assertTrue((self.folder / f"m{number}.checkpoint").exists())

    def test_an_ignored_signal_stays_ignored(self):
        treebank = self.file("t.conllu", every_verb.small_treebank())
        line = f'trap "" HUP; exec "{support.PROGRAM}" train --train {treebank} --model {self.folder}/m --epochs 2000'
        with subprocess.Popen(["sh", "-c", line], stderr=subprocess.PIPE, text=True) as process:
            while "epoch 1" not in process.stderr.readline():
                self.assertIsNone(process.poll())
            process.send_signal(signal.SIGHUP)
            while "epoch 20:" not in process.stderr.readline():
                self.assertIsNone(process.poll())
            process.terminate()
            process.stderr.read()
            self.assertEqual(process.wait(timeout=120), 128 + signal.SIGTERM)
