"""What SegmentDistribution is built on: scores as rows of weights of one machine, and arrays in the caller's shape."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, List, Optional, Tuple

import numpy as np

from . import _core
from ._arrays import doubles, flattened
from ._scored_sequences import ScoredSequences
from ._wfsm_batch import WfsmRows
from .segmentations import SegmentArrays
from .wfsm import Wfsm


@lru_cache(maxsize=32)
def _skeleton(length: int, longest: int, tags: int) -> Tuple[Wfsm, np.ndarray]:
    """Returns the machine of all segmentations, and the places in (length, longest, tags) of its segments, in order."""
    ends = np.arange(length)[:, None] + np.arange(1, longest + 1) <= length
    places = np.flatnonzero(np.broadcast_to(ends[..., None], (length, longest, tags)))
    return Wfsm._of(_core.segment_skeleton(length, longest, tags)), places


class ScoredSegments(ScoredSequences):
    __slots__ = ("_rows", "_alone")

    def __init__(self, segments, transitions, *, lengths=None, threads: int = 0):
        segments = doubles(np.asarray(segments), "segments")
        transitions = doubles(np.asarray(transitions), "transitions")
        if segments.ndim < 3 or 0 in segments.shape:
            raise ValueError(f"segments: shape {segments.shape} is not (..., length, longest, tags) with at least one "
                             "of each")
        batch, pair = segments.shape[:-3], segments.shape[-1:] * 2
        try:
            full = np.broadcast_to(transitions, batch + pair)
        except ValueError:
            raise ValueError(f"transitions: shape {transitions.shape} does not fit segments of shape {segments.shape}: "
                             f"expected {batch + pair}, or {pair} for all chains") from None
        self._set(SegmentArrays(segments, full), batch, lengths, threads)
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
        segments, transitions = (t if each else t[:, None] for t in self._flat(self._fitted(f, name, each)))
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

    def _of(self, scores: list, lengths: np.ndarray):
        return type(self)(*scores, lengths=lengths, threads=self._threads)

    @property
    def longest(self) -> int:
        """The largest number of positions of a segment.

        >>> p.longest
        2
        """
        return self._scores.segments.shape[-2]

    def __reduce__(self):
        return _restore, (type(self), *self._scores, self._lengths, self._threads)


def _restore(cls, segments, transitions, lengths, threads):
    return cls(segments, transitions, lengths=lengths, threads=threads)
