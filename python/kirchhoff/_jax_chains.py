"""Linear chains for JAX: primitives of log Z and the entropy, with rules for jit, vmap, forward and reverse mode.

The operands are emissions (..., length, tags), transitions (..., length-1, tags, tags), lengths (...) and, for
derivatives, directions, each a pair of arrays of the scores' shapes. A primitive calls the library on the CPU: outside
jit directly, so that errors arrive as they are; inside, by a callback.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ._arrays import lengths_of
from .chain import ChainDistribution


def _primitive(name: str, work, number: bool, tables: bool) -> Primitive:
    """Returns the primitive with the results work(p, *directions): a number for each chain, a pair of arrays, or both."""
    primitive = Primitive(f"kirchhoff_chain_{name}")
    primitive.multiple_results = True

    def evaluate(emissions, transitions, lengths, *directions):
        p = ChainDistribution(np.asarray(emissions, np.float64), np.asarray(transitions, np.float64),
                              lengths=np.asarray(lengths))
        arrays = [np.asarray(d, np.float64) for d in directions]
        return [np.asarray(r).astype(emissions.dtype) for r in work(p, *zip(arrays[::2], arrays[1::2]))]

    def types(emissions, transitions, *_):
        found = [jax.core.ShapedArray(emissions.shape[:-2], emissions.dtype)] if number else []
        if tables:
            found += [jax.core.ShapedArray(x.shape, emissions.dtype) for x in (emissions, transitions)]
        return found

    def lowered(*operands):
        out = [jax.ShapeDtypeStruct(t.shape, t.dtype) for t in types(*operands)]
        return jax.pure_callback(evaluate, out, *operands)

    def batched(operands, axes):
        size = next(x.shape[axis] for x, axis in zip(operands, axes) if axis is not None)
        moved = [jnp.broadcast_to(x, (size,) + x.shape) if axis is None else jnp.moveaxis(x, axis, 0)
                 for x, axis in zip(operands, axes)]
        found = primitive.bind(*moved)
        return found, [0] * len(found)

    primitive.def_impl(lambda *operands: [jnp.asarray(r) for r in evaluate(*operands)])
    primitive.def_abstract_eval(types)
    mlir.register_lowering(primitive, mlir.lower_fun(lowered, multiple_results=True))
    batching.primitive_batchers[primitive] = batched
    return primitive


log_partition_p = _primitive("log_partition", lambda p: (p.log_partition(),), True, False)
solve_p = _primitive("solve", lambda p: (p.log_partition(), *p.marginals()), True, True)
entropy_p = _primitive("entropy", lambda p: (p.entropy(),), True, False)
entropy_gradient_p = _primitive("entropy_gradient", lambda p: (p.entropy(), *p.entropy_gradient()), True, True)
along_p = _primitive("along", lambda p, r: p.marginals_along(r), False, True)
third_p = _primitive("third", lambda p, r, s: p.covariance_gradient(r, s), False, True)


def _is_zero(tangent) -> bool:
    return type(tangent) is ad.Zero


def _direction(primals, tangents):
    """Returns the tangents of the scores as arrays, or None if they do not move."""
    if all(map(_is_zero, tangents[:2])):
        return None
    return [jnp.zeros(x.shape, x.dtype) if _is_zero(t) else t for x, t in zip(primals[:2], tangents)]


def _dot(tables, direction):
    return sum((a * t).reshape(a.shape[:a.ndim - axes] + (-1,)).sum(-1)
               for a, t, axes in zip(tables, direction, (2, 3)))


def _zeros(outputs):
    return [ad.Zero.from_primal_value(x) for x in outputs]


def _value_jvp(primitive, with_gradient, primals, tangents):
    """The rule of a number whose value and gradient come from one solution."""
    t = _direction(primals, tangents)
    if t is None:
        out = primitive.bind(*primals)
        return out, _zeros(out)
    value, *gradient = with_gradient.bind(*primals)
    return [value], [_dot(gradient, t)]


def _solve_jvp(primals, tangents):
    out, t = solve_p.bind(*primals), _direction(primals, tangents)
    return out, _zeros(out) if t is None else [_dot(out[1:], t), *along_p.bind(*primals, *t)]


def _finite(scores):
    return [jnp.where(jnp.isinf(x), 0, x) for x in scores]


def _entropy_gradient_jvp(primals, tangents):
    """The gradient is -H(scores) scores, H the Hessian of log Z: it moves by -T(scores, t) - H t."""
    out, t = entropy_gradient_p.bind(*primals), _direction(primals, tangents)
    if t is None:
        return out, _zeros(out)
    turned, moved = third_p.bind(*primals, *_finite(primals[:2]), *t), along_p.bind(*primals, *t)
    return out, [_dot(out[1:], t), *(-a - b for a, b in zip(turned, moved))]


def _sum_of(terms):
    return [sum(parts[1:], parts[0]) for parts in zip(*terms)]


def _derivative_jvp(primitive, next_derivative, primals, tangents):
    """Derivatives of log Z are linear in each direction, and move by the next one with the scores."""
    out = primitive.bind(*primals)
    terms, t = [], _direction(primals, tangents)
    if t is not None:
        terms.append(next_derivative(*primals, *t))
    for at in range(3, len(primals), 2):
        moved = _direction(primals[at:], tangents[at:])
        if moved is not None:
            terms.append(primitive.bind(*primals[:at], *moved, *primals[at + 2:]))
    return out, _sum_of(terms) if terms else _zeros(out)


def _no_fourth(*_):
    raise NotImplementedError("kirchhoff.jax: chain_log_partition and chain_log_prob have three derivatives, all else "
                              "has two; this asks for one more")


def _derivative_transpose(primitive, cotangents, *operands):
    """Derivatives of log Z are symmetric: the cotangents take the place of the direction that is transposed."""
    at = next(a for a in range(3, len(operands), 2) if any(map(ad.is_undefined_primal, operands[a:a + 2])))
    result = [None] * len(operands)
    if not all(map(_is_zero, cotangents)):
        given = [jnp.zeros(x.aval.shape, x.aval.dtype) if _is_zero(x) else x for x in cotangents]
        found = primitive.bind(*operands[:at], *given, *operands[at + 2:])
        for i, x in zip((at, at + 1), found):
            result[i] = x if ad.is_undefined_primal(operands[i]) else None
    return result


ad.primitive_jvps[solve_p] = _solve_jvp
ad.primitive_jvps[log_partition_p] = partial(_value_jvp, log_partition_p, solve_p)
ad.primitive_jvps[entropy_p] = partial(_value_jvp, entropy_p, entropy_gradient_p)
ad.primitive_jvps[entropy_gradient_p] = _entropy_gradient_jvp
ad.primitive_jvps[along_p] = partial(_derivative_jvp, along_p, third_p.bind)
ad.primitive_jvps[third_p] = partial(_derivative_jvp, third_p, _no_fourth)
ad.primitive_transposes[along_p] = partial(_derivative_transpose, along_p)
ad.primitive_transposes[third_p] = partial(_derivative_transpose, third_p)


def _arguments(emissions, transitions, lengths):
    """Returns scores of one dtype, transitions for every position, and lengths; says what is wrong with the shapes."""
    emissions, transitions = jnp.asarray(emissions), jnp.asarray(transitions)
    dtype = jnp.result_type(emissions, transitions)
    dtype = jnp.result_type(float) if jnp.issubdtype(dtype, jnp.integer) else dtype
    if not jnp.issubdtype(dtype, jnp.floating):
        raise ValueError(f"scores: dtype {dtype} is not a real number type")
    if emissions.ndim < 2 or 0 in emissions.shape:
        raise ValueError(f"emissions: shape {emissions.shape} is not (..., length, tags) with at least one of each")
    full = ChainDistribution._spread(np.broadcast_to(0.0, transitions.shape), emissions.shape).shape
    if transitions.ndim in (2, emissions.ndim) and transitions.ndim != len(full):
        transitions = transitions[..., None, :, :]
    if lengths is None or not isinstance(lengths, jax.core.Tracer):
        lengths = lengths_of(emissions.shape[-2] if lengths is None else lengths, emissions.shape[:-2]).astype(np.int32)
    return emissions.astype(dtype), jnp.broadcast_to(transitions, full).astype(dtype), lengths


def chain_log_partition(emissions, transitions, *, lengths=None):
    """Returns log Z of each chain (...), with three derivatives, each in O(length tags^2).

    emissions are (..., length, tags) and transitions (..., length-1, tags, tags), or (tags, tags) for all positions, or
    (..., tags, tags); see ChainDistribution.

    >>> round(float(jnp.exp(kj.chain_log_partition(jnp.zeros((3, 2)), jnp.zeros((2, 2))))), 4)
    8.0
    """
    return log_partition_p.bind(*_arguments(emissions, transitions, lengths))[0]


def chain_marginals(emissions, transitions, *, lengths=None):
    """Returns the probabilities of tags and of pairs of tags, with two derivatives, in O(length tags^2).

    >>> kj.chain_marginals(jnp.zeros((3, 2)), jnp.zeros((2, 2)))[0][0].tolist()
    [0.5, 0.5]
    """
    return tuple(solve_p.bind(*_arguments(emissions, transitions, lengths))[1:])


def chain_entropy(emissions, transitions, *, lengths=None):
    """Returns the entropy in nats, (...), with two derivatives, in O(length tags^2).

    >>> round(float(jnp.exp(kj.chain_entropy(jnp.zeros((3, 2)), jnp.zeros((2, 2))))), 4)
    8.0
    """
    return entropy_p.bind(*_arguments(emissions, transitions, lengths))[0]


def chain_log_prob(emissions, transitions, tags, *, lengths=None):
    """Returns log p(tags), (...), for integers (..., length), with three derivatives, in O(length tags^2).

    What comes after a chain's length is ignored. A tag that does not exist makes the result NaN, as JAX cannot raise an
    error about values under jit.

    >>> round(float(kj.chain_log_prob(jnp.zeros((3, 2)), jnp.zeros((2, 2)), jnp.array([0, 1, 1]))), 4)
    -2.0794
    """
    x, y, lengths = _arguments(emissions, transitions, lengths)
    tags = jnp.asarray(tags)
    if not jnp.issubdtype(tags.dtype, jnp.integer):
        raise ValueError(f"tags: dtype {tags.dtype} is not an integer type")
    if tags.shape[-1:] != x.shape[-2:-1]:
        raise ValueError(f"tags: shape {tags.shape} does not end in (length,) = {x.shape[-2:-1]}")
    inside = jnp.arange(x.shape[-2]) < lengths[..., None]
    tags = jnp.where(inside, jnp.broadcast_to(tags, x.shape[:-1]), 0)
    known = jnp.all((tags >= 0) & (tags < x.shape[-1]), axis=-1)
    tags = jnp.clip(tags, 0, x.shape[-1] - 1)
    own = jnp.take_along_axis(x, tags[..., None], axis=-1)[..., 0]
    index = (tags[..., :-1] * x.shape[-1] + tags[..., 1:])[..., None]
    pairs = jnp.take_along_axis(y.reshape(y.shape[:-2] + (-1,)), index, axis=-1)[..., 0]
    score = jnp.where(inside, own, 0).sum(-1) + jnp.where(inside[..., 1:], pairs, 0).sum(-1)
    return jnp.where(known, score - log_partition_p.bind(x, y, lengths)[0], jnp.nan)
