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


def unordered_set_estimate(sample: Sample, values) -> np.ndarray:
    """Estimates E[f] from what was sampled without replacement, by the set alone [Kool20]: unbiased, and without threshold.

    values are f of each tree, (..., k), and the result is (...). Its variance is never larger than that of
    importance_estimate's mean over all orders, and it is exact when these are all trees. Takes O(k^2.5).

    >>> p = kirchhoff.TreeDistribution(np.zeros((4, 4)), root="single")
    >>> sample = p.sample_without_replacement(9, seed=1)
    >>> round(kirchhoff.unordered_set_estimate(sample, sample.heads[:, 1] == 0).item(), 6)
    0.333333
    """
    return (unordered_set_weights(sample) * np.asarray(values)).sum(-1)


def unordered_set_weights(sample: Sample) -> np.ndarray:
    """Returns the weight of each value in unordered_set_estimate, (..., k), 0 for padding. Takes O(k^2.5).

    >>> p = kirchhoff.TreeDistribution(np.zeros((4, 4)), root="single")
    >>> kirchhoff.unordered_set_weights(p.sample_without_replacement(2, seed=1)).round(6).tolist()  # equally probable
    [0.5, 0.5]
    """
    log_prob = np.asarray(sample.log_prob, dtype=np.float64)
    return _core.unordered_set_weights(log_prob.reshape(-1, log_prob.shape[-1])).reshape(log_prob.shape)


def unordered_set_gradient(sample: Sample, values) -> np.ndarray:
    """Returns numbers c (..., k): the sum of c * (gradient of log p) over the trees estimates the gradient of E[f].

    The estimate is unbiased, with the baseline of [Kool20]: what the other trees say of E[f] is subtracted from each
    value. kirchhoff.torch.expected_value has it as a loss. Takes O(k^3.5).

    >>> p = kirchhoff.TreeDistribution(np.zeros((4, 4)), root="single")
    >>> sample = p.sample_without_replacement(4, seed=1)
    >>> kirchhoff.unordered_set_gradient(sample, np.ones(4)).shape
    (4,)
    """
    log_prob = np.asarray(sample.log_prob, dtype=np.float64)
    values = np.broadcast_to(np.asarray(values, dtype=np.float64), log_prob.shape)
    rows = (x.reshape(-1, log_prob.shape[-1]) for x in (log_prob, values))
    return _core.unordered_set_gradient(*rows).reshape(log_prob.shape)


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
