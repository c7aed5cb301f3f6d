"""Helps to run the program and to compare what it writes."""

import json
import math
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = "kirchhoff"
HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
THREE = {"id": "three", "scores": [[None, 0, 1, 2], [None, None, 2, 0], [None, 0.5, None, 1], [None, 1, 3, None]]}
NO_TREE = {"id": 2, "scores": [[0, 1, 1, None], [0, 0, 1, None], [0, 1, 0, None], [0, 1, 1, 0]]}


def run(*arguments, stdin="", cwd=None, env=None, raw=False):
    """Runs the program and returns the finished process, with text unless raw."""
    data = stdin if isinstance(stdin, bytes) else stdin.encode()
    command = [PROGRAM, *map(str, arguments)]
    done = subprocess.run(command, input=data, capture_output=True, cwd=cwd, env=env, timeout=120)
    if not raw:
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
    return done


def json_lines(graphs):
    """Writes a list of objects as JSON lines; text is left as it is."""
    return graphs if isinstance(graphs, (str, bytes)) else "".join(json.dumps(graph) + "\n" for graph in graphs)


def random_graph(n, labels, rng):
    def cell(h, d):
        values = [round(rng.gauss(0, 2), 2) if h == d - 1 or rng.random() < 0.8 else None for _ in range(labels or 1)]
        return values if labels else values[0]
    return {"id": rng.randrange(1000), "scores": [[cell(h, d) for d in range(n + 1)] for h in range(n + 1)]}


def tree(graphs, want=None, root="single", *options):
    """`kirchhoff tree` on a list of objects or on text."""
    wanted = ["--want", want] if want else []
    return run("tree", "--root", root, *wanted, *options, stdin=json_lines(graphs))


def answer(graph, want, root="single", *options):
    done = tree([graph], want, root, *options)
    if done.returncode != 0:
        raise AssertionError(done.stderr or done.stdout)
    return json.loads(done.stdout)


def sanitized():
    """True when sanitizers change how much memory the program takes."""
    content = pathlib.Path(PROGRAM).read_bytes()
    return b"__asan_init" in content or b"__tsan_init" in content


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def assert_same(self, found, expected, where="", tolerance=1e-10):
        """Equal in structure, numbers up to a tolerance. -inf in `expected` is null."""
        if isinstance(expected, dict):
            self.assertEqual(list(found), list(expected), where)
            for key in expected:
                self.assert_same(found[key], expected[key], f"{where}.{key}", tolerance)
        elif isinstance(expected, (list, tuple)):
            self.assertIsInstance(found, list, where)
            self.assertEqual(len(found), len(expected), where)
            for i, (a, b) in enumerate(zip(found, expected)):
                self.assert_same(a, b, f"{where}[{i}]", tolerance)
        elif isinstance(expected, float) and math.isinf(expected):
            self.assertIsNone(found, where)
        elif isinstance(expected, (int, float)) and not isinstance(expected, bool):
            self.assertIsInstance(found, (int, float), where)
            close = math.isclose(found, expected, rel_tol=tolerance, abs_tol=tolerance)
            self.assertTrue(close, f"{where}: {found}, expected {expected}")
        else:
            self.assertEqual(found, expected, where)
