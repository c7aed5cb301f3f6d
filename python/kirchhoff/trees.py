"""Holds trees as arrays, which is what decoding and sampling give."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np


class Trees(NamedTuple):
    """Trees of each graph. Padding and trees that do not exist are -1; their log_prob is -inf.

    heads are integers (..., n+1) or (..., k, n+1). labels, those of the arc into each word, have the same shape, and
    are None for unlabelled graphs. log_prob is (...) or (..., k).

    >>> trees = kirchhoff.TreeDistribution(np.zeros((3, 3)), root="single").k_best(3)
    >>> trees.heads.tolist(), trees.labels, np.exp(trees.log_prob).round(6).tolist()
    ([[-1, 0, 1], [-1, 2, 0], [-1, -1, -1]], None, [0.5, 0.5, 0.0])
    """

    heads: np.ndarray  #: (..., n+1) or (..., k, n+1) integers
    labels: Optional[np.ndarray]  #: the label of the arc into each word, in the same shape; None for unlabelled graphs
    log_prob: Any  #: (...) or (..., k); a float for one tree


class SampledTrees(NamedTuple):
    """Distinct trees in the order of their perturbed log-probabilities (see `importance_estimate`).

    heads, labels and log_prob are as in Trees. perturbed (..., k) is log-probability + Gumbel noise, and threshold
    (...) the highest perturbed log-probability not among them, -inf when these are all trees.

    >>> p = kirchhoff.TreeDistribution(np.zeros((4, 4)), root="single")
    >>> trees = p.sample_without_replacement(4, seed=1)
    >>> trees.heads.shape, bool((trees.perturbed > trees.threshold).all())
    ((4, 4), True)
    """

    heads: np.ndarray
    labels: Optional[np.ndarray]
    log_prob: np.ndarray
    perturbed: np.ndarray  #: log-probability + Gumbel noise
    threshold: Any  #: (...): the highest perturbed log-probability not among them; a float for one graph


class DecodedTrees(NamedTuple):
    """Trees of each graph. Padding and trees that do not exist are -1; their score is -inf.

    heads are integers (..., n+1), or (..., k, n+1) when k_best was given. labels have the same shape, and are None for
    unlabelled graphs. score is the sum of the scores of a tree's arcs, (...) or (..., k).

    >>> kirchhoff.decode(np.ones((3, 3)), root="single", k_best=2).score.tolist()
    [2.0, 2.0]
    """

    heads: np.ndarray  #: (..., n+1), or (..., k, n+1) when k_best was given
    labels: Optional[np.ndarray]  #: the same shape; None for unlabelled graphs
    score: Any  #: sum of the scores of its arcs; a float for one tree
