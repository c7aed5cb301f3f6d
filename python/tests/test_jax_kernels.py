"""Kernels answer JAX as the library does: outside and inside jit, in all modes, with and without double precision.

They are called by XLA's foreign function interface, here on the CPU; on a CUDA device too, if there is one.
"""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
import jax.experimental  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import kirchhoff  # noqa: E402
import kirchhoff.jax as kj  # noqa: E402
from random_graphs import batch, close  # noqa: E402
from kirchhoff import TreeDistribution, _core, _device_arrays, _jax_kernels, _jax_primitives  # noqa: E402

ROOTS = ("single", "multi")
HAS_DEVICE = _core.cuda_available() and any(d.platform == "gpu" for d in jax.devices())


@pytest.fixture(params=["cpu"] + (["gpu"] if HAS_DEVICE else []), autouse=True)
def kernels(request, monkeypatch):
    """Counts how often kernels were asked, and lets nobody ask the library."""
    monkeypatch.setattr(_device_arrays, "kernels_on_host", request.param == "cpu")
    asked = []
    for module, name in ((_jax_primitives, "solved"), (_jax_primitives, "checked")):
        known = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, known=known, **k: asked.append(a[0].wanted) or known(*a, **k))
    with jax.default_device(jax.devices(request.param)[0]):
        yield asked


def test_handlers_are_not_newer_than_jax():
    assert (0, 0) < _core.xla_version() <= _jax_kernels.xla_version()


@pytest.fixture
def no_library(monkeypatch):
    def fails(*_, **__):
        raise AssertionError("this was for the kernels")

    monkeypatch.setattr(_jax_primitives, "TreeDistribution", fails)


@pytest.mark.parametrize("labels", [None, 3])
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("words, size", [(1, 1), (6, 300), (33, 3), (70, 1)])
def test_equal_to_the_library(kernels, no_library, words, size, root, labels):
    x, lengths = batch(words, size, labels, graphs=3)
    options = {"root": root, "lengths": lengths, "labelled": labels is not None}
    p = TreeDistribution(x, **options)
    direction = np.random.default_rng(2).normal(size=x.shape)
    for mode in (lambda f: f, jax.jit):
        a = jnp.asarray(x)
        close(mode(lambda s: kj.log_partition(s, **options))(a), p.log_partition(), rtol=1e-13)
        close(mode(lambda s: kj.marginals(s, **options))(a), p.marginals())
        close(mode(lambda s: kj.entropy(s, **options))(a), p.entropy(), atol=1e-12 * words)
        close(mode(jax.grad(lambda s: kj.entropy(s, **options).sum()))(a), p.entropy_gradient(), atol=1e-11 * size)
        pushed = mode(lambda s, r: jax.jvp(lambda t: kj.marginals(t, **options), (s,), (r,))[1])(a, direction)
        pulled = mode(lambda s, r: jax.vjp(lambda t: kj.marginals(t, **options), s)[1](r)[0])(a, direction)
        for ours in (pushed, pulled):
            close(ours, p.marginals_along(direction), atol=1e-11)
    assert {"log_partition", "marginals", "entropy", "derivatives"} == {name for wanted in kernels for name in wanted}


@pytest.mark.parametrize("root", ROOTS)
def test_jax_checks_derivatives(root):
    x, lengths = batch(3, graphs=2)
    heads = TreeDistribution(x, root=root, lengths=lengths).argmax().heads
    for f in (kj.log_partition, kj.marginals, kj.entropy, lambda s, **o: kj.log_prob(s, heads, **o)):
        check_grads(lambda s: f(s, root=root, lengths=lengths), (jnp.asarray(x),), order=2, modes=["fwd", "rev"])


def test_vmap_and_compiled_loops(no_library):
    x, lengths = batch(5, graphs=4)
    p = TreeDistribution(x, root="multi", lengths=lengths)
    f = lambda s, n: kj.log_partition(s, root="multi", lengths=n)
    close(jax.jit(jax.vmap(f))(x, lengths), p.log_partition(), rtol=1e-13)
    close(jax.vmap(jax.grad(f))(x, lengths), p.marginals(), atol=1e-15)
    looped = jax.jit(lambda s, n: jax.lax.map(lambda t: f(*t), (s, n)))
    close(looped(jnp.asarray(x), jnp.asarray(lengths)), p.log_partition(), rtol=1e-13)
    empty = kj.log_partition(jnp.zeros((0, 4, 4)), root="single")
    assert empty.shape == (0,)


def x64(doubles):
    """Gives JAX doubles, or none, for a while; where that is said has moved."""
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(doubles)
    return jax.experimental.enable_x64(doubles)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_dtypes(no_library, dtype):
    """Results are rounded doubles, also where JAX has no doubles."""
    x, lengths = batch(5, graphs=3)
    options = {"root": "single", "lengths": lengths}
    single = np.asarray(jnp.asarray(x).astype(dtype), np.float64)
    p = TreeDistribution(single, **options)
    eps = 1e-14 if dtype == "float64" else float(jnp.finfo(dtype).eps)
    for doubles in (True,) if dtype == "float64" else (True, False):
        with x64(doubles):
            a = jnp.asarray(single.astype(np.float32) if dtype != "float64" else single).astype(dtype)
            for mode in (lambda f: f, jax.jit):
                for f, exact in [(kj.log_partition, p.log_partition()), (kj.marginals, p.marginals()),
                                 (kj.entropy, p.entropy())]:
                    value = mode(lambda s: f(s, **options))(a)
                    assert value.dtype == dtype
                    rounded = exact.astype(jnp.dtype(dtype)).astype(float)
                    close(np.asarray(value, np.float64), rounded, rtol=eps, atol=eps * 1e-5)
                gradient = mode(jax.grad(lambda s: kj.entropy(s, **options).sum()))(a)
                assert gradient.dtype == dtype
                close(np.asarray(gradient, np.float64), p.entropy_gradient(), rtol=8 * eps, atol=4 * eps)


def test_errors(kernels):
    """Outside jit they are the library's; inside, JAX wraps them."""
    x, lengths = batch(5, graphs=3)
    for value, kind, why in [(-np.inf, kirchhoff.Infeasible, "graph 1: .*tree"), (np.nan, ValueError, "graph 1: .*NaN")]:
        bad = x.copy()
        bad[1, :, 1] = value
        with pytest.raises(ValueError) as expected:
            TreeDistribution(bad, root="single", lengths=lengths)
        for f in (kj.log_partition, kj.entropy, jax.grad(lambda s, **o: kj.entropy(s, **o).sum())):
            with pytest.raises(kind) as found:
                f(jnp.asarray(bad), root="single", lengths=lengths)
            assert str(found.value) == str(expected.value)
            with pytest.raises(Exception, match=why):
                jax.block_until_ready(jax.jit(lambda s: f(s, root="single", lengths=lengths))(jnp.asarray(bad)))
    assert kernels
    large = x.copy()
    large[1, 0, 1] = 1e10  # for the library, which can be asked outside jit
    close(kj.log_partition(jnp.asarray(large), root="multi"), TreeDistribution(large, root="multi").log_partition())
    with pytest.raises(Exception, match="graph 1: .*1e9"):
        jax.block_until_ready(jax.jit(lambda s: kj.log_partition(s, root="multi"))(jnp.asarray(large)))


def test_a_package_without_handlers(monkeypatch):
    monkeypatch.setattr(_jax_kernels, "_HANDLERS", {})
    assert not _jax_kernels.has_kernels("cpu") and not _jax_kernels.has_kernels("cuda")
    x, lengths = batch(4, graphs=3)
    p = TreeDistribution(x, root="single", lengths=lengths)
    close(jax.jit(lambda s: kj.log_partition(s, root="single", lengths=lengths))(x), p.log_partition(), rtol=0)
