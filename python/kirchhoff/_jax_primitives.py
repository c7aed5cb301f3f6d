"""JAX primitives that ask distributions, inside jit and vmap and outside.

The operands are the parts of the scores (one array for trees and machines; emissions and transitions for chains), those
of a second distribution where a verb has two, lengths (...) and, for derivatives, directions, which have the parts of
the scores. What else makes a distribution, as `root` and `projective`, is static. On a CUDA device kernels answer about
trees, where there are some (_jax_kernels.py). Else a primitive calls the library: outside jit directly, so that errors
arrive as they are; inside, by a callback.
"""

from __future__ import annotations

from functools import partial
from typing import Callable, NamedTuple, Optional, Tuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir

from ._arrays import lengths_of
from ._jax_kernels import Question, checked, has_kernels, platform_of, solved
from ._verbs import parts_of, whole
from .distribution import TreeDistribution
from .projective import ProjectiveTreeDistribution


def of_one_dtype(*arrays) -> list:
    """Returns arrays with the dtype of all of them together, and JAX's default where they are integers."""
    arrays = tuple(map(jnp.asarray, arrays))
    dtype = jnp.result_type(*arrays)
    dtype = jnp.result_type(float) if jnp.issubdtype(dtype, jnp.integer) else dtype
    if not jnp.issubdtype(dtype, jnp.floating):
        raise ValueError(f"scores: dtype {dtype} is not a real number type")
    return [x.astype(dtype) for x in arrays]


def lengths_of_all(lengths, most: int, batch: tuple):
    """Returns the lengths of a batch as an operand; None is for the largest ones."""
    if lengths is not None and isinstance(lengths, jax.core.Tracer):
        return lengths
    return lengths_of(most if lengths is None else lengths, batch).astype(np.int32)


def of_two(arguments: Callable, p_scores, q_scores, lengths, axes: Tuple[int, ...]) -> tuple:
    """Returns the scores of two batches, broadcast against each other, and lengths; arguments(*scores, lengths) prepares
    one, and the parts of the scores have these axes for one structure."""
    (*p, _), (*q, _) = arguments(*p_scores, None), arguments(*q_scores, None)
    if p[0].shape != q[0].shape and all(x.shape[-n:] == y.shape[-n:] for x, y, n in zip(p, q, axes)):
        p_scores, q_scores = zip(*(jnp.broadcast_arrays(x, y) for x, y in zip(p, q)))
    (*p, lengths), (*q, _) = arguments(*p_scores, lengths), arguments(*q_scores, lengths)
    if p[0].shape != q[0].shape:
        raise ValueError(f"q_scores: shape {q[0].shape} does not fit {p[0].shape}")
    return (*p, *(x.astype(p[0].dtype) for x in q), lengths)


class Kind(NamedTuple):
    """A kind of distribution: make(*scores, lengths, **static) returns it, and its scores have these parts.

    axes(static) says how many axes the parts have for one structure.
    """

    prefix: str
    make: Callable
    axes: Callable[[dict], Tuple[int, ...]]
    parts: int = 1
    kernels: bool = False  #: whether these answer some questions


class Work(NamedTuple):
    """What a primitive does: answer(p, [q,] *directions) is a number and tables of each distribution, as flagged."""

    answer: Callable
    number: bool
    tables: bool
    distributions: int = 1
    question: Optional[Question] = None  #: the same, for kernels
    own: Tuple[str, ...] = ()  #: static arguments that are the answer's, and not the distributions'


def graphs_of(static: dict) -> dict:
    """Returns the static arguments that kernels know."""
    return {"root": static["root"], "arcs": static["arcs"]}


def primitive_of(kind: Kind, name: str, work: Work) -> Primitive:
    """Returns the primitive of this name that does this work."""
    primitive = Primitive(f"kirchhoff_{kind.prefix}{name}")
    primitive.multiple_results = True
    n, given = kind.parts, kind.parts * work.distributions

    def evaluate(*operands, **static):
        arrays = [np.asarray(x, np.float64) for x in operands[:given] + operands[given + 1:]]
        own = {key: static.pop(key) for key in work.own}
        lengths = np.asarray(operands[given])
        made = [kind.make(*arrays[i:i + n], lengths, **static) for i in range(0, given, n)]
        directions = [whole(arrays[i:i + n]) for i in range(given, len(arrays), n)]
        return [np.asarray(r).astype(operands[0].dtype) for r in parts_of(work.answer(*made, *directions, **own))]

    def types(*operands, **static):
        dtype, first = operands[0].dtype, operands[0].shape
        shapes = [first[:len(first) - kind.axes(static)[0]]] * work.number
        shapes += [x.shape for x in operands[:given]] * work.tables
        return [jax.core.ShapedArray(shape, dtype) for shape in shapes]

    def asks_kernels(platform, static):
        return kind.kernels and work.question is not None and not static["projective"] and has_kernels(platform)

    def implementation(*operands, **static):
        asks = asks_kernels(platform_of(operands[0]), static)
        found = solved(work.question, *operands, **graphs_of(static)) if asks else None
        return [jnp.asarray(r) for r in evaluate(*operands, **static)] if found is None else found  # or an error

    def lowered(platform, *operands, **static):
        if asks_kernels(platform, static):
            return checked(work.question, *operands, **graphs_of(static))
        out = [jax.ShapeDtypeStruct(t.shape, t.dtype) for t in types(*operands, **static)]
        return jax.pure_callback(partial(evaluate, **static), out, *operands)

    primitive.def_impl(implementation)
    primitive.def_abstract_eval(types)
    register(primitive, lowered)
    return primitive


def register(primitive: Primitive, lowered):
    """Registers lowered(platform, *operands, **static) with jit, and one more axis of all operands with vmap."""
    def batched(operands, axes, **static):
        size = next(x.shape[axis] for x, axis in zip(operands, axes) if axis is not None)
        moved = [jnp.broadcast_to(x, (size,) + x.shape) if axis is None else jnp.moveaxis(x, axis, 0)
                 for x, axis in zip(operands, axes)]
        found = primitive.bind(*moved, **static)
        return found, [0] * len(found)

    mlir.register_lowering(primitive, mlir.lower_fun(partial(lowered, "cpu"), multiple_results=True))
    mlir.register_lowering(primitive, mlir.lower_fun(partial(lowered, "cuda"), multiple_results=True), platform="cuda")
    batching.primitive_batchers[primitive] = batched


def trees_of(scores, lengths, *, root, arcs, projective=False):
    kind = ProjectiveTreeDistribution if projective else TreeDistribution
    return kind(np.asarray(scores, np.float64), root=root, lengths=np.asarray(lengths), labelled=arcs == 3)


TREES = Kind("", trees_of, lambda static: (static["arcs"],), kernels=True)
