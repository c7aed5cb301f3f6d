"""Trees that kirchhoff.jax finds are those of TreeDistribution: by the library and by kernels, outside and inside jit."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402

import kirchhoff  # noqa: E402
import kirchhoff.jax as kj  # noqa: E402
from random_graphs import batch, close  # noqa: E402
from kirchhoff import TreeDistribution, _core, _device_arrays, _jax_trees  # noqa: E402

HAS_DEVICE = _core.cuda_available() and any(d.platform == "gpu" for d in jax.devices())
PLACES = ["library"] + (["kernels"] if _core.xla_handlers() else []) + (["gpu"] if HAS_DEVICE else [])


@pytest.fixture(params=PLACES, autouse=True)
def place(request, monkeypatch):
    monkeypatch.setattr(_device_arrays, "kernels_on_host", request.param == "kernels")
    with jax.default_device(jax.devices("gpu" if request.param == "gpu" else "cpu")[0]):
        yield request.param


@pytest.fixture
def no_library(place, monkeypatch):
    """Lets nobody ask the library for trees, where there are kernels."""
    def fails(*_, **__):
        raise AssertionError("this was for the kernels")

    if place != "library":
        monkeypatch.setattr(_jax_trees, "TreeDistribution", fails)


def same(ours, exact, dtype=jnp.float64):
    assert ours.heads.dtype == jnp.int32 and ours.log_prob.dtype == dtype
    assert np.array_equal(ours.heads, exact.heads) and (ours.labels is None) == (exact.labels is None)
    assert ours.labels is None or np.array_equal(ours.labels, exact.labels)
    close(ours.log_prob, exact.log_prob, atol=1e-12 if dtype == jnp.float64 else 1e-5)


@pytest.mark.parametrize("labels", [None, 3])
@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("dtype", [jnp.float64, jnp.float32])
def test_equal_to_a_distribution(no_library, root, labels, dtype):
    x, lengths = batch(7, labels=labels, graphs=6)
    x[1, 2, 3] = -np.inf
    x, lengths = np.float32(x).reshape((2, 3) + x.shape[1:]), np.asarray(lengths).reshape(2, 3)
    options = {"root": root, "lengths": lengths, "labelled": labels is not None}
    p, a = TreeDistribution(x, **options), jnp.asarray(x, dtype)
    walk = "wilson" if root == "multi" else "wilson_marginal"
    for mode in (lambda f: f, jax.jit):
        same(mode(lambda s: kj.argmax(s, **options))(a), p.argmax(), dtype)
        same(mode(lambda s: kj.mbr(s, **options))(a), p.mbr(), dtype)
        for shape, seed in (((), 0), ((2, 3), 2**64 - 1), (0, 0)):
            ours = mode(lambda s: kj.sample(s, shape, seed=seed, method=walk, **options))(a)
            same(ours, p.sample(shape, seed=seed, method=walk), dtype)


def test_vmap_and_gradients(no_library):
    x, _ = batch(5, graphs=4)
    p = TreeDistribution(x, root="single")
    found = jax.vmap(lambda s: kj.argmax(s, root="single"))(jnp.asarray(x))
    same(found, p.argmax())
    drawn = jax.jit(jax.vmap(lambda s: kj.sample(s, 3, root="single", seed=1, method="wilson_marginal")))(jnp.asarray(x))
    same(drawn, p.sample(3, seed=1, method="wilson_marginal"))
    # The gradient of log p of a tree that is held fixed: its arcs less the marginals.
    gradient = jax.jit(jax.grad(lambda s: kj.argmax(s, root="single").log_prob.sum()))(jnp.asarray(x))
    arcs = np.zeros_like(x)
    for g, heads in enumerate(p.argmax().heads):
        arcs[g, heads[1:], np.arange(1, 6)] = 1.0
    close(gradient, arcs - p.marginals(), atol=1e-12)
    score = jax.grad(lambda s: kj.sample(s, 100, root="single").log_prob.mean())(jnp.asarray(x))
    assert np.isfinite(score).all() and abs(np.asarray(score)[:, :, 1:].sum((1, 2))).max() < 1e-10


def test_errors_say_what_is_wrong():
    x, _ = batch(4, graphs=3)
    with pytest.raises(ValueError, match="root"):
        kj.sample(x, root="single", method="wilson")
    with pytest.raises(ValueError, match="negative"):
        kj.sample(x, -1, root="single")
    x[1, :, 2] = -np.inf
    for find in (kj.argmax, kj.mbr, kj.sample):
        with pytest.raises(kirchhoff.Infeasible, match="graph 1"):
            find(jnp.asarray(x), root="single")
        with pytest.raises(Exception, match="graph 1"):
            jax.block_until_ready(jax.jit(lambda s: find(s, root="single").heads)(jnp.asarray(x)))


def test_sampling_by_keys():
    rng = np.random.default_rng(5)
    scores = jax.numpy.asarray(rng.normal(size=(4, 4)))
    p = kirchhoff.TreeDistribution(np.asarray(scores), root="single")
    draw = jax.jit(lambda key, x: kj.sample(x, 400, root="single", seed=key))
    one, same, other = (draw(jax.random.key(k), scores) for k in (0, 0, 1))
    assert (one.heads == same.heads).all() and (one.heads != other.heads).any()
    np.testing.assert_allclose(one.log_prob, p.log_prob(np.asarray(one.heads)), rtol=1e-11)
    assert abs(float((one.heads[:, 1] == 0).mean()) - p.marginals()[0, 1]) < 0.1
    number = kj.sample(scores, 3, root="single", seed=jax.numpy.asarray(7))
    assert (np.asarray(number.heads) == p.sample(3, seed=7).heads).all()
    assert (draw(jax.random.PRNGKey(0), scores).heads == one.heads).all()  # a raw key is the same key
    keys = jax.random.split(jax.random.key(2), 5)
    rows = jax.vmap(lambda key: kj.sample(scores, 10, root="single", seed=key).heads)(keys)
    assert rows.shape == (5, 10, 4) and (rows[0] != rows[1]).any()
    raw = jax.vmap(lambda key: kj.sample(scores, 10, root="single", seed=key).heads)(jax.random.key_data(keys))
    assert (raw == rows).all()
    labelled = jax.numpy.asarray(rng.normal(size=(2, 3, 3, 2)))
    found = jax.jit(lambda k: kj.sample(labelled, (2,), root="multi", seed=k, labelled=True, lengths=[2, 1]))(keys[0])
    assert found.labels.shape == (2, 2, 3)
    fresh = [kj.sample(scores, 50, root="single", seed=None).heads for _ in range(2)]
    assert (fresh[0] != fresh[1]).any()
    with pytest.raises(ValueError, match="seed"):
        kj.sample(scores, root="single", seed=jax.numpy.zeros(2))
    k_best = jax.jit(lambda x: kj.k_best(x, 12, root="single"))(scores)
    exact = p.k_best(12)  # there are nine trees
    np.testing.assert_array_equal(k_best.heads, exact.heads)
    np.testing.assert_allclose(k_best.log_prob, exact.log_prob, rtol=1e-11)
