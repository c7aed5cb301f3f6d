"""Estimates E[f] from sampled trees or tag sequences; `values` holds f of each, along the last axis."""

from __future__ import annotations

from typing import Union

import numpy as np

from . import _core
from .spanning import SampledSpanningTrees
from .tag_sequences import SampledTags
from .trees import SampledTrees

Sample = Union[SampledTrees, SampledSpanningTrees, SampledTags]


def mean_estimate(values):
    """Returns the mean of values (..., samples) of independent samples and its standard error: two arrays (...).

    The error is inf for a single value. Takes O(samples).

    >>> mean, error = kirchhoff.mean_estimate([1.0, 2.0, 3.0])
    >>> float(mean), round(float(error), 6)
    (2.0, 0.57735)
    """
    values = np.asarray(values, dtype=np.float64)
    count = values.shape[-1]
    return values.mean(-1), values.std(-1, ddof=1) / np.sqrt(count) if count > 1 else np.inf


def _weights(sample: Sample) -> np.ndarray:
    """Returns p / P(perturbed > threshold) [Kool19], which is 0 for padding."""
    trees = sample.log_prob.shape[-1]
    threshold = np.asarray(sample.threshold, dtype=np.float64).reshape(-1)
    return _core.importance_weights(sample.log_prob.reshape(-1, trees), threshold).reshape(sample.log_prob.shape)


def importance_estimate(sample: Sample, values) -> np.ndarray:
    """Estimates E[f] from what was sampled without replacement: the sum of p / P(perturbed > threshold) * f.

    values are f of each tree, (..., k), and the result is (...). The estimate is unbiased and takes O(k).

    >>> p = kirchhoff.TreeDistribution(np.zeros((4, 4)), root="single")
    >>> sample = p.sample_without_replacement(9, seed=1)  # all trees: the estimate is exact
    >>> round(kirchhoff.importance_estimate(sample, sample.heads[:, 1] == 0).item(), 6)
    0.333333
    """
    return (_weights(sample) * np.asarray(values)).sum(-1)


def normalised_estimate(sample: Sample, values) -> np.ndarray:
    """Divides the importance estimate by the sum of weights: that has less variance, and a bias of O(1/k). O(k).

    >>> p = kirchhoff.TreeDistribution(np.zeros((4, 4)), root="single")
    >>> sample = p.sample_without_replacement(5, seed=1)
    >>> round(kirchhoff.normalised_estimate(sample, np.ones(5)).item(), 6)  # right for what is constant
    1.0
    """
    weights = _weights(sample)
    return (weights * np.asarray(values)).sum(-1) / weights.sum(-1)
