"""SpanningTreeDistribution against a list of all spanning trees, and against networkx; shapes, batches and errors."""

import itertools
import pickle

import networkx as nx
import numpy as np
import pytest

import kirchhoff
from kirchhoff import SpanningTreeDistribution, TreeDistribution


def symmetric(rng, *shape, scale=1.0):
    array = rng.normal(size=shape, scale=scale)
    return array + np.swapaxes(array, -1, -2)


class Oracle:
    """All spanning trees of a graph, by trying every set of nodes - 1 edges."""

    def __init__(self, scores):
        self.nodes = len(scores)
        pairs = [(a, b) for a in range(self.nodes) for b in range(a + 1, self.nodes) if scores[a, b] > -np.inf]
        self.trees = [t for t in itertools.combinations(pairs, self.nodes - 1)
                      if nx.is_connected(nx.Graph([*t, *((a, a) for a in range(self.nodes))]))]
        self.has = np.zeros((len(self.trees), self.nodes, self.nodes))
        for i, tree in enumerate(self.trees):
            for a, b in tree:
                self.has[i, a, b] = self.has[i, b, a] = 1.0
        weights = self.sums(scores)
        self.log_z = np.logaddexp.reduce(weights)
        self.log_p = weights - self.log_z
        self.p = np.exp(self.log_p)

    def sums(self, f):
        """The sum of f over the edges of every tree, (..., trees)."""
        return (np.where(self.has > 0, f[..., None, :, :], 0.0)).sum((-1, -2)) / 2


@pytest.fixture
def rng():
    return np.random.default_rng(19)


@pytest.mark.parametrize("nodes", [2, 3, 5])
def test_against_all_trees(rng, nodes):
    scores = symmetric(rng, nodes, nodes)
    if nodes == 5:
        scores[1, 3] = scores[3, 1] = scores[0, 4] = scores[4, 0] = -np.inf
    p, every = SpanningTreeDistribution(scores), Oracle(scores)
    assert (p.batch_shape, p.event_shape, p.lengths.item()) == ((), (nodes - 1, 2), nodes)
    assert p.log_partition() == pytest.approx(every.log_z, abs=1e-12)
    assert np.exp(p.log_count()) == pytest.approx(len(every.trees))
    marginals = np.tensordot(every.p, every.has, 1)
    np.testing.assert_allclose(p.marginals(), marginals, atol=1e-12)
    np.testing.assert_allclose(np.exp(p.log_marginals()), marginals, atol=1e-12)
    for tree, log_p in zip(every.trees, every.log_p):
        assert p.log_prob([edge[::-1] for edge in tree[::-1]]) == pytest.approx(log_p, abs=1e-12)
    best = p.k_best(len(every.trees) + 1)
    np.testing.assert_allclose(best.log_prob[:-1], np.sort(every.log_p)[::-1], atol=1e-12)
    assert {tuple(map(tuple, t)) for t in best.edges[:-1].tolist()} == set(every.trees)
    assert (best.edges[-1] == -1).all() and best.log_prob[-1] == -np.inf
    np.testing.assert_array_equal(p.argmax().edges, best.edges[0])
    right = every.has.reshape(len(every.trees), -1) @ marginals.ravel()
    mbr = p.mbr()
    assert right[every.trees.index(tuple(map(tuple, mbr.edges.tolist())))] == pytest.approx(right.max())
    assert mbr.log_prob == pytest.approx(p.log_prob(mbr.edges))
    assert p.entropy() == pytest.approx(-(every.p @ every.log_p), abs=1e-12)
    assert p.renyi(2.0) == pytest.approx(-np.log((every.p**2).sum()), abs=1e-12)
    assert p.with_temperature(2.0).log_partition() == pytest.approx(np.logaddexp.reduce(every.sums(scores) / 2))
    f = symmetric(rng, 3, nodes, nodes)
    values = every.sums(f)
    mean = values @ every.p
    centred = values - mean[:, None]
    np.testing.assert_allclose(p.expectation(f), mean, atol=1e-12)
    np.testing.assert_allclose(p.covariance(f, f[:2]), (centred * every.p) @ centred[:2].T, atol=1e-11)
    np.testing.assert_allclose(p.second_order(f, f[:2]), (values * every.p) @ values[:2].T, atol=1e-11)
    np.testing.assert_allclose(p.cumulants(f[0], 3), [0, mean[0], *((centred[0]**k) @ every.p for k in (2, 3))],
                               atol=1e-11)
    q = SpanningTreeDistribution(np.where(scores > -np.inf, symmetric(rng, nodes, nodes), -np.inf))
    other = np.array([q.log_prob(t) for t in every.trees])
    assert p.kl(q) == pytest.approx(every.p @ (every.log_p - other), abs=1e-12)
    assert p.cross_entropy(q) == pytest.approx(-(every.p @ other))


@pytest.mark.parametrize("graph", [nx.petersen_graph(), nx.wheel_graph(7), nx.complete_bipartite_graph(3, 4)])
def test_numbers_of_trees_are_those_of_networkx(graph):
    p = SpanningTreeDistribution(np.where(nx.to_numpy_array(graph) > 0, 0.0, -np.inf))
    assert np.exp(p.log_partition()) == pytest.approx(nx.number_of_spanning_trees(graph))


def test_best_trees_are_those_of_networkx(rng):
    weights = symmetric(rng, 30, 30)
    expected = nx.maximum_spanning_tree(nx.from_numpy_array(weights))
    best = SpanningTreeDistribution(weights).argmax()
    assert {tuple(e) for e in best.edges.tolist()} == {tuple(sorted(e)) for e in expected.edges if e[0] != e[1]}


def test_gradients_by_differences(rng):
    scores, direction, r, s = (symmetric(rng, 4, 4) for _ in range(4))
    p, q = SpanningTreeDistribution(scores), SpanningTreeDistribution(symmetric(rng, 4, 4))
    step = 1e-5

    def difference(value):
        ends = [np.asarray(value(SpanningTreeDistribution(scores + t * step * direction))) for t in (1, -1)]
        return (ends[0] - ends[1]) / (2 * step)

    for gradient, value in [(p.marginals(), lambda d: d.log_partition()), (p.entropy_gradient(), lambda d: d.entropy()),
                            (p.renyi_gradient(2.0), lambda d: d.renyi(2.0)), (p.kl_gradient(q)[0], lambda d: d.kl(q)),
                            (q.kl_gradient(p)[1], lambda d: q.kl(d)),
                            (p.cross_entropy_gradient(q)[0], lambda d: d.cross_entropy(q)),
                            (p.covariance_gradient(r, s), lambda d: d.covariance(r[None], s[None])[0, 0])]:
        np.testing.assert_array_equal(gradient, gradient.T)
        assert np.triu(gradient * direction, 1).sum() == pytest.approx(difference(value), abs=1e-7)
    np.testing.assert_allclose(p.marginals_along(direction), difference(lambda d: d.marginals()), atol=1e-8)


def test_batches_are_one_by_one(rng):
    scores, lengths = symmetric(rng, 2, 3, 6, 6), np.array([[6, 4, 2], [3, 6, 5]])
    batch = SpanningTreeDistribution(scores, lengths=lengths)
    assert (batch.batch_shape, batch.event_shape, len(batch.methods)) == ((2, 3), (5, 2), 6)
    f = symmetric(rng, 2, 6, 6)
    marginals, samples, some = batch.marginals(), batch.sample((2, 2), seed=3), batch.sample_without_replacement(3, seed=5)
    assert samples.edges.shape == (2, 3, 2, 2, 5, 2) and some.edges.shape == (2, 3, 3, 5, 2)
    for k, i in enumerate(np.ndindex(2, 3)):
        n = lengths[i]
        one = SpanningTreeDistribution(scores[i][:n, :n])
        assert batch.log_partition()[i] == one.log_partition() and batch.entropy()[i] == one.entropy()
        np.testing.assert_array_equal(marginals[i][:n, :n], one.marginals())
        assert not marginals[i][n:].any() and not marginals[i][:, n:].any()
        np.testing.assert_array_equal(batch.argmax().edges[i][:n - 1], one.argmax().edges)
        assert (batch.argmax().edges[i][n - 1:] == -1).all()
        np.testing.assert_array_equal(samples.edges[i][..., :n - 1, :], one.sample((2, 2), seed=3 + k).edges)
        np.testing.assert_array_equal(some.perturbed[i], one.sample_without_replacement(3, seed=5 + k).perturbed)
        np.testing.assert_array_equal(batch.expectation(f)[i], one.expectation(f[:, :n, :n]))
        np.testing.assert_array_equal(batch.cumulants(f[0], 3)[i], one.cumulants(f[0, :n, :n], 3))
        assert batch.log_prob(batch.argmax().edges)[i] == one.argmax().log_prob
    again = pickle.loads(pickle.dumps(batch))
    np.testing.assert_array_equal(again.marginals(), marginals)
    assert repr(again) == "SpanningTreeDistribution(batch_shape=(2, 3), nodes<=6)"
    left = batch.given(forbid=[[(0, 1)], [], [], [], [(2, 5), (3, 1)], []]).marginals()
    assert left[0, 0, 0, 1] == left[1, 1, 5, 2] == left[1, 1, 1, 3] == 0.0 and (left[0, 1] == marginals[0, 1]).all()


def test_samples_follow_the_distribution(rng):
    scores = symmetric(rng, 4, 4)
    p, every = SpanningTreeDistribution(scores), Oracle(scores)
    drawn = p.sample(20000, seed=3)
    shares = [(drawn.edges == np.array(t)).all((-1, -2)).mean() for t in every.trees]
    assert sum(shares) == pytest.approx(1.0)
    np.testing.assert_allclose(shares, every.p, atol=0.02)  # 5.6 standard deviations of the most uncertain share
    some = p.sample_without_replacement(len(every.trees) + 1, seed=4)
    assert {tuple(map(tuple, t)) for t in some.edges[:-1].tolist()} == set(every.trees) and some.threshold == -np.inf
    assert kirchhoff.importance_estimate(some, np.ones(len(some.log_prob))) == pytest.approx(1.0)


def test_the_same_trees_hang_from_node_0(rng):
    scores = symmetric(rng, 5, 5)
    p, rooted = SpanningTreeDistribution(scores), TreeDistribution(scores, root="multi")
    assert p.log_partition() == rooted.log_partition() and p.entropy() == rooted.entropy()
    np.testing.assert_allclose(p.marginals(), rooted.marginals() + rooted.marginals().T, atol=1e-15)


def test_errors(rng):
    p = SpanningTreeDistribution(np.zeros((3, 3)))
    for wrong, message in [(lambda: SpanningTreeDistribution(np.zeros((3, 4))), "shape"),
                           (lambda: SpanningTreeDistribution(np.zeros((1, 1))), "two nodes"),
                           (lambda: SpanningTreeDistribution([[0.0, 1.0], [2.0, 0.0]]), "symmetric"),
                           (lambda: SpanningTreeDistribution(np.full((2, 3, 3), np.nan)), "graph 0"),
                           (lambda: SpanningTreeDistribution(np.zeros((3, 3)), lengths=1), "lengths"),
                           (lambda: p.log_prob([(0, 1), (1, 0)]), "spanning tree"),
                           (lambda: p.log_prob([(0, 1)]), "shape"), (lambda: p.log_prob([(0.5, 1), (1, 2)]), "integer"),
                           (lambda: p.expectation(np.zeros((3, 3))), "shape"),
                           (lambda: p.cumulants(np.zeros((3, 3)), 31), "order"),
                           (lambda: p.marginals_along(np.arange(9.0).reshape(3, 3)), "symmetric"),
                           (lambda: p.k_best(-1), "k is -1"), (lambda: p.sample((-1,)), "negative"),
                           (lambda: p.with_temperature(0.0), "temperature"), (lambda: p.given(forbid=[(0, 3)]), "edge"),
                           (lambda: p.kl(SpanningTreeDistribution(np.zeros((4, 4)))), "fit")]:
        with pytest.raises(ValueError, match=message):
            wrong()
    with pytest.raises(TypeError):
        p.kl(TreeDistribution(np.zeros((3, 3)), root="multi"))
    apart = np.full((3, 3), -np.inf)
    with pytest.raises(kirchhoff.Infeasible):
        SpanningTreeDistribution(apart)
    with pytest.raises(kirchhoff.Infeasible):
        p.given(forbid=[(0, 1), (0, 2)])
