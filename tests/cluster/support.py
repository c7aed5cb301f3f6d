"""Shared by the tests of engines: a model, a corpus with bad rows, what one process makes of it, and spies for workers.

KIRCHHOFF_CORPUS_MB is the size of the corpus, 1.5 by default, and KIRCHHOFF_TREEBANK the treebank that it repeats.
"""

import os
import random
import signal
import socket
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import kirchhoff
from kirchhoff import arrow

ROOT = Path(__file__).resolve().parents[2]
TREEBANK = Path(os.environ.get("KIRCHHOFF_TREEBANK", ROOT / "examples" / "treebank" / "train.conllu"))
MEGABYTES = float(os.environ.get("KIRCHHOFF_CORPUS_MB", "1.5"))
DRIVER_MEMORY = "1g" if MEGABYTES < 100 else "6g"  # all results come to the driver, where they are compared
WHAT = ["heads", "labels", "arc_probabilities", "entropy", "log_prob"]
NAMES = ["h.upos=NOUN d.upos=DET", "h.upos=VERB d.upos=NOUN", "h.upos=ROOT d.upos=VERB"]
TEMPLATES = "any | h.upos d.upos"
POISON = ["1\tbroken\n\n", "", None, "1\ta\ta\tX\t_\t_\t9\troot\t_\t_\n\n"]


def trained(path):
    sentences = [s for s in kirchhoff.conllu.read(TREEBANK) if s.tree_problem(root="single") is None]
    kirchhoff.Parser.train(sentences[:400], root="single", epochs=2, threads=2).save(path)
    return sentences


def write_corpus(folder, sentences, files=6):
    """A treebank repeated in random order, a row of 200 bad, in Parquet files of different sizes. Returns the rows."""
    rng = random.Random(1)
    texts = list(map(str, sentences))
    folder.mkdir()
    counts = [0] * files
    size = rows = 0
    for file in range(files):
        part = []
        while size < MEGABYTES * 1e6 * ((file + 1) / files) ** 2:  # the last file is many times the first
            text = rng.choice(POISON) if rng.random() < 0.005 else rng.choice(texts)
            part.append((rows, text))
            rows += 1
            size += len(text or "")
        counts[file] = len(part)
        ids, column = zip(*part)
        pq.write_table(pa.table({"id": pa.array(ids, pa.int64()), "conllu": pa.array(column, pa.string())}),
                       folder / f"{file}.parquet", row_group_size=500)
    return rows


def corpus_table(folder):
    return pa.concat_tables(pq.read_table(file) for file in sorted(folder.glob("*.parquet")))


def by_row(table):
    """The rows in the order of the corpus, one block of each column."""
    return table.sort_by([("id", "ascending"), ("sentence", "ascending")]).combine_chunks()


def parsed_alone(folder, model):
    return by_row(arrow.parse_batches(model, column="conllu", keep=["id"], what=WHAT, threads=2)(corpus_table(folder)))


def assert_same(found, alone):
    """Row by row the same: numbers to the last bit, lists and errors."""
    assert found.num_rows == alone.num_rows and found.column_names == alone.column_names
    if not found.cast(alone.schema).combine_chunks().equals(alone):
        for name in alone.column_names:
            assert found[name].to_pylist() == alone[name].to_pylist(), name


def process_chain(pid):
    """The process and all it descends from: pairs of numbers and command lines."""
    while pid > 1:
        command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        yield pid, command
        pid = int(Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()[1])


def kill_executor_once(batches, marker, row):
    """Kills the Java executor that this Python worker belongs to, when it meets the row for the first time."""
    for batch in batches:
        if row in batch.column("id").to_pylist():
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            except FileExistsError:
                pass
            else:
                [executor] = [pid for pid, command in process_chain(os.getpid()) if "ExecutorBackend" in command][:1]
                os.kill(executor, signal.SIGKILL)
        yield batch


def resident_kb():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise RuntimeError("no VmRSS in /proc/self/status")


def mapped_models():
    """The model files that this process has mapped: device and inode, how they are mapped, path."""
    found = set()
    for line in Path("/proc/self/maps").read_text().splitlines():
        fields = line.split()
        if len(fields) > 5 and fields[5].endswith(".model"):
            found.add((fields[3], fields[4], fields[1], fields[5]))
    return sorted(found)


def interfaces():
    """The network interfaces that this process sees."""
    return {name for _, name in socket.if_nameindex()}
