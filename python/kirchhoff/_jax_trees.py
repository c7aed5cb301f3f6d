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
    """What is looked for: the best tree by its score, the best ones, or samples."""

    samples: bool = False
    trees: int = 1
    seed: int = 0
    method: str = "automatic"
    list: bool = False  #: the `trees` best ones


def _types(scores, *_, search: Search, arcs: int, **__):
    shape = scores.shape[:-arcs] + (search.trees, scores.shape[-arcs])
    return [jax.core.ShapedArray(shape, np.dtype(np.int32))] * (2 if arcs == 3 else 1)


def _by_library(scores, lengths, *, search: Search, root: str, arcs: int, projective: bool):
    kind = ProjectiveTreeDistribution if projective else TreeDistribution
    p = kind(np.asarray(scores, np.float64), root=root, lengths=np.asarray(lengths), labelled=arcs == 3)
    if search.samples:
        trees = p.sample(search.trees, seed=search.seed, method=search.method)
        found = [trees.heads, trees.labels]
    elif search.list:
        trees = p.k_best(search.trees)
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


def _by_kernels_on(platform, static) -> bool:
    return kernels.has_kernels(platform) and not static["projective"] and not static["search"].list


def _implementation(scores, lengths, **static):
    if _by_kernels_on(kernels.platform_of(scores), static):
        status, *found = _found(scores, lengths, search=static["search"], **graphs_of(static))
        if kernels.all_solved(status):
            return list(found)
    return [jnp.asarray(x) for x in _by_library(scores, lengths, **static)]  # or an error


def _lowered(platform, scores, lengths, **static):
    if _by_kernels_on(platform, static):
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


def find_by_key(scores, lengths, key, count: int, method: str, static):
    """Returns samples as find does, by a seed that is an array: one of JAX's keys, new or raw, or an integer."""
    if key.dtype == jnp.uint32 and key.ndim == 1:  # of jax.random.PRNGKey
        key = jax.random.wrap_key_data(key)
    seed = jax.random.bits(key) if jnp.issubdtype(key.dtype, jax.dtypes.prng_key) else key
    if seed.shape != () or not jnp.issubdtype(seed.dtype, jnp.integer):
        raise ValueError(f"seed: shape {seed.shape} and dtype {seed.dtype} are not those of a key or of one integer")

    def work(scores, lengths, seed):
        words = np.asarray(seed).reshape(-1).astype(np.uint64).tolist()
        own = words[0] if len(words) == 1 else int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])
        shape = seed.shape + (1,) * (np.ndim(lengths) - np.ndim(seed))
        lengths = np.broadcast_to(lengths, np.broadcast_shapes(np.shape(lengths), shape))
        return _by_library(scores, lengths, search=Search(True, count, own, method), **static)

    out = [jax.ShapeDtypeStruct(t.shape, t.dtype) for t in _types(scores, search=Search(True, count), **static)]
    found = jax.pure_callback(work, out, jax.lax.stop_gradient(scores), jnp.asarray(lengths), seed,
                              vmap_method="broadcast_all")
    return found[0], found[1] if len(found) > 1 else None
