"""Files of Arrow tables, Parquet and Arrow's own, read in parts and written as a whole or not at all."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Iterable, Iterator, Tuple

import pyarrow as pa
import pyarrow.parquet as pq

#: Rows are gathered before they are written: Parquet is read group by group, and small groups are read slowly.
_GROUP_ROWS = 1 << 16


class TableFile:
    """A file of rows, of which a part can be read."""

    def __init__(self, path: str, column: str):
        self._path, self._column = path, column
        with open(path, "rb") as file:
            start = file.read(6)
        if start.startswith(b"PAR1"):
            self._file = pq.ParquetFile(path)
            self.schema = self._file.schema_arrow
            self.rows = self._file.metadata.num_rows
        elif start == b"ARROW1":
            self._file = None
            with pa.memory_map(path) as source:
                reader = pa.ipc.open_file(source)
                self.schema = reader.schema
                self._sizes = [reader.get_batch(i).num_rows for i in range(reader.num_record_batches)]
            self.rows = sum(self._sizes)
        else:
            raise ValueError(f"{path}: is neither Parquet nor an Arrow file; 'kirchhoff parse' reads CoNLL-U and text")

    def batches(self, begin: int, end: int, size: int) -> Iterator[pa.RecordBatch]:
        """The rows from begin up to end, in batches of at most this size. Other groups of rows are not read."""
        first = 0
        for group, count in enumerate(self._counts()):
            low, high = max(begin - first, 0), min(end - first, count)
            if low < high:
                place = 0
                for batch in self._group(group, size):
                    part = batch.slice(max(low - place, 0), max(min(high - place, batch.num_rows) - max(low - place, 0), 0))
                    place += batch.num_rows
                    if part.num_rows:
                        yield part
            first += count

    def _counts(self) -> Iterable[int]:
        if self._file is None:
            return self._sizes
        return [self._file.metadata.row_group(i).num_rows for i in range(self._file.num_row_groups)]

    def _group(self, group: int, size: int) -> Iterator[pa.RecordBatch]:
        if self._file is not None:
            yield from self._file.iter_batches(batch_size=size, row_groups=[group])
            return
        with pa.memory_map(self._path) as source:
            yield pa.ipc.open_file(source).get_batch(group)


def shard_rows(rows: int, shard: Tuple[int, int]) -> Tuple[int, int]:
    """The rows of part I of N: the parts one after the other are all rows."""
    number, count = shard
    return rows * (number - 1) // count, rows * number // count


def write_table(path: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Writes rows to a file that is there as a whole when all of them are written, and else not or as it was.

    The name's ending says what kind of file it becomes: .arrow, .feather or .ipc, Arrow's own; any other, Parquet.
    """
    with replaced(path) as file:
        own = Path(path).suffix in (".arrow", ".feather", ".ipc")
        with (pa.ipc.new_file(file, schema) if own else pq.ParquetWriter(file, schema)) as writer:
            for group in _groups(batches, schema):
                writer.write_table(group)


def _groups(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    waiting, rows = [], 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= _GROUP_ROWS:
            yield pa.Table.from_batches(waiting, schema)
            waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting, schema)


@contextmanager
def replaced(path: str) -> Iterator[IO[bytes]]:
    """A file without a name, which takes the place of `path` when the block is done without an error.

    Whatever ends the program before, nothing is left of it.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise ValueError(f"{path}: is no regular file, and cannot be replaced by a table")
    descriptor = os.open(target.parent, os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC, 0o666)
    with os.fdopen(descriptor, "wb") as file:
        if target.exists():
            os.fchmod(descriptor, target.stat().st_mode & 0o777)
        yield file
        file.flush()
        os.fsync(descriptor)
        beside = target.with_name(f".{target.name}.{os.getpid()}")
        # Only with a folder's descriptor, which counts for nothing here, does Python follow the link.
        os.link(f"/proc/self/fd/{descriptor}", beside, src_dir_fd=descriptor, follow_symlinks=True)
        os.replace(beside, target)
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
