"""ProjectiveTreeDistribution against a list of the trees without crossing arcs, and against TreeDistribution's shapes."""

import itertools
import pickle

import numpy as np
import pytest

import kirchhoff
from kirchhoff import ProjectiveTreeDistribution, TreeDistribution

ROOTS = ("single", "multi")


def crosses(heads):
    spans = [tuple(sorted((d, h))) for d, h in enumerate(heads) if d > 0]
    return any(a < x < b < y for (a, b), (x, y) in itertools.permutations(spans, 2))


def listed(scores, root):
    """The trees without crossing arcs (trees, n+1), and their probabilities."""
    every = TreeDistribution(np.zeros_like(scores), root=root).enumerate_support().heads
    trees = np.array([t for t in every if not crosses(t)])
    weights = np.array([scores[t[1:], np.arange(1, len(scores))].sum() for t in trees])
    log_z = np.logaddexp.reduce(weights)
    return trees, weights - log_z, log_z


@pytest.fixture
def rng():
    return np.random.default_rng(11)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("n", [1, 2, 4])
def test_against_brute_force(rng, root, n):
    scores = rng.normal(size=(n + 1, n + 1))
    p = ProjectiveTreeDistribution(scores, root=root)
    trees, log_p, log_z = listed(scores, root)
    words = np.arange(1, n + 1)
    assert p.log_partition() == pytest.approx(log_z, rel=1e-12)
    marginals = np.zeros_like(scores)
    for t, x in zip(trees, log_p):
        marginals[t[1:], words] += np.exp(x)
        assert p.log_prob(t) == pytest.approx(x, abs=1e-12)
        assert kirchhoff.is_projective(t)
    np.testing.assert_allclose(p.marginals(), marginals, atol=1e-13)
    assert p.entropy() == pytest.approx(-(np.exp(log_p) * log_p).sum(), abs=1e-12)
    assert np.exp(p.log_count()) == pytest.approx(len(trees))
    np.testing.assert_array_equal(p.argmax().heads, trees[log_p.argmax()])
    support = p.enumerate_support()
    assert {tuple(t) for t in support.heads} == {tuple(t) for t in trees}
    np.testing.assert_allclose(support.log_prob, np.sort(log_p)[::-1], atol=1e-12)
    f = rng.normal(size=(2, n + 1, n + 1))
    values = np.array([f[:, t[1:], words].sum(-1) for t in trees])
    mean = np.exp(log_p) @ values
    np.testing.assert_allclose(p.expectation(f), mean, atol=1e-12)
    np.testing.assert_allclose(p.covariance(f, f), (np.exp(log_p) * (values - mean).T) @ (values - mean), atol=1e-12)
    np.testing.assert_allclose(p.cumulants(f[0], 3)[1:], [mean[0], *(np.exp(log_p) @ (values[:, 0] - mean[0])**k
                                                                    for k in (2, 3))], atol=1e-12)
    q = ProjectiveTreeDistribution(rng.normal(size=scores.shape), root=root)
    other = np.array([q.log_prob(t) for t in trees])
    assert p.kl(q) == pytest.approx((np.exp(log_p) * (log_p - other)).sum(), abs=1e-12)
    both = TreeDistribution(scores, root=root)
    assert kirchhoff.log_projective_mass(both) == pytest.approx(log_z - both.log_partition(), abs=1e-12)


@pytest.mark.parametrize("root", ROOTS)
def test_batches_lists_and_labels(rng, root):
    scores = rng.normal(size=(3, 6, 6))
    lengths = np.array([5, 2, 4])
    batch = ProjectiveTreeDistribution(scores, root=root, lengths=lengths)
    graphs = [s[:n + 1, :n + 1] for s, n in zip(scores, lengths)]
    parts = ProjectiveTreeDistribution(graphs, root=root)
    for i, graph in enumerate(graphs):
        alone = ProjectiveTreeDistribution(graph, root=root)
        assert batch.log_partition()[i] == parts.log_partition()[i] == alone.log_partition()
        np.testing.assert_array_equal(parts.marginals()[i], alone.marginals())
        n = lengths[i] + 1
        np.testing.assert_array_equal(batch.marginals()[i, :n, :n], alone.marginals())
        assert not batch.marginals()[i, n:].any()
        assert batch.entropy()[i] == alone.entropy()
    labelled = ProjectiveTreeDistribution(rng.normal(size=(4, 4, 3)), root=root, labelled=True)
    flat = ProjectiveTreeDistribution(np.logaddexp.reduce(labelled.scores, axis=-1), root=root)
    assert labelled.log_partition() == pytest.approx(flat.log_partition())
    np.testing.assert_allclose(labelled.marginals().sum(-1), flat.marginals(), atol=1e-14)
    best = labelled.argmax()
    assert best.log_prob == pytest.approx(labelled.log_prob(best.heads, best.labels))
    assert labelled.k_best(1).log_prob[0] == pytest.approx(best.log_prob)


def test_gradients_by_differences(rng):
    scores = rng.normal(size=(5, 5))
    p = ProjectiveTreeDistribution(scores, root="single")
    direction = rng.normal(size=(5, 5))
    step = 1e-5
    ends = [ProjectiveTreeDistribution(scores + s * step * direction, root="single") for s in (-1, 1)]
    np.testing.assert_allclose(p.marginals_along(direction),
                               (ends[1].marginals() - ends[0].marginals()) / (2 * step), atol=1e-9)
    value, gradient = p.entropy_with_gradient()
    assert value == p.entropy()
    assert (gradient * direction)[:, 1:].sum() - np.diag(gradient * direction).sum() == pytest.approx(
        (ends[1].entropy() - ends[0].entropy()) / (2 * step), abs=1e-8)


def test_samples_follow_the_distribution(rng):
    scores = rng.normal(size=(4, 4))
    p = ProjectiveTreeDistribution(scores, root="multi")
    trees, log_p, _ = listed(scores, "multi")
    drawn = p.sample(20000, seed=3)
    shares = [(drawn.heads == t).all(-1).mean() for t in trees]
    assert sum(shares) == pytest.approx(1.0)
    np.testing.assert_allclose(shares, np.exp(log_p), atol=0.02)  # 5.6 standard deviations of the most uncertain share
    distinct = p.sample_without_replacement(len(trees) + 1, seed=4)
    assert {tuple(t) for t in distinct.heads[:-1]} == {tuple(t) for t in trees}
    assert distinct.threshold == -np.inf
    with pytest.raises(ValueError, match="top down"):
        p.sample(1, method="wilson")


def test_conditions_errors_and_pickles(rng):
    scores = rng.normal(size=(5, 5))
    p = ProjectiveTreeDistribution(scores, root="single")
    given = p.given(require=[(2, 4)], forbid=[(4, 3)])
    assert isinstance(given, ProjectiveTreeDistribution)
    assert given.marginals()[2, 4] == pytest.approx(1.0)
    assert given.marginals()[4, 3] == 0.0
    with pytest.raises(kirchhoff.Infeasible, match="cross"):
        p.given(require=[(1, 3), (2, 4)])
    with pytest.raises(TypeError, match="ProjectiveTreeDistribution"):
        p.kl(TreeDistribution(scores, root="single"))
    again = pickle.loads(pickle.dumps(p))
    assert isinstance(again, ProjectiveTreeDistribution)
    assert again.log_partition() == p.log_partition()
    assert repr(p).startswith("ProjectiveTreeDistribution(")
    found = kirchhoff.decode(scores, root="single", projective=True)
    np.testing.assert_array_equal(found.heads, p.argmax().heads)


def test_torch(rng):
    torch = pytest.importorskip("torch")
    import kirchhoff.torch as kt

    scores = torch.from_numpy(rng.normal(size=(2, 5, 5))).requires_grad_()
    p = ProjectiveTreeDistribution(scores.detach().numpy(), root="single")
    q = torch.from_numpy(rng.normal(size=(2, 5, 5)))
    kwargs = {"root": "single", "projective": True}
    np.testing.assert_array_equal(kt.marginals(scores, **kwargs).detach(), p.marginals())
    np.testing.assert_array_equal(kt.distribution(scores, **kwargs).argmax().heads, p.argmax().heads)
    heads = torch.tensor([-1, 2, 0, 2, 3])
    for f in (lambda x: kt.log_partition(x, **kwargs), lambda x: kt.entropy(x, **kwargs),
              lambda x: kt.renyi(x, 2.0, **kwargs), lambda x: kt.kl(x, q, **kwargs),
              lambda x: kt.cross_entropy(x, q, **kwargs), lambda x: kt.risk(x, heads, **kwargs),
              lambda x: kt.log_prob(x, heads, **kwargs),
              lambda x: kt.expectation(x, torch.ones(1, 5, 5) * torch.arange(5), **kwargs)):
        assert torch.autograd.gradcheck(f, (scores,))
    assert torch.autograd.gradgradcheck(lambda x: kt.log_partition(x, **kwargs), (scores,))
    for loss in ("crf", "softmax_margin", "risk", "svm"):
        module = kt.TreeCRF(root="single", loss=loss, projective=True)
        assert torch.autograd.gradcheck(lambda x: module(x, heads.expand(2, 5)), (scores,))
    np.testing.assert_allclose(kt.TreeCRF(root="single", projective=True, reduction="none")(scores, heads.expand(2, 5))
                               .detach(), -p.log_prob(heads.numpy()), atol=1e-12)
    crossing = kt.log_prob(scores, torch.tensor([-1, 3, 4, 0, 3]), **kwargs)
    assert (crossing == -np.inf).all()


def test_jax(rng):
    jax = pytest.importorskip("jax")
    import kirchhoff.jax as kj

    scores = rng.normal(size=(2, 5, 5)).astype(np.float32)
    p = ProjectiveTreeDistribution(scores, root="multi")
    kwargs = {"root": "multi", "projective": True}
    np.testing.assert_allclose(kj.log_partition(scores, **kwargs), p.log_partition(), rtol=1e-6)
    gradient = jax.jit(jax.grad(lambda x: kj.log_partition(x, **kwargs).sum()))(scores)
    np.testing.assert_allclose(gradient, p.marginals(), atol=1e-6)
    np.testing.assert_allclose(kj.entropy(scores, **kwargs), p.entropy(), rtol=1e-5)
    slope = jax.grad(lambda x: kj.entropy(x, **kwargs).sum())(scores)
    np.testing.assert_allclose(slope, p.entropy_gradient(), atol=1e-5)
    np.testing.assert_array_equal(kj.argmax(scores, **kwargs).heads, p.argmax().heads)
    np.testing.assert_array_equal(kj.mbr(scores, **kwargs).heads, p.mbr().heads)
    np.testing.assert_array_equal(kj.sample(scores, 3, seed=2, **kwargs).heads, p.sample(3, seed=2).heads)
    trees = np.array([[-1, 2, 0, 2, 3], [-1, 3, 4, 0, 3]])
    np.testing.assert_allclose(kj.log_prob(scores, trees, **kwargs), p.log_prob(trees), rtol=1e-5)
    assert kj.log_prob(scores, trees, **kwargs)[1] == -np.inf


def test_parser():
    words = "the cat sees a dog on some mat".split()
    heads = [2, 3, 0, 5, 3, 8, 8, 3]
    text = "".join(f"{i}\t{w}\t_\tX\t_\t_\t{h}\t{'dep' if h else 'root'}\t_\t_\n"
                   for i, (w, h) in enumerate(zip(words, heads), 1)) + "\n"
    (sentence,) = kirchhoff.conllu.loads(text)
    parser = kirchhoff.Parser.train([sentence] * 20, root="single", epochs=2, projective=True)
    parsed = parser.parse(sentence, projective=True, probabilities=True, samples=20)
    assert parsed.heads.tolist() == [-1] + heads
    p = ProjectiveTreeDistribution(parser.arc_scores(sentence), root="single")
    assert parsed.log_prob == pytest.approx(p.log_prob(parsed.heads), abs=1e-9)
    assert all(kirchhoff.is_projective(t.heads) for t in parsed.trees)
