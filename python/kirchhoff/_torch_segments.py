"""Segmentations with tags, semi-Markov conditional random fields, for PyTorch.

Scores are segments (..., length, longest, tags) and transitions (..., tags, tags), or (tags, tags) for all chains;
`lengths` holds the positions of each chain of a padded batch. The work is done on the CPU. See SegmentDistribution.
"""

from __future__ import annotations

from typing import Tuple

import numpy as np
import torch

from . import _torch_verbs as verbs
from ._many import with_axes
from ._torch_functions import LogPartition, Scored, widened
from ._torch_numbers import doubles, like
from .segment import SegmentDistribution

_AXES = (3, 2)  # of the scores of one chain


def _segmented(segments: torch.Tensor, transitions: torch.Tensor, lengths) -> Scored:
    """Returns scores as doubles, transitions for every chain; gradients flow back to the caller's."""
    x, y = doubles(segments, "segments"), doubles(transitions, "transitions")
    words = None if lengths is None else torch.as_tensor(lengths).cpu().numpy()

    def make(s, t):
        return SegmentDistribution(s.detach().numpy(), t.detach().numpy(), lengths=words)

    tags = tuple(x.shape[-1:])
    fits = x.dim() > 2 and tuple(y.shape[-2:]) == tags * 2 and y.dim() in (2, x.dim() - 1)
    return Scored((x, y.expand(tuple(x.shape[:-3]) + tags * 2) if fits else y), make, segments,
                  _AXES)


def _pair(p_scores, q_scores, lengths) -> Tuple[Scored, Scored]:
    (e, t), (f, u) = p_scores, q_scores
    return _segmented(e, t, lengths), _segmented(f, u, lengths)


def segment_distribution(segments, transitions, *, lengths=None) -> SegmentDistribution:
    """Returns the distribution itself, without gradients, for decoding and sampling; its answers are NumPy's arrays.

    >>> kt.segment_distribution(torch.zeros(3, 2, 1), torch.zeros(1, 1)).k_best(1).tags.tolist()
    [[0, 0, 0]]
    """
    x = _segmented(segments, transitions, lengths)
    return x.make(*x.scores)


def segment_log_partition(segments, transitions, *, lengths=None) -> torch.Tensor:
    """Returns log Z of each chain (...), with three derivatives.

    segments are (..., length, longest, tags) and transitions (..., tags, tags) or (tags, tags); see SegmentDistribution.

    >>> kt.segment_log_partition(torch.zeros(3, 2, 1), torch.zeros(1, 1)).exp().round(decimals=4).item()
    3.0
    """
    return verbs.log_partition(_segmented(segments, transitions, lengths))


def segment_marginals(segments, transitions, *, lengths=None) -> Tuple[torch.Tensor, ...]:
    """Returns the probabilities of segments and how many pairs of tags are expected, with two derivatives.

    >>> probabilities, pairs = kt.segment_marginals(torch.zeros(2, 2, 1), torch.zeros(1, 1))
    >>> probabilities.flatten().tolist(), pairs.tolist()
    ([0.5, 0.5, 0.5, 0.0], [[0.5]])
    """
    return verbs.marginals(_segmented(segments, transitions, lengths))


def segment_expectation(segments, transitions, f, *, lengths=None) -> torch.Tensor:
    """Returns E[f] (..., features) of additive functions, with two derivatives. It is linear in f.

    f is a pair of tensors (..., features, length, longest, tags) and (..., features, tags, tags).

    >>> count = torch.ones(1, 2, 2, 1), torch.zeros(1, 1, 1)
    >>> kt.segment_expectation(torch.zeros(2, 2, 1), torch.zeros(1, 1), count).tolist()  # one segment, or two
    [1.5]
    """
    x = _segmented(segments, transitions, lengths)
    if not isinstance(f, (tuple, list)) or len(f) != 2:
        raise ValueError("f: expected a pair (segments, transitions), such as SegmentArrays")
    return verbs.expectation(x, tuple(doubles(torch.as_tensor(part), "f") for part in f), _AXES)


def segment_score(segments, transitions, tags, starts, *, lengths=None) -> torch.Tensor:
    """Returns the sum of the scores of a segmentation's segments and pairs of tags, (...), in O(length).

    tags are integers (..., length), and starts say where a segment begins, as in Segmentations.

    >>> kt.segment_score(torch.ones(3, 2, 1), torch.ones(1, 1), [0, 0, 0], [True, False, True]).item()
    3.0
    """
    x = _segmented(segments, transitions, lengths)
    return like(_score(x, x.make(*x.scores), tags, starts), segments)


def _score(x: Scored, p: SegmentDistribution, tags, starts) -> torch.Tensor:
    tags, starts = (torch.as_tensor(t).cpu().numpy() for t in (tags, starts))
    p.log_prob(tags, starts)  # says what is wrong with them
    more = tags.shape[len(p.batch_shape):-1]
    segments, transitions = widened(x.scores, _AXES, more)
    shape = p.batch_shape + more + p.event_shape
    lengths = with_axes(np.asarray(p.lengths), more)[..., None]
    used = np.arange(shape[-1]) < lengths
    begins = np.broadcast_to(starts, shape).astype(bool) & used
    begins[..., 0] = True
    # Each segment ends where the next one begins, or where the chain does.
    ends = np.where(np.roll(begins, -1, -1), np.arange(shape[-1]) + 1, shape[-1] + 1)
    ends[..., -1] = shape[-1] + 1
    ends = np.minimum(np.minimum.accumulate(ends[..., ::-1], -1)[..., ::-1], lengths)
    lasts = ends - np.arange(shape[-1]) - 1  # the length of a segment that begins here, less one
    at = np.where(used, np.broadcast_to(tags, shape), 0)
    index = torch.from_numpy(np.where(begins, lasts, 0) * p.tags + at).unsqueeze(-1)
    own = segments.flatten(-2).gather(-1, index).squeeze(-1)
    pairs = torch.from_numpy(np.roll(at, 1, -1) * p.tags + at)
    between = transitions.flatten(-2).gather(-1, pairs)
    follows = begins.copy()
    follows[..., 0] = False
    return (own.masked_fill(torch.from_numpy(~begins), 0.0).sum(-1)
            + between.masked_fill(torch.from_numpy(~follows), 0.0).sum(-1))


def segment_log_prob(segments, transitions, tags, starts, *, lengths=None) -> torch.Tensor:
    """Returns log p of a segmentation, (...), with three derivatives; tags and starts are those of `segment_score`.

    There may be many of each chain, as in SegmentDistribution.log_prob. Minus its mean is the loss of a semi-Markov CRF.

    >>> kt.segment_log_prob(torch.zeros(2, 2, 1), torch.zeros(1, 1), [0, 0], [True, False]).exp().item()
    0.5
    """
    x = _segmented(segments, transitions, lengths)
    p = x.make(*x.scores)
    score = _score(x, p, tags, starts)
    log_z = LogPartition.apply(p, *x.scores)
    return like(score - log_z.reshape(log_z.shape + (1,) * (score.dim() - log_z.dim())), segments)


def segment_entropy(segments, transitions, *, lengths=None) -> torch.Tensor:
    """Returns the entropy in nats, (...), with two derivatives.

    >>> kt.segment_entropy(torch.zeros(3, 2, 1), torch.zeros(1, 1)).exp().round(decimals=4).item()
    3.0
    """
    return verbs.information("entropy", _segmented(segments, transitions, lengths))


def segment_renyi(segments, transitions, alpha: float, *, lengths=None) -> torch.Tensor:
    """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha), (...), with two derivatives.

    >>> kt.segment_renyi(torch.zeros(3, 2, 1), torch.zeros(1, 1), 2.0).exp().round(decimals=4).item()
    3.0
    """
    return verbs.renyi(_segmented(segments, transitions, lengths), alpha)


def segment_kl(p_scores, q_scores, *, lengths=None) -> torch.Tensor:
    """Returns KL(p || q), (...), of pairs (segments, transitions), with two derivatives by all.

    >>> scores = torch.zeros(3, 2, 1), torch.zeros(1, 1)
    >>> kt.segment_kl(scores, scores).item()
    0.0
    """
    return verbs.information("kl", *_pair(p_scores, q_scores, lengths))


def segment_cross_entropy(p_scores, q_scores, *, lengths=None) -> torch.Tensor:
    """Returns E_p[-log q], (...), of pairs (segments, transitions), with two derivatives by all.

    >>> scores = torch.zeros(3, 2, 1), torch.zeros(1, 1)
    >>> kt.segment_cross_entropy(scores, scores).exp().round(decimals=4).item()
    3.0
    """
    return verbs.information("cross_entropy", *_pair(p_scores, q_scores, lengths))
