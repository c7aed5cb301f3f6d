"""Many structures of each one of a batch, batches against each other, parts of batches, and seeds, of all distributions."""

import numpy as np
import pytest

import kirchhoff
from kirchhoff._verbs import parts_of
from test_protocol import CASES, of_tree

RNG = np.random.default_rng(3)
SPANNING = "spanning"


def make(name, *batch, seed=0):
    if name != SPANNING:
        return CASES[name](*batch, seed=seed)
    scores = np.random.default_rng(seed).normal(size=batch + (4, 4))
    return kirchhoff.SpanningTreeDistribution(scores + np.swapaxes(scores, -1, -2))


def structure(name, found):
    return (found.edges,) if name == SPANNING else CASES[name].structure(found)


NAMES = ["tree", "labelled", "projective", "chain", "segment", SPANNING]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("batch", [(), (3,), (2, 2)], ids=str)
@pytest.mark.parametrize("shape", [(4,), (2, 3), (0,)], ids=str)
def test_log_prob_and_risk_of_many(name, batch, shape):
    p = make(name, *batch)
    drawn = p.sample(shape, seed=1)
    given = structure(name, drawn)
    found = p.log_prob(*given)
    assert found.shape == batch + shape
    np.testing.assert_allclose(found, drawn.log_prob, rtol=1e-12, atol=1e-13)
    if not hasattr(p, "risk") or not found.size:
        return
    risks = p.risk(*given)
    assert risks.shape == batch + shape
    for at in np.ndindex(*shape):
        one = p.risk(*(g[(slice(None),) * len(batch) + at] for g in given))
        np.testing.assert_allclose(risks[(...,) + at], one, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_one_structure_for_all_of_a_batch(name):
    p = make(name, 3)
    given = [g[0] for g in structure(name, p.argmax())]
    np.testing.assert_allclose(p.log_prob(*given), [p[i].log_prob(*given) for i in range(3)], rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_shapes_that_do_not_fit_are_named(name):
    p = make(name, 3)
    with pytest.raises(ValueError, match="shape"):
        p.log_prob(*(g[:2] for g in structure(name, p.sample(4))))


@pytest.mark.parametrize("name", ["tree", "labelled", "projective", "chain", SPANNING])
def test_a_gradient_is_of_one_structure(name):
    p = make(name, 3)
    with pytest.raises(ValueError, match="where one is expected"):
        p.risk_gradient(*structure(name, p.sample(2)))


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_a_batch(name):
    p = make(name, 2, 3)
    entropy = p.entropy()
    for index in [0, -1, (1, 2), (slice(None), 1), slice(1, 2), np.array([1, 0]), (0, [2, 0])]:
        part = p[index]
        assert type(part) is type(p) and part.batch_shape == entropy[index].shape
        np.testing.assert_allclose(part.entropy(), entropy[index], rtol=1e-13)
    assert [q.batch_shape for q in p] == [(3,), (3,)]
    for wrong in [2, (0, 0, 0), (0, 7)]:
        with pytest.raises(IndexError):
            p[wrong]
    with pytest.raises(TypeError, match="cannot be indexed"):
        p[0, 0][0]


def test_parts_keep_lengths_and_lists_stay_lists():
    padded = kirchhoff.TreeDistribution(RNG.normal(size=(3, 5, 5)), root="multi", lengths=[4, 2, 3])
    assert [p.lengths.item() for p in padded] == [4, 2, 3]
    graphs = [RNG.normal(size=(n, n)) for n in (3, 5, 4)]
    listed = kirchhoff.TreeDistribution(graphs, root="single")
    assert listed[1].batch_shape == () and listed[1].event_shape == (5,)
    assert listed[1:].batch_shape == (2,) and [q.event_shape for q in listed] == [(3,), (5,), (4,)]
    np.testing.assert_allclose(listed[1:].entropy(), listed.entropy()[1:])
    many = listed.sample(4, seed=2)
    np.testing.assert_allclose(listed.log_prob(many.heads), many.log_prob, rtol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("verb", ["kl", "cross_entropy"])
def test_divergences_of_batches_against_each_other(name, verb):
    one, some, rows, grid = (make(name, *b, seed=i) for i, b in enumerate([(), (3,), (2, 1), (2, 3)]))
    for p, q, shape in [(some, one, (3,)), (one, some, (3,)), (rows, some, (2, 3)), (grid, one, (2, 3)),
                        (grid, rows, (2, 3))]:
        found = getattr(p, verb)(q)
        assert found.shape == shape
        gradients = getattr(p, f"{verb}_gradient")(q)
        for at in np.ndindex(*shape):
            a, b = (x[tuple(i if n > 1 else 0 for i, n in zip(at[-len(x.batch_shape):], x.batch_shape))]
                    if x.batch_shape else x for x in (p, q))
            assert found[at] == pytest.approx(getattr(a, verb)(b), rel=1e-12)
            for whole, part in zip(gradients, getattr(a, f"{verb}_gradient")(b)):
                for x, y in zip(parts_of(whole), parts_of(part)):
                    np.testing.assert_allclose(x[at], y, rtol=1e-11, atol=1e-13)
    with pytest.raises(ValueError, match="fit"):
        getattr(some, verb)(make(name, 2))


@pytest.mark.parametrize("name", NAMES)
def test_no_seed_draws_others_each_time(name):
    p = make(name)
    first, again = (structure(name, p.sample(200, seed=None)) for _ in range(2))
    assert any((a != b).any() for a, b in zip(first, again))
    rng = [np.random.default_rng(5) for _ in range(2)]
    same = [structure(name, p.sample(20, seed=None, rng=r)) for r in rng]
    assert all((a == b).all() for a, b in zip(*same))
    perturbed = [p.sample_without_replacement(2, seed=None).perturbed for _ in range(2)]
    assert (perturbed[0] != perturbed[1]).any()


class TestFrameworks:
    """The same in PyTorch and JAX: values of many trees, derivatives, and divergences."""

    @pytest.fixture(params=["torch", "jax"])
    def framework(self, request):
        from verb_cases import Jax, Torch
        return {"torch": Torch, "jax": Jax}[request.param]()

    @pytest.mark.parametrize("labels", [(), (2,)], ids=["", "labels"])
    @pytest.mark.parametrize("projective", [False, True], ids=["all", "projective"])
    def test_many_trees(self, framework, labels, projective):
        kind = kirchhoff.ProjectiveTreeDistribution if projective else kirchhoff.TreeDistribution
        scores = RNG.normal(size=(2, 4, 4) + labels)
        p = kind(scores, root="single", lengths=[3, 2], labelled=bool(labels))
        drawn = p.sample((2, 3), seed=3)
        heads = of_tree(drawn)
        k, x = framework.module, framework.array(scores)
        options = {"root": "single", "lengths": [3, 2], "projective": projective}
        found = framework.numpy(k.log_prob(x, *map(framework.array, heads), **options))
        np.testing.assert_allclose(found, drawn.log_prob, rtol=1e-11)
        risk = framework.numpy(k.risk(x, *map(framework.array, heads), **options))
        np.testing.assert_allclose(risk, p.risk(*heads), rtol=1e-11)
        score = framework.numpy(k.tree_score(x, *map(framework.array, heads), lengths=[3, 2]))
        np.testing.assert_allclose(score, drawn.log_prob + p.log_partition()[:, None, None], rtol=1e-11)
        weights = framework.array(RNG.normal(size=found.shape))
        total = lambda y: (k.log_prob(y, *map(framework.array, heads), **options) * weights).sum()
        (gradient,) = framework.gradient(total, (x,))
        expected = sum(framework.numpy(weights)[:, i, j].reshape((2, 1, 1) + (1,) * len(labels))
                       * p.log_prob_gradient(*(h[:, i, j] for h in heads)) for i in range(2) for j in range(3))
        np.testing.assert_allclose(framework.numpy(gradient), expected, rtol=1e-10, atol=1e-12)

    def test_many_trees_under_jit_and_vmap(self):
        from verb_cases import Jax
        jax, kj = Jax().jax, Jax().module
        scores = jax.numpy.asarray(RNG.normal(size=(2, 4, 4)))
        heads = kj.sample(scores, 3, root="multi", seed=1).heads
        ask = lambda x, h: kj.log_prob(x, h, root="multi")
        for found in (jax.jit(ask)(scores, heads), jax.vmap(ask)(scores, heads), jax.jit(jax.vmap(ask))(scores, heads)):
            np.testing.assert_allclose(found, ask(scores, heads), rtol=1e-12)

    @pytest.mark.parametrize("verb", ["kl", "cross_entropy"])
    def test_divergences(self, framework, verb):
        p, q = RNG.normal(size=(2, 3, 4, 4)), RNG.normal(size=(3, 4, 4))
        function = getattr(framework.module, verb)
        x, y = map(framework.array, (p, q))
        found = framework.numpy(function(x, y, root="multi"))
        make = lambda s: kirchhoff.TreeDistribution(s, root="multi")
        np.testing.assert_allclose(found, getattr(make(p), verb)(make(q)), rtol=1e-12)
        by_p, by_q = framework.gradient(lambda a, b: function(a, b, root="multi").sum(), (x, y))
        exact = getattr(make(p), f"{verb}_gradient")(make(q))
        np.testing.assert_allclose(framework.numpy(by_p), exact[0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(framework.numpy(by_q), exact[1].sum(0), rtol=1e-10, atol=1e-12)

    @pytest.mark.parametrize("family", ["chain", "segment"])
    def test_divergences_of_sequences(self, framework, family):
        own = (4, 3) if family == "chain" else (4, 2, 3)
        first, second = RNG.normal(size=(2,) + own), RNG.normal(size=own)
        t, u = RNG.normal(size=(2, 3, 3)), RNG.normal(size=(3, 3))
        function = getattr(framework.module, f"{family}_kl")
        a = framework.array
        found = framework.numpy(function((a(first), a(t)), (a(second), a(u)), lengths=[4, 2]))
        kind = kirchhoff.ChainDistribution if family == "chain" else kirchhoff.SegmentDistribution
        p = kind(first, t, lengths=[4, 2])
        q = kind(np.stack([second] * 2), np.stack([u] * 2), lengths=[4, 2])
        np.testing.assert_allclose(found, p.kl(q), rtol=1e-11)

    @pytest.mark.parametrize("family", ["chain", "segment"])
    def test_many_sequences(self, framework, family):
        own = (4, 3) if family == "chain" else (4, 2, 3)
        first, t = RNG.normal(size=(2,) + own), RNG.normal(size=(2, 3, 3))
        kind = kirchhoff.ChainDistribution if family == "chain" else kirchhoff.SegmentDistribution
        p = kind(first, t, lengths=[4, 2])
        drawn = p.sample((3, 2), seed=1)
        given = tuple(drawn[:1] if family == "chain" else drawn[:2])
        k, scores = framework.module, tuple(map(framework.array, (first, t)))
        ask = lambda verb, *x: getattr(k, f"{family}_{verb}")(*x, *map(framework.array, given), lengths=[4, 2])
        found = ask("log_prob", *scores)
        np.testing.assert_allclose(framework.numpy(found), drawn.log_prob, rtol=1e-11)
        exact = drawn.log_prob + p.log_partition()[:, None, None]
        np.testing.assert_allclose(framework.numpy(ask("score", *scores)), exact, rtol=1e-11)
        if family == "chain":
            np.testing.assert_allclose(framework.numpy(ask("risk", *scores)), p.risk(*given), rtol=1e-11)
        weights = framework.array(RNG.normal(size=found.shape))
        slopes = framework.gradient(lambda *x: (ask("log_prob", *x) * weights).sum(), scores)
        h, direction = 1e-5, [RNG.normal(size=s.shape) for s in (first, t)]
        moved = [kind(first + e * direction[0], t + e * direction[1], lengths=[4, 2]).log_prob(*given) for e in (h, -h)]
        expected = ((moved[0] - moved[1]) / (2 * h) * framework.numpy(weights)).sum()
        assert sum((framework.numpy(g) * d).sum() for g, d in zip(slopes, direction)) == pytest.approx(expected, rel=1e-6)
