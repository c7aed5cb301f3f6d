"""Distributions over dependency trees, one graph or a batch of them."""

from __future__ import annotations

from typing import Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import ArrayLike, arc_lists, flattened, graphs_of, is_float32
from ._tree_expectations import TreeExpectations
from ._tree_search import TreeSearch


class TreeDistribution(TreeSearch, TreeExpectations):
    """p(tree) proportional to exp(sum of the scores of its arcs).

    Args:
      scores: log-weights (..., n+1, n+1), or (..., n+1, n+1, labels); or a list of such graphs of different sizes.
        Any framework's CPU array that NumPy can read. Computed in double precision. A float64 array is read where it
        lies: do not change it while the distribution is in use.
      root: "single" or "multi".
      lengths: number of words of each graph of a padded batch; default: all n.
      labelled: whether the last axis is labels; needed only when the shape leaves it open.
      threads: for batches; 0 means all cores.
      dtype: of results, float64 or float32; the work is done in float64.

    Raises ValueError for NaN, +inf or a wrong shape, and Infeasible when a graph has no tree. Cost: O(n^3) per graph.

    >>> import numpy as np
    >>> p = TreeDistribution(np.log([[1, 2, 1], [1, 1, 3], [1, 1, 1]]), root="multi")
    >>> round(float(np.exp(p.log_partition())), 6)  # 2*1 + 2*3 + 1*1
    9.0
    """

    __slots__ = ("_batch", "_scores", "_lengths", "_shape", "_root", "_labels", "_threads", "_float32")

    def __init__(self, scores: ArrayLike, *, root: str, lengths: Optional[npt.ArrayLike] = None,
                 labelled: Optional[bool] = None, threads: int = 0, dtype: npt.DTypeLike = np.float64):
        self._float32 = dtype is not np.float64 and is_float32(dtype)
        self._scores, self._shape, self._labels, self._lengths = graphs_of(scores, root, lengths, labelled)
        self._root = root
        self._threads = threads
        make = _core.LabelledBatch if self._labels else _core.TreeBatch
        flat_lengths = None if self._lengths is None else self._lengths.reshape(-1)
        flat = flattened(self._scores, self._shape) if self._shape else self._scores
        self._batch = make(flat, root == "single", flat_lengths, threads)

    # --- shapes -------------------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> tuple:
        """Shape of the batch; () for one graph."""
        return self._shape

    @property
    def event_shape(self) -> tuple:
        """Shape of heads: (n+1,)."""
        return (self._scores.shape[-3 if self._labels else -2],)

    @property
    def labels(self) -> int:
        """Number of labels; 0 for unlabelled graphs."""
        return self._labels

    @property
    def root(self) -> str:
        return self._root

    @property
    def scores(self) -> np.ndarray:
        return self._scores

    @property
    def lengths(self) -> np.ndarray:
        """Number of words of each graph."""
        return self._out(self._batch.words())

    def _out(self, array: np.ndarray) -> np.ndarray:
        """A (batch, ...) result in the caller's shape and precision."""
        if self._float32 and array.dtype == np.float64:
            array = array.astype(np.float32)
        return array.reshape(self._shape + array.shape[1:]) if len(self._shape) != 1 else array

    def _number(self, array: np.ndarray):
        return self._out(array) if self._shape else float(array[0])

    def _arcs(self, array, name: str) -> np.ndarray:
        """An array of this distribution's arcs, one for each graph; broadcast over the batch."""
        array = np.asarray(array, dtype=np.float64)
        try:
            array = np.broadcast_to(array, self._scores.shape)
        except ValueError:
            raise ValueError(f"{name}: shape {array.shape} does not fit the scores' {self._scores.shape}") from None
        return array.reshape((-1,) + self._scores.shape[len(self._shape):])

    def _heads(self, heads, name: str = "heads") -> np.ndarray:
        heads = np.asarray(heads)
        if heads.dtype.kind not in "iu":
            raise ValueError(f"{name}: dtype {heads.dtype} is not an integer type")
        if heads.shape[-1:] != self.event_shape:
            raise ValueError(f"{name}: shape {heads.shape} does not end in (n+1,) = {self.event_shape}")
        heads = np.broadcast_to(heads, self._shape + self.event_shape)
        return np.ascontiguousarray(heads.reshape((-1,) + self.event_shape), dtype=np.int64)

    def _gold(self, heads, labels):
        if (labels is None) != (self._labels == 0):
            raise ValueError("labels: needed for a labelled distribution" if labels is None else
                             "labels: this distribution has none")
        return self._heads(heads), None if labels is None else self._heads(labels, "labels")

    def _other(self, q: "TreeDistribution"):
        if not isinstance(q, TreeDistribution):
            raise TypeError(f"q is a {type(q).__name__}, expected a TreeDistribution")
        if q._scores.shape != self._scores.shape or q._root != self._root:
            raise ValueError(f"q: scores {q._scores.shape}, root {q._root!r} do not fit {self._scores.shape}, "
                             f"{self._root!r}")
        return q._batch

    # --- probabilities ------------------------------------------------------------------------------------------

    def log_partition(self):
        """log Z, Z the sum over all trees of exp(score). A float, or an array of shape batch_shape."""
        return self._out(self._batch.log_partition()) if self._shape else self._batch.first_log_partition()

    def marginals(self) -> np.ndarray:
        """p(head -> dependent), the shape of the scores. The gradient of log_partition."""
        array = self._batch.marginals()
        return array if array.ndim == self._scores.ndim and not self._float32 else self._out(array)

    def log_marginals(self) -> np.ndarray:
        """Their logarithms, right also where a marginal is below the smallest double. O(n^3)."""
        return self._out(self._batch.log_marginals())

    def marginals_along(self, direction) -> np.ndarray:
        """Derivative of the marginals when the scores move along `direction`: the Hessian of log Z times it. O(n^3)."""
        return self._out(self._batch.marginals_along(self._arcs(direction, "direction")))

    def given(self, *, require=(), forbid=()) -> "TreeDistribution":
        """Conditioned on arcs (head, dependent) that must, and arcs that must not be in the tree, whatever their label.

        For a batch: a list of arcs for each graph. Infeasible, naming the arcs in conflict, when no tree is left.

        >>> import numpy as np
        >>> p = TreeDistribution(np.zeros((4, 4)), root="single").given(require=[(0, 2)], forbid=[(2, 1)])
        >>> p.argmax().heads.tolist(), p.marginals()[3, 1].item()
        ([-1, 3, 0, 2], 1.0)
        """
        scores = self._batch.constrained(arc_lists(require, self._shape, "require"),
                                         arc_lists(forbid, self._shape, "forbid"))
        return TreeDistribution(scores.reshape(self._scores.shape), root=self._root, lengths=self._lengths,
                                labelled=bool(self._labels), threads=self._threads,
                                dtype=np.float32 if self._float32 else np.float64)

    def log_prob(self, heads, labels=None):
        """log p(tree); -inf for an impossible arc. ValueError when heads are not a tree.

        >>> import numpy as np
        >>> p = TreeDistribution(np.zeros((3, 3)), root="single")
        >>> round(p.log_prob([-1, 0, 1]), 6)  # one of two trees
        -0.693147
        """
        return self._number(self._batch.log_prob(*self._gold(heads, labels)))

    def log_count(self):
        """Natural logarithm of the number of trees without an impossible arc."""
        return self._number(self._batch.log_count())

    # --- Python's own --------------------------------------------------------------------------------------------

    def __reduce__(self):
        return _restore, (self._scores, self._root, self._lengths, bool(self._labels), self._threads, self._float32)

    def __repr__(self) -> str:
        labels = f", labels={self._labels}" if self._labels else ""
        return (f"TreeDistribution(batch_shape={self._shape}, words<={self.event_shape[0] - 1}, "
                f"root={self._root!r}{labels})")


def _restore(scores, root, lengths, labelled, threads, float32):
    return TreeDistribution(scores, root=root, lengths=lengths, labelled=labelled, threads=threads,
                            dtype=np.float32 if float32 else np.float64)
