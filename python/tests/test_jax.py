"""The derivatives of kirchhoff.jax are those of sums over all trees, in both modes, under jit and vmap."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import kirchhoff  # noqa: E402
import kirchhoff._jax_primitives  # noqa: E402
import kirchhoff.jax as kj  # noqa: E402
from enumeration import cumulants, incidence  # noqa: E402

ROOTS = ("single", "multi")
LENGTHS = [3, 2]
HEADS = np.array([[-1, 2, 0, 2], [-1, 0, 1, -1]])
LABELS = np.array([[-1, 1, 0, 1], [-1, 0, 1, -1]])


def scores_of(*shape, seed=3):
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape))


def oracle(name, root, labels):
    """The function as a sum over all trees, graph by graph."""
    tables = [jnp.asarray(incidence(4, n, root, labels)) for n in LENGTHS]

    def one(i, t, x):
        total = (t * x[i]).reshape(len(t), -1).sum(1)
        log_p = jax.nn.log_softmax(total)
        if name == "log_prob":
            gold = np.zeros(t.shape[1:])
            for d in range(1, LENGTHS[i] + 1):
                gold[(HEADS[i, d], d) + ((LABELS[i, d],) if labels else ())] = 1.0
            return log_p[int((np.asarray(t) * gold).reshape(len(t), -1).sum(1).argmax())]
        return {"log_partition": jax.nn.logsumexp(total), "entropy": -(jnp.exp(log_p) * log_p).sum(),
                "marginals": jnp.tensordot(jnp.exp(log_p), t, 1)}[name]

    return lambda x: jnp.stack([one(i, t, x) for i, t in enumerate(tables)])


def ours(name, root, labels):
    if name == "log_prob":
        return lambda x: kj.log_prob(x, HEADS, LABELS if labels else None, root=root, lengths=LENGTHS)
    return lambda x: getattr(kj, name)(x, root=root, lengths=LENGTHS, labelled=bool(labels))


def same(a, b, **options):
    np.testing.assert_allclose(a, b, **{"rtol": 1e-9, "atol": 1e-10, **options})


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("name, labels", [("log_partition", None), ("marginals", None), ("entropy", None),
                                          ("log_prob", None), ("entropy", 2), ("log_prob", 2)])
def test_every_mode_is_that_of_all_trees(name, labels, root):
    x = scores_of(*((2, 4, 4) + ((labels,) if labels else ())))
    f, g = ours(name, root, labels), oracle(name, root, labels)
    same(f(x), g(x))
    same(jax.jit(f)(x), g(x))
    same(jax.jacrev(f)(x), jax.jacrev(g)(x))
    same(jax.jacfwd(f)(x), jax.jacrev(g)(x))
    weights = scores_of(*g(x).shape, seed=5)
    number, exact = (lambda s, h=h: (h(s) * weights).sum() for h in (f, g))
    second = jax.jit(jax.hessian(exact))(x)
    assert jnp.abs(second).max() > 1e-3
    for mode in (jax.hessian, lambda h: jax.jacrev(jax.jacrev(h)), lambda h: jax.jacfwd(jax.jacfwd(h))):
        same(jax.jit(mode(number))(x), second)
    same(jax.hessian(number)(x), second)


@pytest.mark.parametrize("root", ROOTS)
def test_jax_checks_derivatives(root):
    x = scores_of(2, 4, 4)
    for name in ("log_partition", "log_prob", "marginals", "entropy"):
        check_grads(ours(name, root, None), (x,), order=2, modes=["fwd", "rev"])


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("size", [1.0, 60.0])
def test_against_long_doubles(root, size):
    rng = np.random.default_rng(int(size))
    x, r, s = rng.normal(size=(5, 5)) * size, rng.normal(size=(5, 5)), rng.normal(size=(5, 5))
    log_z, marginals, along, third = cumulants(x, root, r, s)
    f = lambda y: kj.log_partition(y, root=root)
    along_r = lambda y: jax.jvp(jax.grad(f), (y,), (jnp.asarray(r),))[1]
    assert float(f(x)) == pytest.approx(float(log_z), rel=1e-14)
    same(jax.grad(f)(x), marginals.astype(float), atol=1e-11)
    same(along_r(jnp.asarray(x)), along.astype(float), atol=1e-11)
    same(jax.jvp(along_r, (jnp.asarray(x),), (jnp.asarray(s),))[1], third.astype(float), atol=1e-11)


@pytest.mark.parametrize("root", ROOTS)
def test_vmap_with_and_without_axes(root):
    x, lengths = scores_of(3, 4, 4), jnp.array([3, 2, 1])
    f = lambda s, n: kj.log_partition(s, root=root, lengths=n)
    expected = kirchhoff.TreeDistribution(np.asarray(x), root=root, lengths=np.asarray(lengths))
    each = lambda n: kirchhoff.TreeDistribution(np.asarray(x), root=root, lengths=n)
    same(jax.vmap(f)(x, lengths), expected.log_partition())
    same(jax.jit(jax.vmap(f))(x, lengths), expected.log_partition())
    same(jax.vmap(f, (0, None))(x, 2), each(2).log_partition())
    same(jax.vmap(f, (0, None))(x, jnp.array(2)), each(2).log_partition())
    same(jax.vmap(f, (None, 0))(x[0], lengths), [each(n).log_partition()[0] for n in (3, 2, 1)])
    same(jax.vmap(f, (2, None))(jnp.moveaxis(x, 0, 2), None), each(3).log_partition())
    gradient = jax.grad(f)
    same(jax.vmap(gradient, (None, 0))(x[0], lengths), [each(n).marginals()[0] for n in (3, 2, 1)])
    same(jax.vmap(gradient, (0, None))(x, 2), each(2).marginals())
    _, pull = jax.vjp(lambda s: kj.marginals(s, root=root), x[0])
    cotangents = scores_of(5, 4, 4, seed=4)
    same(jax.vmap(pull)(cotangents)[0], [each(3).marginals_along(np.asarray(c))[0] for c in cotangents])
    _, push = jax.linearize(lambda s: kj.entropy(s, root=root), x)
    directions = scores_of(5, 3, 4, 4, seed=6)
    same(jax.vmap(push)(directions), (each(3).entropy_gradient() * directions).sum((-2, -1)))
    same(jax.vmap(jax.vmap(f, (None, 0)), (0, None))(x, lengths).T, [each(n).log_partition() for n in (3, 2, 1)])
    heads = jnp.asarray(expected.argmax().heads)
    log_prob = lambda s, h, n: kj.log_prob(s, h, root=root, lengths=n)
    same(jax.vmap(log_prob)(x, heads, lengths), expected.argmax().log_prob)
    same(jax.jit(jax.vmap(log_prob, (None, 0, 0)))(x[0], heads, lengths),
         [each(n).log_prob(np.asarray(h))[0] for h, n in zip(heads, (3, 2, 1))])


def test_a_value_and_its_gradient_solve_once(monkeypatch):
    made = []

    class Counted(kirchhoff.TreeDistribution):
        __slots__ = ()

        def __init__(self, scores, **options):
            made.append(np.shape(scores))
            super().__init__(scores, **options)

    monkeypatch.setattr(kirchhoff._jax_primitives, "TreeDistribution", Counted)
    x = scores_of(5, 5)
    heads = np.array([-1, 0, 1, 1, 1])
    for f in (kj.log_partition, kj.entropy, lambda s, root: kj.log_prob(s, heads, root=root)):
        for both in (jax.value_and_grad(lambda s: f(s, root="single")),
                     jax.jit(jax.value_and_grad(lambda s: f(s, root="single")))):
            made.clear()
            jax.block_until_ready(both(x))
            assert made == [(5, 5)]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_dtypes(dtype):
    x = scores_of(2, 4, 4).astype(dtype)
    p = kirchhoff.TreeDistribution(np.asarray(x, np.float64), root="single", lengths=LENGTHS)
    for f, numpy in [(kj.log_partition, p.log_partition()), (kj.marginals, p.marginals()), (kj.entropy, p.entropy())]:
        for value in (f(x, root="single", lengths=LENGTHS), jax.jit(lambda s: f(s, root="single", lengths=LENGTHS))(x)):
            assert value.dtype == dtype
            np.testing.assert_array_equal(value, np.asarray(numpy).astype(jnp.dtype(dtype)))
    gradient = jax.grad(lambda s: kj.log_partition(s, root="single", lengths=LENGTHS).sum())(x)
    assert gradient.dtype == dtype
    np.testing.assert_array_equal(gradient, p.marginals().astype(jnp.dtype(dtype)))
    integers = jnp.array([[0, 2, 1], [0, 0, 3], [0, 1, 0]])
    value = kj.log_partition(integers, root="multi")
    assert value.dtype == jnp.float64
    same(value, kirchhoff.TreeDistribution(np.asarray(integers), root="multi").log_partition())


def test_impossible_arcs():
    x = scores_of(4, 4).at[2, 3].set(-jnp.inf)
    for f in (kj.log_partition, kj.entropy):
        second = jax.hessian(lambda s: f(s, root="single"))(x)
        assert bool(jnp.isfinite(second).all()) and not second[2, 3].any()
        shifted = jax.hessian(lambda s: f(s, root="single"))(x.at[:, 1].add(700.0))
        same(second, shifted)
    assert kj.log_prob(x, [-1, 0, 1, 2], root="single") == -jnp.inf


@pytest.mark.parametrize("arguments, match", [
    ({"root": "one"}, "root"), ({"scores": jnp.zeros((3, 4))}, "shape"), ({"scores": jnp.zeros((3, 3, 2))}, "labelled=True"),
    ({"scores": jnp.zeros((3, 3), complex)}, "dtype"), ({"lengths": 2.5}, "lengths"), ({"lengths": 9}, "lengths"),
    ({"lengths": [1, 2]}, "lengths"),
])
def test_static_errors_come_when_tracing(arguments, match):
    given = {"scores": jnp.zeros((3, 3)), "root": "single", "lengths": None, **arguments}
    f = lambda s: kj.log_partition(s, root=given["root"], lengths=given["lengths"])
    for call in (f, jax.jit(f), jax.grad(f), lambda s: jax.eval_shape(f, s)):
        with pytest.raises(ValueError, match=match) as error:
            call(given["scores"])
        assert len(str(error.value).splitlines()) == 1


def test_errors_of_values():
    zeros = jnp.zeros((3, 3))
    with pytest.raises(kirchhoff.Infeasible):  # outside jit they arrive as they are
        kj.log_partition(jnp.full((3, 3), -jnp.inf), root="single")
    with pytest.raises(kirchhoff.Infeasible):
        jax.grad(lambda s: kj.entropy(s, root="single"))(jnp.full((3, 3), -jnp.inf))
    for heads, why in [([-1, 2, 1], "cycle"), ([-1, 0, 0], "root"), ([-1, -1, 0], "head")]:
        with pytest.raises(ValueError, match=why):
            kj.log_prob(zeros, jnp.array(heads), root="single")
        with pytest.raises(ValueError, match=why):  # known while tracing
            jax.jit(lambda s: kj.log_prob(s, np.array(heads), root="single"))(zeros)
        with pytest.raises(Exception, match=why):
            jax.block_until_ready(jax.jit(lambda s, h: kj.log_prob(s, h, root="single"))(zeros, jnp.array(heads)))
    with pytest.raises(ValueError, match="heads"):
        kj.log_prob(zeros, jnp.array([-1.0, 0.0, 1.0]), root="single")
    with pytest.raises(ValueError, match="labels"):
        kj.log_prob(jnp.zeros((3, 3, 2)), [-1, 0, 1], [0, 0, 2], root="single")


def test_one_derivative_too_many_is_an_error():
    third = jax.grad(lambda s: jax.grad(lambda t: jax.grad(lambda u: kj.log_partition(u, root="multi"))(t)[0, 1])(s)[0, 1])
    with pytest.raises(NotImplementedError, match="three derivatives"):
        jax.grad(lambda s: third(s)[0, 1])(jnp.zeros((3, 3)))
    with pytest.raises(NotImplementedError, match="three derivatives"):
        jax.grad(lambda s: jax.hessian(lambda t: kj.entropy(t, root="multi"))(s)[0, 1, 0, 1])(jnp.zeros((3, 3)))
