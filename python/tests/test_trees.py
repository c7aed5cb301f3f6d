"""TreeDistribution against a brute force in NumPy, and everything that is Python's own: shapes, types, errors."""

import itertools
import pickle
import threading

import numpy as np
import pytest

import kirchhoff
from kirchhoff import TreeDistribution

ROOTS = ("single", "multi")


def all_trees(n, root):
    """Heads of every tree over n words, by trying all head sequences."""
    for heads in itertools.product(range(n + 1), repeat=n):
        full = (-1,) + heads
        if root == "single" and heads.count(0) != 1:
            continue
        if all(reaches_root(full, d) for d in range(1, n + 1)):
            yield full


def reaches_root(heads, node):
    for _ in heads:
        if node == 0:
            return True
        node = heads[node]
    return False


class Oracle:
    def __init__(self, scores, root):
        n = scores.shape[0] - 1
        self.trees = np.array(list(all_trees(n, root)))
        words = np.arange(1, n + 1)
        self.scores = np.array([scores[t[1:], words].sum() for t in self.trees])
        self.log_z = np.logaddexp.reduce(self.scores)
        self.p = np.exp(self.scores - self.log_z)
        self.marginals = np.zeros_like(scores)
        for t, p in zip(self.trees, self.p):
            self.marginals[t[1:], words] += p

    def entropy(self):
        return -(self.p * np.log(self.p)).sum()


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_against_brute_force(rng, root, n):
    scores = rng.normal(size=(n + 1, n + 1))
    p, oracle = TreeDistribution(scores, root=root), Oracle(scores, root)
    assert p.log_partition() == pytest.approx(oracle.log_z, rel=1e-12)
    np.testing.assert_allclose(p.marginals(), oracle.marginals, atol=1e-12)
    np.testing.assert_allclose(np.exp(p.log_marginals()), oracle.marginals, atol=1e-12)
    assert p.entropy() == pytest.approx(oracle.entropy(), abs=1e-12)
    assert p.log_count() == pytest.approx(np.log(len(oracle.trees)))
    best = oracle.trees[oracle.scores.argmax()]
    np.testing.assert_array_equal(p.argmax().heads, best)
    assert p.log_prob(best) == pytest.approx(oracle.scores.max() - oracle.log_z)
    support = p.enumerate_support()
    assert {tuple(t) for t in support.heads} == {tuple(t) for t in oracle.trees}
    assert np.exp(support.log_prob).sum() == pytest.approx(1.0)
    f = rng.normal(size=(3, n + 1, n + 1))
    words = np.arange(1, n + 1)
    values = np.array([f[:, t[1:], words].sum(-1) for t in oracle.trees])
    np.testing.assert_allclose(p.expectation(f), oracle.p @ values, atol=1e-12)
    centred = values - oracle.p @ values
    np.testing.assert_allclose(p.covariance(f, f), (oracle.p * centred.T) @ centred, atol=1e-11)
    gold = oracle.trees[0]
    assert p.risk(gold) == pytest.approx(oracle.p @ (oracle.trees[:, 1:] == gold[1:]).mean(1))
    q = TreeDistribution(rng.normal(size=scores.shape), root=root)
    other = np.array([q.log_prob(t) for t in oracle.trees])
    assert p.kl(q) == pytest.approx(oracle.p @ (np.log(oracle.p) - other), abs=1e-12)
    assert p.cross_entropy(q) == pytest.approx(-(oracle.p @ other))
    assert p.renyi(2.0) == pytest.approx(-np.log((oracle.p**2).sum()))


@pytest.mark.parametrize("root", ROOTS)
def test_gradients_by_differences(rng, root):
    scores, direction = rng.normal(size=(2, 4, 4))
    q = TreeDistribution(rng.normal(size=(4, 4)), root=root)
    h = 1e-6

    def difference(f):
        up, down = (f(TreeDistribution(scores + s * h * direction, root=root)) for s in (1, -1))
        return (np.asarray(up) - np.asarray(down)) / (2 * h)

    p = TreeDistribution(scores, root=root)
    gold = p.argmax().heads
    for gradient, value in [
        (p.marginals(), lambda d: d.log_partition()),
        (p.entropy_gradient(), lambda d: d.entropy()),
        (p.renyi_gradient(0.5), lambda d: d.renyi(0.5)),
        (p.risk_gradient(gold), lambda d: d.risk(gold)),
        (p.kl_gradient(q)[0], lambda d: d.kl(q)),
        (p.cross_entropy_gradient(q)[0], lambda d: d.cross_entropy(q)),
        (q.kl_gradient(p)[1], lambda d: q.kl(d)),
    ]:
        assert (gradient * direction).sum() == pytest.approx(difference(value), abs=1e-7)
    np.testing.assert_allclose(p.marginals_along(direction), difference(lambda d: d.marginals()), atol=1e-8)


@pytest.mark.parametrize("root", ROOTS)
def test_batch_is_one_by_one(rng, root):
    lengths = np.array([[5, 3, 1], [2, 4, 5]])
    scores = rng.normal(size=(2, 3, 6, 6))
    batch = TreeDistribution(scores, root=root, lengths=lengths)
    assert batch.batch_shape == (2, 3) and batch.event_shape == (6,)
    np.testing.assert_array_equal(batch.lengths, lengths)
    marginals, best, top, samples = batch.marginals(), batch.argmax(), batch.k_best(3), batch.sample((2, 2), seed=3)
    assert top.heads.shape == (2, 3, 3, 6) and samples.heads.shape == (2, 3, 2, 2, 6)
    graphs = []
    for i in np.ndindex(2, 3):
        n = lengths[i]
        graphs.append(scores[i][: n + 1, : n + 1])
        one = TreeDistribution(graphs[-1], root=root)
        assert batch.log_partition()[i] == pytest.approx(one.log_partition(), rel=1e-14)  # by another method
        np.testing.assert_allclose(marginals[i][: n + 1, : n + 1], one.marginals(), rtol=1e-13)
        assert not marginals[i][n + 1:].any() and not marginals[i][:, n + 1:].any()
        np.testing.assert_array_equal(best.heads[i][: n + 1], one.argmax().heads)
        assert (best.heads[i][n + 1:] == -1).all()
        assert batch.entropy()[i] == pytest.approx(one.entropy(), rel=1e-13)
    listed = TreeDistribution(graphs, root=root)
    np.testing.assert_array_equal(listed.log_partition(), batch.log_partition().ravel())


def test_a_batch_without_graphs():
    for labels in ((), (2,)):
        p = TreeDistribution(np.zeros((0, 4, 4) + labels), root="single", labelled=bool(labels))
        assert p.marginals().shape == (0, 4, 4) + labels and p.log_partition().shape == (0,)
        assert p.argmax().heads.shape == (0, 4) and p.event_shape == (4,)
        assert p.expectation(np.zeros((0, 5, 4, 4) + labels)).shape == (0, 5)


def test_types_and_strides(rng):
    scores = rng.normal(size=(5, 5))
    expected = TreeDistribution(scores, root="single").log_partition()
    wide = np.zeros((5, 10))
    wide[:, ::2] = scores
    for same in (np.asfortranarray(scores), wide[:, ::2], scores.copy()[::-1][::-1], scores.tolist()):
        assert TreeDistribution(same, root="single").log_partition() == expected
    single = TreeDistribution(scores.astype(np.float32), root="single")
    assert single.log_partition() == pytest.approx(expected, rel=1e-6)
    assert TreeDistribution(np.zeros((3, 3), int), root="single").log_partition() == pytest.approx(np.log(2))


def test_labels(rng):
    scores = rng.normal(size=(4, 4, 3))
    p = TreeDistribution(scores, root="single", labelled=True)
    assert p.labels == 3
    plain = TreeDistribution(np.logaddexp.reduce(scores, axis=-1), root="single")
    assert p.log_partition() == pytest.approx(plain.log_partition())
    np.testing.assert_allclose(p.marginals().sum(-1), plain.marginals(), atol=1e-12)
    best = p.argmax()
    assert p.log_prob(best.heads, best.labels) == pytest.approx(best.log_prob)
    with pytest.raises(ValueError, match="labelled=True"):
        TreeDistribution(scores, root="single")
    listed = TreeDistribution([scores, scores[:3, :3]], root="single")  # here the number of axes says it
    assert listed.labels == 3 and listed.log_partition()[0] == pytest.approx(p.log_partition())


def test_a_batch_of_any_size_is_a_batch(rng):
    for graphs in (3, 4, 5):  # four graphs of three words have the shape of one graph with four labels
        scores = rng.normal(size=(graphs, 4, 4))
        for lengths in (None, np.full(graphs, 3)):
            p = TreeDistribution(scores, root="multi", lengths=lengths)
            assert p.batch_shape == (graphs,) and p.labels == 0
            one = TreeDistribution(scores[1], root="multi")
            assert p.log_partition()[1] == pytest.approx(one.log_partition(), rel=1e-14)  # by another method
    assert TreeDistribution(np.zeros((4, 4, 4)), root="multi", labelled=True).batch_shape == ()
    assert TreeDistribution(np.zeros((4, 4, 4, 4)), root="multi", labelled=True).batch_shape == (4,)


@pytest.mark.parametrize("lengths", [[2.7, 1.0], np.array([2.0, 2.0]), [True, True], "ab", [[1, 2]] * 3])
def test_lengths_are_integers_of_the_right_shape(lengths):
    with pytest.raises(ValueError, match="lengths"):
        TreeDistribution(np.zeros((2, 3, 3)), root="single", lengths=lengths)
    with pytest.raises(ValueError, match="lengths"):
        kirchhoff.decode(np.zeros((2, 3, 3)), root="single", lengths=lengths)


def test_samples(rng):
    p = TreeDistribution(rng.normal(size=(5, 5)), root="single")
    samples = p.sample(20000, seed=1)
    words = np.arange(1, 5)
    counts = np.zeros((5, 5))
    for heads in samples.heads:
        counts[heads[1:], words] += 1
    np.testing.assert_allclose(counts / 20000, p.marginals(), atol=0.02)
    np.testing.assert_array_equal(p.sample(5, seed=1).heads, samples.heads[:5])
    a, b = (p.sample(rng=np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(a.heads, b.heads)
    assert a.heads.shape == (5,) and isinstance(a.log_prob, float)
    distinct = p.sample_without_replacement(1000, seed=2)
    there = distinct.log_prob > -np.inf
    assert there.sum() == 64 and len({tuple(h) for h in distinct.heads[there]}) == 64
    assert distinct.threshold == -np.inf
    few = p.sample_without_replacement(10, seed=2)
    values = np.ones(10)
    assert kirchhoff.normalised_estimate(few, values) == pytest.approx(1.0)
    mean = np.mean([kirchhoff.importance_estimate(p.sample_without_replacement(10, seed=s), values)
                    for s in range(400)])
    assert mean == pytest.approx(1.0, abs=0.05)


def test_float32_of_one_graph():
    scores = np.random.default_rng(1).normal(size=(6, 6))
    p = kirchhoff.TreeDistribution(scores, root="multi", dtype=np.float32)
    assert p.marginals().dtype == np.float32 and p.marginals().shape == (6, 6)
    assert p.marginals() == pytest.approx(kirchhoff.TreeDistribution(scores, root="multi").marginals(), abs=1e-6)


def test_heads_beyond_32_bits_are_refused():
    p = kirchhoff.TreeDistribution(np.zeros((4, 4)), root="multi")
    with pytest.raises(ValueError, match="heads"):
        p.log_prob([-1, 2**32, 0, 0])


def test_no_labels_is_an_error():
    with pytest.raises(ValueError, match="no label"):
        kirchhoff.TreeDistribution(np.zeros((3, 3, 0)), root="multi", labelled=True)


def test_errors():
    zeros = np.zeros((3, 3))
    for bad, match in [(np.zeros((3, 4)), "shape"), (np.full((3, 3), np.nan), "nan is not a log-weight"), (np.zeros((1, 1)), "no word"),
                       (np.zeros((3, 3), complex), "dtype")]:
        with pytest.raises(ValueError, match=match):
            TreeDistribution(bad, root="single")
    with pytest.raises(ValueError, match="root"):
        TreeDistribution(zeros, root="one")
    with pytest.raises(TypeError):
        TreeDistribution(zeros)
    with pytest.raises(ValueError, match=r"lengths\[1\]"):
        TreeDistribution(np.zeros((2, 3, 3)), root="single", lengths=[2, 3])
    with pytest.raises(kirchhoff.Infeasible, match="graph 1"):
        TreeDistribution(np.stack([zeros, np.full((3, 3), -np.inf)]), root="single")
    p = TreeDistribution(zeros, root="single")
    with pytest.raises(ValueError, match="cycle"):
        p.log_prob([-1, 2, 1])
    with pytest.raises(ValueError, match="method"):
        p.sample(1, method="quick")
    with pytest.raises(ValueError, match="single"):
        p.sample(1, method="wilson")
    with pytest.raises(ValueError, match="shape"):
        p.marginals_along(np.zeros((4, 4)))


def test_pickle_and_threads(rng):
    p = TreeDistribution(rng.normal(size=(3, 6, 6)), root="multi", lengths=[5, 4, 3])
    again = pickle.loads(pickle.dumps(p))
    np.testing.assert_array_equal(again.marginals(), p.marginals())
    results = [None] * 8

    def work(i):
        results[i] = TreeDistribution(p.scores, root="multi", lengths=[5, 4, 3], threads=1 + i % 2).log_partition()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for r in results:
        np.testing.assert_array_equal(r, p.log_partition())


def test_layouts(rng):
    ours = rng.normal(size=(4, 4))
    torch_struct = ours[1:, 1:].copy()
    torch_struct[np.arange(3), np.arange(3)] = ours[0, 1:]
    expected = TreeDistribution(ours, root="multi").log_partition()
    for converted in (kirchhoff.from_torch_struct(torch_struct), kirchhoff.from_supar(ours.T),
                      kirchhoff.from_synjax(ours)):
        assert TreeDistribution(converted, root="multi").log_partition() == pytest.approx(expected)


def test_labelled_layout_of_torch_struct(rng):
    for n, labels in [(3, 2), (3, 3), (3, 4), (2, 3)]:  # with as many labels as words, too
        potentials = rng.normal(size=(5, n, n, labels))
        scores = kirchhoff.from_torch_struct(potentials, labelled=True)
        assert scores.shape == (5, n + 1, n + 1, labels)
        for label in range(labels):
            np.testing.assert_array_equal(scores[..., label], kirchhoff.from_torch_struct(potentials[..., label]))
    with pytest.raises(ValueError, match="labelled=True"):
        kirchhoff.from_torch_struct(np.zeros((3, 3, 2)))
    with pytest.raises(ValueError, match="labels"):
        kirchhoff.from_torch_struct(np.zeros((3, 2, 2)), labelled=True)
