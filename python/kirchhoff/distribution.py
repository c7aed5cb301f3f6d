"""Distributions over dependency trees, one graph or a batch of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._arrays import Arcs, arc_lists, parts_of
from ._device_arrays import on_device
from ._tree_lists import TreeLists
from ._tree_objectives import TreeObjectives


class TreeDistribution(TreeLists, TreeObjectives):
    """p(tree) = exp(sum of the scores of its arcs) / Z, over all trees of a graph; one graph or a batch.

    Args:
      scores: log-weights (..., n+1, n+1) [head, dependent], or (..., n+1, n+1, labels); or a list of such arrays of
        different sizes, one for each graph. Any framework's CPU array that NumPy can read, or PyTorch's or CuPy's on a
        CUDA device: results are arrays on that device then. Computed in double precision. A float64 array is read where
        it lies: do not change it while the distribution is in use.
      root: "single" or "multi".
      lengths: (...) number of words of each graph of a padded batch, integers; default: all n.
      labelled: whether the last axis is labels. In a list of graphs the number of axes says so.
      threads: for batches; 0 means all cores.
      dtype: of results, float64 or float32; the work is done in float64.
      accuracy: how accurate marginals must be; default: twelve digits of each. See Accuracy.
      padded: whether a list of graphs is made one padded array, filled with zeros, as if given with `lengths`.

    Raises ValueError for NaN, +inf or a wrong shape, and Infeasible when a graph has no tree. The cost is O(n^3)
    for each graph; the methods' costs come on top, and a batch does this work again for all but log_partition and
    marginals. In shapes `...` is batch_shape; for one graph it is empty, and a number is a float.

    For a list of graphs, an array of the shape of the scores (marginals, gradients, directions) is a list of arrays
    too, each in the shape of its graph's scores; those of a result are parts of one block of memory. Heads and labels
    of words come as one array as for any batch, filled up with -1.

    >>> weights = np.array([[1, 2, 1], [1, 1, 3], [1, 1, 1]])  # three trees, of weight 2*1, 2*3 and 1*1
    >>> p = kirchhoff.TreeDistribution(np.log(weights), root="multi")
    >>> round(np.exp(p.log_partition()).item(), 6)
    9.0
    >>> q = kirchhoff.TreeDistribution(np.zeros((3, 3)), root="multi")  # the same trees, equally probable
    >>> listed = kirchhoff.TreeDistribution([np.log(weights), np.zeros((5, 5))], root="multi")
    >>> [m.shape for m in listed.marginals()], listed.argmax().heads[0].tolist()
    ([(3, 3), (5, 5)], [-1, 0, 1, -1, -1])
    >>> kirchhoff.TreeDistribution([np.log(weights), np.zeros((5, 5))], root="multi", padded=True).marginals().shape
    (2, 5, 5)
    >>> listed[0].log_prob(listed[0].sample(4).heads).shape  # listed[0] is the first graph alone
    (4,)
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # which take the arguments from __init__
        def __new__(cls, scores=None, *_, **__):
            if type(scores) is np.ndarray or cls is not TreeDistribution or not on_device(scores):
                return object.__new__(cls)
            from ._device_distribution import DeviceTreeDistribution

            return object.__new__(DeviceTreeDistribution)

    def log_partition(self):
        """Returns log Z, where Z is the sum over all trees of exp(sum of the scores of its arcs): a number (...).

        It was computed when the distribution was made.

        >>> round(p.log_partition(), 6) == round(float(np.log(9)), 6)
        True
        """
        return self._out(self._batch.log_partition()) if self._shape else self._batch.first_log_partition()

    def marginals(self) -> Arcs:
        """Returns p(head -> dependent is in the tree), the shape of the scores, which is the gradient of log Z.

        It was computed when the distribution was made. The array is the distribution's own and cannot be written to;
        make a copy for that.

        >>> (9 * p.marginals()).round(6).tolist()  # of nine: 0 -> 1 has 8, 0 -> 2 has 3
        [[0.0, 8.0, 3.0], [0.0, 0.0, 6.0], [0.0, 1.0, 0.0]]
        """
        array = self._batch.marginals()
        if self._listed or array.ndim != self._scores.ndim:
            return self._arc_out(array)
        return array.astype(np.float32) if self._float32 else array

    def log_marginals(self) -> Arcs:
        """Returns log p(head -> dependent), the shape of the scores, in O(n^3).

        It is right also where the probability is below the smallest double.

        >>> far = kirchhoff.TreeDistribution([[0, 0, 0], [0, 0, 900.0], [0, 0, 0]], root="multi")
        >>> far.marginals()[0, 2].item(), far.log_marginals()[0, 2].round(3).item()
        (0.0, -899.307)
        """
        return self._arc_out(self._batch.log_marginals())

    def marginals_along(self, direction) -> Arcs:
        """Returns d marginals(scores + t direction) / dt at t = 0: the Hessian of log Z times `direction`, in O(n^3).

        `direction` has the shape of the scores, or of one graph's; it is a list for a list of graphs. The result has the shape of the scores; entry (h, d)
        is Cov(sum of `direction` over the tree, [h -> d is in the tree]).

        >>> direction = np.zeros((3, 3))
        >>> direction[0, 2] = 1.0  # 0 -> 2 has probability 3/9: its variance is 3/9 * 6/9
        >>> (9 * p.marginals_along(direction))[0, 2].round(6).item()
        2.0
        """
        return self._arc_out(self._batch.marginals_along(self._arcs(direction, "direction")))

    def given(self, *, require=(), forbid=()) -> "TreeDistribution":
        """Returns the distribution given arcs (head, dependent) that must and arcs that must not be in the tree.

        A batch takes a list of arcs for each graph; labels do not matter. Infeasible names the arcs in conflict when no
        tree is left. The result is a TreeDistribution of the same shapes. Takes O(n^3).

        >>> (4 * p.given(require=[(0, 1)]).marginals())[1].round(6).tolist()
        [0.0, 0.0, 3.0]
        >>> p.given(forbid=[(1, 2)]).argmax().heads.tolist()
        [-1, 0, 0]
        """
        block = self._batch.constrained(arc_lists(require, self._shape, "require"),
                                        arc_lists(forbid, self._shape, "forbid"))
        scores = (parts_of(block, self._batch.words(), self._labels) if self._listed else
                  self._sent(block.reshape(self._scores.shape)))
        return self._with(scores)

    def with_temperature(self, temperature: float) -> "TreeDistribution":
        """Returns the distribution with scores / temperature, in O(n^3).

        >>> (41 * p.with_temperature(0.5).marginals())[0, 1:].round(6).tolist()  # weights 2^2, 6^2 and 1
        [40.0, 5.0]
        """
        if not 0.0 < temperature < np.inf:
            raise ValueError(f"temperature is {temperature}, expected a positive number")
        scores = self._scores
        return self._with([s / temperature for s in scores] if self._listed else scores / temperature)

    def _with(self, scores, lengths=None) -> "TreeDistribution":
        return self._family()(scores, root=self._root, lengths=self._lengths if lengths is None else lengths,
                              labelled=bool(self._labels),
                              threads=self._threads, dtype=np.float32 if self._float32 else np.float64,
                              accuracy=self._accuracy)

    @staticmethod
    def _family() -> type:
        """Returns the class of distributions that are made of this one."""
        return TreeDistribution

    def log_prob(self, heads, labels=None):
        """Returns log p(tree) = score - log Z, a number (...), in O(n); it is -inf for an impossible arc.

        heads are integers (..., n+1), and labels have the same shape, for labelled graphs; for a list of graphs they
        may be lists of arrays of different sizes. With more axes after the batch's, as those of p.sample(10), there are
        many trees of each graph, and as many numbers. ValueError says why heads are not a tree.

        >>> round(9 * np.exp(p.log_prob([-1, 0, 1])).item(), 6)
        6.0
        """
        heads, labels, more = self._golds(heads, labels)
        return self._of_each(self._batch.log_prob(heads, labels), more)

    def __reduce__(self):
        return _restore, (self._scores, self._root, self._lengths, bool(self._labels), self._threads, self._float32,
                          self._accuracy, self._family())

    def __repr__(self) -> str:
        labels = f", labels={self._labels}" if self._labels else ""
        return (f"{self._family().__name__}(batch_shape={self._shape}, words<={self.event_shape[0] - 1}, "
                f"root={self._root!r}{labels})")


def _restore(scores, root, lengths, labelled, threads, float32, accuracy, family=TreeDistribution):
    return family(scores, root=root, lengths=lengths, labelled=labelled, threads=threads,
                  dtype=np.float32 if float32 else np.float64, accuracy=accuracy)
