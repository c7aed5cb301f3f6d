"""Differentiable functions of arc scores for JAX, and of machines (`wfsm`), under jit, vmap, grad, jacfwd, jacrev and hessian.

Scores are arrays (..., n+1, n+1), or (..., n+1, n+1, labels) with labelled=True; `lengths` holds the words of each
graph of a padded batch. With projective=True only trees whose arcs do not cross count. The work is done in double
precision, on the CPU, where jit calls it back; on CUDA devices by kernels, if this package was built with CUDA and with
XLA's header, except for third derivatives of log Z, kl, cross_entropy, renyi and projective trees. Results have the
scores' dtype, and JAX's default where scores are integers. A value and its gradient together solve a graph once.
log_partition and log_prob have three derivatives, all else two; asking for more raises NotImplementedError. argmax, mbr,
k_best and sample find trees, and those of chains and segmentations the like. What begins with chain_ is about linear
chains, what begins with segment_ about segmentations; both are computed on the CPU.

Doubles are switched on by jax.config.update("jax_enable_x64", True) or JAX_ENABLE_X64=1. JAX's context manager says it
to one thread only, and XLA may call back from another, where JAX then refuses the result for its dtype.

>>> import jax, jax.numpy as jnp, kirchhoff.jax as kj
>>> gradient = jax.jit(jax.grad(lambda x: kj.log_partition(x, root="single")))
>>> gradient(jnp.zeros((3, 3)))[0].tolist()  # each word is the root's child in half of the trees
[0.0, 0.5, 0.5]
"""

from __future__ import annotations

import jax.numpy as jnp

from . import _jax_wfsm as wfsm
from ._jax_arguments import agrees, arguments, crosses, of_trees
from ._jax_chains import (chain_argmax, chain_cross_entropy, chain_entropy, chain_expectation, chain_k_best, chain_kl,
                          chain_log_partition, chain_log_prob, chain_marginals, chain_mbr, chain_renyi, chain_risk,
                          chain_sample, chain_score)
from ._jax_decoding import argmax, k_best, mbr, sample
from ._jax_families import trees
from ._jax_segments import (segment_argmax, segment_cross_entropy, segment_entropy, segment_expectation, segment_k_best,
                            segment_kl, segment_log_partition, segment_log_prob, segment_marginals, segment_mbr,
                            segment_renyi, segment_sample, segment_score)
from ._many import with_axes

__all__ = ["argmax", "chain_argmax", "chain_cross_entropy", "chain_entropy", "chain_expectation", "chain_k_best",
           "chain_kl", "chain_log_partition", "chain_log_prob", "chain_marginals", "chain_mbr", "chain_renyi",
           "chain_risk", "chain_sample", "chain_score", "cross_entropy", "entropy", "expectation", "k_best", "kl",
           "log_partition", "log_prob", "marginals", "mbr", "partial_log_prob", "renyi", "risk", "sample",
           "segment_argmax", "segment_cross_entropy", "segment_entropy", "segment_expectation", "segment_k_best",
           "segment_kl", "segment_log_partition", "segment_log_prob", "segment_marginals", "segment_mbr",
           "segment_renyi", "segment_sample", "segment_score", "tree_score", "wfsm"]


def log_partition(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns log Z of each graph (...), with three derivatives. Each of them takes O(n^3).

    >>> round(float(jnp.exp(kj.log_partition(jnp.zeros((4, 4)), root="single"))), 4)
    9.0
    """
    scores, lengths, static = arguments(scores, lengths, root, labelled, projective)
    return trees.log_partition(scores, lengths, **static)


def marginals(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns p(head -> dependent), the shape of the scores, with two derivatives, in O(n^3).

    >>> kj.marginals(jnp.zeros((3, 3)), root="single")[0].tolist()
    [0.0, 0.5, 0.5]
    """
    scores, lengths, static = arguments(scores, lengths, root, labelled, projective)
    return trees.marginals(scores, lengths, **static)[0]


def expectation(scores, f, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns E[sum of f over the arcs], (..., features), for f (..., features, n+1, n+1[, labels]), in O(n^3).

    It has two derivatives in scores, and is linear in f.

    >>> kj.expectation(jnp.zeros((3, 3)), jnp.ones((1, 3, 3)), root="single").tolist()  # each tree has two arcs
    [2.0]
    """
    scores, lengths, static = arguments(scores, lengths, root, labelled, projective)
    return trees.expectation(scores, lengths, f=(f,), **static)


def entropy(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns the entropy log Z - E[score] in nats, (...), with two derivatives, in O(n^3).

    >>> round(float(jnp.exp(kj.entropy(jnp.zeros((3, 3)), root="single"))), 4)
    2.0
    """
    scores, lengths, static = arguments(scores, lengths, root, labelled, projective)
    return trees.information("entropy", scores, lengths, **static)


def renyi(scores, alpha: float, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha), (...), with two derivatives, in O(n^3).

    alpha is a Python number: inside jit it is a part of the compiled function. The work is done on the CPU.

    >>> round(float(jnp.exp(kj.renyi(jnp.zeros((3, 3)), 2.0, root="single"))), 4)
    2.0
    """
    scores, lengths, static = arguments(scores, lengths, root, labelled, projective)
    return trees.renyi(scores, lengths, alpha=alpha, **static)


def _of_two(verb: str, p_scores, q_scores, lengths, root: str, labelled: bool, projective: bool):
    options, axes = (root, labelled, projective), 3 if labelled else 2
    if jnp.shape(p_scores)[-axes:] == jnp.shape(q_scores)[-axes:]:
        p_scores, q_scores = jnp.broadcast_arrays(p_scores, q_scores)
    p_scores, lengths, static = arguments(p_scores, lengths, *options)
    q_scores, _, _ = arguments(q_scores, lengths, *options)
    if p_scores.shape != q_scores.shape:
        raise ValueError(f"q_scores: shape {q_scores.shape} does not fit {p_scores.shape}")
    return trees.information(verb, p_scores, q_scores.astype(p_scores.dtype), lengths, **static)


def kl(p_scores, q_scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns KL(p || q) = E_p[log p - log q], (...), with two derivatives by both, in O(n^3).

    It is inf where q forbids a tree that p allows, and then has no gradient: an error. The work is done on the CPU.

    >>> float(kj.kl(jnp.zeros((3, 3)), jnp.zeros((3, 3)), root="single"))
    0.0
    """
    return _of_two("kl", p_scores, q_scores, lengths, root, labelled, projective)


def cross_entropy(p_scores, q_scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns E_p[-log q], (...), with two derivatives by both, in O(n^3); for infinite values see kl.

    >>> round(float(jnp.exp(kj.cross_entropy(jnp.zeros((3, 3)), jnp.zeros((3, 3)), root="single"))), 4)
    2.0
    """
    return _of_two("cross_entropy", p_scores, q_scores, lengths, root, labelled, projective)


def log_prob(scores, heads, labels=None, *, root: str, lengths=None, projective: bool = False):
    """Returns log p(tree) = score - log Z, (...), with three derivatives, in O(n^3); it is -inf for an impossible arc.

    heads and labels are integers (..., n+1), or (..., *more, n+1) for many trees of each graph. An error says why heads are not a tree: ValueError, and what JAX makes of
    it under jit.

    >>> round(float(jnp.exp(kj.log_prob(jnp.zeros((3, 3)), jnp.array([-1, 0, 1]), root="single"))), 4)
    0.5
    """
    scores, lengths, static = arguments(scores, lengths, root, labels is not None, projective)
    score, heads = of_trees(scores, heads, labels, lengths, root)
    more = heads.shape[len(lengths.shape):-1]
    log_p = score - with_axes(trees.log_partition(scores, lengths, **static), more)
    return jnp.where(crosses(heads, with_axes(lengths, more)), -jnp.inf, log_p) if projective else log_p


def partial_log_prob(scores, heads, labels=None, *, root: str, lengths=None, labelled: bool = False,
                     projective: bool = False):
    """Returns log of the probability of all trees that agree with a partial tree, (...), with three derivatives.

    heads are integers (..., n+1), -1 for words whose heads are not known; labels are the same of labels, and None where
    none is known. Minus its mean is the loss of partially annotated trees. Takes O(n^3). Infeasible is raised when no
    tree agrees.

    >>> round(float(jnp.exp(kj.partial_log_prob(jnp.zeros((3, 3)), jnp.array([-1, 0, -1]), root="multi"))), 4)
    0.6667
    """
    labelled = labelled or labels is not None
    scores, lengths, static = arguments(scores, lengths, root, labelled, projective)
    masked = jnp.where(agrees(scores, heads, labels, labelled), scores, -jnp.inf)
    return trees.log_partition(masked, lengths, **static) - trees.log_partition(scores, lengths, **static)


def risk(scores, heads, labels=None, *, root: str, lengths=None, projective: bool = False):
    """Returns the expected fraction of words with the right head (and label), (...), with two derivatives.

    heads and labels are integers (..., n+1), with the errors of log_prob. Takes O(n^3).

    >>> float(kj.risk(jnp.zeros((3, 3)), jnp.array([-1, 0, 1]), root="single"))
    0.5
    """
    scores, lengths, static = arguments(scores, lengths, root, labels is not None, projective)
    (found,) = trees.marginals(scores, lengths, **static)
    right, heads = of_trees(found, heads, labels, lengths, root)
    return right / with_axes(jnp.asarray(lengths), heads.shape[len(lengths.shape):-1]).astype(scores.dtype)


def tree_score(scores, heads, labels=None, *, lengths=None):
    """Returns the sum of the scores of a tree's arcs, (...), in O(n); heads and labels are integers (..., n+1).

    An error says why heads are not a tree, as in log_prob.

    >>> float(kj.tree_score(jnp.arange(9.0).reshape(3, 3), jnp.array([-1, 0, 1])))  # 1 + 5
    6.0
    """
    scores, lengths, _ = arguments(scores, lengths, "multi", labels is not None, False)
    return of_trees(scores, heads, labels, lengths, "multi")[0]
