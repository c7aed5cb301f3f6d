"""Estimates of E[f(tree)] from sampled trees; `values` holds f of each, along the last axis."""

from __future__ import annotations

import numpy as np

from . import _core
from .trees import SampledTrees


def mean_estimate(values):
    """Mean and standard error from independent samples.

    >>> mean_estimate([1.0, 2.0, 3.0])
    (np.float64(2.0), np.float64(0.5773502691896258))
    """
    values = np.asarray(values, dtype=np.float64)
    count = values.shape[-1]
    return values.mean(-1), values.std(-1, ddof=1) / np.sqrt(count) if count > 1 else np.inf


def _weights(sample: SampledTrees) -> np.ndarray:
    """p / P(perturbed > threshold) [Kool et al. 2019]; 0 for padding."""
    trees = sample.log_prob.shape[-1]
    threshold = np.asarray(sample.threshold, dtype=np.float64).reshape(-1)
    return _core.importance_weights(sample.log_prob.reshape(-1, trees), threshold).reshape(sample.log_prob.shape)


def importance_estimate(sample: SampledTrees, values) -> np.ndarray:
    """Unbiased, from trees sampled without replacement."""
    return (_weights(sample) * np.asarray(values)).sum(-1)


def normalised_estimate(sample: SampledTrees, values) -> np.ndarray:
    """The same divided by the sum of weights: smaller variance, biased by O(1/k)."""
    weights = _weights(sample)
    return (weights * np.asarray(values)).sum(-1) / weights.sum(-1)
