"""Sentences in the rows of a table, parsed into columns."""

from __future__ import annotations

from typing import Iterable, List, Mapping, Optional

import numpy as np
import pyarrow as pa

from . import _core
from ._arrays import whole_number
from ._arrow_columns import (BatchFunction, column_of, kept_fields, list_column, lists, numbers, string_column, strings,
                             validity)
from ._arrow_models import Model, NamedModel

FORMATS = ("conllu", "text", "words")
_WORDS = ("form", "lemma", "upos", "xpos", "feats")
_PROBABILITIES = {"arc_probabilities", "label_probabilities", "entropy", "log_prob"}
_STRINGS, _INTEGERS, _DOUBLES = pa.list_(pa.string()), pa.list_(pa.int32()), pa.list_(pa.float64())
_TREE = pa.struct([("heads", _INTEGERS), ("labels", _STRINGS), ("log_prob", pa.float64())])
#: The types of the results.
TYPES = {
    **{name: _STRINGS for name in _WORDS},
    "heads": _INTEGERS,
    "labels": _STRINGS,
    "arc_probabilities": _DOUBLES,
    "label_probabilities": _DOUBLES,
    "entropy": pa.float64(),
    "log_prob": pa.float64(),
    "trees": pa.list_(_TREE),
    "conllu": pa.string(),
}


class Rows:
    """Where the sentences of a table are: the column, its format, and whether words get their tags from the model."""

    def __init__(self, model: Model, column: str, format: str, tags: Optional[Mapping[str, str]], tag: bool):
        if format not in FORMATS:
            raise ValueError(f"format: {format!r} is none of {', '.join(FORMATS)}")
        if tags and format != "words":
            raise ValueError("tags: are columns for format='words'")
        bad = [name for name in tags or () if name not in _WORDS[1:]]
        if bad:
            raise ValueError(f"tags: {bad[0]!r} is none of {', '.join(_WORDS[1:])}")
        if not isinstance(column, str):
            raise TypeError(f"column: {column!r} is not the name of a column")
        self.model = model if isinstance(model, NamedModel) else NamedModel(model)
        self.column, self.format, self.tags, self.tag = column, format, dict(tags or {}), tag or format == "text"

    def parse(self, batch: pa.RecordBatch, probabilities: bool, conllu: bool, words: List[str], k_best: int = 0,
              keep_heads: bool = False, projective: bool = False, threads: int = 1) -> dict:
        """The arrays that the extension makes of a batch."""
        column, text, columns = column_of(batch, self.column), None, []
        if self.format == "words":
            for name, source in {"form": self.column, **self.tags}.items():
                offsets, values = list_column(column_of(batch, source), source)
                columns.append((name, offsets, string_column(values, source)))
        else:
            text = string_column(column, self.column)
        return _core.parse_columns(self.model.open(), self.format, text, columns, validity(column), self.tag,
                                   probabilities, conllu, words, k_best, keep_heads, projective, threads)


class ParseBatches(BatchFunction):
    """Parses the sentences of batches; see parse_batches."""

    def __init__(self, rows: Rows, what: Optional[Iterable[str]], keep: Optional[Iterable[str]], k_best: int,
                 keep_heads: bool, projective: bool, threads: int):
        self._source = rows
        self._k_best = whole_number(k_best, "k_best")
        if self._k_best < 0:
            raise ValueError(f"k_best: {k_best} is below 0")
        if isinstance(what, str) or isinstance(keep, str):
            raise TypeError("what and keep: expected lists of names, not one name")
        default = (["form"] if rows.format == "text" else []) + ["heads", "labels"] + (["trees"] if k_best else [])
        self._what = list(dict.fromkeys(default if what is None else what))
        bad = [name for name in self._what if name not in TYPES]
        if bad:
            raise ValueError(f"what: {bad[0]!r} is none of {', '.join(TYPES)}")
        if ("trees" in self._what) != (self._k_best > 0):
            raise ValueError("what: 'trees' and k_best above 0 belong together")
        self._keep = None if keep is None else list(keep)
        self._keep_heads, self._projective, self._threads = keep_heads, projective, threads

    def schema(self, schema: pa.Schema) -> pa.Schema:
        names = ["sentence", *self._what, "error"]
        own = [pa.field("sentence", pa.int32())] + [pa.field(name, TYPES[name]) for name in self._what]
        return pa.schema(kept_fields(schema, self._keep, names) + own + [pa.field("error", pa.string())])

    def _convert(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        schema = self.schema(batch.schema)
        words = [name for name in self._what if name in _WORDS]
        found = self._source.parse(batch, bool(_PROBABILITIES & set(self._what)), "conllu" in self._what, words,
                                   self._k_best, self._keep_heads, self._projective, self._threads)
        error_offsets, _ = found["error"]
        valid = (np.diff(error_offsets) == 0).astype(np.uint8)
        labels = pa.array(self._source.model.open().parser().labels(), pa.string())
        rows, kept = found["row"], batch
        if len(rows) != batch.num_rows or not np.array_equal(rows, np.arange(len(rows))):
            kept = batch.take(numbers(rows))  # a row with several sentences is there as often
        columns = [kept.column(field.name) for field in kept_fields(batch.schema, self._keep, schema.names[-2 - len(self._what):])]
        columns.append(numbers(found["sentence"]))
        columns += [_result(name, found[name], valid, labels) for name in self._what]
        columns.append(strings(found["error"], 1 - valid))
        return pa.RecordBatch.from_arrays(columns, schema=schema)


def _result(name: str, found, valid: np.ndarray, labels: pa.Array) -> pa.Array:
    """A column of results, null where there was an error."""
    if name in _WORDS:
        offsets, words = found
        return lists(offsets, strings(words), valid)
    if name == "conllu":
        return strings(found, valid)
    if name == "trees":
        offsets, heads, numbers_of_labels, log_probs = found
        trees = pa.StructArray.from_arrays([_heads(heads), _labels(numbers_of_labels, labels), numbers(log_probs)],
                                           fields=list(_TREE))
        return lists(offsets, trees, valid)
    if name == "labels":
        return _labels(found, labels, valid)
    if isinstance(found, tuple):
        return _heads(found, valid)
    return numbers(found, valid)


def _heads(found, valid: Optional[np.ndarray] = None) -> pa.Array:
    return lists(found[0], numbers(found[1]), valid)


def _labels(found, labels: pa.Array, valid: Optional[np.ndarray] = None) -> pa.Array:
    return lists(found[0], labels.take(numbers(found[1])), valid)
