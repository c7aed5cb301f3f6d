"""Ctrl-C ends a long call with KeyboardInterrupt, soon."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

TREEBANK = pathlib.Path(__file__).parents[2] / "examples" / "treebank" / "train.conllu"

SETUP = """
import itertools, signal, time
import numpy as np, kirchhoff
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
rng = np.random.default_rng(0)

def tree(n):
    return kirchhoff.TreeDistribution(rng.normal(size=(n + 1, n + 1)), root="single", threads=1)

def chain(n):
    return kirchhoff.ChainDistribution(rng.normal(size=(n, 30)), rng.normal(size=(30, 30)), threads=1)

def all_pairs(n, scale):
    g = kirchhoff.FactorGraph()
    v = [g.add_variable(s) for s in rng.normal(size=n)]
    for a, b in itertools.combinations(v, 2):
        g.add_pair(a, b, scale * rng.normal())
    return g

def machine(n):
    arcs = [(i, j, 1, -np.log(2 * n)) for i in range(n) for j in range(n)]
    return kirchhoff.Wfsm(arcs, start={0: 0.0}, final={0: 0.0})

def pigeons(n):
    "One more than there are holes: nothing to find, and a long search."
    g = kirchhoff.FactorGraph()
    v = [[g.add_variable() for _ in range(n)] for _ in range(n + 1)]
    for row in v:
        g.add_xor(row)
    for column in zip(*v):
        g.add_at_most_one(column)
    return g
"""

CALLS = {  # what comes before, and the call
    "batch": ("x = np.broadcast_to(tree(100).scores, (20000, 101, 101))",
              "kirchhoff.TreeDistribution(x, root='single', threads=1)"),
    "sample": ("p = tree(100)", "p.sample(100_000, method='colbourn')"),
    "distinct": ("p = tree(100)", "p.sample_without_replacement(300_000)"),
    "k_best": ("p = tree(100)", "p.k_best(300_000)"),
    "decode": ("x = tree(100).scores", "kirchhoff.decode(x, root='single', k_best=300_000)"),
    "chain samples": ("p = chain(100)", "p.sample(500_000)"),
    "chain k_best": ("p = chain(100)", "p.k_best(300_000)"),
    "chain distinct": ("p = chain(100)", "p.sample_without_replacement(300_000)"),
    "chain batch": ("x = np.broadcast_to(chain(100).scores.emissions, (10_000, 100, 30))",
                    "kirchhoff.ChainDistribution(x, np.zeros((30, 30)), threads=1).cumulants((x, np.zeros((99, 30, 30))), 9)"),
    "spanning k_best": ("p = kirchhoff.SpanningTreeDistribution(np.zeros((100, 100)))", "p.k_best(300_000)"),
    "solve_exact": ("g = pigeons(13)", "g.solve_exact()"),
    "solve_bp": ("g = all_pairs(40, 3.0)", "g.solve_bp(schedule='flooding', max_iterations=10**9, tolerance=0.0)"),
    "solve_ad3": ("g = all_pairs(60, 3.0)", "g.solve_ad3(search='exact', gap=0.0, tolerance=0.0)"),
    "solve_lp": ("g = all_pairs(300, 3.0)", "g.solve_lp()"),
    "solve_ilp": ("g = all_pairs(60, 3.0)", "g.solve_ilp()"),
    "best_paths": ("m = machine(30)", "m.best_paths(10**9)"),
    "derivatives": ("m = machine(3)", "m.derivatives(8)"),
    "train": (f"x = list(kirchhoff.conllu.read({str(TREEBANK)!r}))",
              "kirchhoff.Parser.train(x, root='single', epochs=10**6)"),
    "train tagger": (f"x = list(kirchhoff.conllu.read({str(TREEBANK)!r}))",
                     "kirchhoff.Pipeline.train(x, root='single', tagger_epochs=10**6)"),
}


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX does")
@pytest.mark.parametrize("name", CALLS)
def test_interrupt(name):
    before, call = CALLS[name]
    code = f"""{SETUP}
{before}
print("ready", flush=True)
try:
    {call}
    print("it came to its end")
except KeyboardInterrupt:
    print(time.monotonic())
"""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    with subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.5)
            sent = time.monotonic()
            child.send_signal(signal.SIGINT)
            out, _ = child.communicate(timeout=30)
        finally:
            child.kill()
    assert "end" not in out, "the work was done before it could be interrupted"
    assert float(out) - sent < 2.0
