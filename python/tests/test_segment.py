"""SegmentDistribution against all segmentations, the same model as a Wfsm, and batches against chains one by one."""

import itertools
import pickle

import numpy as np
import pytest

import kirchhoff
from kirchhoff import SegmentArrays, SegmentDistribution

SIZES = [(1, 1, 1), (1, 3, 2), (4, 2, 2), (3, 5, 1), (5, 3, 2)]


def all_segmentations(length, longest, tags):
    """Every list of (begin, length, tag)."""
    if length == 0:
        yield []
    for last in range(1, min(length, longest) + 1):
        for before in all_segmentations(length - last, longest, tags):
            for tag in range(tags):
                yield before + [(length - last, last, tag)]


def features(segments, shape):
    """What a segmentation uses, as a flat array of segments and of pairs of tags."""
    length, longest, tags = shape
    f, g = np.zeros(shape), np.zeros((tags, tags))
    for begin, n, tag in segments:
        f[begin, n - 1, tag] += 1
    for (_, _, before), (_, _, after) in zip(segments, segments[1:]):
        g[before, after] += 1
    return np.concatenate([f.ravel(), g.ravel()])


def marks(segments, length):
    tags, starts = np.full(length, -1), np.zeros(length, dtype=bool)
    for begin, n, tag in segments:
        tags[begin:begin + n], starts[begin] = tag, True
    return tags, starts


def scores_of(rng, length, longest, tags, batch=()):
    return rng.normal(size=batch + (length, longest, tags)), rng.normal(size=batch + (tags, tags))


class Oracle:
    def __init__(self, segments, transitions):
        self.shape = segments.shape
        every = list(all_segmentations(*self.shape))
        table = np.array([features(s, self.shape) for s in every])
        flat = np.concatenate([segments.ravel(), transitions.ravel()])
        score = np.array([flat[row > 0] @ row[row > 0] for row in table])
        kept = score > -np.inf
        self.all = [s for s, keep in zip(every, kept) if keep]
        self.table, score = table[kept], score[kept]
        self.log_z = np.logaddexp.reduce(score)
        self.log_p = score - self.log_z
        self.p = np.exp(self.log_p)

    def flat(self, arrays):
        return np.concatenate([np.asarray(a, np.float64).ravel() for a in arrays])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("forbidden", [0.0, 0.2])
def test_against_all(size, forbidden):
    rng = np.random.default_rng(sum(size))
    segments, transitions = scores_of(rng, *size)
    hidden = rng.random(size=segments.shape) < forbidden
    hidden[:, 0, 0] = False
    segments[hidden] = -np.inf
    p, o = SegmentDistribution(segments, transitions), Oracle(segments, transitions)
    close = {"rtol": 1e-11, "atol": 1e-12}
    np.testing.assert_allclose(p.log_partition(), o.log_z, **close)
    np.testing.assert_allclose(o.flat(p.marginals()), o.p @ o.table, **close)
    np.testing.assert_allclose(p.entropy(), -(o.p * o.log_p).sum(), **close)
    np.testing.assert_allclose(p.renyi(2.0), -np.log((o.p**2).sum()), **close)
    np.testing.assert_allclose(np.exp(p.log_count()), len(o.all), **close)
    for one, log_p in zip(o.all, o.log_p):
        assert p.log_prob(*marks(one, size[0])) == pytest.approx(log_p, abs=1e-11)
    best = p.k_best(len(o.all) + 1)
    np.testing.assert_allclose(best.log_prob[:-1], np.sort(o.log_p)[::-1], **close)
    assert best.log_prob[-1] == -np.inf and (best.tags[-1] == -1).all() and not best.starts[-1].any()
    assert p.argmax().log_prob == best.log_prob[0]
    np.testing.assert_allclose(p.log_prob(best.tags[0], best.starts[0]), best.log_prob[0], **close)
    drawn = p.sample_without_replacement(len(o.all) + 1, seed=3)
    assert drawn.threshold == -np.inf and np.exp(drawn.log_prob).sum() == pytest.approx(1.0)
    f, g = ([SegmentArrays(*scores_of(rng, *size)) for _ in range(k)] for k in (2, 3))
    stacked = [SegmentArrays(*map(np.stack, zip(*h))) for h in (f, g)]
    values = [o.table @ np.array([o.flat(one) for one in h]).T for h in (f, g)]
    means = [o.p @ v for v in values]
    covariance = (o.p[:, None] * (values[0] - means[0])).T @ (values[1] - means[1])
    np.testing.assert_allclose(p.expectation(stacked[0]), means[0], **close)
    np.testing.assert_allclose(p.covariance(*stacked), covariance, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(p.second_order(*stacked), covariance + np.outer(*means), rtol=1e-10, atol=1e-11)
    moments = [(o.p * (values[0][:, 0] - means[0][0])**k).sum() for k in (2, 3)]
    np.testing.assert_allclose(p.cumulants(f[0], 3)[1:], [means[0][0], *moments], rtol=1e-9, atol=1e-10)
    along = (o.p * (values[0][:, 0] - means[0][0])) @ (o.table - o.p @ o.table)
    np.testing.assert_allclose(o.flat(p.marginals_along(f[0])), along, rtol=1e-10, atol=1e-11)


def machine_of(segments, transitions):
    """The same model as a Wfsm that a user would write: a state is (position, tag that has ended there)."""
    length, longest, tags = segments.shape
    state = lambda position, tag: 1 + (position - 1) * tags + tag
    arcs = []
    for begin, n, tag in itertools.product(range(length), range(1, longest + 1), range(tags)):
        if begin + n > length:
            continue
        for before in range(tags) if begin else [None]:
            source = 0 if before is None else state(begin, before)
            more = 0.0 if before is None else transitions[before, tag]
            arcs.append((source, state(begin + n, tag), 1 + n, segments[begin, n - 1, tag] + more))
    return kirchhoff.Wfsm(arcs, start={0: 0.0}, final={state(length, tag): 0.0 for tag in range(tags)})


@pytest.mark.parametrize("size", SIZES + [(20, 6, 4)])
def test_against_a_machine(size):
    rng = np.random.default_rng(1)
    x, y = scores_of(rng, *size), scores_of(rng, *size)
    p, q, m, n = SegmentDistribution(*x), SegmentDistribution(*y), machine_of(*x), machine_of(*y)
    assert p.log_partition() == pytest.approx(m.log_partition(), rel=1e-13)
    assert p.entropy() == pytest.approx(m.entropy(), rel=1e-12, abs=1e-14)
    assert p.kl(q) == pytest.approx(m.kl(n), rel=1e-11, abs=1e-13)
    assert p.renyi(0.5) == pytest.approx(m.renyi(0.5), rel=1e-12, abs=1e-14)
    assert p.argmax().log_prob == pytest.approx(m.best_paths(1)[0].log_prob, rel=1e-12)


def test_a_batch_is_its_chains_and_padding_changes_nothing():
    rng = np.random.default_rng(2)
    x, y = scores_of(rng, 6, 3, 2, (2, 2)), scores_of(rng, 6, 3, 2, (2, 2))
    lengths = np.array([[6, 1], [3, 5]])
    p, q = (SegmentDistribution(*s, lengths=lengths) for s in (x, y))
    x[0][0, 1, 1:], x[0][1, 0, 3:], y[0][1, 1, 5:] = np.nan, -np.inf, 1e300  # which nobody reads
    again = SegmentDistribution(*x, lengths=lengths)
    f = scores_of(rng, 6, 3, 2)
    g = SegmentArrays(*(t[None] for t in f))
    drawn, distinct, best = p.sample(5, seed=7), p.sample_without_replacement(3, seed=7), p.argmax()
    gradients = {name: getattr(p, name)(*more) for name, more in (
        ("marginals", ()), ("entropy_gradient", ()), ("renyi_gradient", (2.0,)), ("marginals_along", (f,)),
        ("covariance_gradient", (f, f)))}
    pairs = {name: getattr(p, name)(q) for name in ("kl_gradient", "cross_entropy_gradient")}
    for number, i in enumerate(np.ndindex(2, 2)):
        n = lengths[i]
        one = SegmentDistribution(x[0][i][:n], x[1][i])
        other = SegmentDistribution(y[0][i][:n], y[1][i])
        own = (f[0][:n], f[1])
        assert again.log_partition()[i] == p.log_partition()[i]
        for name, more, theirs in (("log_partition", (), ()), ("entropy", (), ()), ("renyi", (0.5,), (0.5,)),
                                   ("kl", (q,), (other,)), ("cross_entropy", (q,), (other,)), ("log_count", (), ())):
            assert getattr(p, name)(*more)[i] == pytest.approx(getattr(one, name)(*theirs), rel=1e-12, abs=1e-13), name
        cut = SegmentArrays(g.segments[:, :n], g.transitions)
        np.testing.assert_allclose(p.expectation(g)[i], one.expectation(cut), rtol=1e-12)
        np.testing.assert_allclose(p.covariance(g, g)[i], one.covariance(cut, cut), rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(p.cumulants(f, 3)[i], one.cumulants(own, 3), rtol=1e-11, atol=1e-13)
        theirs = {"marginals": one.marginals(), "entropy_gradient": one.entropy_gradient(),
                  "renyi_gradient": one.renyi_gradient(2.0), "marginals_along": one.marginals_along(own),
                  "covariance_gradient": one.covariance_gradient(own, own)}
        found = [(gradients[name], theirs[name]) for name in gradients]
        for name in pairs:
            found += list(zip(pairs[name], getattr(one, name)(other)))
        for a, b in found:
            np.testing.assert_allclose(a.segments[i][:n], b.segments, rtol=1e-11, atol=1e-13)
            np.testing.assert_allclose(a.transitions[i], b.transitions, rtol=1e-11, atol=1e-13)
            assert not a.segments[i][n:].any()
        alone = one.sample(5, seed=7 + number)
        np.testing.assert_array_equal(drawn.tags[i][:, :n], alone.tags)
        np.testing.assert_array_equal(drawn.starts[i][:, :n], alone.starts)
        assert (drawn.tags[i][:, n:] == -1).all()
        np.testing.assert_allclose(distinct.perturbed[i], one.sample_without_replacement(3, seed=7 + number).perturbed)
        np.testing.assert_array_equal(best.tags[i][:n], one.argmax().tags)
        assert p.log_prob(best.tags, best.starts)[i] == pytest.approx(best.log_prob[i], rel=1e-12, abs=1e-13)
    copy = pickle.loads(pickle.dumps(p))
    np.testing.assert_array_equal(copy.entropy(), p.entropy())


def test_conditions():
    rng = np.random.default_rng(4)
    p = SegmentDistribution(*scores_of(rng, 4, 2, 2))
    marginal = p.marginals().segments[1, 1, 0]
    assert p.given(require=[(1, 2, 0)]).log_partition() - p.log_partition() == pytest.approx(np.log(marginal))
    assert p.given(forbid=[(1, 2, 0)]).log_partition() - p.log_partition() == pytest.approx(np.log1p(-marginal))
    with pytest.raises(kirchhoff.Infeasible):
        p.given(require=[(0, 2, 0), (1, 1, 0)])
    batch = SegmentDistribution(*scores_of(rng, 4, 2, 2, (2,)), lengths=[4, 2])
    both = batch.given(require=[[(0, 1, 1)], []])
    assert both.marginals().segments[0, 0, 0, 1] == pytest.approx(1.0) and both.log_partition()[1] == batch.log_partition()[1]
    with pytest.raises(ValueError, match="no segment of chain 1"):
        batch.given(forbid=[[], [(1, 2, 0)]])
    with pytest.raises(ValueError, match="triples"):
        batch.given(forbid=[(1, 2, 0)])


def test_errors():
    zeros = np.zeros((3, 2, 2)), np.zeros((2, 2))
    for bad, match in (((np.zeros((3, 2)), zeros[1]), "segments: shape"), ((zeros[0], np.zeros((3, 3))), "transitions"),
                       ((zeros[0].astype(bool), zeros[1]), "dtype"), ((np.full((3, 2, 2), np.nan), zeros[1]), "machine 0"),
                       ((np.full((3, 2, 2), 2e9), zeros[1]), "1e9")):
        with pytest.raises(ValueError, match=match):
            SegmentDistribution(*bad)
    with pytest.raises(kirchhoff.Infeasible, match="chain 0"):
        SegmentDistribution(np.full((3, 2, 2), -np.inf), zeros[1])
    p = SegmentDistribution(*zeros)
    with pytest.raises(ValueError, match="another tag"):
        p.log_prob([0, 1, 1], [True, False, True])
    with pytest.raises(ValueError, match="does not exist"):
        p.log_prob([0, 0, 0], [True, False, False])
    with pytest.raises(ValueError, match="do not fit"):
        p.kl(SegmentDistribution(np.zeros((2, 2, 2)), zeros[1]))
    with pytest.raises(TypeError, match="expected a SegmentDistribution"):
        p.kl(kirchhoff.ChainDistribution(np.zeros((3, 2)), zeros[1]))
    with pytest.raises(ValueError, match="pair"):
        p.expectation(np.zeros((1, 3, 2, 2)))
    with pytest.raises(ValueError, match="lengths"):
        SegmentDistribution(*zeros, lengths=4)


@pytest.mark.parametrize("size", [1e3, 1e6, 1e8])
def test_large_scores(size):
    """Differences of 1 count beside scores of any allowed size."""
    rng = np.random.default_rng(5)
    segments, transitions = scores_of(rng, 4, 2, 2)
    shifted = SegmentDistribution(segments + size * np.array([1.0, 2.0])[:, None], transitions)  # size per position
    p = SegmentDistribution(segments, transitions)
    np.testing.assert_allclose(shifted.marginals().segments, p.marginals().segments, atol=1e-15 * size + 1e-12)
    assert shifted.log_partition() == pytest.approx(p.log_partition() + 4 * size, rel=1e-14)
