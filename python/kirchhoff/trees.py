"""Trees as arrays: what decoding and sampling give."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np


class Trees(NamedTuple):
    """Trees of each graph. Padding and trees that do not exist are -1; their log_prob is -inf."""

    heads: np.ndarray  #: (..., n+1) or (..., k, n+1) integers
    labels: Optional[np.ndarray]  #: the same shape, of the arc into each word; None for unlabelled graphs
    log_prob: np.ndarray


class SampledTrees(NamedTuple):
    """Distinct trees in the order of their perturbed log-probabilities (see `importance_estimate`)."""

    heads: np.ndarray
    labels: Optional[np.ndarray]
    log_prob: np.ndarray
    perturbed: np.ndarray  #: log-probability + Gumbel noise
    threshold: np.ndarray  #: the highest perturbed log-probability not among them; -inf when these are all trees


class DecodedTrees(NamedTuple):
    """Trees of each graph. Padding and trees that do not exist are -1; their score is -inf."""

    heads: np.ndarray  #: (..., n+1), or (..., k, n+1) when k was given
    labels: Optional[np.ndarray]  #: the same shape; None for unlabelled graphs
    score: np.ndarray  #: sum of the scores of its arcs
