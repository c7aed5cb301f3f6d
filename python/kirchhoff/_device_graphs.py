"""Scores on a CUDA device, and questions to the kernels about them.

What kernels do not answer, such as the k best trees, is computed by the CPU from a copy of the scores that is made when
it is first needed. All results lie where the scores do.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from . import _core
from ._accuracy import checked
from ._arrays import has_labels, is_float32, lengths_of
from ._device_arrays import library_of
from .distribution import TreeDistribution

STATUSES = _core.cuda_statuses()
_SOLVED = STATUSES.index("extended")  # larger numbers are statuses of graphs that have no answers
_ARRAYS = ("marginals", "derivatives")  # of answers, those with a number for each arc


class DeviceGraphs(TreeDistribution):
    """One graph or a batch of them on a device, which answers build on."""

    __slots__ = ("_library", "_flat", "_words", "_answers", "_status", "_checks", "_copy")

    def __init__(self, scores, **options):
        self._prepare(scores, **options)
        self.marginals()

    @classmethod
    def unsolved(cls, scores, **options) -> "DeviceGraphs":
        """Returns a distribution that solves its graphs, and says what is wrong with them, at the first question."""
        self = object.__new__(cls)
        self._prepare(scores, **options)
        return self

    def _prepare(self, scores, *, root: str, lengths=None, labelled: bool = False, threads: int = 0, dtype=np.float64,
                 padded: bool = False, accuracy=None):
        self._float32 = is_float32(dtype)
        self._library = library_of(scores)
        self._scores = self._library.readable(scores, "scores")
        full = tuple(self._scores.shape)
        core = full[-3:] if has_labels(full, labelled) else full[-2:]
        self._shape = full[: len(full) - len(core)]
        self._labels = core[2] if labelled else 0
        self._root, self._threads, self._accuracy = root, threads, accuracy
        self._listed = False
        self._flat = self._scores.reshape((-1,) + core) if 0 not in self._shape else self._scores.reshape((0,) + core)
        self._lengths = lengths
        self._words = None if lengths is None else self._lengths_of(lengths)
        self._answers: Dict[str, Any] = {}
        self._status: Any = None
        self._copy: Any = None
        self._checks: List[Tuple[Any, Callable]] = []

    def _lengths_of(self, lengths):
        """Returns the numbers of words on the device; kernels find out whether they are possible."""
        if tuple(getattr(lengths, "shape", ())) != self._shape or not hasattr(lengths, "__dlpack_device__"):
            lengths = lengths_of(self._library.host(lengths), self._shape)
        lengths = self._library.send(lengths)
        if "int" not in str(lengths.dtype):
            raise ValueError(f"lengths: dtype {lengths.dtype} is not an integer type")
        return self._library.cast(lengths.reshape(-1), "int32")

    @property
    def _batch(self):
        """The same graphs on the CPU."""
        if self._copy is None:
            lengths = None if self._words is None else self._library.host(self.lengths)
            self._copy = TreeDistribution(self._library.host(self._scores), root=self._root, lengths=lengths,
                                          labelled=bool(self._labels), threads=self._threads, accuracy=self._accuracy)
        return self._copy._batch

    def _ask(self, *wanted: str, direction=None, score_share: float = 0.0, exact: bool = False) -> list:
        """Returns new arrays of what is wanted: log_partition, entropy, expectation, marginals, derivatives.

        Those of arcs are in the caller's precision, or if `exact` in double precision.
        """
        library = self._library
        arcs = tuple(self._scores.shape)
        dtype = "float32" if self._float32 and not exact else "float64"
        status = library.empty(self._flat.shape[:1], "uint8")
        found = {name: library.empty(arcs, dtype) if name in _ARRAYS else library.empty(self._shape, "float64")
                 for name in wanted}
        flat = {name: array.reshape(self._flat.shape if name in _ARRAYS else self._flat.shape[:1])
                for name, array in found.items()}
        if direction is not None:
            flat["direction"] = direction
        if self._words is not None:
            flat["lengths"] = self._words
        accuracy = {} if self._accuracy is None else checked(self._accuracy)._asdict()
        with library.current():
            _core.cuda_answer(library.capsule(self._flat), self._root, library.capsule(status), library.stream(),
                              library.executor, score_share=score_share, **accuracy,
                              **{name: library.capsule(array) for name, array in flat.items()})
        if self._status is None:
            self._check(status)
        return list(found.values())

    def _trees_of(self, find: Callable, scores, trees: int, **options) -> Tuple[Any, Any, Any]:
        """Returns heads, labels and scores of what is found: (batch, trees, n+1) integers and (batch, trees)."""
        self.solve("log_partition")  # which says what is wrong with graphs
        library = self._library
        graphs, nodes = self._flat.shape[:2]
        status = library.empty((graphs,), "uint8")
        found = {"heads": library.empty((graphs, trees, nodes), "int32"),
                 "score": library.empty((graphs, trees), "float64")}
        if self._labels:
            found["labels"] = library.empty((graphs, trees, nodes), "int32")
        given = found if self._words is None else {**found, "lengths": self._words}
        with library.current():
            find(library.capsule(scores), self._root, library.capsule(status), library.stream(), library.executor,
                 **{name: library.capsule(array) for name, array in given.items()}, **options)
        labels = library.cast(found["labels"], "int64") if self._labels else None
        return library.cast(found["heads"], "int64"), labels, found["score"]

    def also_check(self, flags, explain: Callable[[], None]):
        """Calls explain(), which raises an error, if a flag is set; that is found out with the first answer."""
        self._checks.append((flags, explain))

    def _check(self, status):
        """Waits for the device, once, and raises the error of the first graph that has no answer."""
        flags = [status] + [self._library.cast(flags, "uint8") for flags, _ in self._checks]
        host = self._library.host(self._library.joined(flags) if len(flags) > 1 else status)
        begin = len(status)
        if host[:begin].max(initial=0) > _SOLVED:
            self._batch  # the CPU says what is wrong, and with which graph
            wrong = int(np.argmax(host[:begin] > _SOLVED))
            raise ValueError(f"graph {wrong}: scores beyond +-1e9 are for the CPU, and directions must be finite")
        for (_, explain), part in zip(self._checks, flags[1:]):
            if host[begin: begin + len(part)].any():
                explain()
            begin += len(part)
        self._status = host[: len(status)]
        self._checks = []  # they may hold this distribution, whose memory shall not wait for a garbage collection

    def solve(self, *wanted: str):
        """Keeps answers to what is wanted, and is not known yet."""
        missing = [name for name in wanted if name not in self._answers]
        if missing:
            self._answers.update(zip(missing, self._ask(*missing)))

    def take(self, name: str):
        """Returns an answer and forgets it: an array that nobody else has. Numbers are in double precision."""
        self.solve(name)
        return self._answers.pop(name)

    def _numbers(self, array):
        return self._library.cast(array, "float32") if self._float32 else array

    def _held(self, array):
        return self._library.host(array)

    def _sent(self, array):
        return self._library.send(array)

    def _out(self, array):
        return self._sent(super()._out(array))

    def _number(self, array):
        return self._out(array)

    def _broadcast(self, shape: tuple):
        return self._library.broadcast(self._scores, shape)

    def _heads(self, heads, name: str = "heads"):
        return super()._heads(self._library.host(heads), name)

    def _features(self, f, name: str):
        return super()._features(self._library.host(f), name)

    def _arcs(self, array, name: str):
        return super()._arcs(self._library.host(array), name)

    def _direction(self, array):
        """Returns an array of arcs, (batch, n+1, n+1[, labels]), on the device."""
        array = self._library.readable(self._library.send(array), "direction")
        shape, full = tuple(array.shape), tuple(self._scores.shape)
        if shape != full:
            if shape != full[len(full) - len(shape):]:
                raise ValueError(f"direction: shape {shape} does not fit the scores' {full}")
            array = self._library.broadcast(array, full)
        return array.reshape(self._flat.shape)

    @property
    def event_shape(self) -> tuple:
        return (self._flat.shape[1],)

    @property
    def lengths(self):
        if self._words is None:
            return self._library.filled(self._shape, self._flat.shape[1] - 1)
        return self._library.cast(self._words, "int64").reshape(self._shape)
