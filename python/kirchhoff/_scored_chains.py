"""What all parts of ChainDistribution share: the arrays of scores, and shapes of arguments and results."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from . import _core
from ._arrays import doubles, flattened, lengths_of
from .tag_sequences import ChainArrays


def _contiguous_tags(array: np.ndarray) -> np.ndarray:
    """Returns the array with its last axis contiguous; others may have any stride, also 0."""
    return array if array.shape[-1] < 2 or array.strides[-1] == array.itemsize else np.ascontiguousarray(array)


def _whole(array: np.ndarray) -> np.ndarray:
    """Returns the array where strides are numbers of doubles and >= 0, as the extension takes them."""
    fits = all(s >= 0 and s % array.itemsize == 0 for s in array.strides)
    return array if fits and array.flags.aligned else np.array(array, order="C")


class ScoredChains:
    __slots__ = ("_batch", "_scores", "_shape", "_lengths", "_threads", "_method")

    def __init__(self, emissions, transitions, *, lengths=None, threads: int = 0, method: str = "automatic"):
        emissions = doubles(np.asarray(emissions), "emissions")
        transitions = doubles(np.asarray(transitions), "transitions")
        if emissions.ndim < 2 or 0 in emissions.shape[-2:]:
            raise ValueError(f"emissions: shape {emissions.shape} is not (..., length, tags) with at least one of each")
        self._shape = emissions.shape[:-2]
        if 0 in self._shape:
            raise ValueError(f"emissions: shape {emissions.shape} has no chain")
        self._scores = ChainArrays(emissions, self._spread(transitions, emissions.shape))
        length = emissions.shape[-2]
        self._lengths = lengths_of(length if lengths is None else lengths, self._shape)
        if ((self._lengths < 1) | (self._lengths > length)).any():
            raise ValueError(f"lengths: {self._lengths.tolist()} has numbers beyond 1 to {length} positions")
        self._threads, self._method = threads, method
        self._batch = _core.ChainBatch(self._flat(self._scores.emissions), self._flat(self._scores.transitions),
                                       self._lengths.reshape(-1), threads, method)

    @staticmethod
    def _spread(transitions: np.ndarray, shape: tuple) -> np.ndarray:
        """Returns transitions (..., length-1, tags, tags), without a copy of those that positions or chains share."""
        *batch, length, tags = shape
        full = (*batch, length - 1, tags, tags)
        spread = transitions
        if transitions.shape[-2:] == (tags, tags) and transitions.ndim in (2, len(shape)):
            spread = transitions[..., None, :, :]
        if spread.shape[-2:] == (tags, tags) and spread.ndim in (3, len(full)):
            try:
                return np.broadcast_to(spread, full)
            except ValueError:
                pass
        raise ValueError(f"transitions: shape {transitions.shape} does not fit emissions of shape {shape}: expected "
                         f"{full}, or {full[-2:]} for all positions")

    def _flat(self, array: np.ndarray) -> np.ndarray:
        """Returns the array with one batch axis, as the extension takes it."""
        array = array[None] if not self._shape else flattened(array, self._shape)
        return _whole(_contiguous_tags(array))

    def _function(self, f, name: str, each: int = 0):
        """Returns an additive function, (..., *each, length, tags) and (..., *each, length-1, tags, tags), flat."""
        if not isinstance(f, tuple) or len(f) != 2:
            raise ValueError(f"{name}: expected a pair (emissions, transitions), such as ChainArrays")
        found = []
        for array, scores, part in zip(f, self._scores, ChainArrays._fields):
            array = doubles(np.asarray(array), f"{name}.{part}")
            own = scores.shape[len(self._shape):]
            extra = array.shape[array.ndim - len(own) - each:array.ndim - len(own)] if each else ()
            try:
                if len(extra) != each:
                    raise ValueError
                found.append(self._flat(np.broadcast_to(array, self._shape + extra + own)))
            except ValueError:
                raise ValueError(f"{name}.{part}: shape {array.shape} does not fit {self._shape + ('k',) * each + own}"
                                 ) from None
        if each and found[0].shape[1] != found[1].shape[1]:
            raise ValueError(f"{name}: {found[0].shape[1]} functions of tags and {found[1].shape[1]} of pairs of tags")
        return found

    def _out(self, array: np.ndarray) -> np.ndarray:
        return array.reshape(self._shape + array.shape[1:])

    def _number(self, array: np.ndarray) -> Any:
        return self._out(array) if self._shape else array[0].item()

    def _tables(self, tables) -> ChainArrays:
        return ChainArrays(*map(self._out, tables))

    def _other(self, q: "ScoredChains"):
        if not isinstance(q, ScoredChains):
            raise TypeError(f"q is a {type(q).__name__}, expected a ChainDistribution")
        own, other = self._scores.emissions.shape, q._scores.emissions.shape
        if own != other or not np.array_equal(q._lengths, self._lengths):
            raise ValueError(f"q: emissions {other} do not fit {own}, or the chains have other lengths")
        return q._batch

    def _tag_rows(self, tags, name: str) -> np.ndarray:
        rows = np.asarray(tags)
        if rows.dtype.kind not in "iu":
            raise ValueError(f"{name}: dtype {rows.dtype} is not an integer type")
        shape = self._scores.emissions.shape[:-1]
        try:
            rows = np.broadcast_to(rows, shape)
        except ValueError:
            raise ValueError(f"{name}: shape {rows.shape} does not fit (..., length) = {shape}") from None
        return np.array(rows, dtype=np.int64, order="C").reshape(-1, shape[-1])

    def _right(self, gold, axes: int) -> ChainArrays:
        """Returns the fraction of right tags as an additive function, with this many axes of functions."""
        rows = self._tag_rows(gold, "gold")
        inside = np.arange(rows.shape[1]) < self._lengths.reshape(-1, 1)
        if ((rows < 0) | (rows >= self.tags))[inside].any():
            raise ValueError(f"gold: a tag is not among 0 .. {self.tags - 1}")
        share = np.where(inside, 1.0 / self._lengths.reshape(-1, 1), 0.0)
        found = [share[..., None] * (rows[..., None] == np.arange(self.tags)), np.zeros(self._scores.transitions.shape)]
        batch, extra = self._shape, (1,) * axes
        return ChainArrays(*(f.reshape(batch + extra + s.shape[len(batch):]) for f, s in zip(found, self._scores)))

    @property
    def scores(self) -> ChainArrays:
        """The scores, with a matrix of transitions for every position.

        >>> p.scores.transitions.shape
        (1, 2, 2)
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
        """The shape of one tag sequence, (length,).

        >>> p.event_shape
        (2,)
        """
        return self._scores.emissions.shape[-2:-1]

    @property
    def tags(self) -> int:
        """The number of tags.

        >>> p.tags
        2
        """
        return self._scores.emissions.shape[-1]

    @property
    def lengths(self) -> np.ndarray:
        """The number of positions of each chain, (...).

        >>> p.lengths.tolist()
        2
        """
        return self._lengths

    @property
    def methods(self) -> list:
        """How each chain was solved: "fast", in doubles, or "robust", in numbers of extended range.

        >>> p.methods
        ['fast']
        """
        return self._batch.methods()

    def _with(self, emissions: np.ndarray, transitions: Optional[np.ndarray] = None):
        return type(self)(emissions, self._scores.transitions if transitions is None else transitions,
                          lengths=self._lengths, threads=self._threads, method=self._method)

    def __reduce__(self):
        return _restore, (type(self), *self._scores, self._lengths, self._threads, self._method)


def _restore(cls, emissions, transitions, lengths, threads, method):
    return cls(emissions, transitions, lengths=lengths, threads=threads, method=method)
