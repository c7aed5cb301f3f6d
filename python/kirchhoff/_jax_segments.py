"""Segmentations with tags, semi-Markov conditional random fields, for JAX.

Scores are segments (..., length, longest, tags) and transitions (..., tags, tags), or (tags, tags) for all chains;
`lengths` holds the positions of each chain of a padded batch. The work is done on the CPU. See SegmentDistribution.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from ._arrays import counted
from ._jax_families import Family
from ._jax_primitives import Kind, lengths_of_all, of_one_dtype, of_two
from ._jax_search import search, widened
from .segment import SegmentDistribution
from .segmentations import Segmentations


def _segmented(x, y, lengths) -> SegmentDistribution:
    return SegmentDistribution(x, y, lengths=lengths)


_segmentations = Family(Kind("segment_", _segmented, lambda _: (3, 2), 2))


def _arguments(segments, transitions, lengths):
    """Returns scores of one dtype, transitions for every chain, and lengths; says what is wrong with the shapes."""
    segments, transitions = of_one_dtype(segments, transitions)
    if segments.ndim < 3 or 0 in segments.shape:
        raise ValueError(f"segments: shape {segments.shape} is not (..., length, longest, tags) with at least one of each")
    batch, pair = segments.shape[:-3], (segments.shape[-1],) * 2
    if transitions.shape not in (pair, batch + pair):
        raise ValueError(f"transitions: shape {transitions.shape} does not fit segments of shape {segments.shape}")
    lengths = lengths_of_all(lengths, segments.shape[-3], batch)
    return segments, jnp.broadcast_to(transitions, batch + pair), lengths


def segment_log_partition(segments, transitions, *, lengths=None):
    """Returns log Z of each chain (...), with three derivatives.

    segments are (..., length, longest, tags) and transitions (..., tags, tags) or (tags, tags); see SegmentDistribution.

    >>> round(float(jnp.exp(kj.segment_log_partition(jnp.zeros((3, 2, 1)), jnp.zeros((1, 1))))), 4)
    3.0
    """
    return _segmentations.log_partition(*_arguments(segments, transitions, lengths))


def segment_marginals(segments, transitions, *, lengths=None):
    """Returns the probabilities of segments and how many pairs of tags are expected, with two derivatives.

    >>> kj.segment_marginals(jnp.zeros((2, 2, 1)), jnp.zeros((1, 1)))[0].ravel().tolist()
    [0.5, 0.5, 0.5, 0.0]
    """
    return tuple(_segmentations.marginals(*_arguments(segments, transitions, lengths)))


def segment_expectation(segments, transitions, f, *, lengths=None):
    """Returns E[f] (..., features) of additive functions, with two derivatives. It is linear in f.

    f is a pair of arrays (..., features, length, longest, tags) and (..., features, tags, tags).

    >>> count = jnp.ones((1, 2, 2, 1)), jnp.zeros((1, 1, 1))
    >>> kj.segment_expectation(jnp.zeros((2, 2, 1)), jnp.zeros((1, 1)), count).tolist()  # one segment, or two
    [1.5]
    """
    if not isinstance(f, (tuple, list)) or len(f) != 2:
        raise ValueError("f: expected a pair (segments, transitions), such as SegmentArrays")
    return _segmentations.expectation(*_arguments(segments, transitions, lengths), f=f)


def segment_score(segments, transitions, tags, starts, *, lengths=None):
    """Returns the sum of the scores of a segmentation's segments and pairs of tags, (...), in O(length longest).

    tags are integers (..., length), and starts say where a segment begins, as in Segmentations. What is no segmentation
    makes the result NaN, as JAX cannot raise an error about values under jit.

    >>> float(kj.segment_score(jnp.ones((3, 2, 1)), jnp.ones((1, 1)), jnp.zeros(3, int), jnp.array([True, False, True])))
    3.0
    """
    operands = _arguments(segments, transitions, lengths)
    more = jnp.shape(tags)[operands[0].ndim - 3:-1]
    return _score(*widened(operands[:2], (3, 2), operands[2], more), tags, starts)


def _score(segments, transitions, lengths, tags, starts):
    length, longest, count = segments.shape[-3:]
    shape = segments.shape[:-2]
    tags, starts = jnp.broadcast_to(jnp.asarray(tags), shape), jnp.broadcast_to(jnp.asarray(starts), shape)
    if not jnp.issubdtype(tags.dtype, jnp.integer):
        raise ValueError(f"tags: dtype {tags.dtype} is not an integer type")
    position = jnp.arange(length)
    used = position < jnp.asarray(lengths)[..., None]
    begins = ((starts != 0) | (position == 0)) & used
    # Each segment ends where the next one begins, or where the chain does.
    nexts = jnp.where(begins, position, length)[..., 1:]
    nexts = jnp.concatenate([nexts, jnp.full(shape[:-1] + (1,), length)], -1)
    ends = jnp.minimum(jax.lax.cummin(nexts, axis=nexts.ndim - 1, reverse=True), jnp.asarray(lengths)[..., None])
    last = ends - position - 1
    at = jnp.where(used, tags, 0)
    before = jnp.roll(at, 1, -1)
    known = (at >= 0) & (at < count) & (begins | (at == before) | ~used) & (~begins | (last < longest))
    at, before = jnp.clip(at, 0, count - 1), jnp.clip(before, 0, count - 1)
    index = jnp.clip(last, 0, longest - 1) * count + at
    own = jnp.take_along_axis(segments.reshape(shape + (longest * count,)), index[..., None], axis=-1)[..., 0]
    pairs = jnp.take_along_axis(transitions.reshape(shape[:-1] + (count * count,)), before * count + at, axis=-1)
    score = jnp.where(begins, own, 0).sum(-1) + jnp.where(begins & (position > 0), pairs, 0).sum(-1)
    return jnp.where(known.all(-1), score, jnp.nan)


def segment_log_prob(segments, transitions, tags, starts, *, lengths=None):
    """Returns log p of a segmentation, (...), with three derivatives; tags and starts are those of `segment_score`.

    >>> round(float(kj.segment_log_prob(jnp.zeros((2, 2, 1)), jnp.zeros((1, 1)), jnp.zeros(2, int), [True, False])), 4)
    -0.6931
    """
    log_z = _segmentations.log_partition(*_arguments(segments, transitions, lengths))
    score = segment_score(segments, transitions, tags, starts, lengths=lengths)
    return score - log_z.reshape(log_z.shape + (1,) * (score.ndim - log_z.ndim))


def segment_entropy(segments, transitions, *, lengths=None):
    """Returns the entropy in nats, (...), with two derivatives.

    >>> round(float(jnp.exp(kj.segment_entropy(jnp.zeros((3, 2, 1)), jnp.zeros((1, 1))))), 4)
    3.0
    """
    return _segmentations.information("entropy", *_arguments(segments, transitions, lengths))


def segment_renyi(segments, transitions, alpha: float, *, lengths=None):
    """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha), (...), with two derivatives.

    alpha is a Python number: inside jit it is a part of the compiled function.

    >>> round(float(jnp.exp(kj.segment_renyi(jnp.zeros((3, 2, 1)), jnp.zeros((1, 1)), 2.0))), 4)
    3.0
    """
    return _segmentations.renyi(*_arguments(segments, transitions, lengths), alpha=alpha)


def segment_kl(p_scores, q_scores, *, lengths=None):
    """Returns KL(p || q), (...), of pairs (segments, transitions), with two derivatives by all.

    It is inf where q forbids a segmentation that p allows, and then has no gradient: an error.

    >>> scores = jnp.zeros((3, 2, 1)), jnp.zeros((1, 1))
    >>> float(kj.segment_kl(scores, scores))
    0.0
    """
    return _segmentations.information("kl", *of_two(_arguments, p_scores, q_scores, lengths, (3, 2)))


def segment_cross_entropy(p_scores, q_scores, *, lengths=None):
    """Returns E_p[-log q], (...), of pairs (segments, transitions), with two derivatives by all.

    For infinite values see segment_kl.

    >>> scores = jnp.zeros((3, 2, 1)), jnp.zeros((1, 1))
    >>> round(float(jnp.exp(kj.segment_cross_entropy(scores, scores))), 4)
    3.0
    """
    return _segmentations.information("cross_entropy", *of_two(_arguments, p_scores, q_scores, lengths, (3, 2)))


def _found(ask, operands, shape: tuple) -> Segmentations:
    """Returns the segmentations ask(p) (..., count, length) as (..., *shape, length), with their log-probabilities."""
    x, y, lengths = operands
    batch, length = x.shape[:-3], x.shape[-3]
    count = int(np.prod(shape, dtype=np.int64))
    tags, starts = search(_segmented, ask, [batch + (count, length)] * 2, operands)
    a, b = (jnp.broadcast_to(jnp.expand_dims(s, len(batch)), batch + (count,) + s.shape[len(batch):]) for s in (x, y))
    score = _score(a, b, jnp.broadcast_to(jnp.asarray(lengths)[..., None], batch + (count,)), tags, starts)
    log_prob = score - _segmentations.log_partition(x, y, lengths)[..., None]
    full = batch + shape
    return Segmentations(tags.reshape(full + (length,)), (starts != 0).reshape(full + (length,)), log_prob.reshape(full))


def segment_argmax(segments, transitions, *, lengths=None) -> Segmentations:
    """Returns the most probable segmentation: tags and starts (..., length), log_prob (...), which has derivatives.

    >>> kj.segment_argmax(jnp.array([[[0.0], [1.0]], [[0.0], [0.0]]]), jnp.zeros((1, 1))).starts.tolist()
    [True, False]
    """
    return _found(lambda p: tuple(a[..., None, :] for a in p.argmax()[:2]), _arguments(segments, transitions, lengths),
                  ())


def segment_mbr(segments, transitions, *, lengths=None) -> Segmentations:
    """Returns the possible segmentation with the most right segments, as expected, in the shapes of segment_argmax.

    >>> kj.segment_mbr(jnp.zeros((2, 2, 1)), jnp.zeros((1, 1))).starts.tolist()
    [True, True]
    """
    return _found(lambda p: tuple(a[..., None, :] for a in p.mbr()[:2]), _arguments(segments, transitions, lengths), ())


def segment_k_best(segments, transitions, k: int, *, lengths=None) -> Segmentations:
    """Returns the k most probable ones, best first: tags and starts (..., k, length), and log_prob (..., k).

    log_prob has derivatives. Segmentations that do not exist are -1, and their log_prob is -inf.

    >>> kj.segment_k_best(jnp.array([[[0.0], [1.0]], [[0.0], [0.0]]]), jnp.zeros((1, 1)), 3).starts.tolist()
    [[True, False], [True, True], [False, False]]
    """
    found = _found(lambda p: p.k_best(k)[:2], _arguments(segments, transitions, lengths), (k,))
    return found._replace(log_prob=jnp.where(found.tags[..., 0] < 0, -jnp.inf, found.log_prob))


def segment_sample(segments, transitions, shape=(), *, seed: int = 0, lengths=None) -> Segmentations:
    """Draws independent segmentations: tags and starts (..., *shape, length), log_prob (..., *shape).

    The seed is a Python integer: inside jit it is a part of the compiled function. Chain i of a batch, and of what vmap
    makes one, has the seed `seed + i`.

    >>> kj.segment_sample(jnp.zeros((3, 2, 1)), jnp.zeros((1, 1)), 4, seed=1).tags.shape
    (4, 3)
    """
    shape, count = counted(shape)
    return _found(lambda p: p.sample(count, seed=seed)[:2], _arguments(segments, transitions, lengths), shape)
