"""Differentiable functions of arc scores for JAX: the arguments of kirchhoff.torch, under jit, grad and vmap.

The work is done on the CPU in double precision by a callback; results have the scores' dtype.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from .distribution import TreeDistribution


def _call(name: str, shape, scores, lengths, root: str, *more):
    def work(scores, lengths, *more):
        p = TreeDistribution(np.asarray(scores, np.float64), root=root, lengths=np.asarray(lengths), labelled=False)
        return np.asarray(getattr(p, name)(*map(np.asarray, more)), dtype=scores.dtype)

    out = jax.ShapeDtypeStruct(shape, scores.dtype)
    return jax.pure_callback(work, out, scores, lengths, *more, vmap_method="expand_dims")


def _lengths(scores, lengths):
    if lengths is None:
        lengths = jnp.full(scores.shape[:-2], scores.shape[-1] - 1)
    return jnp.asarray(lengths)


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _marginals(scores, lengths, root):
    return _call("marginals", scores.shape, scores, lengths, root)


def _marginals_forward(scores, lengths, root):
    return _marginals(scores, lengths, root), (scores, lengths)


def _marginals_backward(root, saved, grad):
    scores, lengths = saved
    return _call("marginals_along", scores.shape, scores, lengths, root, grad), None


_marginals.defvjp(_marginals_forward, _marginals_backward)


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _log_partition(scores, lengths, root):
    return _call("log_partition", scores.shape[:-2], scores, lengths, root)


def _log_partition_forward(scores, lengths, root):
    return _log_partition(scores, lengths, root), (scores, lengths)


def _log_partition_backward(root, saved, grad):
    scores, lengths = saved
    return grad[..., None, None] * _marginals(scores, lengths, root), None


_log_partition.defvjp(_log_partition_forward, _log_partition_backward)


@partial(jax.custom_vjp, nondiff_argnums=(2,))
def _entropy(scores, lengths, root):
    return _call("entropy", scores.shape[:-2], scores, lengths, root)


def _entropy_forward(scores, lengths, root):
    return _entropy(scores, lengths, root), (scores, lengths)


def _entropy_backward(root, saved, grad):
    scores, lengths = saved
    return grad[..., None, None] * _call("entropy_gradient", scores.shape, scores, lengths, root), None


_entropy.defvjp(_entropy_forward, _entropy_backward)


def log_partition(scores, *, root: str, lengths=None):
    """log Z of each graph; twice differentiable."""
    return _log_partition(scores, _lengths(scores, lengths), root)


def marginals(scores, *, root: str, lengths=None):
    """Arc probabilities; once differentiable."""
    return _marginals(scores, _lengths(scores, lengths), root)


def entropy(scores, *, root: str, lengths=None):
    """Shannon entropy in nats; once differentiable."""
    return _entropy(scores, _lengths(scores, lengths), root)


def log_prob(scores, heads, *, root: str, lengths=None):
    """log p(tree); the heads are taken to be a tree."""
    lengths = _lengths(scores, lengths)
    words = jnp.arange(1, scores.shape[-1])
    index = jnp.maximum(heads[..., 1:], 0) * scores.shape[-1] + words
    arcs = jnp.take_along_axis(scores.reshape(scores.shape[:-2] + (-1,)), index, axis=-1)
    score = jnp.where(words <= lengths[..., None], arcs, 0.0).sum(-1)
    return score - log_partition(scores, root=root, lengths=lengths)
