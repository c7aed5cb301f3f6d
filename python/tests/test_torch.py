"""The derivatives of kirchhoff.torch, up to the third, are those of sums over all trees, and pass PyTorch's own checks."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import kirchhoff  # noqa: E402
import kirchhoff.torch as kt  # noqa: E402
from enumeration import cumulants, incidence  # noqa: E402
from torch.autograd import functional, gradcheck, gradgradcheck  # noqa: E402

ROOTS = ("single", "multi")
LENGTHS = [3, 2]


class Trees:
    """Every function of kirchhoff.torch once more, as sums over all trees, for one graph of a batch after the other."""

    def __init__(self, place, root, labels=None, lengths=LENGTHS):
        self.tables = [place.put(incidence(4, n, root, labels)) for n in lengths]
        self.lengths = lengths

    def of(self, f, *scores):
        logs = [[torch.log_softmax((t * x[i]).flatten(1).sum(1), 0) for x in scores]
                for i, t in enumerate(self.tables)]
        return torch.stack([f(i, self.tables[i], *log_p) for i, log_p in enumerate(logs)])

    def log_partition(self, x):
        return torch.stack([torch.logsumexp((t * x[i]).flatten(1).sum(1), 0) for i, t in enumerate(self.tables)])

    def marginals(self, x):
        return self.of(lambda i, t, p: torch.tensordot(p.exp(), t, 1), x)

    def expectation(self, x, f):
        return self.of(lambda i, t, p: p.exp() @ (t.flatten(1) @ f.flatten(1).T), x)

    def entropy(self, x):
        return self.of(lambda i, t, p: -(p.exp() * p).sum(), x)

    def renyi(self, x, alpha):
        return self.of(lambda i, t, p: torch.logsumexp(alpha * p, 0) / (1 - alpha), x)

    def kl(self, x, y):
        return self.of(lambda i, t, p, q: (p.exp() * (p - q)).sum(), x, y)

    def cross_entropy(self, x, y):
        return self.of(lambda i, t, p, q: -(p.exp() * q).sum(), x, y)

    def gold(self, heads, labels):
        """The index of each gold tree among all trees, and how many of its arcs every tree has."""
        arcs = torch.zeros((len(heads),) + self.tables[0].shape[1:], dtype=torch.float64, device=self.tables[0].device)
        for i, n in enumerate(self.lengths):
            for d in range(1, n + 1):
                arcs[(i, heads[i][d], d) + (() if labels is None else (labels[i][d],))] = 1.0
        return [(t * arcs[i]).flatten(1).sum(1) for i, t in enumerate(self.tables)]

    def risk(self, x, heads, labels=None):
        right = self.gold(heads, labels)
        return self.of(lambda i, t, p: (p.exp() * right[i]).sum() / self.lengths[i], x)

    def log_prob(self, x, heads, labels=None):
        right = self.gold(heads, labels)
        return self.of(lambda i, t, p: p[int(right[i].argmax())], x)


def cases(place, labelled):
    """name, our function of (oracle or module, scores...), the number of score tensors."""
    flag = {"labelled": True} if labelled else {}
    heads = [[-1, 2, 0, 2], [-1, 0, 1, -1]]
    gold = [heads] + ([[[-1, 1, 0, 1], [-1, 0, 1, -1]]] if labelled else [])
    features = place.scores(*((3, 4, 4) + ((2,) if labelled else ())), seed=9).detach()
    yield "log_partition", (), flag, 1
    yield "marginals", (), flag, 1
    yield "expectation", (features,), flag, 1
    yield "entropy", (), flag, 1
    for alpha in (0.5, 2.0, 1 + 3e-5):
        yield "renyi", (alpha,), flag, 1
    yield "kl", (), flag, 2
    yield "cross_entropy", (), flag, 2
    yield "risk", gold, {}, 1
    yield "log_prob", gold, {}, 1


def weights_like(x, seed=5):
    return torch.randn(x.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)).to(x.device)


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize("root", ROOTS)
def test_values_gradients_and_hessians_are_those_of_all_trees(place, root, labelled):
    oracle = Trees(place, root, 2 if labelled else None)
    shape = (2, 4, 4) + ((2,) if labelled else ())
    for name, more, flags, inputs in cases(place, labelled):
        x = tuple(place.scores(*shape, seed=s) for s in range(inputs))

        def ours(*s):
            value = getattr(kt, name)(*s, *more, root=root, lengths=LENGTHS, **flags)
            return (value * weights_like(value)).sum()

        def theirs(*s):
            value = getattr(oracle, name)(*s, *more)
            return (value * weights_like(value)).sum()

        tolerance = {"rtol": 1e-9, "atol": 1e-9 if name != "renyi" else 1e-8, "err_msg": name}
        np.testing.assert_allclose(place.get(ours(*x)), place.get(theirs(*x)), **tolerance)
        for a, b in zip(torch.autograd.grad(ours(*x), x), torch.autograd.grad(theirs(*x), x)):
            np.testing.assert_allclose(place.get(a), place.get(b), **tolerance)
        hessians = [functional.hessian(f, x) for f in (ours, theirs)]
        assert any(float(h.abs().max()) > 1e-3 for row in hessians[1] for h in row)  # not all of nothing
        for a, b in zip(*hessians):
            for c, d in zip(a, b):
                np.testing.assert_allclose(place.get(c), place.get(d), **tolerance)


@pytest.mark.parametrize("root", ROOTS)
def test_torch_checks_second_derivatives(place, root):
    x, y = place.scores(2, 4, 4), place.scores(2, 4, 4, seed=1)
    options = {"root": root, "lengths": LENGTHS}
    for f in (kt.log_partition, kt.marginals, kt.entropy):
        assert gradcheck(lambda s: f(s, **options), x) and gradgradcheck(lambda s: f(s, **options), x)
    for f in (kt.kl, kt.cross_entropy):
        assert gradgradcheck(lambda s, t: f(s, t, **options), (x, y))
    features = place.scores(3, 4, 4, seed=2)
    assert gradgradcheck(lambda s, f: kt.expectation(s, f, **options), (x, features))
    assert gradgradcheck(lambda s: kt.renyi(s, 1.0, **options), x)
    heads = [[-1, 2, 0, 2], [-1, 0, 1, -1]]
    for f in (kt.risk, kt.log_prob):
        assert gradcheck(lambda s: f(s, heads, **options), x) and gradgradcheck(lambda s: f(s, heads, **options), x)
    assert functional.hessian(lambda s: kt.renyi(s, 0.0, **options).sum(), x).abs().max() == 0.0


def test_a_penalty_on_the_gradient_of_the_entropy(place):
    x = place.scores(4, 4)
    tables = place.put(incidence(4, 3, "single"))

    def penalty(entropy):
        (gradient,) = torch.autograd.grad(entropy, x, create_graph=True)
        return torch.autograd.grad((gradient**2).sum(), x)[0]

    log_p = torch.log_softmax((tables * x).flatten(1).sum(1), 0)
    expected = penalty(-(log_p.exp() * log_p).sum())
    assert expected.abs().max() > 0.01
    np.testing.assert_allclose(place.get(penalty(kt.entropy(x, root="single"))), place.get(expected), atol=1e-12)


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("size", [1.0, 10.0, 60.0])
def test_against_long_doubles(place, root, size):
    """Jets of elimination take over where the inverse is too large; both must have the digits of a long double."""
    rng = np.random.default_rng(int(size))
    for _ in range(5):
        x, r, s = rng.normal(size=(5, 5)) * size, rng.normal(size=(5, 5)), rng.normal(size=(5, 5))
        log_z, marginals, along, third = cumulants(x, root, r, s)
        p = kirchhoff.TreeDistribution(x, root=root)
        t = place.put(x).requires_grad_()
        assert kt.log_partition(t, root=root).item() == pytest.approx(float(log_z), rel=1e-14)
        (gradient,) = torch.autograd.grad(kt.log_partition(t, root=root), t, create_graph=True)
        (first,) = torch.autograd.grad((gradient * place.put(r)).sum(), t, create_graph=True)
        (second,) = torch.autograd.grad((first * place.put(s)).sum(), t)
        for ours, numpy, exact in [(gradient, p.marginals(), marginals), (first, p.marginals_along(r), along),
                                   (second, p.covariance_gradient(r, s), third)]:
            np.testing.assert_allclose(place.get(ours), exact.astype(float), atol=1e-11)
            if not place.kernels:
                np.testing.assert_array_equal(ours.detach(), numpy)


def test_one_derivative_too_many_is_an_error(place):
    x = place.scores(3, 3)

    def derivative(value, times):
        for _ in range(times):
            (value,) = torch.autograd.grad(value.sum(), x, create_graph=True)
        return value

    options = {"root": "multi"}
    for f, most in [(kt.log_partition, 3), (kt.entropy, 2), (kt.marginals, 2)]:
        value = f(x, **options)
        weighted = value * place.put(torch.arange(1.0, 1.0 + value.numel()).reshape(value.shape))
        derivative(weighted, most)
        with pytest.raises(NotImplementedError, match="three derivatives"):
            derivative(weighted, most + 1)
