"""Sums over a corpus, held exactly, so that parts of it can be added in any order and give the same bits."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import numpy as np
import pyarrow as pa

from . import _core, conllu
from ._arrow_columns import BatchFunction, numbers, string_column
from ._arrow_parses import Rows
from ._arrow_scores import Scores
from .parsing import Parser

#: The columns of sums. A sum is the integer `digits`, least byte first and in two's complement, times 2^exponent;
#: `value` is the nearest double.
SUMS = pa.schema([
    pa.field("quantity", pa.string()),
    pa.field("first", pa.string()),
    pa.field("second", pa.string()),
    pa.field("exponent", pa.int32()),
    pa.field("digits", pa.binary()),
    pa.field("value", pa.float64()),
])
Key = Tuple[str, Optional[str], Optional[str]]


def keys_of(names: Sequence[str]) -> List[Key]:
    """What is summed: numbers of sentences, words and errors, the entropy, E[f] and Cov(f, g) of the functions."""
    keys: List[Key] = [(name, None, None) for name in ("sentences", "words", "errors", "entropy")]
    keys += [("expectation", name, None) for name in names]
    return keys + [("covariance", a, b) for a, b in combinations_with_replacement(names, 2)]


def batch_of(keys: Sequence[Key], sums: "_core.ExactSums") -> pa.RecordBatch:
    """Sums as a record batch."""
    exponents, offsets, data = sums.digits()
    digits = pa.Array.from_buffers(pa.binary(), len(keys), [None, pa.py_buffer(offsets.astype(np.int32)),
                                                            pa.py_buffer(data)])
    texts = [pa.array(column, pa.string()) for column in zip(*keys)] if keys else [pa.array([], pa.string())] * 3
    columns = [*texts, numbers(exponents.astype(np.int32)), digits, numbers(sums.values())]
    return pa.RecordBatch.from_arrays(columns, schema=SUMS)


class _SumsOfRows(BatchFunction):
    """Makes all batches that it is given one small batch of sums."""

    _names: List[str]

    def schema(self, schema: pa.Schema) -> pa.Schema:
        return SUMS

    def _rows_of(self, batch: pa.RecordBatch) -> Tuple[np.ndarray, int]:
        """A row of numbers for each sentence, in the order of the keys without the errors', and how many failed."""
        raise NotImplementedError

    def _each(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        keys = keys_of(self._names)
        sums = _core.ExactSums(len(keys))
        for batch in batches:
            for begin in range(0, batch.num_rows, self._rows):
                rows, errors = self._rows_of(batch.slice(begin, self._rows))
                full = np.insert(rows, 2, 0.0, axis=1)
                sums.add(np.ascontiguousarray(full))
                failed = np.zeros((1, len(keys)))
                failed[0, 2] = errors
                sums.add(failed)
        yield batch_of(keys, sums)


class ParserSums(_SumsOfRows):
    """Sums over sentences that a parser reads; see expectation_sums."""

    def __init__(self, rows: Rows, templates: str, names: Sequence[str]):
        if isinstance(names, str):
            raise TypeError("names: expected a list of names, not one name")
        if bool(templates) != bool(names):
            raise ValueError("templates and names: belong together; names say which features are summed, so that all "
                             "parts of a corpus sum the same ones")
        self._source, self._templates, self._names = rows, templates, list(names)

    def _rows_of(self, batch: pa.RecordBatch) -> Tuple[np.ndarray, int]:
        model = self._source.model.open()
        if self._names:  # what is wrong with the question is no error of a row
            _core.feature_statistics(model.parser(), [], self._templates, 1, self._names, [], None, False, 1)
        found = self._source.parse(batch, True, True, [])
        valid = np.flatnonzero(np.diff(found["error"][0]) == 0)
        words = np.diff(found["heads"][0])[valid] - 1
        rows = np.zeros((len(valid), len(keys_of(self._names)) - 1))
        rows[:, 0], rows[:, 1], rows[:, 2] = 1.0, words, found["entropy"][valid]
        if self._names:
            offsets, text = found["conllu"]
            upper = np.triu_indices(len(self._names))
            for row, i, count in zip(rows, valid.tolist(), words.tolist()):
                if count:
                    [sentence] = conllu.loads(bytes(text[offsets[i]:offsets[i + 1]]).decode())
                    _, expectation, covariance, *_ = _core.feature_statistics(
                        model.parser(), [sentence], self._templates, 1, self._names, [], None, False, 1)
                    row[3:] = np.concatenate([expectation, covariance[upper]])
        return rows, len(found["row"]) - len(valid)


class ScoreSums(_SumsOfRows):
    """Sums over distributions whose scores are in a table; see expectation_sums."""

    def __init__(self, scores: Scores, functions: Optional[Callable], names: Sequence[str]):
        if isinstance(names, str):
            raise TypeError("names: expected a list of names, not one name")
        if (functions is None) != (not names):
            raise ValueError("functions and names: belong together")
        self._source, self._functions, self._names = scores, functions, list(names)

    def _rows_of(self, batch: pa.RecordBatch) -> Tuple[np.ndarray, int]:
        found, problems = self._source.matrices(batch)
        p = self._source.solve(found, problems)
        if p is None:
            return np.zeros((0, len(keys_of(self._names)) - 1)), len(found)
        matrices = [matrix for matrix in found if matrix is not None]
        rows = np.zeros((len(matrices), len(keys_of(self._names)) - 1))
        count = len(matrices)
        rows[:, 0], rows[:, 1], rows[:, 2] = 1.0, p.lengths[:count], p.entropy()[:count]
        if self._functions is not None:
            functions = [np.asarray(self._functions(len(matrix) - 1), dtype=np.float64) for matrix in matrices]
            for f, matrix in zip(functions, matrices):
                if f.shape != (len(self._names), *matrix.shape):
                    raise ValueError(f"functions: an array of shape {f.shape}, expected {(len(self._names), *matrix.shape)}")
            upper = np.triu_indices(len(self._names))
            functions *= len(p.lengths) // count  # as often as the matrices are there
            rows[:, 3:3 + len(self._names)] = p.expectation(functions)[:count]
            rows[:, 3 + len(self._names):] = p.covariance(functions, functions)[:count, upper[0], upper[1]]
        return rows, len(found) - len(matrices)


def merged(batches: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    """Adds sums of the same quantities, which come in the order in which they are met first."""
    places: Dict[Key, int] = {}
    parts = []
    for batch in batches:
        if not batch.schema.equals(SUMS):
            raise ValueError(f"merge_sums: the columns are {', '.join(batch.schema.names)}, expected those of "
                             f"expectation_sums: {', '.join(SUMS.names)}")
        columns = [batch.column(name).to_pylist() for name in ("quantity", "first", "second")]
        where = np.array([places.setdefault(key, len(places)) for key in zip(*columns)], dtype=np.int64)
        offsets, data = string_column(batch.column("digits"), "digits")
        parts.append((where, batch.column("exponent").to_numpy().astype(np.int64), offsets, data))
    sums = _core.ExactSums(len(places))
    for part in parts:
        sums.add_digits(*part)
    return batch_of(list(places), sums)
