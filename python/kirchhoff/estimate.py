"""Estimates of E[f(tree)] from sampled trees; `values` holds f of each, along the last axis."""

from __future__ import annotations

import numpy as np

from .distribution import SampledTrees


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
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        ratio = np.exp(sample.log_prob - np.asarray(sample.threshold)[..., None])
        weights = np.where(ratio < 1e-300, np.exp(np.asarray(sample.threshold))[..., None],
                           np.exp(sample.log_prob) / -np.expm1(-ratio))
    return np.where(np.isneginf(sample.log_prob), 0.0, weights)


def importance_estimate(sample: SampledTrees, values) -> np.ndarray:
    """Unbiased, from trees sampled without replacement."""
    return (_weights(sample) * np.asarray(values)).sum(-1)


def normalised_estimate(sample: SampledTrees, values) -> np.ndarray:
    """The same divided by the sum of weights: smaller variance, biased by O(1/k)."""
    weights = _weights(sample)
    return (weights * np.asarray(values)).sum(-1) / weights.sum(-1)
