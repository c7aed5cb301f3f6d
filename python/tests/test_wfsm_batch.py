"""Tests kirchhoff.torch.wfsm and kirchhoff.jax.wfsm against matrix inverses that PyTorch differentiates itself."""

import doctest

import numpy as np
import pytest

import kirchhoff
from kirchhoff import Wfsm

torch = pytest.importorskip("torch")
from torch.autograd import functional, gradcheck, gradgradcheck  # noqa: E402

import kirchhoff.torch as kt  # noqa: E402

ACYCLIC = [(0, 1, 1), (0, 1, 2), (0, 2, 1), (1, 2, 0), (1, 3, 2), (2, 3, 1), (2, 3, 2)]
CYCLIC = ACYCLIC + [(3, 0, 1), (1, 1, 2)]
SKELETONS = {"acyclic": ACYCLIC, "cyclic": CYCLIC}
STRINGS = [[1, 2], [2, 1], [1]]


def machine_of(arcs):
    return Wfsm([(*arc, -3.0) for arc in arcs], start={0: 0.0, 1: -1.0}, final={3: 0.0, 2: -0.5})


def weights_of(arcs, seed, requires_grad=True):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(3, len(arcs) + 8, dtype=torch.float64, generator=generator) * 0.3 - 1.5
    return x.requires_grad_(requires_grad)


def parts_of(x, arcs):
    return x.split([len(arcs), 4, 4], -1)


class Inverse:
    """The same functions from Z = start (I - W)^-1 final."""

    def __init__(self, arcs):
        self.arcs, self.machine = arcs, machine_of(arcs)
        self.possible = torch.cat([torch.isfinite(torch.as_tensor(p)) for p in self.machine.log_weights])

    def matrix(self, weights, keep):
        rows = []
        for i in range(4):
            row = [sum((weights[:, k] for k, (a, b, s) in enumerate(self.arcs) if (a, b) == (i, j) and keep(s)),
                       torch.zeros(len(weights), dtype=torch.float64)) for j in range(4)]
            rows.append(torch.stack(row, -1))
        return torch.stack(rows, -2)

    def ends(self, x):
        weights = torch.where(self.possible, x.exp(), torch.zeros((), dtype=torch.float64))
        return parts_of(weights, self.arcs)

    def log_partition(self, x):
        weights, start, final = self.ends(x)
        inverse = torch.linalg.inv(torch.eye(4, dtype=torch.float64) - self.matrix(weights, lambda s: True))
        return torch.einsum("bi,bij,bj->b", start, inverse, final).log()

    def counts(self, x):
        y = x if x.requires_grad else x.detach().requires_grad_()
        return torch.autograd.grad(self.log_partition(y).sum(), y, create_graph=True)[0]

    def entropy(self, x):
        return self.log_partition(x) - (self.counts(x) * x).sum(-1)

    def kl(self, x, y):
        return (self.counts(x) * (x - y)).sum(-1) - self.log_partition(x) + self.log_partition(y)

    def cross_entropy(self, x, y):
        return self.entropy(x) + self.kl(x, y)

    def log_prob(self, x):
        weights, start, final = self.ends(x)
        empty = torch.linalg.inv(torch.eye(4, dtype=torch.float64) - self.matrix(weights, lambda s: s == 0))
        totals = []
        for i, string in enumerate(STRINGS):
            now = start[i] @ empty[i]
            for symbol in string:
                now = now @ self.matrix(weights, lambda s: s == symbol)[i] @ empty[i]
            totals.append((now @ final[i]).log())
        return torch.stack(totals) - self.log_partition(x)


def ours(name, machine, arcs):
    def function(*xs):
        parts = [tuple(parts_of(x, arcs)) for x in xs]
        more = (STRINGS,) if name == "log_prob" else ()
        found = getattr(kt.wfsm, name)(machine, *parts, *more)
        return torch.cat(found, -1) if name == "counts" else found

    return function


NAMES = {"log_partition": 1, "counts": 1, "entropy": 1, "kl": 2, "cross_entropy": 2, "log_prob": 1}


@pytest.mark.parametrize("kind", SKELETONS)
@pytest.mark.parametrize("name", NAMES)
def test_values_gradients_and_hessians(kind, name):
    arcs = SKELETONS[kind]
    oracle = Inverse(arcs)
    x = tuple(weights_of(arcs, seed) for seed in range(NAMES[name]))
    found, expected = ours(name, oracle.machine, arcs), getattr(oracle, name)
    np.testing.assert_allclose(found(*x).detach(), expected(*x).detach(), rtol=1e-10, atol=1e-12)

    def weighed(f):
        def total(*s):
            value = f(*s)
            return (value * torch.arange(1, value.numel() + 1, dtype=torch.float64).reshape(value.shape)).sum()
        return total

    for a, b in zip(torch.autograd.grad(weighed(found)(*x), x), torch.autograd.grad(weighed(expected)(*x), x)):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    hessians = [functional.hessian(weighed(f), x) for f in (found, expected)]
    assert max(float(h.abs().max()) for row in hessians[1] for h in row) > 1e-3
    for row, other in zip(*hessians):
        for a, b in zip(row, other):
            np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("kind", SKELETONS)
def test_torch_checks_derivatives(kind):
    arcs = SKELETONS[kind]
    machine = machine_of(arcs)
    x, y = (weights_of(arcs, s)[:, :len(arcs)].detach().requires_grad_() for s in range(2))
    for f in (lambda s: kt.wfsm.log_partition(machine, s), lambda s: kt.wfsm.entropy(machine, s),
              lambda s: kt.wfsm.counts(machine, s).transitions, lambda s: kt.wfsm.log_prob(machine, s, STRINGS)):
        assert gradcheck(f, x) and gradgradcheck(f, x)
    assert gradgradcheck(lambda s, t: kt.wfsm.kl(machine, s, t), (x, y))
    third = torch.autograd.grad(kt.wfsm.log_partition(machine, x).sum(), x, create_graph=True)[0]
    assert gradgradcheck(lambda s: torch.autograd.grad(kt.wfsm.log_partition(machine, s).sum(), s, create_graph=True)[0],
                         x) and third.shape == x.shape


def test_masks_infinities_and_errors():
    machine = machine_of(ACYCLIC)
    x = torch.zeros(2, len(ACYCLIC), dtype=torch.float64)
    x[0, [4, 5, 6]] = -torch.inf  # state 3 cannot be reached
    x[1] = -torch.inf
    x.requires_grad_()
    shared = (x, torch.zeros(4, dtype=torch.float64), torch.tensor([-torch.inf, -torch.inf, -torch.inf, 0.0]).double())
    assert kt.wfsm.log_partition(machine, shared).tolist() == [-np.inf, -np.inf]
    z = kt.wfsm.log_partition(machine, x)
    assert torch.isfinite(z[0]) and z[1] == -torch.inf
    z.sum().backward()
    assert torch.isfinite(x.grad).all() and (x.grad[1] == 0).all()
    assert kt.wfsm.log_prob(machine, x.detach(), [2, 2, 2, 2]).tolist() == [-np.inf, -np.inf]
    free = torch.zeros(2, len(ACYCLIC), dtype=torch.float64, requires_grad=True)
    value = kt.wfsm.kl(machine, free, x.detach())
    assert value.tolist() == [np.inf, np.inf]
    with pytest.raises(ValueError, match="has no gradient"):
        value.sum().backward()
    with pytest.raises(ValueError, match="does not end with 7"):
        kt.wfsm.log_partition(machine, torch.zeros(3))
    with pytest.raises(ValueError, match="dtype"):
        kt.wfsm.log_partition(machine, torch.zeros(7, dtype=torch.bool))
    with pytest.raises(ValueError, match="2 strings for 3 machines"):
        kt.wfsm.log_prob(machine, torch.zeros(3, 7), [[1], [2]])
    with pytest.raises(kirchhoff.InfiniteSum, match="machine 1"):
        kt.wfsm.log_partition(machine_of(CYCLIC), torch.tensor([[-3.0] * 9, [0.0] * 9]))
    half = kt.wfsm.log_partition(machine, torch.zeros(7, dtype=torch.float16))
    assert half.dtype == torch.float16 and half.shape == ()


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_matter(threads):
    machine = machine_of(ACYCLIC)
    x = torch.randn(50, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    found = kt.wfsm.counts(machine, x, threads=threads).transitions
    assert torch.equal(found, kt.wfsm.counts(machine, x).transitions)
    one = machine.with_log_weights(machine.log_weights._replace(transitions=x[17].numpy()))
    np.testing.assert_allclose(found[17], one.transition_marginals(), rtol=1e-12)


def test_products():
    a, b = machine_of(CYCLIC), Wfsm([(0, 1, 1, -0.5), (1, 2, 2, -0.25), (0, 2, 1, -0.1)], start={0: 0.0}, final={2: 0.0})
    both = a.intersect(b)
    expected = np.logaddexp(a.log_weight([1, 2]) - 0.75, a.log_weight([1]) - 0.1)
    assert both.machine.log_partition() == pytest.approx(expected, rel=1e-12)
    for t, left, right in zip(both.machine.transitions, both.left_transitions, both.right_transitions):
        weight = sum(m.transitions[k].log_weight for m, k in ((a, left), (b, right)) if k >= 0)
        assert t.log_weight == pytest.approx(weight)
    with pytest.raises(kirchhoff.Infeasible):
        a.intersect(Wfsm([(0, 1, 7)], start={0: 0.0}, final={1: 0.0}))
    assert np.exp(machine_of(ACYCLIC).log_trajectories()) == pytest.approx(15.0)  # 11 begin in state 0, 4 in state 1
    writer = Wfsm([(0, 1, 1, -1.0, 4), (1, 1, 2, -2.0, 0)], start={0: 0.0}, final={1: 0.0})
    composed = b.compose(writer).machine
    assert composed.log_partition() == pytest.approx(np.logaddexp(-0.75 - 3.0, -0.1 - 1.0))
    assert composed.project_output().log_prob([4]) == pytest.approx(0.0, abs=1e-12)


def test_jax_is_torch():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    import kirchhoff.jax as kj

    for arcs in SKELETONS.values():
        machine = machine_of(arcs)
        x, y = (weights_of(arcs, s)[:, :len(arcs)].detach() for s in range(2))
        for name, inputs in NAMES.items():
            more = (STRINGS,) if name == "log_prob" else ()

            def by_jax(*xs):
                found = getattr(kj.wfsm, name)(machine, *xs, *more)
                return jnp.concatenate(found, -1) if name == "counts" else found

            def by_torch(*xs):
                found = getattr(kt.wfsm, name)(machine, *xs, *more)
                return torch.cat(found, -1) if name == "counts" else found

            given = (x, y)[:inputs]
            arrays = tuple(jnp.asarray(a.numpy()) for a in given)
            np.testing.assert_allclose(by_jax(*arrays), by_torch(*given), rtol=1e-10, atol=1e-12)
            np.testing.assert_allclose(jax.jit(by_jax)(*arrays), by_torch(*given), rtol=1e-10, atol=1e-12)
            expected = functional.hessian(lambda *xs: by_torch(*xs).square().sum(), given)
            found = jax.hessian(lambda *xs: (by_jax(*xs) ** 2).sum(), argnums=tuple(range(inputs)))(*arrays)
            for row, other in zip(found, expected):
                for a, b in zip(row, other):
                    np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9)
        one = jax.vmap(lambda a: kj.wfsm.log_partition(machine, a))(jnp.asarray(x.numpy()))
        np.testing.assert_allclose(one, kt.wfsm.log_partition(machine, x), rtol=1e-12)
        # One machine under jit: XLA of jaxlib 0.7.1 ended the program where the weights were made by a concatenation.
        alone = jnp.asarray(x[0].numpy())
        for f in (jax.jit(lambda a: kj.wfsm.log_partition(machine, a)), jax.jit(lambda a: kj.wfsm.entropy(machine, a))):
            assert np.isfinite(float(f(alone)))
        np.testing.assert_allclose(jax.jit(lambda a: kj.wfsm.log_partition(machine, a))(alone), one[0], rtol=1e-12)


def test_examples_of_both():
    import kirchhoff._torch_wfsm as module
    modules = [module]
    if pytest.importorskip("jax"):
        import kirchhoff._jax_wfsm
        modules.append(kirchhoff._jax_wfsm)
    for module in modules:
        names = {}
        exec("\n".join(line[4:] for line in module.__doc__.splitlines() if line.startswith(">>> ")), names)
        for function in [module] + [getattr(module, name) for name in module.__all__]:
            tests = doctest.DocTestFinder(recurse=False).find(function, module.__name__, globs=dict(names))
            for test in tests:
                assert test.examples and doctest.DocTestRunner().run(test).failed == 0
