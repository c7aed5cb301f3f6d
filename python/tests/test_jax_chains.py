"""The functions of chains in kirchhoff.jax: values against the library's, derivatives against JAX's own recursion."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import kirchhoff  # noqa: E402
import kirchhoff.jax as kj  # noqa: E402

LENGTHS = np.array([4, 2])
TAGS = np.array([[0, 2, 1, 1], [1, 2, 0, 0]])


@pytest.fixture(autouse=True)
def doubles():
    """Everywhere: what JAX's context manager says is said to one thread, and XLA may call back from another."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture
def scores():
    rng = np.random.default_rng(3)
    return rng.normal(size=(2, 4, 3)), rng.normal(size=(2, 3, 3, 3))


def log_partition(emissions, transitions):
    """The forward algorithm of one batch without padding, as JAX differentiates it."""
    row = emissions[:, 0]
    for t in range(1, emissions.shape[1]):
        row = jax.nn.logsumexp(row[:, :, None] + transitions[:, t - 1], axis=1) + emissions[:, t]
    return jax.nn.logsumexp(row, axis=1)


def test_values(scores):
    p = kirchhoff.ChainDistribution(*scores, lengths=LENGTHS)
    for wrap in (lambda f: f, jax.jit):
        np.testing.assert_array_equal(wrap(lambda *s: kj.chain_log_partition(*s, lengths=LENGTHS))(*scores),
                                      p.log_partition())
        for actual, expected in zip(wrap(lambda *s: kj.chain_marginals(*s, lengths=LENGTHS))(*scores), p.marginals()):
            np.testing.assert_array_equal(actual, expected)
        np.testing.assert_array_equal(wrap(lambda *s: kj.chain_entropy(*s, lengths=LENGTHS))(*scores), p.entropy())
        np.testing.assert_allclose(wrap(lambda *s: kj.chain_log_prob(*s, TAGS, lengths=LENGTHS))(*scores),
                                   p.log_prob(TAGS))
    assert np.isnan(kj.chain_log_prob(*scores, TAGS + 3)).all()


def test_against_the_recursion(scores):
    own = jax.jit(kj.chain_log_partition)
    np.testing.assert_allclose(own(*scores), log_partition(*scores))

    def third(f):
        def along(e, t):
            return jax.grad(lambda x: (jax.grad(lambda y: f(y, t).sum())(x) ** 2).sum())(e)
        return jax.jacrev(along, argnums=1)(*scores)

    for actual, expected in zip(jax.grad(lambda *s: own(*s).sum(), (0, 1))(*scores),
                                jax.grad(lambda *s: log_partition(*s).sum(), (0, 1))(*scores)):
        np.testing.assert_allclose(actual, expected, atol=1e-12)
    for derivative in (jax.hessian, lambda f: jax.jacrev(jax.jacfwd(f)), lambda f: jax.jacrev(jax.jacrev(f))):
        np.testing.assert_allclose(derivative(lambda t: own(scores[0], t).sum())(scores[1]),
                                   jax.hessian(lambda t: log_partition(scores[0], t).sum())(scores[1]), atol=1e-12)
    np.testing.assert_allclose(third(kj.chain_log_partition), third(log_partition), atol=1e-12)


@pytest.mark.parametrize("function", [
    lambda *s: kj.chain_marginals(*s, lengths=LENGTHS), lambda *s: kj.chain_entropy(*s, lengths=LENGTHS),
    lambda *s: kj.chain_log_prob(*s, TAGS, lengths=LENGTHS)], ids=["marginals", "entropy", "log_prob"])
def test_two_derivatives(function, scores):
    check_grads(function, scores, order=2, atol=1e-6, rtol=1e-6)


def test_vmap_and_shared_transitions(scores):
    emissions, matrix = scores[0], scores[1][0, 0]
    together = kj.chain_log_partition(emissions, matrix)
    np.testing.assert_array_equal(jax.vmap(kj.chain_log_partition, (0, None))(emissions, matrix), together)
    full = np.broadcast_to(matrix, (2, 3, 3, 3))
    gradient = jax.grad(lambda m: kj.chain_log_partition(emissions, m).sum())(matrix)
    expected = jax.grad(lambda m: kj.chain_log_partition(emissions, m).sum())(jnp.asarray(full))
    np.testing.assert_allclose(gradient, expected.sum((0, 1)), atol=1e-12)


def test_wrong_arguments():
    zeros = jnp.zeros((3, 2)), jnp.zeros((2, 2))
    for call, words in [(lambda: kj.chain_log_partition(zeros[0], jnp.zeros((3, 3))), "transitions: shape"),
                        (lambda: kj.chain_log_partition(jnp.zeros(3), zeros[1]), "emissions: shape"),
                        (lambda: kj.chain_log_partition(*zeros, lengths=4), "lengths"),
                        (lambda: kj.chain_log_prob(*zeros, jnp.zeros(3)), "tags: dtype"),
                        (lambda: kj.chain_log_prob(*zeros, jnp.zeros(2, int)), "tags: shape")]:
        with pytest.raises(ValueError, match=words):
            call()

    def fourth(e):
        f = lambda x: kj.chain_log_partition(x, zeros[1])  # noqa: E731
        for _ in range(4):
            f = (lambda g: lambda x: (jax.grad(g)(x) ** 2).sum())(f)
        return f(e)

    with pytest.raises(NotImplementedError, match="one more"):
        fourth(zeros[0])
