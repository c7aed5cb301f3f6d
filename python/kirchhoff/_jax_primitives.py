"""JAX primitives of log Z and the entropy, with rules for jit, vmap, forward and reverse mode: for trees and machines.

The operands are scores (..., n+1, n+1[, labels]), lengths (...) and, for derivatives, directions of the scores' shape;
`arcs`, the number of axes of one graph's array, is static, and so is what else makes a distribution, as `root` and
`projective`. On a CUDA device kernels answer, where there are some (_jax_kernels.py). Else a primitive calls the
library: outside jit directly, so that errors arrive as they are; inside, by a callback.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from ._jax_kernels import Question, checked, has_kernels, platform_of, solved
from .distribution import TreeDistribution
from .projective import ProjectiveTreeDistribution


def _numbers(scores, arcs: int):
    return jax.core.ShapedArray(scores.shape[:-arcs], scores.dtype)


def _array(scores, arcs: int):
    return jax.core.ShapedArray(scores.shape, scores.dtype)


def trees_of(scores, lengths, *, root, arcs, projective=False):
    kind = ProjectiveTreeDistribution if projective else TreeDistribution
    return kind(np.asarray(scores, np.float64), root=root, lengths=np.asarray(lengths), labelled=arcs == 3)


def graphs_of(static: dict) -> dict:
    """Returns the static arguments that kernels know."""
    return {"root": static["root"], "arcs": static["arcs"]}


def _primitive(name: str, work, shapes, question=None, solve=trees_of) -> Primitive:
    """Returns the primitive whose results are work(p, *directions), of these shapes, or what kernels say to `question`.

    p is solve(scores, lengths, **static).
    """
    primitive = Primitive(f"kirchhoff_{name}")
    primitive.multiple_results = True

    def evaluate(scores, lengths, *directions, **static):
        p = solve(scores, lengths, **static)
        results = work(p, *(np.asarray(d, np.float64) for d in directions))
        return [np.asarray(r).astype(scores.dtype) for r in results]

    def types(scores, *_, arcs, **__):
        return [shape(scores, arcs) for shape in shapes]

    def asks_kernels(platform, static):
        return question is not None and not static["projective"] and has_kernels(platform)

    def implementation(*operands, **static):
        asks = asks_kernels(platform_of(operands[0]), static)
        found = solved(question, *operands, **graphs_of(static)) if asks else None
        return [jnp.asarray(r) for r in evaluate(*operands, **static)] if found is None else found  # or an error

    def lowered(platform, *operands, **static):
        if asks_kernels(platform, static):
            return checked(question, *operands, **graphs_of(static))
        out = [jax.ShapeDtypeStruct(t.shape, t.dtype) for t in types(*operands, **static)]
        return jax.pure_callback(partial(evaluate, **static), out, *operands)

    def batched(operands, axes, **static):
        size = next(x.shape[axis] for x, axis in zip(operands, axes) if axis is not None)
        moved = [jnp.broadcast_to(x, (size,) + x.shape) if axis is None else jnp.moveaxis(x, axis, 0)
                 for x, axis in zip(operands, axes)]
        return primitive.bind(*moved, **static), [0] * len(shapes)

    primitive.def_impl(implementation)
    primitive.def_abstract_eval(types)
    mlir.register_lowering(primitive, mlir.lower_fun(partial(lowered, "cpu"), multiple_results=True))
    mlir.register_lowering(primitive, mlir.lower_fun(partial(lowered, "cuda"), multiple_results=True), platform="cuda")
    batching.primitive_batchers[primitive] = batched
    return primitive


def _over_graphs(array, arcs: int):
    return array.sum(tuple(range(-arcs, 0)))


def _is_zero(tangent) -> bool:
    return type(tangent) is ad.Zero


def _value_jvp(primitive, with_gradient):
    """The rule of a number whose value and gradient come from one solution."""

    def rule(primals, tangents, **static):
        t = tangents[0]
        if _is_zero(t):
            out = primitive.bind(*primals, **static)
            return out, [ad.Zero.from_primal_value(out[0])]
        value, gradient = with_gradient.bind(*primals, **static)
        return [value], [_over_graphs(gradient * t, static["arcs"])]

    return rule


def _derivative_jvp(primitive, further):
    """The rule of a primitive that is linear in each of its directions; `further` is its derivative by the scores."""

    def rule(primals, tangents, **static):
        out = primitive.bind(*primals, **static)
        terms = [] if _is_zero(tangents[0]) else [further(*primals, tangents[0], **static)]
        for i in range(2, len(primals)):
            if not _is_zero(tangents[i]):
                terms.append(primitive.bind(*primals[:i], tangents[i], *primals[i + 1:], **static)[0])
        return out, [sum(terms[1:], terms[0]) if terms else ad.Zero.from_primal_value(out[0])]

    return rule


def _no_fourth(*_, **__):
    raise NotImplementedError("kirchhoff.jax: log_partition and log_prob have three derivatives, all else has two; "
                              "this asks for one more")


def _derivative_transpose(primitive):
    """Derivatives of log Z are symmetric: the cotangent takes the place of the direction that is transposed."""

    def rule(cotangents, *operands, **static):
        at = next(i for i, x in enumerate(operands) if ad.is_undefined_primal(x))
        result = [None] * len(operands)
        if not _is_zero(cotangents[0]):
            (result[at],) = primitive.bind(*operands[:at], cotangents[0], *operands[at + 1:], **static)
        return result

    return rule


class Family:
    """The primitives of one kind of distribution, each with the rules that make it the derivative of another."""

    def __init__(self, prefix: str, solve, kernels: bool):
        def primitive(name, work, shapes, question=None):
            return _primitive(prefix + name, work, shapes, question if kernels else None, solve)

        self.log_partition_p = primitive("log_partition", lambda p: (p.log_partition(),), (_numbers,),
                                         Question(("log_partition",)))
        self.solve_p = primitive("solve", lambda p: (p.log_partition(), p.marginals()), (_numbers, _array),
                                 Question(("log_partition", "marginals")))
        self.entropy_p = primitive("entropy", lambda p: (p.entropy(),), (_numbers,), Question(("entropy",)))
        self.entropy_gradient_p = primitive("entropy_gradient", lambda p: p.entropy_with_gradient(), (_numbers, _array),
                                            Question(("entropy", "derivatives"), score_share=-1.0))
        self.along_p = primitive("along", lambda p, r: (p.marginals_along(r),), (_array,), Question(("derivatives",)))
        self.third_p = primitive("third", lambda p, r, s: (p.covariance_gradient(r, s),), (_array,))
        ad.primitive_jvps[self.solve_p] = self._solve_jvp
        ad.primitive_jvps[self.log_partition_p] = _value_jvp(self.log_partition_p, self.solve_p)
        ad.primitive_jvps[self.entropy_p] = _value_jvp(self.entropy_p, self.entropy_gradient_p)
        ad.primitive_jvps[self.entropy_gradient_p] = self._entropy_gradient_jvp
        ad.primitive_jvps[self.along_p] = _derivative_jvp(self.along_p, self.third)
        ad.primitive_jvps[self.third_p] = _derivative_jvp(self.third_p, _no_fourth)
        ad.primitive_transposes[self.along_p] = _derivative_transpose(self.along_p)
        ad.primitive_transposes[self.third_p] = _derivative_transpose(self.third_p)

    def along(self, scores, lengths, direction, **static):
        """The Hessian of log Z times a direction."""
        return self.along_p.bind(scores, lengths, direction, **static)[0]

    def third(self, scores, lengths, r, s, **static):
        """The third derivatives of log Z along two directions."""
        return self.third_p.bind(scores, lengths, r, s, **static)[0]

    def _solve_jvp(self, primals, tangents, **static):
        (scores, lengths), t = primals, tangents[0]
        log_z, marginals = self.solve_p.bind(scores, lengths, **static)
        if _is_zero(t):
            return [log_z, marginals], [ad.Zero.from_primal_value(x) for x in (log_z, marginals)]
        moved = self.along(scores, lengths, t, **static)
        return [log_z, marginals], [_over_graphs(marginals * t, static["arcs"]), moved]

    def _entropy_gradient_jvp(self, primals, tangents, **static):
        (scores, lengths), t = primals, tangents[0]
        value, gradient = self.entropy_gradient_p.bind(scores, lengths, **static)
        if _is_zero(t):
            return [value, gradient], [ad.Zero.from_primal_value(x) for x in (value, gradient)]
        finite = jnp.where(jnp.isinf(scores), 0, scores)
        moved = -self.along(scores, lengths, t, **static) - self.third(scores, lengths, finite, t, **static)
        return [value, gradient], [_over_graphs(gradient * t, static["arcs"]), moved]


trees = Family("", trees_of, kernels=True)
log_partition_p, solve_p, entropy_p = trees.log_partition_p, trees.solve_p, trees.entropy_p
