"""What ChainDistribution and SegmentDistribution share: scores that are a pair of arrays, and their shapes."""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from ._arrays import doubles, lengths_of, whole_number
from ._many import spread


class ScoredSequences:
    """One chain or a batch. The first array of its scores begins with an axis of positions and ends with one of tags."""

    __slots__ = ("_shape", "_scores", "_lengths", "_threads")
    _shape: tuple
    _scores: Any
    _lengths: np.ndarray
    _threads: int

    def _set(self, scores: Any, shape: tuple, lengths, threads: int):
        self._scores, self._shape, self._threads = scores, shape, whole_number(threads, "threads")
        length = self.event_shape[0]
        self._lengths = lengths_of(length if lengths is None else lengths, shape)
        if ((self._lengths < 1) | (self._lengths > length)).any():
            raise ValueError(f"lengths: {self._lengths.tolist()} has numbers beyond 1 to {length} positions")

    def _fitted(self, f, name: str, each: int) -> List[np.ndarray]:
        """Returns an additive function as arrays in the shapes of the scores.

        With `each` = 1 there is an axis of functions before those of one chain.
        """
        fields = type(self._scores)._fields
        if not isinstance(f, tuple) or len(f) != len(fields):
            raise ValueError(f"{name}: expected a pair ({', '.join(fields)}), such as {type(self._scores).__name__}")
        found, counts = [], set()
        for array, scores, part in zip(f, self._scores, fields):
            array = doubles(np.asarray(array), f"{name}.{part}")
            own = scores.shape[len(self._shape):]
            extra = array.shape[array.ndim - len(own) - each:array.ndim - len(own)] if each else ()
            try:
                if len(extra) != each:
                    raise ValueError
                found.append(np.broadcast_to(array, self._shape + extra + own))
                counts.add(extra)
            except ValueError:
                raise ValueError(f"{name}.{part}: shape {array.shape} does not fit {self._shape + ('k',) * each + own}"
                                 ) from None
        if len(counts) > 1:
            raise ValueError(f"{name}: the parts {', '.join(fields)} have not the same number of functions")
        return found

    def _spread_rows(self, array: np.ndarray, name: str) -> Tuple[np.ndarray, tuple]:
        """Returns what is said about positions as rows (batch * many, length), and the shape of the many for each chain."""
        found, more = spread(array, self._shape, self.event_shape, name)
        return found.reshape((-1,) + self.event_shape), more

    def _of_each(self, array: np.ndarray, more: tuple) -> Any:
        """Returns numbers of rows in the caller's shape."""
        return array.reshape(self._shape + more) if self._shape + more else array.item()

    def _paired(self, q: "ScoredSequences") -> Tuple[Any, Any]:
        """Returns this and q, or both broadcast against each other."""
        if type(q) is not type(self) or q._shape == self._shape or any(
                a.shape[len(self._shape):] != b.shape[len(q._shape):] for a, b in zip(self._scores, q._scores)):
            self._check_other(q)
            return self, q
        try:
            shape = np.broadcast_shapes(self._shape, q._shape)
        except ValueError:
            raise ValueError(f"q: batch_shape {q._shape} does not fit {self._shape}") from None
        p, q = self._over(shape), q._over(shape)
        p._check_other(q)
        return p, q

    def _over(self, shape: tuple) -> Any:
        """Returns a batch of this shape, in which chains are repeated."""
        own = len(self._shape)
        return self if shape == self._shape else self._of(
            [np.broadcast_to(s, shape + s.shape[own:]) for s in self._scores], np.broadcast_to(self._lengths, shape))

    def _of(self, scores: list, lengths: np.ndarray) -> Any:
        """Returns the distribution with these scores and lengths."""
        raise NotImplementedError

    def __getitem__(self, index) -> Any:
        """Returns the distribution of a part of the batch, which `index` chooses as it does in an array of batch_shape."""
        if not self._shape:
            raise TypeError("one chain cannot be indexed: it is no batch")
        chosen = np.arange(int(np.prod(self._shape))).reshape(self._shape)[index]  # an IndexError says what is wrong
        own = len(self._shape)
        return self._of([s.reshape((-1,) + s.shape[own:])[chosen] for s in self._scores],
                        self._lengths.reshape(-1)[chosen])

    def _check_other(self, q: "ScoredSequences"):
        """Raises an error unless q is a batch of the same kind and shapes."""
        if not isinstance(q, ScoredSequences) or type(q._scores) is not type(self._scores):
            raise TypeError(f"q is a {type(q).__name__}, expected a {type(self).__name__}")
        own, other = self._scores[0].shape, q._scores[0].shape
        if own != other or not np.array_equal(q._lengths, self._lengths):
            raise ValueError(f"q: {type(self._scores)._fields[0]} {other} do not fit {own}, or the chains have other "
                             "lengths")

    @property
    def scores(self) -> Any:
        """The scores, as a named tuple of arrays with transitions for every chain.

        >>> [part.ndim for part in p.scores] == [part.ndim for part in p.marginals()]
        True
        """
        return self._scores

    @property
    def batch_shape(self) -> tuple:
        """The shape of the batch, () for one chain.

        >>> p.batch_shape
        ()
        """
        return self._shape

    @property
    def event_shape(self) -> tuple:
        """The shape of the array of one structure, (length,).

        >>> p.event_shape == p.argmax().tags.shape
        True
        """
        return self._scores[0].shape[len(self._shape):len(self._shape) + 1]

    @property
    def tags(self) -> int:
        """The number of tags.

        >>> p.tags == p.scores[0].shape[-1]
        True
        """
        return self._scores[0].shape[-1]

    @property
    def lengths(self) -> np.ndarray:
        """The number of positions of each chain, (...).

        >>> p.lengths.tolist() == p.event_shape[0]
        True
        """
        return self._lengths
