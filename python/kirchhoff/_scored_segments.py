"""What SegmentDistribution is built on: scores as rows of weights of one machine, and arrays in the caller's shape."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, List, Optional, Tuple

import numpy as np

from . import _core
from ._arrays import doubles, flattened, lengths_of
from ._wfsm_batch import WfsmRows
from .segmentations import SegmentArrays
from .wfsm import Wfsm


@lru_cache(maxsize=32)
def _skeleton(length: int, longest: int, tags: int) -> Tuple[Wfsm, np.ndarray]:
    """Returns the machine of all segmentations, and the places in (length, longest, tags) of its segments, in order."""
    ends = np.arange(length)[:, None] + np.arange(1, longest + 1) <= length
    places = np.flatnonzero(np.broadcast_to(ends[..., None], (length, longest, tags)))
    return Wfsm._of(_core.segment_skeleton(length, longest, tags)), places


class ScoredSegments:
    __slots__ = ("_shape", "_scores", "_lengths", "_threads", "_rows", "_alone")

    def __init__(self, segments, transitions, *, lengths=None, threads: int = 0):
        segments = doubles(np.asarray(segments), "segments")
        transitions = doubles(np.asarray(transitions), "transitions")
        if segments.ndim < 3 or 0 in segments.shape:
            raise ValueError(f"segments: shape {segments.shape} is not (..., length, longest, tags) with at least one "
                             "of each")
        self._shape = segments.shape[:-3]
        tags = segments.shape[-1]
        try:
            full = np.broadcast_to(transitions, self._shape + (tags, tags))
        except ValueError:
            raise ValueError(f"transitions: shape {transitions.shape} does not fit segments of shape {segments.shape}: "
                             f"expected {self._shape + (tags, tags)}, or {(tags, tags)} for all chains") from None
        self._scores = SegmentArrays(segments, full)
        length = segments.shape[-3]
        self._lengths = lengths_of(length if lengths is None else lengths, self._shape)
        if ((self._lengths < 1) | (self._lengths > length)).any():
            raise ValueError(f"lengths: {self._lengths.tolist()} has numbers beyond 1 to {length} positions")
        self._threads = threads
        self._alone: List[Optional[_core.SegmentDistribution]] = [None] * int(np.prod(self._shape, dtype=np.int64))
        self._rows = WfsmRows(self._machine()[0], self._weights(), threads)
        impossible = np.flatnonzero(self._rows.log_partition() == -np.inf)
        if impossible.size:
            raise _core.Infeasible(f"chain {impossible[0]}: no segmentation is possible")

    def _machine(self):
        return _skeleton(*self._scores.segments.shape[-3:])

    def _beyond(self) -> np.ndarray:
        """Returns which segments (batch, length, longest, 1) end beyond their chain's length."""
        length, longest, _ = self._scores.segments.shape[-3:]
        ends = np.arange(length)[:, None] + np.arange(1, longest + 1)
        return (ends > self._lengths.reshape(-1, 1, 1))[..., None]

    def _weights(self) -> np.ndarray:
        """Returns the rows of weights of the scores: segments that do not exist do not matter, and ends say where."""
        segments, transitions = self._flat(self._scores)
        segments = np.where(self._beyond(), 0.0, segments)
        length, _, tags = segments.shape[1:]
        ends = np.full((2, len(segments), length, 2, tags), -np.inf)  # starts and ends of the chains
        starts, finals = (part.reshape(len(segments), -1) for part in ends)
        starts[:, :tags] = 0.0
        first = (length + self._lengths.reshape(-1) - 1) * tags
        np.put_along_axis(finals, first[:, None] + np.arange(tags), 0.0, axis=1)
        return np.concatenate([self._spread(segments, transitions), starts, finals], 1)

    def _flat(self, tables) -> List[np.ndarray]:
        """Returns tables with one batch axis."""
        return [flattened(t, self._shape) if self._shape else t[None] for t in tables]

    def _spread(self, segments: np.ndarray, transitions: np.ndarray) -> np.ndarray:
        """Returns numbers for the machine's transitions, (batch, arcs)."""
        count, length = segments.shape[:2]
        places = self._machine()[1]
        pairs = np.broadcast_to(transitions[:, None], (count, length - 1) + transitions.shape[1:])
        return np.concatenate([segments.reshape(count, -1)[:, places], pairs.reshape(count, -1)], 1)

    def _direction(self, f, name: str) -> np.ndarray:
        """Returns an additive function in the shapes of the scores as rows of numbers for all of the machine's places."""
        (found,) = self._functions(f, name, 0)
        return found

    def _functions(self, f, name: str, each: int = 1) -> List[np.ndarray]:
        """Returns functions as a list of such rows; with `each` = 1 there is an axis of functions before a chain's."""
        if not isinstance(f, tuple) or len(f) != 2:
            raise ValueError(f"{name}: expected a pair (segments, transitions), such as SegmentArrays")
        found: list = []
        for array, scores, part in zip(f, self._scores, SegmentArrays._fields):
            array = doubles(np.asarray(array), f"{name}.{part}")
            own = scores.shape[len(self._shape):]
            extra = array.shape[array.ndim - len(own) - each:array.ndim - len(own)] if each else ()
            try:
                if len(extra) != each:
                    raise ValueError
                found.append(self._flat([np.broadcast_to(array, self._shape + extra + own)])[0])
            except ValueError:
                raise ValueError(f"{name}.{part}: shape {array.shape} does not fit {self._shape + ('k',) * each + own}"
                                 ) from None
        segments, transitions = (t if each else t[:, None] for t in found)
        if segments.shape[1] != transitions.shape[1]:
            raise ValueError(f"{name}: {segments.shape[1]} functions of segments and {transitions.shape[1]} of pairs of "
                             "tags")
        beyond = self._beyond()
        none = np.zeros((len(segments), 4 * segments.shape[2] * self.tags))
        return [np.concatenate([self._spread(np.where(beyond, 0.0, segments[:, i]), transitions[:, i]), none], 1)
                for i in range(segments.shape[1])]

    def _gathered(self, rows: np.ndarray) -> SegmentArrays:
        """Returns sums of the numbers of places that share a score, in the shapes of the scores."""
        segments = self._scores.segments
        rows = rows.reshape(-1, rows.shape[-1])
        _, places = self._machine()
        length, _, tags = segments.shape[-3:]
        table = np.zeros((len(rows), int(np.prod(segments.shape[-3:]))))
        table[:, places] = rows[:, :len(places)]
        pairs = rows[:, len(places):len(places) + (length - 1) * tags * tags].reshape(len(rows), length - 1, tags, tags)
        return SegmentArrays(table.reshape(segments.shape), pairs.sum(1).reshape(self._scores.transitions.shape))

    def _each(self) -> List["_core.SegmentDistribution"]:
        """Returns the distributions of the chains one by one, which are made when they are first needed."""
        for i, (segments, transitions, n) in enumerate(zip(*self._flat(self._scores), self._lengths.reshape(-1))):
            if self._alone[i] is None:
                self._alone[i] = _core.SegmentDistribution(np.ascontiguousarray(segments[:n]),
                                                           np.ascontiguousarray(transitions))
        return [p for p in self._alone if p is not None]

    def _number(self, array: np.ndarray) -> Any:
        return array.reshape(self._shape) if self._shape else float(array.reshape(()))

    def _other(self, q: "ScoredSegments") -> WfsmRows:
        if not isinstance(q, ScoredSegments):
            raise TypeError(f"q is a {type(q).__name__}, expected a SegmentDistribution")
        own, other = self._scores.segments.shape, q._scores.segments.shape
        if own != other or not np.array_equal(q._lengths, self._lengths):
            raise ValueError(f"q: segments {other} do not fit {own}, or the chains have other lengths")
        return q._rows

    @property
    def scores(self) -> SegmentArrays:
        """The scores, with a matrix of transitions for every chain.

        >>> p.scores.transitions.shape
        (1, 1)
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
        """The shape of the tags of one segmentation, (length,).

        >>> p.event_shape
        (3,)
        """
        return self._scores.segments.shape[-3:-2]

    @property
    def longest(self) -> int:
        """The largest number of positions of a segment.

        >>> p.longest
        2
        """
        return self._scores.segments.shape[-2]

    @property
    def tags(self) -> int:
        """The number of tags.

        >>> p.tags
        1
        """
        return self._scores.segments.shape[-1]

    @property
    def lengths(self) -> np.ndarray:
        """The number of positions of each chain, (...).

        >>> p.lengths.tolist()
        3
        """
        return self._lengths

    def __reduce__(self):
        return _restore, (type(self), *self._scores, self._lengths, self._threads)


def _restore(cls, segments, transitions, lengths, threads):
    return cls(segments, transitions, lengths=lengths, threads=threads)
