"""Differentiable functions of arc scores for JAX: the arguments of kirchhoff.torch, under jit, grad and vmap.

The work is done on the CPU in double precision by a callback; results have the scores' dtype.

>>> import jax, jax.numpy as jnp, kirchhoff.jax as kj
>>> gradient = jax.jit(jax.grad(lambda x: kj.log_partition(x, root="single")))
>>> gradient(jnp.zeros((3, 3)))[0].tolist()  # each word is the root's child in half of the trees
[0.0, 0.5, 0.5]
"""

from __future__ import annotations

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


def _differentiable(value, backward):
    """Returns value(scores, lengths, root) with backward(scores, lengths, root, grad) as its gradient by the scores."""
    f = jax.custom_vjp(value, nondiff_argnums=(2,))
    f.defvjp(lambda scores, lengths, root: (f(scores, lengths, root), (scores, lengths)),
             lambda root, saved, grad: (backward(*saved, root, grad), None))
    return f


def _number(name: str):
    return lambda scores, lengths, root: _call(name, scores.shape[:-2], scores, lengths, root)


def _arcs(name: str):
    return lambda scores, lengths, root, *more: _call(name, scores.shape, scores, lengths, root, *more)


def _scaled(gradient):
    return lambda scores, lengths, root, grad: grad[..., None, None] * gradient(scores, lengths, root)


_marginals = _differentiable(_arcs("marginals"), _arcs("marginals_along"))
_log_partition = _differentiable(_number("log_partition"), _scaled(_marginals))
_entropy = _differentiable(_number("entropy"), _scaled(_arcs("entropy_gradient")))


def log_partition(scores, *, root: str, lengths=None):
    """Returns log Z of each graph (...), with first and second derivatives. Each of them takes O(n^3).

    >>> round(float(jnp.exp(kj.log_partition(jnp.zeros((4, 4)), root="single"))), 4)
    9.0
    """
    return _log_partition(scores, _lengths(scores, lengths), root)


def marginals(scores, *, root: str, lengths=None):
    """Returns p(head -> dependent), the shape of the scores, with first derivatives, in O(n^3).

    >>> kj.marginals(jnp.zeros((3, 3)), root="single")[0].tolist()
    [0.0, 0.5, 0.5]
    """
    return _marginals(scores, _lengths(scores, lengths), root)


def entropy(scores, *, root: str, lengths=None):
    """Returns the entropy log Z - E[score] in nats, (...), with first derivatives, in O(n^3).

    >>> round(float(jnp.exp(kj.entropy(jnp.zeros((3, 3)), root="single"))), 4)
    2.0
    """
    return _entropy(scores, _lengths(scores, lengths), root)


def log_prob(scores, heads, *, root: str, lengths=None):
    """Returns log p(tree) = score - log Z, (...), with first and second derivatives, in O(n^3).

    heads are integers (..., n+1) and taken to be a tree.

    >>> round(float(jnp.exp(kj.log_prob(jnp.zeros((3, 3)), jnp.array([-1, 0, 1]), root="single"))), 4)
    0.5
    """
    lengths = _lengths(scores, lengths)
    words = jnp.arange(1, scores.shape[-1])
    index = jnp.maximum(heads[..., 1:], 0) * scores.shape[-1] + words
    arcs = jnp.take_along_axis(scores.reshape(scores.shape[:-2] + (-1,)), index, axis=-1)
    score = jnp.where(words <= lengths[..., None], arcs, 0.0).sum(-1)
    return score - log_partition(scores, root=root, lengths=lengths)
