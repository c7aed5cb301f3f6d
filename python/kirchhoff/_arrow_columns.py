"""Columns of Arrow tables as the arrays that the extension reads, and its results as columns, without copies."""

from __future__ import annotations

from typing import Iterable, Iterator, List, Optional, Tuple

import numpy as np
import pyarrow as pa

_INT64 = np.dtype(np.int64)


def column_of(batch: pa.RecordBatch, name: str) -> pa.Array:
    """The column of this name; the error lists those that are there."""
    index = batch.schema.get_field_index(name)
    if index < 0:
        raise ValueError(f"column: there is no single column {name!r} among {', '.join(batch.schema.names) or 'none'}")
    return batch.column(index)


def validity(array: pa.Array) -> np.ndarray:
    """One byte for each row: 0 for a null."""
    if array.null_count == 0:
        return np.ones(len(array), dtype=np.uint8)
    return np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=np.uint8)


def _view(buffer: Optional[pa.Buffer], dtype, count: int, offset: int = 0) -> np.ndarray:
    """The numbers of a buffer where they lie."""
    if buffer is None or buffer.size == 0:
        return np.zeros(count, dtype=dtype)
    return np.frombuffer(buffer, dtype=dtype, count=count, offset=offset * np.dtype(dtype).itemsize)


def string_column(array: pa.Array, name: str) -> Tuple[np.ndarray, np.ndarray]:
    """Offsets and bytes of strings; the bytes stay where they are, and so do 64-bit offsets."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)):
        try:
            array = array.cast(pa.large_binary() if pa.types.is_binary(kind) else pa.large_string())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise ValueError(f"column {name!r}: its type is {kind}, expected strings") from None
        if not (pa.types.is_null(kind) or "string" in str(kind) or "binary" in str(kind)):
            raise ValueError(f"column {name!r}: its type is {kind}, expected strings")
    wide = not pa.types.is_string(array.type)
    _, offsets, data = array.buffers()
    places = _view(offsets, np.int64 if wide else np.int32, len(array) + 1, array.offset if offsets else 0)
    places = places if places.dtype == _INT64 else places.astype(np.int64)
    size = data.size if data is not None else 0
    return places, _view(data, np.uint8, size)


def list_column(array: pa.Array, name: str) -> Tuple[np.ndarray, pa.Array]:
    """Offsets of lists, and all their values."""
    kind = array.type
    if pa.types.is_null(kind):
        return np.zeros(len(array) + 1, dtype=np.int64), pa.array([], pa.string())
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        try:
            array = array.cast(pa.large_list(kind.value_type))  # of a fixed size, or of views
        except (AttributeError, pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise ValueError(f"column {name!r}: its type is {kind}, expected lists") from None
    return array.offsets.to_numpy().astype(np.int64, copy=False), array.values


def bitmap(valid: np.ndarray) -> Optional[pa.Buffer]:
    """Arrow's bits of validity, or None when all are valid."""
    return None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))


def numbers(values: np.ndarray, valid: Optional[np.ndarray] = None) -> pa.Array:
    """A column over an array."""
    bits = None if valid is None else bitmap(valid)
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [bits, pa.py_buffer(values)])


def strings(parts: Tuple[np.ndarray, np.ndarray], valid: Optional[np.ndarray] = None) -> pa.Array:
    """A column of strings over 32-bit offsets and bytes."""
    offsets, data = parts
    bits = None if valid is None else bitmap(valid)
    return pa.Array.from_buffers(pa.string(), len(offsets) - 1, [bits, pa.py_buffer(offsets), pa.py_buffer(data)])


def lists(offsets: np.ndarray, values: pa.Array, valid: Optional[np.ndarray] = None) -> pa.Array:
    """A column of lists over 32-bit offsets."""
    bits = None if valid is None else bitmap(valid)
    return pa.Array.from_buffers(pa.list_(values.type), len(offsets) - 1, [bits, pa.py_buffer(offsets)],
                                 children=[values])


def offsets_of(sizes: np.ndarray) -> np.ndarray:
    """The 32-bit offsets of lists of these sizes."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    if offsets[-1] > np.iinfo(np.int32).max:
        raise ValueError("the results of these rows are longer than 2^31; take fewer rows in a batch")
    return offsets.astype(np.int32)


class BatchFunction:
    """What maps record batches to record batches, in whatever way an engine gives them.

    An iterable of batches gives an iterator, a RecordBatchReader another one, a RecordBatch a RecordBatch, and a Table,
    or anything else that exports Arrow's stream (a DataFrame of Polars, a relation of DuckDB), a Table.
    """

    #: How many rows are worked on at once.
    _rows = 4096

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """The schema of what comes out, for batches of this schema."""
        raise NotImplementedError

    def _convert(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        raise NotImplementedError

    def _each(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for begin in range(0, max(batch.num_rows, 1), self._rows):
                yield self._convert(batch.slice(begin, self._rows))

    def __call__(self, data):
        if isinstance(data, pa.RecordBatch):
            found = pa.Table.from_batches(self._each([data])).combine_chunks()
            return found.to_batches()[0] if found.num_rows else self._empty(data.schema)
        if isinstance(data, pa.RecordBatchReader):
            return pa.RecordBatchReader.from_batches(self.schema(data.schema), self._each(data))
        if not isinstance(data, pa.Table):
            if not hasattr(data, "__arrow_c_stream__"):
                return self._each(data)
            data = pa.table(data)
        return pa.Table.from_batches(self._each(data.to_batches()), self.schema(data.schema))

    def _empty(self, schema: pa.Schema) -> pa.RecordBatch:
        out = self.schema(schema)
        return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in out], schema=out)


def kept_fields(schema: pa.Schema, keep: Optional[List[str]], made: Iterable[str]) -> List[pa.Field]:
    """The fields of the input that go on to the output: those named, or all that no result takes the place of."""
    made = set(made)
    if keep is None:
        return [field for field in schema if field.name not in made]
    for name in keep:
        if schema.get_field_index(name) < 0:
            raise ValueError(f"keep: there is no single column {name!r}")
        if name in made:
            raise ValueError(f"keep: {name!r} is the name of a result, too; rename the column")
    return [schema.field(name) for name in keep]
