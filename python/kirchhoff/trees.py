"""Trees as arrays: what decoding and sampling give."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np


class Trees(NamedTuple):
    """Trees of each graph. Padding and trees that do not exist are -1; their log_prob is -inf.

    heads: integers (..., n+1) or (..., k, n+1); labels: of the arc into each word, the same shape, None for unlabelled
    graphs; log_prob: (...) or (..., k).

    >>> trees = kirchhoff.TreeDistribution(np.zeros((3, 3)), root="single").k_best(3)
    >>> trees.heads.tolist(), trees.labels, np.exp(trees.log_prob).round(6).tolist()
    ([[-1, 0, 1], [-1, 2, 0], [-1, -1, -1]], None, [0.5, 0.5, 0.0])
    """

    heads: np.ndarray  #: (..., n+1) or (..., k, n+1) integers
    labels: Optional[np.ndarray]  #: the same shape, of the arc into each word; None for unlabelled graphs
    log_prob: Any  #: (...) or (..., k); a float for one tree


class SampledTrees(NamedTuple):
    """Distinct trees in the order of their perturbed log-probabilities (see `importance_estimate`).

    heads, labels and log_prob as in Trees; perturbed (..., k): log-probability + Gumbel noise; threshold (...): the
    highest perturbed log-probability not among them, -inf when these are all trees.

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

    heads: integers (..., n+1), or (..., k, n+1) when k was given; labels: the same shape, None for unlabelled graphs;
    score: sum of the scores of its arcs, (...) or (..., k).

    >>> kirchhoff.decode(np.ones((3, 3)), root="single", k=2).score.tolist()
    [2.0, 2.0]
    """

    heads: np.ndarray  #: (..., n+1), or (..., k, n+1) when k was given
    labels: Optional[np.ndarray]  #: the same shape; None for unlabelled graphs
    score: Any  #: sum of the scores of its arcs; a float for one tree
