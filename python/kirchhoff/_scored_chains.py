"""What all parts of ChainDistribution share: the arrays of scores, and shapes of arguments and results."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from . import _core
from ._arrays import doubles, flattened
from ._scored_sequences import ScoredSequences
from .tag_sequences import ChainArrays


def _contiguous_tags(array: np.ndarray) -> np.ndarray:
    """Returns the array with its last axis contiguous; others may have any stride, also 0."""
    return array if array.shape[-1] < 2 or array.strides[-1] == array.itemsize else np.ascontiguousarray(array)


def _whole(array: np.ndarray) -> np.ndarray:
    """Returns the array where strides are numbers of doubles and >= 0, as the extension takes them."""
    fits = all(s >= 0 and s % array.itemsize == 0 for s in array.strides)
    return array if fits and array.flags.aligned else np.array(array, order="C")


class ScoredChains(ScoredSequences):
    __slots__ = ("_batch", "_method")

    def __init__(self, emissions, transitions, *, lengths=None, threads: int = 0, method: str = "automatic"):
        emissions = doubles(np.asarray(emissions), "emissions")
        transitions = doubles(np.asarray(transitions), "transitions")
        if emissions.ndim < 2 or 0 in emissions.shape[-2:]:
            raise ValueError(f"emissions: shape {emissions.shape} is not (..., length, tags) with at least one of each")
        if 0 in emissions.shape[:-2]:
            raise ValueError(f"emissions: shape {emissions.shape} has no chain")
        self._set(ChainArrays(emissions, self._spread(transitions, emissions.shape)), emissions.shape[:-2], lengths,
                  threads)
        self._method = method
        self._batch = _core.ChainBatch(self._flat(self._scores.emissions), self._flat(self._scores.transitions),
                                       self._lengths.reshape(-1), threads, method)

    @staticmethod
    def _spread(transitions: np.ndarray, shape: tuple) -> np.ndarray:
        """Returns transitions (..., length-1, tags, tags), without a copy of those that positions or chains share.

        What the axes are is said by their number alone: a batch of as many chains as there are pairs of neighbours is
        read as any other.
        """
        *batch, length, tags = shape
        full = (*batch, length - 1, tags, tags)
        spread = transitions
        if transitions.shape[-2:] == (tags, tags) and transitions.ndim in (2, len(shape)):
            spread = transitions[..., None, :, :]
        if spread.shape[-2:] == (tags, tags) and (transitions.ndim == 2 or spread.ndim == len(full)):
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
        return [self._flat(array) for array in self._fitted(f, name, each)]

    def _out(self, array: np.ndarray) -> np.ndarray:
        return array.reshape(self._shape + array.shape[1:])

    def _number(self, array: np.ndarray) -> Any:
        return self._out(array) if self._shape else array[0].item()

    def _tables(self, tables) -> ChainArrays:
        return ChainArrays(*map(self._out, tables))

    def _tag_rows(self, tags, name: str) -> Tuple[np.ndarray, tuple]:
        """Returns rows of tags, and the shape of the sequences of each chain."""
        rows = np.asarray(tags)
        if rows.dtype.kind not in "iu":
            raise ValueError(f"{name}: dtype {rows.dtype} is not an integer type")
        rows, more = self._spread_rows(rows, name)
        return np.array(rows, dtype=np.int64, order="C"), more

    def _checked_tags(self, gold) -> Tuple[np.ndarray, np.ndarray, tuple]:
        """Returns the same, 0 beyond a chain's length, and the share of a position in its chain for each row."""
        rows, more = self._tag_rows(gold, "gold")
        lengths = np.repeat(self._lengths.reshape(-1), int(np.prod(more, dtype=np.int64)))[:, None]
        inside = np.arange(rows.shape[1]) < lengths
        if ((rows < 0) | (rows >= self.tags))[inside].any():
            raise ValueError(f"gold: a tag is not among 0 .. {self.tags - 1}")
        return np.where(inside, rows, 0), np.where(inside, 1.0 / lengths, 0.0), more

    def _right(self, gold) -> ChainArrays:
        """Returns the fraction of right tags as an additive function."""
        rows, share, more = self._checked_tags(gold)
        if more:
            raise ValueError(f"gold: {more} sequences of each chain, where one is expected")
        found = [share[..., None] * (rows[..., None] == np.arange(self.tags)), np.zeros(self._scores.transitions.shape)]
        return ChainArrays(*(f.reshape(s.shape) for f, s in zip(found, self._scores)))

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

    def _of(self, scores: list, lengths: np.ndarray):
        return type(self)(*scores, lengths=lengths, threads=self._threads, method=self._method)

    def __reduce__(self):
        return _restore, (type(self), *self._scores, self._lengths, self._threads, self._method)


def _restore(cls, emissions, transitions, lengths, threads, method):
    return cls(emissions, transitions, lengths=lengths, threads=threads, method=method)
