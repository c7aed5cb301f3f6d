"""The package's own types, and what a type checker makes of a caller's code."""

import subprocess
import sys

import pytest

pytest.importorskip("mypy", reason="mypy is not installed")

CALLER = """
import numpy as np
import kirchhoff

p = kirchhoff.TreeDistribution(np.zeros((4, 4)), root="single")
heads: np.ndarray = p.k_best(3).heads
marginals: np.ndarray = p.marginals()
listed = kirchhoff.TreeDistribution([np.zeros((4, 4)), np.zeros((3, 3))], root="single", padded=False)
sizes = [len(graph) for graph in listed.marginals()]
version: str = kirchhoff.__version__
for sentence in kirchhoff.conllu.read("a.conllu"):
    sentence.heads = np.zeros(len(sentence) + 1)
    svg: str = sentence._repr_svg_()
parser: kirchhoff.Parser = kirchhoff.Parser.load("a.model")
annotated: list[kirchhoff.conllu.Sentence] = kirchhoff.Pipeline.open("a.model")("Dogs bark.", threads=1)
"""
MISTAKES = """
import kirchhoff

kirchhoff.TreeDistribution([[0.0]])  # no root
kirchhoff.Parser.load(3)
for sentence in kirchhoff.conllu.read("a.conllu"):
    sentence.head = []
"""


def check(*arguments, where):
    command = [sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir", str(where), *arguments]
    return subprocess.run(command, cwd=where, capture_output=True, text=True)


def test_package_and_callers(tmp_path):
    (tmp_path / "caller.py").write_text(CALLER)
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    for right in [check("-p", "kirchhoff", where=tmp_path), check("caller.py", where=tmp_path)]:
        assert right.returncode == 0, right.stdout + right.stderr
    wrong = check("mistakes.py", where=tmp_path)
    lines = [line for line in wrong.stdout.splitlines() if "error:" in line]
    assert [int(line.split(":")[1]) for line in lines] == [4, 5, 7], wrong.stdout
