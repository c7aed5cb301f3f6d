"""What is Python's own: dtypes, empty batches, processes, the price of an import; and another package's word."""

import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import kirchhoff
from kirchhoff import TreeDistribution


@pytest.fixture
def rng():
    return np.random.default_rng(23)


def test_float32_when_asked(rng):
    scores = rng.normal(size=(2, 4, 4))
    p, q = TreeDistribution(scores, root="single"), TreeDistribution(scores, root="single", dtype=np.float32)
    for name in ("log_partition", "marginals", "log_marginals", "entropy", "entropy_gradient"):
        double, single = getattr(p, name)(), getattr(q, name)()
        assert double.dtype == np.float64 and single.dtype == np.float32
        np.testing.assert_array_equal(single, double.astype(np.float32))
    assert q.sample(3).log_prob.dtype == np.float32 and q.argmax().heads.dtype == np.int64
    assert pickle.loads(pickle.dumps(q)).marginals().dtype == np.float32
    with pytest.raises(ValueError, match="dtype"):
        TreeDistribution(scores, root="single", dtype=np.int32)


@pytest.mark.parametrize("labels", [(), (3,)])
def test_empty_batches(labels):
    p = TreeDistribution(np.zeros((0, 4, 4) + labels), root="single", labelled=bool(labels))
    assert p.log_partition().shape == (0,) and p.marginals().shape == (0, 4, 4) + labels
    assert p.argmax().heads.shape == (0, 4) and p.sample(3).heads.shape == (0, 3, 4)
    assert p.k_best(2).log_prob.shape == (0, 2)
    one = TreeDistribution(np.zeros((2, 2) + labels), root="single", labelled=bool(labels))
    assert one.k_best(0).heads.shape == (0, 2) and one.sample(0).heads.shape == (0, 2)
    assert one.argmax().heads.tolist() == [-1, 0]


def test_strides_of_batches(rng):
    scores = rng.normal(size=(6, 5, 5))
    wanted = TreeDistribution(scores, root="multi").marginals()
    np.testing.assert_array_equal(TreeDistribution(scores[::2], root="multi").marginals(), wanted[::2])
    np.testing.assert_array_equal(TreeDistribution(scores[::-1], root="multi").marginals(), wanted[::-1])
    moved = np.moveaxis(np.ascontiguousarray(np.moveaxis(scores, 0, -1)), -1, 0)
    np.testing.assert_array_equal(TreeDistribution(moved, root="multi").marginals(), wanted)
    np.testing.assert_array_equal(
        TreeDistribution(np.broadcast_to(scores[0], (3, 5, 5)), root="multi").marginals(), wanted[[0, 0, 0]])
    scores.flags.writeable = False
    np.testing.assert_array_equal(TreeDistribution(scores, root="multi").marginals(), wanted)


@pytest.mark.parametrize("labels", [(), (2,)])
@pytest.mark.parametrize("root", ["single", "multi"])
def test_constraints(rng, root, labels):
    scores = rng.normal(size=(5, 5) + labels)
    p = TreeDistribution(scores, root=root, labelled=bool(labels))
    require, forbid = [(1, 2)], [(0, 3), (4, 1)]
    given = p.given(require=require, forbid=forbid)
    every = p.enumerate_support()
    kept = (every.heads[:, 2] == 1) & (every.heads[:, 3] != 0) & (every.heads[:, 1] != 4)
    log_mass = np.logaddexp.reduce(every.log_prob[kept])
    assert given.log_partition() == pytest.approx(p.log_partition() + log_mass)
    np.testing.assert_allclose(given.k_best(5).log_prob, np.sort(every.log_prob[kept])[::-1][:5] - log_mass)
    trees = kirchhoff.decode(scores, root=root, k_best=5, require=require, forbid=forbid,
                             labelled=bool(labels))
    np.testing.assert_array_equal(trees.heads, given.k_best(5).heads)
    np.testing.assert_allclose(trees.score, given.k_best(5).log_prob + given.log_partition())
    one = kirchhoff.decode(scores, root=root, labelled=bool(labels))
    np.testing.assert_array_equal(one.heads, p.argmax().heads)
    if labels:
        np.testing.assert_array_equal(one.labels, p.argmax().labels)
    batch = TreeDistribution(np.stack([scores, scores]), root=root, labelled=bool(labels))
    both = batch.given(require=[require, []], forbid=[forbid, []])
    np.testing.assert_allclose(both.log_partition(), [given.log_partition(), p.log_partition()])
    best = kirchhoff.decode(batch.scores, root=root, labelled=bool(labels), lengths=[4, 3], require=[require, []])
    assert best.heads.shape == (2, 5) and best.heads[1, 4] == -1
    for bad in [lambda: p.given(require=[(9, 1)]), lambda: p.given(forbid=[(1, 1)]), lambda: p.given(require=[3]),
                lambda: batch.given(require=[(1, 2)]), lambda: batch.given(require=[[]] * 3),
                lambda: kirchhoff.decode(scores, root="x"), lambda: kirchhoff.decode(scores, root=root, k_best=-1)]:
        with pytest.raises(ValueError):
            bad()
    with pytest.raises(kirchhoff.Infeasible, match="graph 1"):
        batch.given(require=[[], [(1, 2), (2, 1)]])


def test_threads_share_a_distribution(rng):
    p = TreeDistribution(rng.normal(size=(30, 30)), root="single")
    wanted, failures = p.marginals(), []

    def work(seed):
        for _ in range(20):
            if not np.array_equal(p.marginals(), wanted) or p.sample(seed=seed).heads.shape != (30,):
                failures.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def _in_child(scores, queue):
    queue.put(TreeDistribution(scores, root="single", threads=0).log_partition())


def _start_child(start):
    scores = np.random.default_rng(7).normal(size=(64, 20, 20))
    wanted = TreeDistribution(scores, root="single", threads=0).log_partition()
    context = multiprocessing.get_context(start)
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(scores, queue))
    child.start()
    try:
        np.testing.assert_array_equal(queue.get(timeout=60), wanted)
    finally:
        child.join(timeout=10)
        assert child.exitcode == 0


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_child_processes(start):
    """Worker threads do not survive a fork: the child must make its own. JAX's threads, if any, are not there to lock."""
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    done = subprocess.run([sys.executable, __file__, start], env=env, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr


def test_import_is_quick():
    """What kirchhoff adds to an interpreter that has NumPy, in seconds of the processor; the best of a few."""
    code = "import numpy, time; t = time.process_time(); import kirchhoff; print(time.process_time() - t)"
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    best = min(float(subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True).stdout)
               for _ in range(5))
    print(f"import kirchhoff: {best:.3f} s after NumPy")
    assert best < 0.2
    code = "import sys, kirchhoff; print(sorted({'torch', 'jax', 'scipy'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], env=env, check=True, capture_output=True).stdout == b"[]\n"


def test_typing_marker():
    assert (pathlib.Path(kirchhoff.__file__).parent / "py.typed").exists()


def test_networkx_agrees(rng):
    networkx = pytest.importorskip("networkx", reason="networkx is not installed: no second opinion on best trees")
    for n in (3, 6, 9):
        scores = rng.normal(size=(n + 1, n + 1))
        graph = networkx.DiGraph()
        for h in range(n + 1):
            for d in range(1, n + 1):
                if h != d:
                    graph.add_edge(h, d, weight=scores[h, d])
        tree = networkx.maximum_spanning_arborescence(graph)
        heads = kirchhoff.decode(scores, root="multi").heads
        assert {(int(heads[d]), d) for d in range(1, n + 1)} == set(tree.edges())


def test_marginals_are_kept_and_read_only():
    scores = np.random.default_rng(5).normal(size=(3, 5, 5))
    for p in [kirchhoff.TreeDistribution(scores, root="single", lengths=[4, 3, 2]),
              kirchhoff.TreeDistribution(scores[0], root="single"),
              kirchhoff.TreeDistribution(scores[:, :, :, None], root="single", labelled=True)]:
        first, second = p.marginals(), p.marginals()
        np.testing.assert_array_equal(first, second)
        assert first.shape == p.scores.shape and np.shares_memory(first, second)
        with pytest.raises(ValueError, match="read-only"):
            first[..., 0, 1] = 1.0
        del p, second
        assert np.isfinite(first).all()  # the array keeps its memory alive


def test_entropy_with_gradient_is_both():
    scores = np.random.default_rng(6).normal(size=(4, 5, 5))
    p = kirchhoff.TreeDistribution(scores, root="multi", lengths=[4, 1, 3, 2])
    value, gradient = p.entropy_with_gradient()
    np.testing.assert_array_equal(value, p.entropy())
    np.testing.assert_array_equal(gradient, p.entropy_gradient())
    assert not gradient[1, :, 2:].any()  # padding


def test_the_first_infeasible_graph_is_named():
    scores = np.zeros((50, 4, 4))
    scores[[13, 31], :, 2] = -np.inf
    with pytest.raises(kirchhoff.Infeasible, match="graph 13: "):
        kirchhoff.TreeDistribution(scores, root="single")


if __name__ == "__main__":
    _start_child(sys.argv[1])
