"""ChainDistribution against enumeration of all tag sequences, and against the same chain as a Wfsm."""

import itertools
import pickle

import numpy as np
import pytest

import kirchhoff
from kirchhoff import ChainArrays, ChainDistribution


def random_chain(rng, length, tags, density=1.0):
    emissions, transitions = rng.normal(size=(length, tags)), rng.normal(size=(length - 1, tags, tags))
    for scores in (emissions, transitions):
        scores[rng.random(scores.shape) > density] = -np.inf
    emissions[:, 0], transitions[:, 0, 0] = 0.1, 0.2  # one sequence is possible
    return emissions, transitions


class Sequences:
    """All sequences of a chain, their probabilities, and which tags and pairs each has."""

    def __init__(self, emissions, transitions):
        length, tags = emissions.shape
        self.tags = np.array(list(itertools.product(range(tags), repeat=length)))
        self.one = np.eye(tags)[self.tags]
        self.pairs = np.einsum("nti,ntj->ntij", self.one[:, :-1], self.one[:, 1:])
        scores = self.value((emissions, transitions))
        self.log_z = np.logaddexp.reduce(scores)
        self.log_p = scores - self.log_z
        self.p = np.exp(self.log_p)

    def value(self, f):
        with np.errstate(invalid="ignore"):
            parts = [np.where(own > 0, own * np.asarray(x)[None], 0.0) for own, x in zip((self.one, self.pairs), f)]
        return sum(x.reshape(len(x), -1).sum(1) for x in parts)

    def mean(self, f):
        return self.p @ self.value(f)

    def covariance(self, f, g):
        return self.p @ ((self.value(f) - self.mean(f)) * (self.value(g) - self.mean(g)))

    def entropy(self):
        return -(self.p[self.p > 0] * self.log_p[self.p > 0]).sum()


@pytest.fixture
def rng():
    return np.random.default_rng(13)


@pytest.fixture(params=[(1, 3), (4, 3), (5, 2), (3, 1)], ids=str)
def chain(request, rng):
    return random_chain(rng, *request.param, density=0.8)


def function(rng, shape, count=None):
    lead = () if count is None else (count,)
    length, tags = shape
    return ChainArrays(rng.normal(size=lead + shape), rng.normal(size=lead + (length - 1, tags, tags)))


def test_against_enumeration(chain, rng):
    p, every = ChainDistribution(*chain), Sequences(*chain)
    shape = chain[0].shape
    assert p.log_partition() == pytest.approx(every.log_z)
    np.testing.assert_allclose(p.marginals().emissions, np.einsum("n,nti->ti", every.p, every.one))
    np.testing.assert_allclose(p.marginals().transitions, np.einsum("n,ntij->tij", every.p, every.pairs))
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(p.log_marginals().emissions, np.log(p.marginals().emissions), atol=1e-12)
    assert np.exp(p.log_count()) == pytest.approx((every.p > 0).sum())
    assert p.entropy() == pytest.approx(every.entropy(), abs=1e-12)
    assert p.renyi(3.0) == pytest.approx(np.log((every.p**3).sum()) / -2, abs=1e-12)
    r, s = function(rng, shape, 2), function(rng, shape, 3)
    each = [[every.covariance(f, g) for g in zip(*s)] for f in zip(*r)]
    np.testing.assert_allclose(p.expectation(s), [every.mean(f) for f in zip(*s)])
    np.testing.assert_allclose(p.covariance(r, s), each, atol=1e-12)
    np.testing.assert_allclose(p.second_order(r, s), each + np.outer(p.expectation(r), p.expectation(s)), atol=1e-12)
    f = function(rng, shape)
    np.testing.assert_allclose(p.cumulants(f, 2), [0.0, every.mean(f), every.covariance(f, f)], atol=1e-12)
    for tags, log_p in zip(every.tags, every.log_p):
        assert p.log_prob(tags) == pytest.approx(log_p, abs=1e-12)
    possible = every.log_p[every.p > 0]
    best = p.k_best(len(possible) + 2)
    np.testing.assert_allclose(best.log_prob[:len(possible)], np.sort(possible)[::-1], atol=1e-12)
    assert (best.log_prob[len(possible):] == -np.inf).all() and (best.tags[len(possible):] == -1).all()
    assert p.argmax().log_prob == pytest.approx(possible.max(), abs=1e-12)
    assert p.log_prob(p.argmax().tags) == pytest.approx(p.argmax().log_prob, abs=1e-12)
    right = np.einsum("nti,ti->n", every.one, p.marginals().emissions)
    assert np.einsum("ti,ti->", np.eye(shape[1])[p.mbr().tags], p.marginals().emissions) == pytest.approx(
        right[every.p > 0].max())


def test_two_distributions(chain, rng):
    other = random_chain(rng, *chain[0].shape)
    p, q, every, others = ChainDistribution(*chain), ChainDistribution(*other), Sequences(*chain), Sequences(*other)
    expected = -(every.p[every.p > 0] * others.log_p[every.p > 0]).sum()
    assert p.cross_entropy(q) == pytest.approx(expected, abs=1e-12)
    assert p.kl(q) == pytest.approx(expected - every.entropy(), abs=1e-12)
    assert p.kl(p) == 0.0
    if (every.p == 0).any():
        assert q.kl(p) == np.inf
        with pytest.raises(ValueError, match="forbids"):
            q.kl_gradient(p)
    with pytest.raises(ValueError, match="do not fit"):
        p.kl(ChainDistribution(np.zeros((9, 9)), np.zeros((9, 9))))


def numeric(f, scores, step=1e-5):
    """The gradient of f by central differences, 0 at impossible places."""
    out = [np.zeros_like(x) for x in scores]
    for which, x in enumerate(scores):
        for at in np.argwhere(np.isfinite(x)):
            moved = [[y.copy() for y in scores] for _ in range(2)]
            for sign, arrays in zip((1, -1), moved):
                arrays[which][tuple(at)] += sign * step
            out[which][tuple(at)] = (f(*moved[0]) - f(*moved[1])) / (2 * step)
    return out


def test_gradients(chain, rng):
    other = random_chain(rng, *chain[0].shape)
    p, q = ChainDistribution(*chain), ChainDistribution(*other)
    r, s = function(rng, chain[0].shape), function(rng, chain[0].shape)
    many = [ChainArrays(*(x[None] for x in f)) for f in (r, s)]

    def check(f, scores, gradient):
        for actual, expected in zip(gradient, numeric(lambda e, t: f(ChainDistribution(e, t)), scores)):
            np.testing.assert_allclose(actual, expected, atol=2e-8)

    check(lambda d: d.log_partition(), chain, p.marginals())
    check(lambda d: d.entropy(), chain, p.entropy_gradient())
    check(lambda d: d.renyi(2.0), chain, p.renyi_gradient(2.0))
    check(lambda d: d.expectation(many[0])[0], chain, p.marginals_along(r))
    check(lambda d: d.covariance(*many)[0, 0], chain, p.covariance_gradient(r, s))
    check(lambda d: d.cross_entropy(q), chain, p.cross_entropy_gradient(q)[0])
    check(lambda d: p.cross_entropy(d), other, p.cross_entropy_gradient(q)[1])
    check(lambda d: d.kl(q), chain, p.kl_gradient(q)[0])
    check(lambda d: p.kl(d), other, p.kl_gradient(q)[1])


def test_samples_by_chi_square(chain):
    p, every = ChainDistribution(*chain), Sequences(*chain)
    count = 20_000
    drawn = p.sample(count, seed=3)
    number = {tuple(tags): i for i, tags in enumerate(every.tags.tolist())}
    seen = np.zeros(len(every.p))
    np.add.at(seen, [number[tuple(tags)] for tags in drawn.tags.tolist()], 1)
    assert not seen[every.p == 0].any()
    expected = count * every.p[every.p > 0]
    statistic = ((seen[every.p > 0] - expected) ** 2 / expected).sum()
    degrees = len(expected) - 1
    assert statistic < degrees + 5.5 * np.sqrt(2 * degrees) + 20  # beyond it with a probability below 1e-6
    np.testing.assert_array_equal(p.sample((2, 3), seed=3).tags.reshape(6, -1), drawn.tags[:6])
    distinct = p.sample_without_replacement(len(every.p) + 1, seed=1)
    found = {tuple(t) for t in distinct.tags[distinct.log_prob > -np.inf].tolist()}
    assert found == {tuple(t) for t in every.tags[every.p > 0].tolist()} and distinct.threshold == -np.inf
    a, b = (p.sample(rng=np.random.default_rng(5)) for _ in range(2))
    assert a.tags.tolist() == b.tags.tolist() and p.log_prob(a.tags) == pytest.approx(a.log_prob, abs=1e-12)


def test_batches_and_lengths(rng):
    lengths = np.array([[5, 1, 3], [2, 4, 5]])
    emissions, transitions = rng.normal(size=(2, 3, 5, 4)), rng.normal(size=(2, 3, 4, 4, 4))
    f = ChainArrays(rng.normal(size=emissions.shape), rng.normal(size=transitions.shape))
    batch = ChainDistribution(emissions, transitions, lengths=lengths)
    best, entropy, along = batch.k_best(3), batch.entropy(), batch.marginals_along(f)
    tags = rng.integers(0, 4, size=(2, 3, 5))
    drawn = batch.sample(2, seed=7)
    for i, at in enumerate(np.ndindex(2, 3)):
        n = lengths[at]
        one = ChainDistribution(emissions[at][:n], transitions[at][:n - 1])
        assert batch.log_partition()[at] == one.log_partition()
        np.testing.assert_array_equal(batch.marginals().emissions[at][:n], one.marginals().emissions)
        np.testing.assert_array_equal(batch.marginals().transitions[at][:n - 1], one.marginals().transitions)
        assert not batch.marginals().emissions[at][n:].any() and not batch.marginals().transitions[at][n - 1:].any()
        assert entropy[at] == one.entropy()
        assert batch.log_prob(tags)[at] == one.log_prob(tags[at][:n])
        np.testing.assert_array_equal(best.tags[at][:, :n], one.k_best(3).tags)
        assert (best.tags[at][:, n:] == -1).all()
        np.testing.assert_array_equal(drawn.tags[at][:, :n], one.sample(2, seed=7 + i).tags)
        own = one.marginals_along((f.emissions[at][:n], f.transitions[at][:n - 1]))
        np.testing.assert_array_equal(along.transitions[at][:n - 1], own.transitions)


def test_shared_transitions_and_layouts(rng):
    emissions, matrix = rng.normal(size=(3, 6, 5)), rng.normal(size=(5, 5))
    full = ChainDistribution(emissions, np.broadcast_to(matrix, (3, 5, 5, 5)).copy())
    others = [ChainDistribution(emissions, matrix), ChainDistribution(emissions, np.stack([matrix] * 3)),
              ChainDistribution(emissions[:, :, ::-1][:, :, ::-1], np.asfortranarray(matrix)),
              ChainDistribution(np.asfortranarray(emissions), matrix[::-1][::-1]),
              ChainDistribution(emissions.tolist(), matrix.tolist())]
    for other in others:
        np.testing.assert_allclose(other.log_partition(), full.log_partition(), rtol=1e-13)
        np.testing.assert_allclose(other.marginals().transitions, full.marginals().transitions, rtol=1e-11)
    single = ChainDistribution(emissions.astype(np.float32), matrix.astype(np.float32))
    np.testing.assert_allclose(single.log_partition(), full.log_partition(), rtol=1e-5)


def test_given_and_temperature(rng):
    emissions, transitions = random_chain(rng, 4, 3)
    p, every = ChainDistribution(emissions, transitions), Sequences(emissions, transitions)
    kept = (every.tags[:, 1] == 2) & (every.tags[:, 3] != 0)
    q = p.given(require=[(1, 2)], forbid=[(3, 0)])
    assert q.log_partition() == pytest.approx(np.logaddexp.reduce(every.log_p[kept]) + every.log_z)
    batch = ChainDistribution(np.stack([emissions] * 2), transitions[None].repeat(2, 0))
    both = batch.given(require=[[(1, 2)], []], forbid=[[(3, 0)], []])
    np.testing.assert_allclose(both.log_partition(), [q.log_partition(), p.log_partition()])
    assert p.with_temperature(2.0).log_partition() == pytest.approx(
        np.logaddexp.reduce((every.log_p + every.log_z) / 2))
    with pytest.raises(kirchhoff.Infeasible):
        p.given(require=[(0, 0), (0, 1)])


def test_extreme_scores(rng):
    emissions, transitions = random_chain(rng, 4, 3)
    for scale in (1e3, 1e9, 1e90):
        p = ChainDistribution(emissions * scale, transitions * scale)
        assert p.methods == ["robust"]
        best = Sequences(emissions, transitions)
        assert p.argmax().tags.tolist() == best.tags[best.p.argmax()].tolist()
        assert p.argmax().log_prob == pytest.approx(0.0, abs=1e-12)
        assert np.isfinite(p.marginals().emissions).all() and np.isfinite(p.entropy_gradient().transitions).all()


def test_equals_the_machine(rng):
    emissions, transitions = random_chain(rng, 6, 5)
    p = ChainDistribution(emissions, transitions)
    arcs = [(5 * t + i, 5 * t + 5 + j, j + 1, transitions[t, i, j] + emissions[t + 1, j])
            for t in range(5) for i in range(5) for j in range(5)]
    machine = kirchhoff.Wfsm(arcs, start={j: emissions[0, j] for j in range(5)}, final={25 + j: 0.0 for j in range(5)})
    assert p.log_partition() == pytest.approx(machine.log_partition())
    np.testing.assert_allclose(p.marginals().transitions.ravel(), machine.transition_marginals())
    assert p.entropy() == pytest.approx(machine.entropy())
    np.testing.assert_allclose(p.k_best(20).log_prob, [x.log_prob for x in machine.best_paths(20)])


def test_transitions_mean_the_same_for_every_size_of_batch(rng):
    """Also where there are as many chains as pairs of neighbours."""
    for shape in ((3, 4, 2), (2, 3, 4, 2), (3, 3, 4, 2)):
        emissions = rng.normal(size=shape)
        each = rng.normal(size=shape[:-2] + (2, 2))
        p = ChainDistribution(emissions, each)
        full = np.broadcast_to(each[..., None, :, :], shape[:-2] + (3, 2, 2))
        np.testing.assert_array_equal(p.log_partition(), ChainDistribution(emissions, full).log_partition())
        np.testing.assert_array_equal(p.scores.transitions, full)
    for transitions in (np.zeros((3, 2, 2)), np.zeros((4, 2, 2))):  # neither a matrix for each chain nor all of them
        with pytest.raises(ValueError, match="transitions: shape"):
            ChainDistribution(np.zeros((2, 3, 4, 2)), transitions)


def test_wrong_arguments(rng):
    zeros = np.zeros((3, 2)), np.zeros((2, 2, 2))
    p = ChainDistribution(*zeros)
    for emissions, transitions, words in [
            (np.zeros(3), zeros[1], "emissions: shape"), (np.zeros((0, 2)), zeros[1], "emissions: shape"),
            (zeros[0], np.zeros((3, 2, 2)), "transitions: shape"), (zeros[0], np.zeros((2, 3)), "transitions: shape"),
            (zeros[0], np.zeros(2), "transitions: shape"), (np.array([["a"]]), zeros[1], "emissions: dtype"),
            (np.full((3, 2), np.nan), zeros[1], r"emissions\[0, 0\]"), (zeros[0], zeros[1] + 1e300, "transitions")]:
        with pytest.raises(ValueError, match=words):
            ChainDistribution(emissions, transitions)
    with pytest.raises(kirchhoff.Infeasible, match="chain 1"):
        ChainDistribution(np.stack([zeros[0], zeros[0] - np.inf]), np.zeros((2, 2)))
    for call, words in [(lambda: ChainDistribution(*zeros, lengths=4), "lengths"),
                        (lambda: ChainDistribution(*zeros, method="quick"), "method"),
                        (lambda: p.log_prob([0, 1]), "tags: shape"), (lambda: p.log_prob([0, 1, 2]), "tag 2"),
                        (lambda: p.log_prob([0.0, 1.0, 1.0]), "tags: dtype"), (lambda: p.renyi(-1.0), "alpha"),
                        (lambda: p.expectation(np.ones((3, 2))), "pair"), (lambda: p.k_best(-1), "k is -1"),
                        (lambda: p.expectation((np.ones((3, 2)), zeros[1])), "shape"),
                        (lambda: p.sample((-1,)), "negative"), (lambda: p.cumulants(zeros, 31), "order"),
                        (lambda: p.given(require=[(3, 0)]), "position"), (lambda: p.given(forbid=[1]), "pairs"),
                        (lambda: p.with_temperature(0.0), "temperature"),
                        (lambda: p.marginals_along((zeros[0],)), "pair")]:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError):
        p.kl(3)
    with pytest.raises(ValueError):
        p.marginals().emissions[0, 0] = 1.0


def test_pickle_and_repr(rng):
    p = ChainDistribution(rng.normal(size=(2, 4, 3)), rng.normal(size=(3, 3)), lengths=[4, 2])
    q = pickle.loads(pickle.dumps(p))
    np.testing.assert_array_equal(p.log_partition(), q.log_partition())
    np.testing.assert_array_equal(p.marginals().transitions, q.marginals().transitions)
    assert repr(p) == "ChainDistribution(batch_shape=(2,), length<=4, tags=3)"
