"""Tests python -m kirchhoff.arrow: files in, whole files out, in shards, and nothing after an error."""

import os
import signal
import subprocess
import sys
import time

import pytest

import kirchhoff

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from kirchhoff import arrow  # noqa: E402


@pytest.fixture(scope="module")
def folder(example_trees, tmp_path_factory):
    path = tmp_path_factory.mktemp("files")
    kirchhoff.Parser.train(example_trees[:100], root="single", epochs=1).save(path / "en.model")
    rows = [*map(str, example_trees[100:160]), "1\tbroken\n"] * 3
    table = pa.table({"id": range(len(rows)), "conllu": rows})
    pq.write_table(table, path / "corpus.parquet", row_group_size=50)
    with pa.ipc.new_file(path / "corpus.arrow", table.schema) as out:
        out.write_table(table, max_chunksize=40)
    return path


def run(folder, *arguments):
    command = [sys.executable, "-m", "kirchhoff.arrow", "parse", *map(str, arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)


def done(folder, *arguments):
    found = run(folder, *arguments, "--model", "en.model", "--column", "conllu")
    assert (found.returncode, found.stdout) == (0, ""), found.stderr
    return found.stderr


def test_files_in_and_out(folder):
    table = pq.read_table(folder / "corpus.parquet")
    expected = arrow.parse_batches(folder / "en.model", column="conllu")(table)
    for source, target in [("corpus.parquet", "a.parquet"), ("corpus.arrow", "b.parquet"), ("corpus.parquet", "c.arrow")]:
        said = done(folder, source, "--out", target)
        assert said == f"kirchhoff.arrow: 3 of {len(table)} rows have an error\n"
        read = pa.ipc.open_file(folder / target).read_all() if target.endswith("arrow") else pq.read_table(folder / target)
        assert read.equals(expected) and read.schema == expected.schema
    done(folder, "corpus.parquet", "--out", "k.parquet", "--k-best", "2", "--what", "trees,entropy", "--keep", "id")
    assert pq.read_schema(folder / "k.parquet").names == ["id", "sentence", "trees", "entropy", "error"]


@pytest.mark.parametrize("source", ["corpus.parquet", "corpus.arrow"])
@pytest.mark.parametrize("shards", [2, 7, 200])
def test_shards_one_after_the_other_are_the_whole(folder, source, shards):
    from kirchhoff._arrow_files import TableFile, shard_rows

    file = TableFile(str(folder / source), "conllu")
    batches = [b for i in range(1, shards + 1) for b in file.batches(*shard_rows(file.rows, (i, shards)), 30)]
    assert pa.Table.from_batches(batches, file.schema).equals(pq.read_table(folder / "corpus.parquet"))


def test_a_shard_is_parsed(folder):
    done(folder, "corpus.parquet", "--out", "whole.parquet")
    for i in (1, 2, 3):
        done(folder, "corpus.parquet", "--out", f"{i}.parquet", "--shard", f"{i}/3", "--threads", 1)
    parts = pa.concat_tables([pq.read_table(folder / f"{i}.parquet") for i in (1, 2, 3)])
    assert parts.equals(pq.read_table(folder / "whole.parquet"))


def test_bad_use_and_bad_files_leave_nothing(folder, tmp_path):
    (folder / "text.parquet").write_text("no table")
    before = sorted(os.listdir(folder))
    for arguments, status, message in [
        (["corpus.parquet", "--out", "x.parquet", "--model", "en.model", "--shard", "0/3"], 2, "is not I/N"),
        (["corpus.parquet", "--out", "x.parquet", "--model", "en.model"], 1, "no single column 'text' among id, conllu"),
        (["corpus.parquet", "--out", "x.parquet", "--model", "no.model", "--column", "conllu"], 1, "no.model: cannot be read"),
        (["text.parquet", "--out", "x.parquet", "--model", "en.model"], 1, "is neither Parquet nor an Arrow file"),
        (["corpus.parquet", "--out", "corpus.parquet", "--model", "en.model", "--column", "conllu"], 1, "this is the input"),
        (["corpus.parquet", "--out", "none/x.parquet", "--model", "en.model", "--column", "conllu"], 1, "none"),
        (["corpus.parquet", "--out", str(tmp_path), "--model", "en.model", "--column", "conllu"], 1, "no regular file"),
    ]:
        found = run(folder, *arguments)
        assert found.returncode == status and message in found.stderr and "Traceback" not in found.stderr, found.stderr
        assert sorted(os.listdir(folder)) == before


def test_a_killed_process_leaves_the_old_file_and_nothing_else(folder, tmp_path):
    (tmp_path / "out.parquet").write_text("old")
    table = pq.read_table(folder / "corpus.parquet")
    pq.write_table(pa.concat_tables([table] * 400), tmp_path / "large.parquet")
    command = [sys.executable, "-m", "kirchhoff.arrow", "parse", "large.parquet", "--out", "out.parquet", "--model",
               str(folder / "en.model"), "--column", "conllu", "--threads", "1"]
    process = subprocess.Popen(command, cwd=tmp_path)
    time.sleep(1.5)
    assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert sorted(os.listdir(tmp_path)) == ["large.parquet", "out.parquet"]
    assert (tmp_path / "out.parquet").read_text() == "old"
