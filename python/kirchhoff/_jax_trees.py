"""The JAX primitive that finds trees: best ones, and samples.

The operands are scores (..., n+1, n+1[, labels]) and lengths (...); the results are heads (..., trees, n+1) and, for
labelled graphs, labels of the same shape. On a CUDA device kernels find them, where there are some; else the library
does, inside jit by a callback.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive

from . import _jax_kernels as kernels
from ._jax_primitives import graphs_of, register
from .distribution import TreeDistribution
from .projective import ProjectiveTreeDistribution


class Search(NamedTuple):
    """What is looked for: the best tree by its score, or samples."""

    samples: bool = False
    trees: int = 1
    seed: int = 0
    method: str = "automatic"


def _types(scores, *_, search: Search, arcs: int, **__):
    shape = scores.shape[:-arcs] + (search.trees, scores.shape[-arcs])
    return [jax.core.ShapedArray(shape, np.dtype(np.int32))] * (2 if arcs == 3 else 1)


def _by_library(scores, lengths, *, search: Search, root: str, arcs: int, projective: bool):
    kind = ProjectiveTreeDistribution if projective else TreeDistribution
    p = kind(np.asarray(scores, np.float64), root=root, lengths=np.asarray(lengths), labelled=arcs == 3)
    if search.samples:
        trees = p.sample(search.trees, seed=search.seed, method=search.method)
        found = [trees.heads, trees.labels]
    else:
        best = p.argmax()
        found = [best.heads[..., None, :], None if best.labels is None else best.labels[..., None, :]]
    return [x.astype(np.int32) for x in found if x is not None]


def _by_kernels(scores, lengths, *, search: Search, root: str, arcs: int):
    """Returns the status of each graph, and heads and labels."""
    with kernels.doubles():
        dtype = jnp.float64 if scores.dtype == jnp.float64 else jnp.float32
        types = [jax.ShapeDtypeStruct(t.shape, t.dtype) for t in _types(scores, search=search, arcs=arcs)]
        find = jax.ffi.ffi_call(kernels.TREES, [jax.ShapeDtypeStruct(scores.shape[:-arcs], jnp.uint8), *types])
        return find(jnp.asarray(scores).astype(dtype), jnp.asarray(lengths).astype(jnp.int32), root=root,
                    samples=np.int64(search.samples), count=np.int64(search.trees),
                    seed=np.uint64(search.seed).astype(np.int64), method=search.method, arcs=np.int64(arcs))


_found = jax.jit(_by_kernels, static_argnames=("search", "root", "arcs"))


def _implementation(scores, lengths, **static):
    if kernels.has_kernels(kernels.platform_of(scores)) and not static["projective"]:
        status, *found = _found(scores, lengths, search=static["search"], **graphs_of(static))
        if kernels.all_solved(status):
            return list(found)
    return [jnp.asarray(x) for x in _by_library(scores, lengths, **static)]  # or an error


def _lowered(platform, scores, lengths, **static):
    if kernels.has_kernels(platform) and not static["projective"]:
        status, *found = _by_kernels(scores, lengths, search=static["search"], **graphs_of(static))
        passed = kernels.passed(status)[..., None, None]
        return [jnp.where(passed, x, -1) for x in found]
    out = [jax.ShapeDtypeStruct(t.shape, t.dtype) for t in _types(scores, **static)]
    return jax.pure_callback(partial(_by_library, **static), out, scores, lengths)


trees_p = Primitive("kirchhoff_trees")
trees_p.multiple_results = True
trees_p.def_impl(_implementation)
trees_p.def_abstract_eval(_types)
register(trees_p, _lowered)


def find(scores, lengths, search: Search, **static):
    """Returns heads (..., trees, n+1) and labels, or None. Trees have no derivative by the scores."""
    found = trees_p.bind(jax.lax.stop_gradient(scores), lengths, search=search, **static)
    return found[0], found[1] if len(found) > 1 else None
