"""Finds the best trees of scores alone."""

from __future__ import annotations

from typing import Optional

import numpy.typing as npt

from . import _core
from ._arrays import ArrayLike, arc_lists, flattened, graphs_of
from .trees import DecodedTrees


def decode(scores: ArrayLike, *, root: str, k_best: Optional[int] = None, require=(), forbid=(),
           lengths: Optional[npt.ArrayLike] = None, labelled: bool = False, threads: int = 0,
           projective: bool = False) -> DecodedTrees:
    """Finds the trees of highest score without a distribution, in O(n^2) for each graph and tree.

    The arguments scores (..., n+1, n+1[, labels]), require, forbid, lengths, labelled and threads are those of
    TreeDistribution and its `given`. Heads are (..., n+1); with k_best there are that many trees, best first, and
    heads are (..., k_best, n+1). With `projective` only trees whose arcs do not cross count, in O(n^3).

    >>> kirchhoff.decode(np.arange(16.0).reshape(4, 4), root="single", require=[(0, 3)]).heads.tolist()
    [-1, 3, 3, 0]
    """
    array, shape, labels, words = graphs_of(scores, lengths, labelled)
    if projective:
        run = _core.decode_labelled_projective if labels else _core.decode_projective
    else:
        run = _core.decode_labelled if labels else _core.decode
    heads, chosen, score = run(flattened(array, shape), root, None if words is None else words.reshape(-1),
                               1 if k_best is None else k_best,
                               arc_lists(require, shape, "require"), arc_lists(forbid, shape, "forbid"), threads)
    tail = heads.shape[2:] if k_best is None else heads.shape[1:]
    score = score.reshape(shape + tail[:-1])
    return DecodedTrees(heads.reshape(shape + tail), chosen.reshape(shape + tail) if labels else None,
                        score if score.shape else float(score))
