"""Every entry of the table of verbs, in both frameworks: values are those of the NumPy classes, derivatives differences.

A value is compared with the method of the distribution that the scores belong to, and its gradient, and the gradient
of that, with central differences along random directions.
"""

import numpy as np
import pytest

from kirchhoff import _verbs
from verb_cases import CASES, LENGTHS, TABLE, Jax, Torch


@pytest.fixture(params=[Torch, Jax], ids=["torch", "jax"])
def framework(request):
    return request.param()


def function_of(module, structure, verb):
    found = module
    for part in _verbs.name_of(structure, verb).split("."):
        found = getattr(found, part)
    return found


def number_of(answer, weights):
    return sum((a * w).sum() for a, w in zip(_verbs.parts_of(answer), weights))


@pytest.mark.parametrize("case, verb", TABLE, ids=[f"{case}-{verb}" for case, verb in TABLE])
def test_an_entry(framework, case, verb):
    made, rng = CASES[case], np.random.default_rng(1)
    function = function_of(framework.module, made.structure, verb)
    two = _verbs.VERBS[verb].distributions == 2
    x = made.scores(rng) + (made.scores(rng) if two else ())
    f = made.functions(rng)
    parts = len(x) // (1 + two)
    p, q = (made.distribution(s) if s else None for s in (x[:parts], x[parts:]))
    exact = _verbs.parts_of(made.exact(verb, p, q, f))
    arrays, given = tuple(map(framework.array, x)), tuple(map(framework.array, f))
    found = _verbs.parts_of(made.call(function, verb, arrays, given))
    for a, b in zip(found, exact, strict=True):
        np.testing.assert_allclose(framework.numpy(a), b, rtol=1e-11, atol=1e-13)
    weights = [rng.normal(size=np.shape(b)) for b in exact]
    tensors = [framework.array(w) for w in weights]

    def number(*scores):
        return number_of(made.call(function, verb, scores, given), tensors)

    def exactly(*scores):
        answer = made.call(function, verb, tuple(map(framework.array, scores)), given)
        return float(number_of(tuple(map(framework.numpy, _verbs.parts_of(answer))), weights))

    def slopes(*scores):
        return [framework.numpy(g) for g in framework.gradient(number, tuple(map(framework.array, scores)))]

    r, s = (made.scores(rng) + (made.scores(rng) if two else ()) for _ in range(2))
    moved = lambda h: [a + h * d for a, d in zip(x, r)]
    dot = lambda gradients, d: sum(float((g * e).sum()) for g, e in zip(gradients, d))
    h = 1e-4
    assert dot(slopes(*x), r) == pytest.approx((exactly(*moved(h)) - exactly(*moved(-h))) / (2 * h), rel=1e-6, abs=1e-7)
    if _verbs.VERBS[verb].derivatives == 1:
        return
    second = [framework.numpy(g) for g in framework.twice(number, arrays, tuple(map(framework.array, r)))]
    expected = (dot(slopes(*moved(h)), s) - dot(slopes(*moved(-h)), s)) / (2 * h)
    assert dot(second, s) == pytest.approx(expected, rel=1e-6, abs=1e-7)


def test_the_modules_have_no_more_and_no_less(framework):
    """What the table names is public, and what is public and of a structure is in the table or is said here."""
    others = {"TreeCRF", "chain_distribution", "segment_distribution", "distribution", "expected_value", "factor_graph",
              "from_supar", "from_torch_struct", "imle_trees", "lp_sparsemap", "partial_log_prob", "relaxed_trees",
              "sparsemap", "wfsm"}
    others |= {_verbs.STRUCTURES[s].format(verb) for s in ("tree", "chain", "segment") for verb in _verbs.SEARCHES}
    named = {_verbs.name_of(s, v) for s in _verbs.STRUCTURES for v in _verbs.VERBS} - {None}
    public = set(framework.module.__all__) | {f"wfsm.{name}" for name in framework.module.wfsm.__all__}
    assert named <= public and public - named <= others
    for (structure, verb), reason in _verbs.NONE.items():
        assert structure in _verbs.STRUCTURES and verb in _verbs.VERBS and reason


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("verb", ["kl", "cross_entropy"])
def test_an_infinite_value_has_no_gradient(framework, case, verb):
    made, rng = CASES[case], np.random.default_rng(2)
    x, y = made.scores(rng), made.scores(rng)
    y[0][(0, 0, 1) if y[0].ndim > 2 else (0, 0)] = -np.inf
    function = function_of(framework.module, made.structure, verb)
    arrays = tuple(map(framework.array, x + y))
    found = framework.numpy(made.call(function, verb, arrays, ()))
    assert found[0] == np.inf and np.isfinite(found[1])
    with pytest.raises(ValueError):
        framework.gradient(lambda *s: made.call(function, verb, s, ()).sum(), arrays)


@pytest.mark.parametrize("case", CASES)
def test_forbidden_parts_have_no_derivative(framework, case):
    """Where p and q forbid the same, all is finite, and derivatives by what is forbidden are 0."""
    made, rng = CASES[case], np.random.default_rng(3)
    x, y = made.scores(rng), made.scores(rng)
    at = (0, 0, 1) if x[0].ndim > 2 else (0, 0)
    x[0][at] = y[0][at] = -np.inf
    for verb in ("log_partition", "entropy", "renyi", "kl", "cross_entropy"):
        two = _verbs.VERBS[verb].distributions == 2
        given = tuple(map(framework.array, x + y if two else x))
        number = lambda *s: made.call(function_of(framework.module, made.structure, verb), verb, s, ()).sum()
        first = [framework.numpy(g) for g in framework.gradient(number, given)]
        directions = tuple(framework.array(rng.normal(size=np.shape(s))) for s in given)
        second = [framework.numpy(g) for g in framework.twice(number, given, directions)]
        for gradients in (first, second):
            assert all(np.isfinite(g).all() for g in gradients), verb
            assert not np.any(gradients[0][at]), verb


@pytest.mark.parametrize("case", ["tree", "chain", "segment"])
@pytest.mark.parametrize("verb", _verbs.SEARCHES)
def test_what_jax_finds_is_what_the_distribution_finds(case, verb):
    """Outside jit, inside, and under vmap; log_prob has the gradient of a structure that is held fixed."""
    framework = Jax()
    jax, made, rng = framework.jax, CASES[case], np.random.default_rng(4)
    function = getattr(framework.module, _verbs.STRUCTURES[case].format(verb))
    scores = made.scores(rng)
    p = made.distribution(scores)
    more = {"sample": {"shape": (2, 3), "seed": 5}, "k_best": {"k": 2}}.get(verb, {})
    exact = getattr(p, verb)(**more)
    options = made.options if case == "tree" else {"lengths": LENGTHS}
    arrays = tuple(map(jax.numpy.asarray, scores))
    ask = lambda *s: function(*s, **more, **options)
    def check(found, wanted):
        for a, b in zip(found, wanted):
            if a is not None:
                np.testing.assert_allclose(np.asarray(a, np.float64), np.asarray(b, np.float64), rtol=1e-12, atol=1e-13)
    if verb == "sample":
        assert function(*arrays, (0, 2), **options).log_prob.shape == (2, 0, 2)
    check(ask(*arrays), exact)
    check(jax.jit(ask)(*arrays), exact)
    lengths = jax.numpy.asarray(LENGTHS)
    fixed = {"root": "single"} if case == "tree" else {}
    each = lambda n, *s: function(*s, **more, **fixed, lengths=n)
    check(jax.jit(jax.vmap(each))(lengths, *arrays), exact)
    slope = jax.grad(lambda *s: ask(*s).log_prob.sum(), argnums=tuple(range(len(arrays))))(*arrays)
    direction = [rng.normal(size=s.shape) for s in scores]
    h = 1e-5
    of = [(np.asarray(exact.tags), np.asarray(exact.starts)) if case == "segment" else (np.asarray(exact[0]),)][0]

    def total(t):
        q = made.distribution(tuple(s + t * d for s, d in zip(scores, direction)))
        return float(np.sum(q.log_prob(*of)))

    found = sum(float((np.asarray(g) * d).sum()) for g, d in zip(slope, direction))
    assert found == pytest.approx((total(h) - total(-h)) / (2 * h), rel=1e-6, abs=1e-7)
