"""The gradients of kirchhoff.jax pass JAX's own checks, under jit and vmap."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import kirchhoff  # noqa: E402
import kirchhoff.jax as kj  # noqa: E402

ROOTS = ("single", "multi")


@pytest.fixture
def scores():
    return jnp.asarray(np.random.default_rng(3).normal(size=(2, 4, 4)))


@pytest.mark.parametrize("root", ROOTS)
def test_derivatives(scores, root):
    lengths = jnp.array([3, 2])
    check_grads(lambda s: kj.log_partition(s, root=root, lengths=lengths), (scores,), order=2, modes=["rev"])
    for f in (kj.marginals, kj.entropy):
        check_grads(lambda s: f(s, root=root, lengths=lengths), (scores,), order=1, modes=["rev"])


def test_values_under_transformations(scores):
    p = kirchhoff.TreeDistribution(np.asarray(scores), root="single")
    log_z = lambda s: kj.log_partition(s, root="single")
    np.testing.assert_allclose(jax.jit(log_z)(scores), p.log_partition(), rtol=1e-12)
    np.testing.assert_allclose(jax.vmap(log_z)(scores), p.log_partition(), rtol=1e-12)
    best = p.argmax()
    np.testing.assert_allclose(kj.log_prob(scores, jnp.asarray(best.heads), root="single"), best.log_prob, rtol=1e-12)
