"""Tests order, threads, long files, pipes, odd line ends, the manual and goldens."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time

import support
from support import HERE, Case, run, tree

GOLDEN = HERE / "golden"


def many(count):
    for i in range(count):
        n = 1 + i % 7
        scores = [[((i * 31 + h * 17 + d * 7) % 23 - 11) / 4 for d in range(n + 1)] for h in range(n + 1)]
        yield json.dumps({"id": f"s{i}", "scores": scores})


class Order(Case):
    def test_same_bytes_for_any_number_of_threads(self):
        text = "\n".join(many(2000)) + "\n"
        outputs = [tree(text, "all", "single", "--threads", t).stdout for t in (1, 2, 8)]
        self.assertEqual(outputs[0], outputs[1])
        self.assertEqual(outputs[0], outputs[2])
        self.assertEqual([json.loads(line)["id"] for line in outputs[0].splitlines()], [f"s{i}" for i in range(2000)])

    def test_bulky_answers_keep_the_order(self):
        found = tree("\n".join(many(40)), "pair_marginals", "multi", "--threads", "2").stdout.splitlines()
        self.assertEqual([json.loads(line)["id"] for line in found], [f"s{i}" for i in range(40)])

    def test_errors_keep_the_order(self):
        lines = list(many(500))
        lines[300] = '{"id":"bad","scores":[[0,x],[0,0]]}'
        done = tree("\n".join(lines), "log_partition", "single", "--threads", "8")
        self.assertEqual((len(done.stdout.splitlines()), done.returncode), (300, 1))
        self.assertEqual(done.stderr, "kirchhoff: standard input:301: scores[0][1]: expected a number, found 'x'\n")


class Streaming(Case):
    def test_memory_does_not_grow_with_the_file(self):
        line = json.dumps({"scores": [[0.123456] * 31] * 31}) + "\n"
        path = self.file("large.jsonl", line * 8000)  # about 75 MB
        script = ("import resource,subprocess,sys;"
                  "subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,check=True);"
                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        command = [support.PROGRAM, "tree", "--root", "single", "--want", "log_partition", str(path)]
        done = subprocess.run([sys.executable, "-c", script, *command], capture_output=True, text=True, check=True)
        if not support.sanitized():
            self.assertLess(int(done.stdout), 70_000, "kilobytes")

    def test_answers_come_before_the_input_ends(self):
        command = [support.PROGRAM, "tree", "--root", "single"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for i in range(3):
                process.stdin.write(b'{"id":%d,"scores":[[0,1],[0,0]]}\n' % i)
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["id"], i)
            process.stdin.close()
            self.assertEqual(process.wait(timeout=30), 0)

    def test_closed_pipe(self):
        path = self.file("g.jsonl", "\n".join(many(20000)))
        command = [support.PROGRAM, "tree", "--root", "single", str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            message = process.stderr.read().decode()
            self.assertEqual(message, "kirchhoff: standard output: cannot write: Broken pipe\n")
            self.assertEqual(process.wait(timeout=60), 1)

    def test_interrupt(self):
        command = [support.PROGRAM, "tree", "--root", "single"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            time.sleep(0.3)
            process.send_signal(2)
            self.assertEqual(process.wait(timeout=30), -2)
            self.assertEqual(process.stderr.read(), b"")

    def test_line_ends_and_blanks(self):
        line = '{"id":1,"scores":[[0,1],[0,0]]}'
        plain = tree(line + "\n" + line + "\n").stdout
        for text in (f"{line}\r\n{line}\r\n", f"\n  \n{line}\n\r\n\t\n{line}", f"\ufeff{line}\n {line} \n"):
            done = tree(text)
            self.assertEqual((done.stdout, done.stderr, done.returncode), (plain, "", 0))

    def test_nothing_in_nothing_out(self):
        for text in ("", "\n", " \n\n"):
            done = tree(text)
            self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_dash_is_standard_input(self):
        done = run("tree", "--root", "multi", "-", stdin='{"scores":[[0,1],[0,0]]}')
        self.assertEqual(json.loads(done.stdout)["log_partition"], 1)

    def test_ids_are_echoed_as_written(self):
        for text in ('"a\\u00e9\\n\\"x"', '"\u00e9"', "12345678901234567890123", "1.50", "null", "-0.0", "true", '""'):
            out = tree('{"scores":[[0,1],[0,0]], "id" : %s }' % text, "log_count").stdout
            self.assertTrue(out.startswith('{"id":%s,"n":1,' % text), out)

    def test_unknown_fields_may_be_allowed(self):
        for words in ('"a b"', '["a", "b"]', '[{"form":"a"}, 2]', "null"):
            done = tree('{"text":"a b","words":%s,"meta":{"x":[1,{"y":null}],"x":true},"scores":[[0,1],[0,0]]}' % words,
                        None, "single", "--allow-unknown")
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class Help(Case):
    def test_help_and_version(self):
        self.assertRegex(run("--version").stdout, r"^kirchhoff \d+\.\d+\.\d+\n")
        self.assertEqual(run("help").stdout, run("--help").stdout)
        self.assertEqual(run("help", "tree").stdout, run("tree", "--help").stdout)
        for arguments in (["--help"], ["--version"], ["help"], ["tree", "--help"], ["draw", "--help"], ["help", "draw"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        bare = run()
        self.assertEqual((bare.returncode, bare.stdout, bare.stderr), (2, "", run("help").stdout))

    def paste(self, example):
        env = dict(os.environ, PATH=f"{pathlib.Path(support.PROGRAM).parent}:{os.environ['PATH']}")
        done = subprocess.run(["sh", "-c", example], capture_output=True, text=True, cwd=self.folder, env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""), example)
        return done.stdout

    def test_examples_of_the_manual(self):
        manual = (HERE.parent.parent / "docs" / "reference" / "cli.md").read_text()
        examples = re.findall(r"```sh\n((?:(?!```).)*?)```\n<!-- output -->\n```json\n(.*?)```", manual, re.S)
        self.assertEqual(len(examples), 6)
        for example, expected in examples:
            self.assert_same(json.loads(self.paste(example)), json.loads(expected))

    def test_help_names_every_want(self):
        text = run("tree", "--help").stdout
        for name in ("log_partition", "renyi=ALPHA", "norm=K", "ge_gradient", "pair_marginals", "kl_gradient"):
            self.assertIn(name, text)


class Goldens(Case):
    """golden/NAME.jsonl holds input, golden/NAME.WANT.ROOT.expected what `--method robust` made of it."""

    def test_goldens(self):
        paths = sorted(GOLDEN.glob("*.expected"))
        self.assertGreaterEqual(len(paths), 4)
        for path in paths:
            name, want, root, _ = path.name.split(".")
            wants = want.replace("+", ",")
            done = run("tree", "--root", root, "--method", "robust", "--want", wants, f"{name}.jsonl", cwd=GOLDEN)
            with self.subTest(path=path.name):
                found, expected = done.stdout.splitlines(), path.read_text().splitlines()
                shape = [re.sub(r"-?\d+\.?\d*(e[-+]\d+)?", "#", line) for line in found]
                self.assertEqual(shape, [re.sub(r"-?\d+\.?\d*(e[-+]\d+)?", "#", line) for line in expected])
                for a, b in zip(found, expected):
                    self.assert_same(json.loads(a), json.loads(b), tolerance=1e-11)
