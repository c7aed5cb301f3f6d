"""Tests kirchhoff.spark on a cluster of executors: the same rows as one process, whatever happens to the workers."""

import ast
import functools
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import support
from pyspark.sql import SparkSession

import kirchhoff.spark

EXECUTORS = 3


@pytest.fixture(scope="module")
def spark(corpus):
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_DIRS=str(corpus / "tmp"))
    settings = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
                "spark.executor.memory": "512m", "spark.driver.memory": support.DRIVER_MEMORY,
                "spark.driver.maxResultSize": "0", "spark.task.maxFailures": "4",
                "spark.sql.execution.arrow.maxRecordsPerBatch": "300", "spark.sql.files.maxPartitionBytes": "400k",
                "spark.sql.files.openCostInBytes": "100k", "spark.worker.cleanup.enabled": "false",
                "spark.sql.shuffle.partitions": "5", "spark.python.worker.reuse": "true"}
    builder = SparkSession.builder.master(f"local-cluster[{EXECUTORS},1,512]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def rows(spark, corpus):
    return spark.read.parquet(str(corpus / "corpus")).repartition(8)


def parse(df, model, **options):
    return kirchhoff.spark.parse(df, model, column="conllu", keep=["id"], what=support.WHAT, **options)


def collected(df):
    return support.by_row(df.toArrow())


def in_workers(spark, function, tasks=4 * EXECUTORS):
    """What a function says in the tasks of a job, which keep their executor busy for a moment so that all get some."""
    def call(_):
        import time

        time.sleep(0.3)
        return [function()]

    return spark.sparkContext.parallelize(range(tasks), tasks).mapPartitions(call).collect()


def executor():
    return next(pid for pid, command in support.process_chain(os.getpid()) if "ExecutorBackend" in command)


def test_there_are_several_executors_and_no_other_network(spark):
    assert len(set(in_workers(spark, executor))) == EXECUTORS
    assert support.interfaces() == {"lo"}


def test_rows_are_those_of_one_process(spark, rows, model, alone):
    assert rows.rdd.getNumPartitions() > EXECUTORS
    support.assert_same(collected(parse(rows, model)), alone)
    errors = [e for e in alone["error"].to_pylist() if e]
    assert errors and "the row is null" in errors  # poisoned rows stay with themselves


def test_the_model_is_sent_once_and_mapped_by_all(spark, rows, model, alone):
    support.assert_same(collected(parse(rows, model, distribute=True)), alone)

    function = kirchhoff.arrow.parse_batches(kirchhoff.spark._model(spark, model, True), column="conllu")

    def spied(batches):
        import pyarrow as pa

        for _ in function(batches):
            pass
        mapped = [m for m in support.mapped_models() if "kirchhoff-models" in m[3]]
        yield pa.record_batch({"executor": [executor()], "mapped": [repr(mapped)]})

    found = rows.mapInArrow(spied, "executor long, mapped string").collect()
    assert len({row.executor for row in found}) > 1
    [mapped] = {row.mapped for row in found}  # the same file, of the same inode
    [(_, _, how, place)] = ast.literal_eval(mapped)
    assert how == "r--s" and Path(place).read_bytes() == Path(model).read_bytes()


def test_a_killed_executor_loses_nothing_and_doubles_nothing(spark, rows, model, alone, tmp_path):
    before = set(in_workers(spark, executor))
    marker = tmp_path / "killed"
    middle = alone["id"][alone.num_rows // 2].as_py()
    sabotage = functools.partial(support.kill_executor_once, marker=str(marker), row=middle)
    found = collected(parse(rows.mapInArrow(sabotage, rows.schema), model))
    assert marker.exists()
    support.assert_same(found, alone)
    assert set(in_workers(spark, executor)) != before


def test_a_model_that_machines_do_not_have_is_a_clear_error(spark, rows, model, alone):
    here = "/proc/self/cwd/node.model"  # each executor has a folder of its own
    with pytest.raises(Exception, match="node.model: cannot be read on the machine .*every machine of the cluster"):
        parse(rows, here).collect()
    folders = sorted(set(in_workers(spark, os.getcwd)))
    assert len(folders) > 1
    shutil.copy(model, Path(folders[0]) / "node.model")
    try:  # one of them has it: a task that fails elsewhere is tried again, and may come there
        found = collected(parse(rows, here))
    except Exception as error:
        assert "node.model: cannot be read on the machine" in str(error)
    else:
        support.assert_same(found, alone)


def test_skewed_partitions(spark, rows, model, alone):
    limit = int(0.9 * alone.num_rows)
    skewed = rows.filter(rows.id < limit).coalesce(1).union(rows.filter(rows.id >= limit).repartition(6))
    sizes = skewed.rdd.mapPartitions(lambda part: [sum(1 for _ in part)]).collect()
    assert max(sizes) > 5 * np.median(sizes)
    support.assert_same(collected(parse(skewed, model)), alone)


def test_sums_are_the_same_bits_for_all_partitions(spark, rows, model, sums):
    few = rows.filter(rows.id < 2000)
    for parts in (1, 2, 7):
        found = kirchhoff.spark.expectation_sums(few.repartition(parts), model, column="conllu",
                                                 templates=support.TEMPLATES, names=support.NAMES)
        assert found.equals(sums)


def test_memory_of_workers_is_flat(spark, rows, model):
    function = kirchhoff.arrow.parse_batches(model, column="conllu", keep=["id"], what=support.WHAT)

    def measured(batches):
        import pyarrow as pa

        for number, batch in enumerate(function(batch for _ in range(12) for batch in batches_again(batches))):
            yield pa.record_batch({"pid": [os.getpid()], "number": [number], "kb": [support.resident_kb()]})

    kept = []

    def batches_again(batches):
        if not kept:
            kept.extend(batches)
        return kept

    found = rows.coalesce(1).mapInArrow(measured, "pid long, number long, kb long").toPandas()
    found = found.sort_values("number")
    assert len(found) > 24
    quarter = len(found) // 4
    early, late = found.kb[quarter:2 * quarter].max(), found.kb[-quarter:].max()
    assert late - early < 20_000, (early, late)
