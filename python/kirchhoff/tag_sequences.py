"""Holds tag sequences, and numbers for tags and pairs of tags, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class ChainArrays(NamedTuple):
    """A number for every tag at every position, and for every pair of tags at neighbouring positions.

    emissions are (..., length, tags) and transitions (..., length-1, tags, tags), of which [t, i, j] is for tag i at
    position t and tag j at position t+1. They are scores, marginals, gradients, or values of an additive function.

    >>> p = kirchhoff.ChainDistribution(np.zeros((3, 2)), np.zeros((2, 2)))
    >>> p.marginals().emissions.tolist(), p.marginals().transitions.shape
    ([[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]], (2, 2, 2))
    """

    emissions: np.ndarray  #: (..., length, tags)
    transitions: np.ndarray  #: (..., length-1, tags, tags)


class TagSequences(NamedTuple):
    """Tag sequences of each chain. Padding and sequences that do not exist are -1; their log_prob is -inf.

    >>> p = kirchhoff.ChainDistribution([[0.0, 0.0], [0.0, -np.inf]], np.zeros((2, 2)))
    >>> best = p.k_best(3)
    >>> best.tags.tolist(), np.exp(best.log_prob).round(6).tolist()
    ([[0, 0], [1, 0], [-1, -1]], [0.5, 0.5, 0.0])
    """

    tags: np.ndarray  #: (..., length) or (..., k, length) integers
    log_prob: Any  #: (...) or (..., k); a float for one sequence


class SampledTags(NamedTuple):
    """Distinct sequences in the order of their perturbed log-probabilities (see `importance_estimate`).

    perturbed is log-probability + Gumbel noise, and threshold the highest one of a sequence not among them, -inf when
    these are all.

    >>> p = kirchhoff.ChainDistribution(np.zeros((3, 2)), np.zeros((2, 2)))
    >>> some = p.sample_without_replacement(5, seed=1)
    >>> some.tags.shape, bool((some.perturbed > some.threshold).all())
    ((5, 3), True)
    """

    tags: np.ndarray  #: (..., k, length) integers
    log_prob: np.ndarray  #: (..., k)
    perturbed: np.ndarray  #: (..., k)
    threshold: Any  #: (...); a float for one chain
