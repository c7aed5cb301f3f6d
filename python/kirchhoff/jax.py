"""Differentiable functions of arc scores for JAX, and of machines (`wfsm`), under jit, vmap, grad, jacfwd, jacrev and hessian.

Scores are arrays (..., n+1, n+1), or (..., n+1, n+1, labels) with labelled=True; `lengths` holds the words of each
graph of a padded batch. With projective=True only trees whose arcs do not cross count. The work is done in double
precision, on the CPU, where jit calls it back; on CUDA devices by kernels, if this package was built with CUDA and with
XLA's header, except for third derivatives of log Z, kl, cross_entropy, renyi and projective trees. Results have the
scores' dtype, and JAX's default where scores are integers. A value and its gradient together solve a graph once.
log_partition and log_prob have three derivatives, all else two; asking for more raises NotImplementedError. argmax, mbr
and sample find trees, and those of chains and segmentations the like. What begins with chain_ is about linear chains, what begins with segment_ about
segmentations; both are computed on the CPU.

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
from . import _jax_wfsm as wfsm
from ._arrays import has_labels, lengths_of, seed_of
from ._jax_chains import (chain_argmax, chain_cross_entropy, chain_entropy, chain_expectation, chain_kl,
                          chain_log_partition, chain_log_prob, chain_marginals, chain_mbr, chain_renyi, chain_risk,
                          chain_sample, chain_score)
from ._jax_families import trees
from ._jax_search import counted
from ._jax_segments import (segment_argmax, segment_cross_entropy, segment_entropy, segment_expectation, segment_kl,
                            segment_log_partition, segment_log_prob, segment_marginals, segment_mbr, segment_renyi,
                            segment_sample, segment_score)
from ._jax_trees import Search, find
from .distribution import TreeDistribution
from .trees import Trees

__all__ = ["argmax", "chain_argmax", "chain_cross_entropy", "chain_entropy", "chain_expectation", "chain_kl",
           "chain_log_partition", "chain_log_prob", "chain_marginals", "chain_mbr", "chain_renyi", "chain_risk",
           "chain_sample", "chain_score", "cross_entropy", "entropy", "expectation", "kl", "log_partition", "log_prob",
           "marginals", "mbr", "renyi", "risk", "sample", "segment_argmax", "segment_cross_entropy", "segment_entropy",
           "segment_expectation", "segment_kl", "segment_log_partition", "segment_log_prob", "segment_marginals",
           "segment_mbr", "segment_renyi", "segment_sample", "segment_score", "tree_score", "wfsm"]


def _is_traced(value) -> bool:
    return isinstance(value, jax.core.Tracer)


def _arguments(scores, lengths, root: str, labelled: bool, projective: bool):
    """Returns scores, lengths and the static arguments of a primitive; what can be wrong before values are known is."""
    TreeDistribution(np.zeros((2, 2)), root=root)  # says what is wrong with root
    scores = jnp.asarray(scores)
    if jnp.issubdtype(scores.dtype, jnp.integer):
        scores = scores.astype(jnp.result_type(float))
    if not jnp.issubdtype(scores.dtype, jnp.floating):
        raise ValueError(f"scores: dtype {scores.dtype} is not a real number type")
    arcs = 3 if has_labels(scores.shape, labelled) else 2
    static = {"root": root, "arcs": arcs, "projective": bool(projective)}
    shape, words = scores.shape[:-arcs], scores.shape[-arcs] - 1
    if not _is_traced(lengths):
        lengths = lengths_of(words if lengths is None else lengths, shape)
        if ((lengths < 1) | (lengths > words)).any():
            raise ValueError(f"lengths: {lengths.tolist()} has numbers beyond 1 to {words} words")
        return scores, lengths.astype(np.int32), static
    if not jnp.issubdtype(lengths.dtype, jnp.integer):
        raise ValueError(f"lengths: dtype {lengths.dtype} is not an integer type")
    return scores, jnp.broadcast_to(lengths, shape), static


def log_partition(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns log Z of each graph (...), with three derivatives. Each of them takes O(n^3).

    >>> round(float(jnp.exp(kj.log_partition(jnp.zeros((4, 4)), root="single"))), 4)
    9.0
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled, projective)
    return trees.log_partition(scores, lengths, **static)


def marginals(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns p(head -> dependent), the shape of the scores, with two derivatives, in O(n^3).

    >>> kj.marginals(jnp.zeros((3, 3)), root="single")[0].tolist()
    [0.0, 0.5, 0.5]
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled, projective)
    return trees.marginals(scores, lengths, **static)[0]


def expectation(scores, f, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns E[sum of f over the arcs], (..., features), for f (..., features, n+1, n+1[, labels]), in O(n^3).

    It has two derivatives in scores, and is linear in f.

    >>> kj.expectation(jnp.zeros((3, 3)), jnp.ones((1, 3, 3)), root="single").tolist()  # each tree has two arcs
    [2.0]
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled, projective)
    return trees.expectation(scores, lengths, f=(f,), **static)


def entropy(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns the entropy log Z - E[score] in nats, (...), with two derivatives, in O(n^3).

    >>> round(float(jnp.exp(kj.entropy(jnp.zeros((3, 3)), root="single"))), 4)
    2.0
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled, projective)
    return trees.information("entropy", scores, lengths, **static)


def renyi(scores, alpha: float, *, root: str, lengths=None, labelled: bool = False, projective: bool = False):
    """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha), (...), with two derivatives, in O(n^3).

    alpha is a Python number: inside jit it is a part of the compiled function. The work is done on the CPU.

    >>> round(float(jnp.exp(kj.renyi(jnp.zeros((3, 3)), 2.0, root="single"))), 4)
    2.0
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled, projective)
    return trees.renyi(scores, lengths, alpha=alpha, **static)


def _of_two(verb: str, p_scores, q_scores, lengths, *options):
    p_scores, lengths, static = _arguments(p_scores, lengths, *options)
    q_scores, _, _ = _arguments(q_scores, lengths, *options)
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


def log_prob(scores, heads, labels=None, *, root: str, lengths=None, projective: bool = False):
    """Returns log p(tree) = score - log Z, (...), with three derivatives, in O(n^3); it is -inf for an impossible arc.

    heads and labels are integers (..., n+1). An error says why heads are not a tree: ValueError, and what JAX makes of
    it under jit.

    >>> round(float(jnp.exp(kj.log_prob(jnp.zeros((3, 3)), jnp.array([-1, 0, 1]), root="single"))), 4)
    0.5
    """
    scores, lengths, static = _arguments(scores, lengths, root, labels is not None, projective)
    score, heads = _of_tree(scores, heads, labels, lengths, root)
    log_p = score - trees.log_partition(scores, lengths, **static)
    return jnp.where(_crosses(heads, lengths), -jnp.inf, log_p) if projective else log_p


def _of_tree(array, heads, labels, lengths, root: str):
    """Returns the sum of an array's numbers of a tree's arcs, (...), and its heads, once they are checked."""
    x = array if labels is not None else array[..., None]
    shape = x.shape[:-2]
    heads = _integers(heads, shape, "heads")
    labels = np.zeros(shape, np.int32) if labels is None else _integers(labels, shape, "labels")
    heads = _checked(heads, labels, lengths, root, x.shape[-1])
    return _score(x, heads[..., None, :], labels[..., None, :], lengths)[..., 0], heads


def risk(scores, heads, labels=None, *, root: str, lengths=None, projective: bool = False):
    """Returns the expected fraction of words with the right head (and label), (...), with two derivatives.

    heads and labels are integers (..., n+1), with the errors of log_prob. Takes O(n^3).

    >>> float(kj.risk(jnp.zeros((3, 3)), jnp.array([-1, 0, 1]), root="single"))
    0.5
    """
    scores, lengths, static = _arguments(scores, lengths, root, labels is not None, projective)
    (found,) = trees.marginals(scores, lengths, **static)
    return _of_tree(found, heads, labels, lengths, root)[0] / jnp.asarray(lengths).astype(scores.dtype)


def tree_score(scores, heads, labels=None, *, lengths=None):
    """Returns the sum of the scores of a tree's arcs, (...), in O(n); heads and labels are integers (..., n+1).

    An error says why heads are not a tree, as in log_prob.

    >>> float(kj.tree_score(jnp.arange(9.0).reshape(3, 3), jnp.array([-1, 0, 1])))  # 1 + 5
    6.0
    """
    scores, lengths, _ = _arguments(scores, lengths, "multi", labels is not None, False)
    return _of_tree(scores, heads, labels, lengths, "multi")[0]


def _crosses(heads, lengths):
    """Returns which trees (..., n+1) have two arcs that cross."""
    words = jnp.arange(1, heads.shape[-1])
    used = words <= jnp.asarray(lengths)[..., None]
    low, high = jnp.minimum(words, heads[..., 1:]), jnp.maximum(words, heads[..., 1:])
    a, b = (jnp.where(used, x, 0)[..., :, None] for x in (low, high))
    x, y = (jnp.where(used, x, 0)[..., None, :] for x in (low, high))
    return ((a < x) & (x < b) & (b < y)).any((-1, -2))


def _score(x, heads, labels, lengths):
    """Returns the scores (..., trees) of trees (..., trees, n+1) in an array (..., n+1, n+1, labels)."""
    size = x.shape[-2]
    words = jnp.arange(1, size)
    index = (jnp.maximum(heads[..., 1:], 0) * size + words) * x.shape[-1] + jnp.maximum(labels[..., 1:], 0)
    flat = jnp.take_along_axis(x.reshape(x.shape[:-3] + (-1,)), index.reshape(index.shape[:-2] + (-1,)), axis=-1)
    return jnp.where(words <= lengths[..., None, None], flat.reshape(index.shape), 0).sum(-1)


def _trees(scores, searched, lengths, search: Search, labelled: bool, static) -> Trees:
    """Returns the trees that are found in `searched`, with their log-probabilities by `scores`, (..., trees)."""
    heads, labels = find(searched, lengths, search, **static)
    x = scores if labelled else scores[..., None]
    score = _score(x, heads, jnp.zeros_like(heads) if labels is None else labels, lengths)
    return Trees(heads, labels, score - trees.log_partition(scores, lengths, **static)[..., None])


def _first(trees: Trees) -> Trees:
    return Trees(trees.heads[..., 0, :], None if trees.labels is None else trees.labels[..., 0, :],
                 trees.log_prob[..., 0])


def argmax(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False) -> Trees:
    """Returns the most probable tree: heads and labels (..., n+1), and log_prob (...), which alone has derivatives.

    >>> kj.argmax(jnp.array([[0.0, 1, 0], [0, 0, 2], [0, 0, 0]]), root="single").heads.tolist()
    [-1, 0, 1]
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled, projective)
    return _first(_trees(scores, scores, lengths, Search(), labelled, static))


def mbr(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False) -> Trees:
    """Returns the tree whose marginals have the highest sum, in the shapes of argmax.

    >>> kj.mbr(jnp.array([[0.0, 1, 0], [0, 0, 2], [0, 0, 0]]), root="single").heads.tolist()
    [-1, 0, 1]
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled, projective)
    gains = jnp.where(scores == -jnp.inf, -jnp.inf, trees.marginals(jax.lax.stop_gradient(scores), lengths, **static)[0])
    return _first(_trees(scores, gains, lengths, Search(), labelled, static))


def sample(scores, shape=(), *, root: str, seed: int = 0, method: str = "automatic", lengths=None,
           labelled: bool = False, projective: bool = False) -> Trees:
    """Draws independent trees for each graph: heads and labels (..., *shape, n+1), log_prob (..., *shape).

    The seed is a Python integer: inside jit it is a part of the compiled function. Graph i of a batch, and of what vmap
    makes one, has the seed `seed + i`; see TreeDistribution.sample for the methods.

    >>> kj.sample(jnp.zeros((3, 3)), 4, root="single", seed=1).heads.shape
    (4, 3)
    """
    scores, lengths, static = _arguments(scores, lengths, root, labelled, projective)
    shape, count = counted(shape)
    TreeDistribution(np.zeros((2, 2)), root=root).sample(0, method=method)  # says what is wrong with method
    trees = _trees(scores, scores, lengths, Search(True, count, seed_of(seed), method), labelled, static)
    full = trees.log_prob.shape[:-1] + shape
    rows = full + trees.heads.shape[-1:]
    return Trees(trees.heads.reshape(rows), None if trees.labels is None else trees.labels.reshape(rows),
                 trees.log_prob.reshape(full))
