"""Differentiable functions of arc scores for JAX, under jit, vmap, grad, jacfwd, jacrev and hessian.

Scores are arrays (..., n+1, n+1), or (..., n+1, n+1, labels) with labelled=True; `lengths` holds the words of each
graph of a padded batch. The work is done in double precision, on the CPU, where jit calls it back; on CUDA devices by
kernels, if this package was built with CUDA and with XLA's header, except for third derivatives of log Z. Results have
the scores' dtype, and JAX's default where scores are integers. A value and its gradient together solve a graph once.
log_partition and log_prob have three derivatives, marginals and entropy two; asking for more raises
NotImplementedError.

>>> import jax, jax.numpy as jnp, kirchhoff.jax as kj
>>> gradient = jax.jit(jax.grad(lambda x: kj.log_partition(x, root="single")))
>>> gradient(jnp.zeros((3, 3)))[0].tolist()  # each word is the root's child in half of the trees
[0.0, 0.5, 0.5]
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from . import _core
from ._arrays import has_labels, lengths_of
from ._jax_primitives import entropy_p, log_partition_p, solve_p
from .distribution import TreeDistribution


def _is_traced(value) -> bool:
    return isinstance(value, jax.core.Tracer)


def _arguments(scores, lengths, root: str, labelled: bool):
    """Returns scores, lengths and the static arguments of a primitive; what can be wrong before values are known is."""
    TreeDistribution(np.zeros((2, 2)), root=root)  # says what is wrong with root
    scores = jnp.asarray(scores)
    if jnp.issubdtype(scores.dtype, jnp.integer):
        scores = scores.astype(jnp.result_type(float))
    if not jnp.issubdtype(scores.dtype, jnp.floating):
        raise ValueError(f"scores: dtype {scores.dtype} is not a real number type")
    arcs = 3 if has_labels(scores.shape, labelled) else 2
    shape, words = scores.shape[:-arcs], scores.shape[-arcs] - 1
    if not _is_traced(lengths):
        lengths = lengths_of(words if lengths is None else lengths, shape)
        if ((lengths < 1) | (lengths > words)).any():
            raise ValueError(f"lengths: {lengths.tolist()} has numbers beyond 1 to {words} words")
        return scores, lengths.astype(np.int32), {"root": root, "arcs": arcs}
    if not jnp.issubdtype(lengths.dtype, jnp.integer):
        raise ValueError(f"lengths: dtype {lengths.dtype} is not an integer type")
    return scores, jnp.broadcast_to(lengths, shape), {"root": root, "arcs": arcs}


def log_partition(scores, *, root: str, lengths=None, labelled: bool = False):
    """Returns log Z of each graph (...), with three derivatives. Each of them takes O(n^3).

    >>> round(float(jnp.exp(kj.log_partition(jnp.zeros((4, 4)), root="single"))), 4)
    9.0
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled)
    return log_partition_p.bind(scores, lengths, **static)[0]


def marginals(scores, *, root: str, lengths=None, labelled: bool = False):
    """Returns p(head -> dependent), the shape of the scores, with two derivatives, in O(n^3).

    >>> kj.marginals(jnp.zeros((3, 3)), root="single")[0].tolist()
    [0.0, 0.5, 0.5]
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled)
    return solve_p.bind(scores, lengths, **static)[1]


def entropy(scores, *, root: str, lengths=None, labelled: bool = False):
    """Returns the entropy log Z - E[score] in nats, (...), with two derivatives, in O(n^3).

    >>> round(float(jnp.exp(kj.entropy(jnp.zeros((3, 3)), root="single"))), 4)
    2.0
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled)
    return entropy_p.bind(scores, lengths, **static)[0]


def _integers(values, shape: tuple, name: str):
    values = values if _is_traced(values) else np.asarray(values)
    if not jnp.issubdtype(values.dtype, jnp.integer):
        raise ValueError(f"{name}: dtype {values.dtype} is not an integer type")
    if values.shape[-1:] != shape[-1:]:
        raise ValueError(f"{name}: shape {values.shape} does not end in (n+1,) = {shape[-1:]}")
    return jnp.broadcast_to(values, shape) if _is_traced(values) else np.broadcast_to(values, shape)


def _checked(heads, labels, lengths, root: str, label_count: int):
    """Returns the heads; the error that says why they are not trees comes now if they are known, else when it runs."""
    def check(heads, labels, lengths):
        rows = [np.asarray(x, np.int64).reshape(-1, heads.shape[-1]) for x in (heads, labels)]
        _core.check_trees(rows[0], rows[1], root, np.asarray(lengths, np.int64).reshape(-1), label_count)
        return np.asarray(heads)

    if any(map(_is_traced, (heads, labels, lengths))):
        return jax.pure_callback(check, jax.ShapeDtypeStruct(heads.shape, heads.dtype), heads, labels, lengths,
                                 vmap_method="broadcast_all")
    return check(heads, labels, lengths)


def log_prob(scores, heads, labels=None, *, root: str, lengths=None):
    """Returns log p(tree) = score - log Z, (...), with three derivatives, in O(n^3); it is -inf for an impossible arc.

    heads and labels are integers (..., n+1). An error says why heads are not a tree: ValueError, and what JAX makes of
    it under jit.

    >>> round(float(jnp.exp(kj.log_prob(jnp.zeros((3, 3)), jnp.array([-1, 0, 1]), root="single"))), 4)
    0.5
    """
    scores, lengths, static = _arguments(scores, lengths, root, labels is not None)
    x = scores if labels is not None else scores[..., None]
    size, shape = x.shape[-2], x.shape[:-2]
    heads = _integers(heads, shape, "heads")
    labels = np.zeros(shape, np.int32) if labels is None else _integers(labels, shape, "labels")
    heads = _checked(heads, labels, lengths, root, x.shape[-1])
    words = jnp.arange(1, size)
    index = (jnp.maximum(heads[..., 1:], 0) * size + words) * x.shape[-1] + jnp.maximum(labels[..., 1:], 0)
    arcs = jnp.take_along_axis(x.reshape(x.shape[:-3] + (-1,)), index, axis=-1)
    score = jnp.where(words <= lengths[..., None], arcs, 0).sum(-1)
    return score - log_partition_p.bind(scores, lengths, **static)[0]
