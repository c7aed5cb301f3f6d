"""Score matrices in the rows of a table, and what their distributions over trees answer."""

from __future__ import annotations

import hashlib
import math
from typing import Iterable, List, Optional, Tuple

import numpy as np
import pyarrow as pa

from ._arrays import whole_number
from ._arrow_columns import (BatchFunction, column_of, kept_fields, list_column, lists, numbers, offsets_of,
                             validity)
from .distribution import TreeDistribution
from .projective import ProjectiveTreeDistribution

_INTEGERS, _DOUBLES = pa.list_(pa.int32()), pa.list_(pa.float64())
_TREE = pa.struct([("heads", _INTEGERS), ("labels", _INTEGERS), ("log_prob", pa.float64())])
#: The types of the results.
TYPES = {
    "log_partition": pa.float64(),
    "entropy": pa.float64(),
    "marginals": _DOUBLES,
    "heads": _INTEGERS,
    "labels": _INTEGERS,
    "log_prob": pa.float64(),
    "trees": pa.list_(_TREE),
    "samples": pa.list_(_TREE),
}


class Scores:
    """Where the matrices of a table are, and how they are made distributions."""

    def __init__(self, column: str, root: str, labels: int, projective: bool, threads: int):
        if root not in ("single", "multi"):
            raise ValueError(f"root: {root!r} is neither 'single' nor 'multi'")
        if not isinstance(column, str):
            raise TypeError(f"column: {column!r} is not the name of a column")
        self.column, self.root, self.labels = column, root, whole_number(labels, "labels")
        self._family = ProjectiveTreeDistribution if projective else TreeDistribution
        self._threads = threads

    def matrices(self, batch: pa.RecordBatch) -> Tuple[List[Optional[np.ndarray]], List[str]]:
        """The matrix of each row where it lies, or None and what is wrong with it."""
        column = column_of(batch, self.column)
        offsets, values = list_column(column, self.column)
        while _is_list(values.type):  # a list of rows
            inner, values = list_column(values, self.column)
            offsets = inner[offsets]
        if not (pa.types.is_floating(values.type) or pa.types.is_integer(values.type) or pa.types.is_null(values.type)):
            raise ValueError(f"column {self.column!r}: its numbers are {values.type}, expected float64")
        flat = values.cast(pa.float64()).to_numpy(zero_copy_only=False)  # a null becomes NaN, which is refused below
        found: List[Optional[np.ndarray]] = []
        problems: List[str] = []
        for begin, end, valid in zip(offsets[:-1].tolist(), offsets[1:].tolist(), validity(column).tolist()):
            nodes = math.isqrt((end - begin) // max(self.labels, 1))
            size = nodes * nodes * max(self.labels, 1)
            shape = (nodes, nodes, self.labels) if self.labels else (nodes, nodes)
            problem = ""
            if not valid:
                problem = "the row is null"
            elif size != end - begin or nodes == 0:
                kind = f"(n+1) x (n+1) x {self.labels}" if self.labels else "(n+1) x (n+1)"
                problem = f"scores: {end - begin} numbers are no matrix of {kind}"
            found.append(None if problem else flat[begin:end].reshape(shape))
            problems.append(problem)
        return found, problems

    def solve(self, found: List[Optional[np.ndarray]], problems: List[str]):
        """The distribution of the matrices that have one; notes what is wrong with the others.

        A graph has the same bits in every batch of two or more, and may have others alone: a single one is there twice.
        """
        good = [matrix for matrix in found if matrix is not None]
        try:
            return self._distribution(good) if good else None
        except ValueError:  # some row: those around it are tried without it
            for i, matrix in enumerate(found):
                if matrix is not None:
                    problems[i] = self._problem(matrix)
                    found[i] = None if problems[i] else matrix
            good = [matrix for matrix in found if matrix is not None]
            return self._distribution(good) if good else None

    def _distribution(self, matrices: List[np.ndarray]):
        return self._family(matrices * (2 if len(matrices) == 1 else 1), root=self.root, threads=self._threads)

    def _problem(self, matrix: np.ndarray) -> str:
        try:
            self._family(matrix, root=self.root, labelled=bool(self.labels), threads=1)
        except ValueError as error:
            return str(error) or type(error).__name__
        return ""


class TreeBatches(BatchFunction):
    """Answers questions about the score matrices of batches; see tree_batches."""

    def __init__(self, scores: Scores, what: Optional[Iterable[str]], keep: Optional[Iterable[str]], k_best: int,
                 samples: int, seed: int):
        self._source = scores
        self._k_best, self._samples = whole_number(k_best, "k_best"), whole_number(samples, "samples")
        self._seed = whole_number(seed, "seed")
        if min(self._k_best, self._samples) < 0:
            raise ValueError("k_best and samples: must not be below 0")
        if isinstance(what, str) or isinstance(keep, str):
            raise TypeError("what and keep: expected lists of names, not one name")
        asked = (["trees"] if k_best else []) + (["samples"] if samples else [])
        default = ["log_partition", "heads", *(["labels"] if scores.labels else []), "log_prob", *asked]
        self._what = list(dict.fromkeys(default if what is None else what))
        bad = [name for name in self._what if name not in TYPES]
        if bad:
            raise ValueError(f"what: {bad[0]!r} is none of {', '.join(TYPES)}")
        if ("trees" in self._what) != (self._k_best > 0) or ("samples" in self._what) != (self._samples > 0):
            raise ValueError("what: 'trees' and k_best above 0 belong together, and so do 'samples' and samples")
        if "labels" in self._what and not scores.labels:
            raise ValueError("what: 'labels' is for labelled scores")
        self._keep = None if keep is None else list(keep)

    def schema(self, schema: pa.Schema) -> pa.Schema:
        own = [pa.field(name, TYPES[name]) for name in self._what] + [pa.field("error", pa.string())]
        return pa.schema(kept_fields(schema, self._keep, [*self._what, "error"]) + own)

    def _convert(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        schema = self.schema(batch.schema)
        found, problems = self._source.matrices(batch)
        p = self._source.solve(found, problems)
        valid = np.array([matrix is not None for matrix in found], dtype=np.uint8)
        columns = [batch.column(field.name) for field in kept_fields(batch.schema, self._keep, schema.names[-1 - len(self._what):])]
        if p is None:
            columns += [pa.nulls(batch.num_rows, TYPES[name]) for name in self._what]
        else:
            answers = _Answers(p, [m for m in found if m is not None], self._k_best, self._samples, self._seed)
            columns += [_spread(answers, name, valid) for name in self._what]
        columns.append(pa.array([problem or None for problem in problems], pa.string()))
        return pa.RecordBatch.from_arrays(columns, schema=schema)


class _Answers:
    """The numbers and lists that a distribution of many graphs answers with; what several need is found once."""

    def __init__(self, p: TreeDistribution, matrices: List[np.ndarray], k_best: int, samples: int, seed: int):
        self._p, self._matrices = p, matrices
        self._nodes = np.asarray(p.lengths) + 1  # of one graph more when there is only one
        self._k_best, self._samples, self._seed = k_best, samples, seed
        self._best = None

    def log_partition(self):
        return np.ascontiguousarray(self._p.log_partition())

    def entropy(self):
        return np.ascontiguousarray(self._p.entropy())

    def log_prob(self):
        return np.ascontiguousarray(self._argmax().log_prob)

    def marginals(self):
        block = np.ascontiguousarray(self._p._batch.marginals()).reshape(-1)  # of all graphs, one after the other
        return self._nodes * self._nodes * (self._p.labels or 1), numbers(block)

    def heads(self):
        return self._nodes, numbers(self._words(self._argmax().heads, self._nodes))

    def labels(self):
        return self._nodes - 1, numbers(self._words(self._argmax().labels[:, 1:], self._nodes - 1))

    def trees(self):
        found = self._p.k_best(self._k_best)
        exists = np.isfinite(found.log_prob)
        labels = None if found.labels is None else found.labels[exists]
        return exists.sum(axis=1), self._structures(found.heads[exists], labels, found.log_prob[exists],
                                                    np.repeat(self._nodes, exists.sum(axis=1)))

    def samples(self):
        drawn = [self._p[i].sample(self._samples, seed=self._seed_of(m)) for i, m in enumerate(self._matrices)]
        nodes = self._nodes[:len(drawn)]
        width = int(nodes.max())

        def joined(rows):
            return np.concatenate([np.pad(r, ((0, 0), (0, width - r.shape[1]))) for r in rows])

        labels = joined([d.labels for d in drawn]) if self._p.labels else None
        return (np.full(len(drawn), self._samples),
                self._structures(joined([d.heads for d in drawn]), labels,
                                 np.concatenate([d.log_prob for d in drawn]), np.repeat(nodes, self._samples)))

    def _argmax(self):
        if self._best is None:
            self._best = self._p.argmax()
        return self._best

    def _seed_of(self, matrix: np.ndarray) -> int:
        """Depends on the scores of the row, and not on its place in a partition."""
        digest = hashlib.blake2b(matrix.tobytes(), digest_size=8, key=str(self._seed).encode())
        return int.from_bytes(digest.digest(), "little") >> 1

    @staticmethod
    def _words(array: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The first entries of each row, one row after the other."""
        return array[np.arange(array.shape[1]) < sizes[:, None]].astype(np.int32)

    def _structures(self, heads, labels, log_prob, nodes) -> pa.Array:
        columns = [lists(offsets_of(nodes), numbers(self._words(heads, nodes)))]
        columns.append(pa.nulls(len(nodes), _INTEGERS) if labels is None else
                       lists(offsets_of(nodes - 1), numbers(self._words(labels[:, 1:], nodes - 1))))
        columns.append(numbers(np.ascontiguousarray(log_prob)))
        return pa.StructArray.from_arrays(columns, fields=list(_TREE))


def _spread(answers: _Answers, name: str, valid: np.ndarray) -> pa.Array:
    """A column of answers, with a null for each row that has none."""
    found, count = getattr(answers, name)(), int(valid.sum())
    if isinstance(found, tuple):
        sizes = np.zeros(len(valid), dtype=np.int64)
        sizes[valid != 0] = found[0][:count]
        return lists(offsets_of(sizes), found[1], valid)
    if count == len(valid):
        return numbers(found[:count])
    column = np.zeros(len(valid))
    column[valid != 0] = found[:count]
    return numbers(column, valid)


def _is_list(kind: pa.DataType) -> bool:
    return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)

