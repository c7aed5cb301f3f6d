"""Holds segmentations, and numbers for segments and pairs of tags, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class SegmentArrays(NamedTuple):
    """A number for every segment, and for every pair of tags of neighbouring segments.

    segments are (..., length, longest, tags), of which [t, d, k] is for the segment of d+1 positions with tag k that
    begins at position t; transitions are (..., tags, tags), from tag i to tag j. They are scores, marginals, gradients,
    or values of an additive function.

    >>> p = kirchhoff.SegmentDistribution(np.zeros((2, 2, 1)), np.zeros((1, 1)))  # one segment, or two
    >>> p.marginals().segments[:, :, 0].tolist(), p.marginals().transitions.tolist()
    ([[0.5, 0.5], [0.5, 0.0]], [[0.5]])
    """

    segments: np.ndarray  #: (..., length, longest, tags)
    transitions: np.ndarray  #: (..., tags, tags)


class Segmentations(NamedTuple):
    """Segmentations of each chain: the tag of each position, and which positions begin a segment.

    Padding and segmentations that do not exist have tag -1, False, and log_prob -inf.

    >>> p = kirchhoff.SegmentDistribution(np.zeros((2, 2, 1)), np.zeros((1, 1)))
    >>> p.k_best(2).starts.tolist()
    [[True, False], [True, True]]
    """

    tags: np.ndarray  #: (..., length) or (..., k, length) integers
    starts: np.ndarray  #: booleans of the same shape
    log_prob: Any  #: (...) or (..., k); a float for one segmentation


class SampledSegmentations(NamedTuple):
    """Distinct segmentations in the order of their perturbed log-probabilities (see `importance_estimate`).

    perturbed is log-probability + Gumbel noise, and threshold the highest one of a segmentation not among them, -inf
    when these are all.

    >>> p = kirchhoff.SegmentDistribution(np.zeros((2, 2, 1)), np.zeros((1, 1)))
    >>> some = p.sample_without_replacement(1, seed=1)
    >>> some.tags.shape, bool((some.perturbed > some.threshold).all())
    ((1, 2), True)
    """

    tags: np.ndarray  #: (..., k, length) integers
    starts: np.ndarray  #: booleans of the same shape
    log_prob: np.ndarray  #: (..., k)
    perturbed: np.ndarray  #: (..., k)
    threshold: Any  #: (...); a float for one chain
