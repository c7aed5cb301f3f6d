"""The examples run, and say what they should."""

import os
import pathlib
import re
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "python"


def output_of(name, *args):
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, str(EXAMPLES / name), *args], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_entropy_and_samples():
    out = output_of("entropy_and_samples.py")
    exact = float(re.search(r"entropy ([\d.]+) nats", out)[1])
    mean, error = map(float, re.search(r"samples ([\d.]+) \+- ([\d.]+)", out).groups())
    assert abs(mean - exact) < 4 * error
    mean, error, exact = map(float, re.search(r"depth ([\d.]+) \+- ([\d.]+), exactly ([\d.]+)", out).groups())
    assert abs(mean - exact) < 4 * error


def test_openfst_text():
    out = output_of("openfst_text.py")
    assert out.startswith("log Z") and "best: cat " in out and "the machine again:\n0\t1\tc\t0.1" in out
