"""Functions of arcs that are mostly 0, as lists of entries."""

from __future__ import annotations

from typing import List

import numpy as np
import numpy.typing as npt

from . import _core


class SparseFeatures:
    """Functions that are sums over arcs, by their non-zero values: for expectation, covariance and all that takes such.

    index has rows of features, heads, dependents and, for labelled graphs, labels: (3 or 4, entries) integers. values
    are (entries,), and shape is (features, n+1, n+1[, labels]), as in `torch.sparse_coo_tensor`. Several entries for
    the same arc and feature add up. What is a batch takes one for all graphs, or a list with one for each.

    >>> p = kirchhoff.TreeDistribution(np.log([[1, 2, 1], [1, 1, 3], [1, 1, 1]]), root="multi")
    >>> f = kirchhoff.SparseFeatures([[0, 1], [0, 0], [1, 2]], [1.0, 1.0], (2, 3, 3))  # 0 -> 1, and 0 -> 2
    >>> (9 * p.expectation(f)).round(6).tolist()
    [8.0, 3.0]
    """

    __slots__ = ("_index", "_values", "_shape")

    def __init__(self, index: npt.ArrayLike, values: npt.ArrayLike, shape: tuple):
        self._index = np.ascontiguousarray(index)
        self._values = np.asarray(values, dtype=np.float64)
        self._shape = tuple(shape)
        if self._index.dtype.kind not in "iu":
            raise ValueError(f"index: dtype {self._index.dtype} is not an integer type")
        if len(self._shape) not in (3, 4) or self._shape[1] != self._shape[2]:
            raise ValueError(f"shape: {self._shape} is not (features, n+1, n+1[, labels])")
        if self._index.shape != (len(self._shape),) + self._values.shape or self._values.ndim != 1:
            raise ValueError(f"index: shape {self._index.shape} does not fit {len(self._shape)} rows and values of shape "
                             f"{self._values.shape}")

    def _for_words(self, words: int) -> "_core.Features":
        """Returns them for a graph of this many words, without what is beyond it or no arc, which counts nowhere."""
        heads, dependents = self._index[1:3]
        inside = (self._index[1:3] <= words).all(0) & (dependents != 0) & (heads != dependents)
        return _core.features(words, self._shape[0], self._shape[3] if len(self._shape) == 4 else 1,
                              np.ascontiguousarray(self._index[:, inside], dtype=np.int64), self._values[inside])


def _features_for(f, words: List[int], name: str, labels: int) -> tuple:
    """Returns SparseFeatures, one for all graphs or a list of them, as the extension takes them."""
    given = [f] * len(words) if isinstance(f, SparseFeatures) else list(f)
    if len(given) != len(words):
        raise ValueError(f"{name}: {len(given)} SparseFeatures for {len(words)} graphs")
    for each, n in zip(given, words):
        if (each._shape[3] if len(each._shape) == 4 else 0) != labels or each._shape[1] < n + 1:
            raise ValueError(f"{name}: shape {each._shape} does not fit a graph of {n} words and {labels} labels")
        if each._shape[0] != given[0]._shape[0]:
            raise ValueError(f"{name}: the graphs have not the same number of features")
    return tuple(each._for_words(n) for each, n in zip(given, words))
