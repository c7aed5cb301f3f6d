"""Tests the one policy for files that are written: checked before the work, whole or not at all, nothing replaced that
should not be."""

import json
import os
import resource
import signal
import stat
import subprocess
import threading
import time

import support
from support import Case, run
from test_parser import toy_treebank

GRAPH = json.dumps({"scores": [[None, 0, 3], [None, None, 1], [None, 4, None]]}) + "\n"


class OutputTest(Case):
    def setUp(self):
        super().setUp()
        self.trees = self.file("trees.conllu", toy_treebank(1, 30))
        self.graphs = self.file("graphs.jsonl", GRAPH)

    def train(self, model, *more, **options):
        return run("train", "--train", self.trees, "--model", model, "--epochs", "2", *more, **options)

    def verbs(self, path):
        """Every way to write a file at a path."""
        return [("train", "--train", self.trees, "--epochs", "1", "--model", path),
                ("draw", "--root", "single", "--html", path, self.graphs),
                ("draw", "--root", "single", "--svg", path, self.graphs),
                ("render", "--html", path, self.trees),
                ("render", "--svg", path, self.trees)]

    def listing(self):
        return sorted(os.listdir(self.folder))

    def test_empty_names_are_errors(self):
        for verb in self.verbs(""):
            done = run(*verb, cwd=self.folder)
            self.assertEqual(done.returncode, 2, verb)
            self.assertRegex(done.stderr, r"^kirchhoff: --(model|html|svg): '' is no name of a file")
            self.assertEqual(done.stdout, "")

    def test_bad_paths_are_noticed_before_the_work(self):
        before = self.listing()
        for path in ["no/such/folder", ".", "trees.conllu/below", "x" * 300]:
            for verb in self.verbs(path):
                done = run(*verb, cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (1, ""), (verb, done.stderr))
                self.assertRegex(done.stderr, r"^kirchhoff: .*: cannot be written: [^\n]*\n$")
        self.assertEqual(self.listing(), before)

    def test_inputs_are_not_written_over(self):
        os.symlink("trees.conllu", self.folder / "link")
        os.link(self.trees, self.folder / "hard")
        os.symlink("graphs.jsonl", self.folder / "graphs")
        cases = [verb for name in ["trees.conllu", "link", "hard"] for verb in self.verbs(name)
                 if verb[0] in ("train", "render")]
        cases += [verb for name in ["graphs.jsonl", "graphs"] for verb in self.verbs(name) if verb[0] == "draw"]
        for options in [["--dev", "other"], ["--unannotated", "other", "--entropy-weight", "1"], ["--start", "other"]]:
            cases.append(("train", "--train", self.trees, *options, "--model", "other"))
        self.file("other", toy_treebank(2, 3))
        for verb in cases:
            done = run(*verb, cwd=self.folder)
            self.assertEqual(done.returncode, 2, verb)
            self.assertIn("is the file that is read as", done.stderr)
        with open(self.graphs, "rb") as graphs:
            done = subprocess.run([support.PROGRAM, "draw", "--root", "single", "--html", "graphs.jsonl"], stdin=graphs,
                                  cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 2)
        # The checkpoint is written too, and must not be a file that is read.
        os.rename(self.trees, self.folder / "m.checkpoint")
        done = run("train", "--train", "m.checkpoint", "--model", "m", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual((self.folder / "m.checkpoint").read_text(), toy_treebank(1, 30))
        self.assertEqual(self.graphs.read_text(), GRAPH)

    def test_two_outputs_in_one_file(self):
        for names in [("same", "same"), ("same", "./same"), ("-", "-")]:
            done = run("render", "--html", names[0], "--svg", names[1], self.trees, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
        with open(self.folder / "out", "wb") as out:
            done = subprocess.run([support.PROGRAM, "render", "--html", "out", self.trees], stdout=out, cwd=self.folder,
                                  stderr=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 2)

    def test_devices_and_pipes_are_written_through(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        os.symlink("pipe", self.folder / "link")
        for path in ["/dev/null", str(pipe), str(self.folder / "link")]:
            for verb in self.verbs(path):
                read = []
                reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
                if path != "/dev/null":
                    reader.start()
                done = run(*verb)
                self.assertEqual(done.returncode, 0, done.stderr)
                if path != "/dev/null":
                    reader.join()
                    self.assertGreater(len(read[0]), 100)
                    self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
                self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertEqual(self.listing(), ["graphs.jsonl", "link", "pipe", "trees.conllu"])
        self.assertFalse(os.path.exists("/dev/null.checkpoint"))
        self.assertEqual(self.train("/dev/null", "--resume").returncode, 2)

    def test_links_stay_and_modes_are_kept(self):
        for number, verb in enumerate(self.verbs("link")):
            target = self.file("target", "old")
            os.chmod(target, 0o640)
            if number == 0:
                os.symlink("target", self.folder / "link")
            done = run(*verb, cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((self.folder / "link").is_symlink())
            self.assertEqual(stat.S_IMODE(os.stat(target).st_mode), 0o640)
            self.assertGreater(target.stat().st_size, 100)

    def test_standard_output(self):
        html = run("render", "--html", "-", self.trees)
        self.assertEqual(html.returncode, 0)
        self.assertTrue(html.stdout.startswith("<!doctype html>") and html.stdout.endswith("</html>\n"))
        svg = run("draw", "--root", "single", "--svg", "-", self.graphs)
        self.assertTrue(svg.stdout.startswith("<svg"))
        done = self.train("-", cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.listing(), ["graphs.jsonl", "trees.conllu"])

    def start(self, *more, **options):
        """A training that goes on until it is stopped, which has come to its first epochs."""
        process = subprocess.Popen(
            [support.PROGRAM, "train", "--train", self.trees, "--model", "m", "--epochs", "10000", *more],
            cwd=self.folder, stderr=subprocess.PIPE, text=True, **options)
        while "epoch 2" not in process.stderr.readline():
            self.assertIsNone(process.poll())
        return process

    def finish(self, process):
        text = process.stderr.read()
        process.stderr.close()
        process.wait(60)
        return text

    def test_two_trainings_to_one_model(self):
        first = self.start()
        for model in ["m", "./m"]:
            done = self.train(model, cwd=self.folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("another training writes", done.stderr)
        first.kill()
        self.finish(first)
        # The lock file of a training that was killed is no obstacle, and the checkpoint is whole.
        self.assertIn("m.lock", self.listing())
        done = run("train", "--train", self.trees, "--model", "m", "--epochs", "1", "--resume", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.listing(), ["graphs.jsonl", "m", "trees.conllu"])

    def test_a_file_that_is_called_like_the_lock(self):
        # Locks are empty, and only they are removed; a file with content, even the treebank itself, is left alone.
        os.rename(self.trees, self.folder / "m.lock")
        done = run("train", "--train", "m.lock", "--model", "m", "--epochs", "1", cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("m.lock: is needed as a lock, but has content", done.stderr)
        self.assertEqual((self.folder / "m.lock").read_text(), toy_treebank(1, 30))

    def test_signals_save_and_end(self):
        self.assertEqual(self.train("m", cwd=self.folder).returncode, 0)
        old = (self.folder / "m").read_bytes()
        for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU]:
            process = self.start()
            process.send_signal(number)
            text = self.finish(process)
            self.assertEqual(process.returncode, 128 + number, text)
            self.assertIn("--resume", text)
            self.assertEqual(self.listing(), ["graphs.jsonl", "m", "m.checkpoint", "trees.conllu"])
            self.assertEqual((self.folder / "m").read_bytes(), old)
        process = self.start(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))  # nohup
        process.send_signal(signal.SIGHUP)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.kill()
        self.finish(process)
        self.assertEqual((self.folder / "m").read_bytes(), old)

    def has_nameless_files(self):
        try:
            os.close(os.open(self.folder, os.O_TMPFILE | os.O_WRONLY))
            return True
        except OSError:  # an overlay, say, as containers have them
            return False

    def test_killed_at_any_time_leaves_no_temporary_file(self):
        expected = {"graphs.jsonl", "m.checkpoint", "m.lock", "trees.conllu"}
        for delay in range(8):
            process = self.start()
            time.sleep(0.01 * delay)
            process.kill()
            self.finish(process)
            left = set(self.listing()) - expected
            if self.has_nameless_files():
                self.assertEqual(left, set())
            else:  # a file that must have a name has it when the end comes; it is never the model
                self.assertLessEqual(len(left), delay + 1)
                for name in left:
                    self.assertRegex(name, r"^\.kirchhoff-.*\.tmp$")

    def test_a_limit_on_the_size_of_files(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        self.file("m", "old")
        done = subprocess.run([support.PROGRAM, *map(str, self.verbs("m")[0])], cwd=self.folder, preexec_fn=limit,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"cannot be written: File too large\n$")
        self.assertEqual(self.listing(), ["graphs.jsonl", "m", "trees.conllu"])
        self.assertEqual((self.folder / "m").read_text(), "old")

    def test_resume_refuses_other_data(self):
        dev, other = self.file("dev", toy_treebank(2, 5)), self.file("other", toy_treebank(3, 5))
        process = self.start("--dev", "dev")
        process.send_signal(signal.SIGINT)
        self.finish(process)
        for more in [[], ["--dev", other], ["--dev", dev, "--seed", "7"]]:
            done = run("train", "--train", self.trees, "--model", "m", "--resume", "--epochs", "3", *more,
                       cwd=self.folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("m.checkpoint: is of a training with other data", done.stderr)
        # Another model at this place does not matter: the checkpoint has the best one of its own training.
        self.file("m", "not a model")
        done = run("train", "--train", self.trees, "--dev", dev, "--model", "m", "--resume", "--epochs", "3",
                   cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run("parse", "--model", "m", dev, cwd=self.folder).returncode, 0)

    def test_readers_during_writers(self):
        self.assertEqual(self.train("m", cwd=self.folder).returncode, 0)
        stop = threading.Event()

        def write():
            while not stop.is_set():
                self.train("m", cwd=self.folder)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            expected = run("parse", "--model", "m", self.trees, cwd=self.folder).stdout
            for _ in range(10):
                done = run("parse", "--model", "m", self.trees, cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (0, expected), done.stderr)
        finally:
            stop.set()
            writer.join()
