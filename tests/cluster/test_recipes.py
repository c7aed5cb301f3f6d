"""Runs the recipes of the guide as they stand, one for each engine, and compares what they write."""

import os
import re
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import support

from kirchhoff import arrow

sys.path.insert(0, str(support.ROOT / "tests" / "docs"))
from pages import blocks  # noqa: E402

PAGE = support.ROOT / "docs" / "guides" / "clusters.md"
RECIPES = [block for block in blocks(PAGE) if block.language == "python" and "test-cluster" in block.notes.get("no-run", "")]


def engine_of(block):
    return re.search(r"^(?:from|import) (\w+)", block.code, re.M)[1]


@pytest.mark.parametrize("block", RECIPES, ids=engine_of)
def test_recipe(block, corpus, model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.symlink(model, "en.model")
    table = support.corpus_table(corpus / "corpus").slice(0, 500)
    pq.write_table(table, "corpus.parquet", row_group_size=200)
    what = ["heads", "labels"]
    expected = support.by_row(arrow.parse_batches(model, column="conllu", what=what)(table))
    names = {"parse": arrow.parse_batches(os.path.abspath("en.model"), column="conllu", what=what)}
    before = set(os.listdir())
    if engine_of(block) == "ray":
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    if engine_of(block) == "pyspark":
        monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    try:
        exec(compile("\n" * (block.line - 1) + block.code, str(PAGE), "exec"), names)
    finally:
        if engine_of(block) == "ray":
            ray.shutdown()
        if "spark" in names:
            names["spark"].stop()
    [written] = [name for name in set(os.listdir()) - before if name.startswith("parsed-by")]
    files = sorted(Path(written).rglob("*.parquet")) if os.path.isdir(written) else [Path(written)]
    found = pa.concat_tables([pq.read_table(file).select(expected.column_names) for file in files],
                             promote_options="permissive")
    assert support.by_row(found).to_pylist() == expected.to_pylist()


def test_all_engines_have_a_recipe():
    assert [engine_of(block) for block in RECIPES] == ["pyspark", "ray", "dask", "polars", "duckdb", "datasets"]
