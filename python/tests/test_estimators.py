"""Estimates from drawn trees: exact expectations over everything that can be drawn, so that unbiased means equal."""

import itertools

import numpy as np
import pytest

import kirchhoff
from enumeration import incidence, trees

torch = pytest.importorskip("torch")
import kirchhoff.torch as kt  # noqa: E402

RNG = np.random.default_rng(5)
WORDS, ROOT = 3, "multi"


class Drawn:
    """All trees of a graph, and all sets of k of them with the probability of drawing them without replacement."""

    def __init__(self, seed=0, scale=1.0):
        self.scores = scale * np.random.default_rng(seed).normal(size=(WORDS + 1,) * 2)
        self.rows = incidence(WORDS + 1, WORDS, ROOT)
        total = np.exp(self.rows.reshape(len(self.rows), -1) @ self.scores.ravel())
        self.prob = total / total.sum()
        self.heads = np.concatenate([np.full((len(self.prob), 1), -1), trees(WORDS, ROOT)], 1)

    def sets(self, k):
        for chosen in itertools.combinations(range(len(self.prob)), k):
            mass = 0.0
            for order in itertools.permutations(chosen):
                left, p = 1.0, 1.0
                for s in order:
                    p, left = p * self.prob[s] / left, left - self.prob[s]
                mass += p
            yield np.array(chosen), mass

    def sample(self, chosen):
        return kirchhoff.SampledTrees(self.heads[chosen], None, np.log(self.prob[chosen]), np.zeros(len(chosen)), 0.0)

    def gradient(self, values):
        """The gradient of E[f] by the scores."""
        return np.tensordot(self.prob * (values - self.prob @ values), self.rows, 1)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("scale", [0.3, 2.0])
def test_unordered_sets_are_unbiased(k, scale):
    all_trees = Drawn(k, scale)
    values = RNG.normal(size=len(all_trees.prob))
    log_slopes = all_trees.rows - np.tensordot(all_trees.prob, all_trees.rows, 1)
    mean, gradient, mass, ones = 0.0, 0.0, 0.0, 0.0
    for chosen, p in all_trees.sets(k):
        sample = all_trees.sample(chosen)
        mean += p * kirchhoff.unordered_set_estimate(sample, values[chosen])
        ones += p * kirchhoff.unordered_set_weights(sample).sum()
        gradient = gradient + p * np.tensordot(kirchhoff.unordered_set_gradient(sample, values[chosen]),
                                               log_slopes[chosen], 1)
        mass += p
    assert mass == pytest.approx(1.0) and ones == pytest.approx(1.0, rel=1e-10)
    assert mean == pytest.approx(all_trees.prob @ values, rel=1e-10, abs=1e-11)
    np.testing.assert_allclose(gradient, all_trees.gradient(values), rtol=1e-9, atol=1e-11)


def test_unordered_sets_are_means_over_orders():
    """The weight of s is P(s first | the set), the mean of what the first tree alone would estimate."""
    all_trees = Drawn(4)
    for chosen, mass in all_trees.sets(3):
        exact = []
        for s in chosen:
            others = [t for t in chosen if t != s]
            p = all_trees.prob
            first = sum(p[s] * p[a] / (1 - p[s]) * p[b] / (1 - p[s] - p[a]) for a, b in itertools.permutations(others))
            exact.append(first / mass)
        np.testing.assert_allclose(kirchhoff.unordered_set_weights(all_trees.sample(chosen)), exact, rtol=1e-10)


def test_all_trees_are_exact_and_padding_has_no_weight():
    p = kirchhoff.TreeDistribution(RNG.normal(size=(2, 3, 3)), root="multi")
    sample = p.sample_without_replacement(5, seed=1)  # there are three
    weights = kirchhoff.unordered_set_weights(sample)
    assert weights.shape == (2, 5) and not weights[:, 3:].any()
    np.testing.assert_allclose(weights, np.exp(sample.log_prob), rtol=1e-10)
    with pytest.raises(ValueError):
        kirchhoff.unordered_set_weights(sample._replace(log_prob=np.zeros(2)))  # together more than 1


def test_many_and_improbable_trees():
    log_prob = np.log(np.arange(1, 81) / 6000.0)
    sample = kirchhoff.SampledTrees(np.zeros((80, 2)), None, log_prob, log_prob, 0.0)
    weights = kirchhoff.unordered_set_weights(sample)
    assert (np.diff(weights) > 0).all() and weights.sum() < 1.2
    tiny = sample._replace(log_prob=np.array([np.log(0.5), -800.0]))
    found = kirchhoff.unordered_set_weights(tiny)
    # s first, then u: p_s p_u / (1 - p_s); u first, then s: p_u p_s. The weights are 2/3 and 1/3.
    np.testing.assert_allclose(found, [2 / 3, 1 / 3], rtol=1e-9)


class TestExpectedValue:
    """kirchhoff.torch.expected_value, with all that can be drawn put in the place of what is."""

    def estimate(self, monkeypatch, all_trees, chosen, values, replacement):
        drawn = kirchhoff.Trees(all_trees.heads[chosen], None, np.log(all_trees.prob[chosen]))
        name = "sample" if replacement else "sample_without_replacement"
        monkeypatch.setattr(kirchhoff.TreeDistribution, name, lambda self, k, seed: drawn)
        x = torch.tensor(all_trees.scores, requires_grad=True)
        scale = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
        f = lambda heads: scale * torch.tensor(values[chosen])
        result = kt.expected_value(x, f, len(chosen), root=ROOT, replacement=replacement)
        result.backward()
        return result.item(), x.grad.numpy(), scale.grad.item()

    @pytest.mark.parametrize("k", [1, 2])
    @pytest.mark.parametrize("replacement", [False, True])
    def test_is_unbiased(self, monkeypatch, k, replacement):
        all_trees = Drawn(8)
        values = RNG.normal(size=len(all_trees.prob))
        count = range(len(all_trees.prob))
        draws = ([(np.array(c), all_trees.prob[list(c)].prod()) for c in itertools.product(count, repeat=k)]
                 if replacement else all_trees.sets(k))
        mean, gradient, own = 0.0, 0.0, 0.0
        for chosen, p in draws:
            value, slope, by_scale = self.estimate(monkeypatch, all_trees, chosen, values, replacement)
            mean, gradient, own = mean + p * value, gradient + p * slope, own + p * by_scale
        exact = all_trees.prob @ values
        assert mean == pytest.approx(1.5 * exact, rel=1e-9) and own == pytest.approx(exact, rel=1e-9)
        np.testing.assert_allclose(gradient, 1.5 * all_trees.gradient(values), rtol=1e-8, atol=1e-10)

    def test_draws_and_padding(self):
        scores = torch.tensor(RNG.normal(size=(2, 4, 4, 2)), requires_grad=True)
        seen = []

        def right(heads, labels):
            seen.append((heads.shape, labels.shape))
            return ((heads == 0) & (labels == 1)).double().sum(-1)

        torch.manual_seed(3)
        value = kt.expected_value(scores, right, 2000, root="single", lengths=[3, 2], labelled=True)
        assert seen == [((2, 2000, 4), (2, 2000, 4))]  # more than there are trees: exact
        p = kt.distribution(scores, root="single", lengths=[3, 2], labelled=True)
        f = np.zeros((1, 4, 4, 2))
        f[0, 0, :, 1] = 1.0
        np.testing.assert_allclose(value.detach(), p.expectation(f)[:, 0], rtol=1e-9)
        value.sum().backward()
        np.testing.assert_allclose(scores.grad, p.marginals_along(f[0]), rtol=1e-8, atol=1e-10)
        torch.manual_seed(3)
        again = [kt.expected_value(scores, right, 3, root="single", labelled=True) for _ in range(2)]
        assert (again[0] != again[1]).any()
        with pytest.raises(ValueError, match="samples"):
            kt.expected_value(scores, right, 0, root="single", labelled=True)
        with pytest.raises(ValueError, match="f: returned"):
            kt.expected_value(scores, lambda *_: torch.zeros(3), 3, root="single", labelled=True)


@pytest.mark.parametrize("labels", [(), (2,)])
@pytest.mark.parametrize("projective", [False, True])
def test_partial_trees(labels, projective):
    scores = RNG.normal(size=(2, 4, 4) + labels)
    kind = kirchhoff.ProjectiveTreeDistribution if projective else kirchhoff.TreeDistribution
    p = kind(scores, root="single", lengths=[3, 2], labelled=bool(labels))
    heads = np.array([[-1, 2, -1, 2], [-1, -1, -1, -1]])
    options = {"root": "single", "lengths": [3, 2], "labelled": bool(labels), "projective": projective}
    x = torch.tensor(scores, requires_grad=True)
    found = kt.partial_log_prob(x, torch.tensor(heads), **options)
    given = p.given(require=[[(2, 1), (2, 3)], []])
    np.testing.assert_allclose(found.detach(), given.log_partition() - p.log_partition(), rtol=1e-10, atol=1e-12)
    found.sum().backward()
    np.testing.assert_allclose(x.grad, given.marginals() - p.marginals(), rtol=1e-9, atol=1e-11)
    full = p.argmax()
    tree = (full.heads,) if full.labels is None else (full.heads, full.labels)
    whole = kt.partial_log_prob(x, *map(torch.tensor, tree), **options)
    np.testing.assert_allclose(whole.detach(), full.log_prob, rtol=1e-10)
    assert torch.autograd.gradcheck(lambda y: kt.partial_log_prob(y, torch.tensor(heads), **options), (x,))


def test_partial_labels():
    scores = RNG.normal(size=(3, 3, 2))
    rows = incidence(3, 2, "multi", 2)
    weights = np.exp(rows.reshape(len(rows), -1) @ scores.ravel())
    agree = rows[:, :, 2, 1].any(1)  # the second word's label is 1, whatever its head
    found = kt.partial_log_prob(torch.tensor(scores), torch.tensor([-1, -1, -1]), torch.tensor([-1, -1, 1]), root="multi")
    assert found.item() == pytest.approx(np.log(weights[agree].sum() / weights.sum()))
    with pytest.raises(kirchhoff.Infeasible):
        kt.partial_log_prob(torch.zeros(3, 3), torch.tensor([-1, 2, 1]), root="multi")
    for wrong in [torch.tensor([-1, 3, 0]), torch.tensor([-1.0, 0.0, 0.0]), torch.tensor([-1, 0])]:
        with pytest.raises(ValueError):
            kt.partial_log_prob(torch.zeros(3, 3), wrong, root="multi")


def test_partial_trees_in_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    import kirchhoff.jax as kj
    for labels in (None, 2):
        scores = RNG.normal(size=(2, 4, 4) + ((labels,) if labels else ()))
        heads = np.array([[-1, 2, -1, 2], [-1, -1, 0, -1]])
        names = None if labels is None else np.array([[-1, -1, 1, 0], [-1, -1, -1, -1]])
        ask = lambda x: kj.partial_log_prob(x, heads, names, root="multi", labelled=bool(labels))
        x = torch.tensor(scores, requires_grad=True)
        exact = kt.partial_log_prob(x, heads, names, root="multi", labelled=bool(labels))
        exact.sum().backward()
        for f in (ask, jax.jit(ask)):
            np.testing.assert_allclose(f(scores), exact.detach(), rtol=1e-11)
            slope = jax.grad(lambda y: f(y).sum())(jax.numpy.asarray(scores))
            np.testing.assert_allclose(slope, x.grad, rtol=1e-10, atol=1e-12)
    with pytest.raises(ValueError, match="one is expected"):
        kj.partial_log_prob(np.zeros((3, 3)), np.zeros((2, 3), int), root="multi")


def test_relaxed_trees():
    scores = torch.tensor(RNG.normal(size=(2, 4, 4)), requires_grad=True)
    options = {"root": "single", "lengths": [3, 2]}
    torch.manual_seed(1)
    drawn = kt.relaxed_trees(scores, (5, 2), temperature=0.7, **options)
    assert drawn.shape == (2, 5, 2, 4, 4)
    np.testing.assert_allclose(drawn.detach().sum((-1, -2))[:, 0, 0], [3.0, 2.0], rtol=1e-9)

    def number(x):
        torch.manual_seed(1)
        return (kt.relaxed_trees(x, 2, temperature=0.7, **options) ** 2).sum()

    assert torch.autograd.gradcheck(number, (scores,))
    torch.manual_seed(2)
    cold = kt.relaxed_trees(scores.detach(), 50, temperature=1e-3, **options)
    torch.manual_seed(2)
    hard = kt.imle_trees(scores.detach(), 50, **options)
    assert (abs(cold - hard).amax((-1, -2)) < 1e-3).double().mean() > 0.95  # the same noise, so the same trees
    with pytest.raises(ValueError, match="temperature"):
        kt.relaxed_trees(scores, temperature=0.0, root="single")


@pytest.mark.parametrize("labels", [(), (2,)])
def test_implicit_maximum_likelihood(labels):
    scores = torch.tensor(RNG.normal(size=(3, 4, 4) + labels), requires_grad=True)
    weights = torch.tensor(RNG.normal(size=scores.shape))
    options = {"root": "multi", "labelled": bool(labels)}

    def noisy(shift):
        """The best trees with the noise that the seed makes, as arrays, by NumPy's decoder."""
        torch.manual_seed(4)
        uniform = torch.rand(scores.shape, dtype=torch.float64)
        moved = (scores.detach() - torch.log(-torch.log(uniform)) + shift).numpy()
        found = kirchhoff.decode(moved, root="multi", labelled=bool(labels))
        arcs = np.zeros(scores.shape)
        for i, d in itertools.product(range(3), range(1, 4)):
            arcs[(i, found.heads[i, d], d) + ((found.labels[i, d],) if labels else ())] = 1.0
        return arcs

    torch.manual_seed(4)
    drawn = kt.imle_trees(scores, step=3.0, **options)
    np.testing.assert_array_equal(drawn.detach(), noisy(0.0))
    (drawn * weights).sum().backward()
    np.testing.assert_allclose(scores.grad, (noisy(0.0) - noisy(-3.0 * weights)) / 3.0, atol=1e-12)
    with pytest.raises(ValueError, match="step"):
        kt.imle_trees(scores, step=-1.0, **options)


def test_converters_have_gradients():
    for labelled in (False, True):
        x = torch.tensor(RNG.normal(size=(2, 3, 3) + ((2,) if labelled else ())), requires_grad=True)
        found = kt.from_torch_struct(x, labelled=labelled)
        np.testing.assert_array_equal(found.detach()[..., 1:, 1:] if not labelled else found.detach()[..., 1:, 1:, :], x.detach())
        exact = kirchhoff.from_torch_struct(x.detach().numpy(), labelled=labelled)
        a, b = (kirchhoff.TreeDistribution(s, root="multi", labelled=labelled) for s in (found.detach().numpy(), exact))
        np.testing.assert_allclose(a.marginals(), b.marginals(), rtol=1e-13)
        assert torch.autograd.gradcheck(
            lambda y: kt.log_partition(kt.from_torch_struct(y, labelled=labelled), root="single", labelled=labelled), (x,))
    y = torch.tensor(RNG.normal(size=(4, 4)), requires_grad=True)
    np.testing.assert_array_equal(kt.from_supar(y).detach(), kirchhoff.from_supar(y.detach()))
    assert torch.autograd.gradcheck(lambda s: kt.log_partition(kt.from_supar(s), root="multi"), (y,))
    with pytest.raises(ValueError, match="labels need labelled=True"):
        kt.from_torch_struct(torch.zeros(3, 3, 2))
