"""The scores of a TreeDistribution and their shapes, to which callers' arrays and results are fitted."""

from __future__ import annotations

from typing import Any, ClassVar, List, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _core
from ._accuracy import Accuracy, checked
from ._arrays import Arcs, ArrayLike, flattened, graphs_of, is_float32, one_for_each, parts_of, rows_of, whole_number
from ._many import spread


class ScoredGraphs:
    """One graph or a batch of them, which decoding, sampling and expectations build on."""

    __slots__ = ("_batch", "_scores", "_lengths", "_shape", "_root", "_labels", "_threads", "_float32",
                 "_listed", "_accuracy")
    _makers: ClassVar[Tuple[type, type]] = (_core.TreeBatch, _core.LabelledBatch)  # without labels, and with them

    def __init__(self, scores: ArrayLike, *, root: str, lengths: Optional[npt.ArrayLike] = None,
                 labelled: bool = False, threads: int = 0, dtype: npt.DTypeLike = np.float64, padded: bool = False,
                 accuracy: Optional[Accuracy] = None):
        self._float32 = dtype is not np.float64 and is_float32(dtype)
        self._scores, self._shape, self._labels, self._lengths = graphs_of(scores, lengths, labelled, padded)
        self._listed = type(self._scores) is list  # and so are arrays of arcs
        if type(root) is not str:
            raise TypeError(f"root: {root!r} is neither 'single' nor 'multi'")
        self._root = root
        self._threads = whole_number(threads, "threads")
        make = self._makers[1 if self._labels else 0]
        flat_lengths = None if self._lengths is None else self._lengths.reshape(-1)
        flat = flattened(self._scores, self._shape) if self._shape else self._scores
        self._accuracy = accuracy
        self._batch = make(flat, root, flat_lengths, threads, *(() if accuracy is None else checked(accuracy)))

    @property
    def batch_shape(self) -> tuple:
        """The shape of the batch, which is () for one graph.

        >>> p.batch_shape, kirchhoff.TreeDistribution(np.zeros((5, 4, 4)), root="single").batch_shape
        ((), (5,))
        """
        return self._shape

    @property
    def event_shape(self) -> tuple:
        """The shape of the heads of one tree, (n+1,), where n is the largest number of words of a graph.

        >>> p.event_shape
        (3,)
        """
        return (self._batch.nodes(),)

    @property
    def labels(self) -> int:
        """The number of labels, which is 0 for unlabelled graphs.

        >>> kirchhoff.TreeDistribution(np.zeros((3, 3, 7)), root="single", labelled=True).labels
        7
        """
        return self._labels

    @property
    def root(self) -> str:
        """How many children the root has: one ("single"), or one or more ("multi").

        >>> p.root
        'multi'
        """
        return self._root

    @property
    def methods(self) -> List[str]:
        """The method that answered for each graph: "fast" or "robust".

        >>> kirchhoff.TreeDistribution(np.zeros((3, 3)), root="single").methods
        ['fast']
        """
        return self._batch.methods()

    @property
    def scores(self) -> Arcs:
        """The log-weights as they were given, in float64: (..., n+1, n+1) or (..., n+1, n+1, labels), or a list.

        >>> np.exp(p.scores[0]).round(6).tolist()
        [1.0, 2.0, 1.0]
        """
        return list(self._scores) if self._listed else self._scores

    @property
    def lengths(self) -> np.ndarray:
        """The number of words of each graph, integers (...).

        >>> kirchhoff.TreeDistribution([np.zeros((3, 3)), np.zeros((5, 5))], root="single").lengths.tolist()
        [2, 4]
        """
        return self._out(self._batch.words())

    def _out(self, array: np.ndarray) -> np.ndarray:
        """Returns a (batch, ...) result in the caller's shape and precision."""
        if self._float32 and array.dtype == np.float64:
            array = array.astype(np.float32)
        return array.reshape(self._shape + array.shape[1:]) if len(self._shape) != 1 else array

    def _held(self, array) -> np.ndarray:
        """Returns an array that lies where the scores do on the host."""
        return array

    def _sent(self, array: np.ndarray):
        """Returns an array of the host where the scores lie."""
        return array

    def _number(self, array: np.ndarray):
        return self._out(array) if self._shape else float(array[0])

    def _arc_out(self, array: np.ndarray) -> Arcs:
        """Returns an array of arcs in the caller's shape and precision, or a list of its parts for a list of graphs."""
        if not self._listed:
            return self._out(array)
        if self._float32:
            array = array.astype(np.float32)
        return parts_of(array, self._batch.words(), self._labels)

    def _arcs(self, array, name: str):
        """Returns the caller's array of arcs broadcast over the batch, one for each graph; or the list of them."""
        if self._listed:
            arrays = one_for_each(array, len(self._scores), name)
            for i, (a, s) in enumerate(zip(arrays, self._scores)):
                if a.shape != s.shape:
                    raise ValueError(f"{name}[{i}]: shape {a.shape} does not fit the scores' {s.shape}")
            return arrays
        array = np.asarray(array, dtype=np.float64)
        try:
            array = np.broadcast_to(array, self._scores.shape)
        except ValueError:
            raise ValueError(f"{name}: shape {array.shape} does not fit the scores' {self._scores.shape}") from None
        return array.reshape((-1,) + self._scores.shape[len(self._shape):])

    def _heads(self, heads, name: str = "heads") -> Tuple[np.ndarray, tuple]:
        """Returns heads or labels as rows, (batch * trees, n+1), and the shape of the trees of each graph."""
        if self._listed and isinstance(heads, (list, tuple)) and len(heads) and np.ndim(heads[0]) == 1:
            return rows_of(heads, self._batch.words(), name), ()
        heads = np.asarray(heads)
        if heads.dtype.kind not in "iu":
            raise ValueError(f"{name}: dtype {heads.dtype} is not an integer type")
        heads, more = spread(heads, self._shape, self.event_shape, name)
        return np.ascontiguousarray(heads.reshape((-1,) + self.event_shape), dtype=np.int64), more

    def _golds(self, heads, labels) -> Tuple[np.ndarray, Optional[np.ndarray], tuple]:
        """Returns rows of heads and labels, and the shape of the trees of each graph."""
        if (labels is None) != (self._labels == 0):
            raise ValueError("labels: needed for a labelled distribution" if labels is None else
                             "labels: this distribution has none")
        rows, more = self._heads(heads)
        names, as_many = (None, more) if labels is None else self._heads(labels, "labels")
        if as_many != more:
            raise ValueError(f"labels: {as_many} trees of each graph, and heads are of {more}")
        return rows, names, more

    def _gold(self, heads, labels):
        """Returns heads and labels (batch, n+1) of one tree for each graph."""
        rows, names, more = self._golds(heads, labels)
        if more:
            raise ValueError(f"heads: {more} trees of each graph, where one is expected")
        return rows, names

    def _checked_golds(self, heads, labels):
        """Returns the same as _golds, on the host, with -1 beyond a graph's words; ValueError if these are not trees."""
        heads, labels, more = self._golds(heads, labels)
        words = np.repeat(self._held(self.lengths).reshape(-1), int(np.prod(more, dtype=np.int64)))
        _core.check_trees(heads, labels, self._root, words, self._labels)
        return np.where(np.arange(heads.shape[1]) <= words[:, None], heads, -1), labels, more

    def _of_each(self, array: np.ndarray, more: tuple):
        """Returns numbers of rows in the caller's shape and precision."""
        if not more:
            return self._number(array)
        return (array.astype(np.float32) if self._float32 else array).reshape(self._shape + more)

    def _paired(self, q: "ScoredGraphs") -> Tuple[Any, Any]:
        """Returns this and q, or both broadcast against each other."""
        like = isinstance(q, ScoredGraphs) and q._makers is self._makers and not self._listed and not q._listed
        if not like or q._shape == self._shape or (q._root, q._labels, q.event_shape) != (
                self._root, self._labels, self.event_shape):
            self._fitting(q)
            return self, q
        try:
            shape = np.broadcast_shapes(self._shape, q._shape)
        except ValueError:
            raise ValueError(f"q: batch_shape {q._shape} does not fit {self._shape}") from None
        return self._spread(shape), q._spread(shape)

    def _spread(self, shape: tuple):
        """Returns a batch of this shape, in which graphs are repeated."""
        if shape == self._shape:
            return self
        return self._with(self._broadcast(shape + tuple(self._scores.shape[len(self._shape):])),
                          np.broadcast_to(self._held(self.lengths), shape))

    def _broadcast(self, shape: tuple):
        return np.broadcast_to(self._scores, shape)

    def _with(self, scores, lengths=None) -> Any:
        """Returns the distribution with these scores, and these lengths or its own."""
        raise NotImplementedError

    def __getitem__(self, index) -> Any:
        """Returns the distribution of a part of the batch, which `index` chooses as it does in an array of batch_shape."""
        if not self._shape:
            raise TypeError("one graph cannot be indexed: it is no batch")
        if self._listed:
            chosen = self._scores[index]
            return self._with(chosen, None)
        chosen = np.arange(int(np.prod(self._shape))).reshape(self._shape)[index]  # an IndexError says what is wrong
        core = tuple(self._scores.shape[len(self._shape):])
        flat = self._scores.reshape((-1,) + core)
        return self._with(flat[chosen] if np.ndim(chosen) else flat[int(chosen)],
                          self._held(self.lengths).reshape(-1)[chosen])

    def _fitting(self, q: "ScoredGraphs"):
        """Raises an error unless q is a batch of the same shapes."""
        if not isinstance(q, ScoredGraphs) or q._makers is not self._makers:
            raise TypeError(f"q is a {type(q).__name__}, expected a {type(self).__name__}")
        if self._listed or q._listed:
            fits = (q._shape, q._labels) == (self._shape, self._labels) and np.array_equal(q.lengths, self.lengths)
            if not fits or q._root != self._root:
                raise ValueError(f"q: {q!r} does not fit {self!r}, or has other lengths")
        elif q._scores.shape != self._scores.shape or q._root != self._root:
            raise ValueError(f"q: scores {q._scores.shape}, root {q._root!r} do not fit {self._scores.shape}, "
                             f"{self._root!r}")
