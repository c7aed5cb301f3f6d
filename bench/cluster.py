#!/usr/bin/env python3
"""Measures how fast engines parse a table, against a bare loop of as many processes.

    bench/cluster.py [--workers 1 2] [--engines bare spark ray] [--batch 1000] [--order 1] [--words 400000]

Run it where kirchhoff, pyspark and ray are installed (make test-cluster makes build/cluster/env). The corpus is a
treebank repeated (--treebank, by default the example), in Parquet, with --words words for each worker, and the model is
trained on it. Every engine parses the corpus once before it is measured; then it parses all again, and drops the
result. Spark's workers are still there then, and Ray's are started anew for each job. Printed is a table, of the best of
--runs runs. With --model a model is taken instead.
"""

import argparse
import multiprocessing
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import kirchhoff
from kirchhoff import arrow

ROOT = Path(__file__).resolve().parents[1]
WHAT = ["heads", "labels"]


FILE_WORDS = 200_000  # of a Parquet file: a second or two of a worker


def write_corpus(folder, treebank, words, workers, batch):
    """Files for each worker that have at least as many words, in groups of the size of a batch; returns all words.

    A treebank repeated is one file, and all others are names of it, so that any number of words is there at once.
    """
    sentences = [s for s in kirchhoff.conllu.read(treebank) if s.tree_problem(root="single") is None]
    sentences *= -(-min(words, FILE_WORDS) // sum(map(len, sentences)))
    once = sum(map(len, sentences))
    folder.mkdir()
    first = folder / "000000.parquet"
    pq.write_table(pa.table({"conllu": list(map(str, sentences))}), first, row_group_size=batch)
    files = workers * -(-words // once)
    for i in range(1, files):
        os.link(first, folder / f"{i:06}.parquet")
    return files * once


def processor_seconds():
    """What this process and all below it have used so far."""
    parents, used = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(") ", 1)[1].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            used[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    total = 0.0
    for pid in used:
        above = pid
        while above not in (0, 1, os.getpid()):
            above = parents.get(above, 0)
        total += used[pid] if above == os.getpid() else 0.0
    return total


def measured(job):
    """Wall time and processor time of a job."""
    begin, used = time.perf_counter(), processor_seconds()
    job()
    return time.perf_counter() - begin, processor_seconds() - used


def bare_worker(model, files, batch, barrier, seconds):
    parse = arrow.parse_batches(model, column="conllu", keep=[], what=WHAT)
    parse(pq.ParquetFile(files[0]).read_row_group(0))
    barrier.wait()
    begin, used = time.perf_counter(), time.process_time()
    for file in files:
        for _ in parse(pq.ParquetFile(file).iter_batches(batch_size=batch)):
            pass
    seconds.put((time.perf_counter() - begin, time.process_time() - used))


def bare(model, folder, workers, batch, runs):
    """One process for each worker, with its share of the files and nothing else."""
    context = multiprocessing.get_context("spawn")
    files = sorted(map(str, folder.iterdir()))
    for _ in range(runs):
        barrier, seconds = context.Barrier(workers), context.Queue()
        processes = [context.Process(target=bare_worker, args=(model, files[i::workers], batch, barrier, seconds))
                     for i in range(workers)]
        for process in processes:
            process.start()
        found = [seconds.get() for _ in processes]
        yield max(wall for wall, _ in found), sum(used for _, used in found)
        for process in processes:
            process.join()


def spark(model, folder, workers, batch, runs):
    """As many executors with a core each; one JVM and one Python process for each."""
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    from pyspark.sql import SparkSession

    import kirchhoff.spark

    session = (SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
               .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
               .config("spark.ui.enabled", "false").config("spark.executor.memory", "768m")
               .config("spark.sql.execution.arrow.maxRecordsPerBatch", str(batch)).getOrCreate())
    session.sparkContext.setLogLevel("ERROR")
    parsed = kirchhoff.spark.parse(session.read.parquet(str(folder)), model, column="conllu", keep=[], what=WHAT)
    parsed.write.format("noop").mode("overwrite").save()
    for _ in range(runs):
        yield measured(parsed.write.format("noop").mode("overwrite").save)
    session.stop()


def ray(model, folder, workers, batch, runs):
    """As many actors with a core each; one core more for what reads and plans."""
    os.environ.update(RAY_USAGE_STATS_ENABLED="0")
    import ray as engine

    import kirchhoff.ray

    engine.init(num_cpus=workers + 1, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    engine.data.DataContext.get_current().enable_progress_bars = False

    def parsed():
        ds = engine.data.read_parquet(str(folder))
        return kirchhoff.ray.parse(ds, model, column="conllu", keep=[], what=WHAT, batch_size=batch, concurrency=workers)

    parsed().materialize()
    for _ in range(runs):
        yield measured(lambda: parsed().materialize())[0], None  # its processes are no children of this one
    engine.shutdown()


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--treebank", type=Path, default=ROOT / "examples" / "treebank" / "train.conllu")
    parser.add_argument("--model", help="take this model instead of training one")
    parser.add_argument("--order", type=int, default=1, choices=(1, 2))
    parser.add_argument("--words", type=int, default=400_000, help="for each worker")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--engines", nargs="+", choices=("bare", "spark", "ray"), default=["bare", "spark", "ray"])
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = given.model or str(folder / "en.model")
        if not given.model:
            kirchhoff.Parser.train(given.treebank, root="single", epochs=3, order=given.order).save(model)
        print(f"{processor()}, {os.cpu_count()} cores; order {given.order}, batches of {given.batch}\n")
        print("| engine | workers | words a second | time to the bare loop's | processor time to its |\n|---|---|---|---|---|")
        for workers in given.workers:
            corpus = folder / str(workers)
            words = write_corpus(corpus, given.treebank, given.words, workers, given.batch)
            alone = None
            for engine in given.engines:
                seconds, used = min({"bare": bare, "spark": spark, "ray": ray}[engine](
                    model, corpus, workers, given.batch, given.runs), key=lambda found: found[0])
                alone = alone or (seconds, used)
                print(f"| {engine} | {workers} | {words / seconds:,.0f} | {100 * (seconds / alone[0] - 1):+.0f} % | "
                      f"{'' if used is None or alone[1] is None else f'{100 * (used / alone[1] - 1):+.0f} %'} |",
                      flush=True)


if __name__ == "__main__":
    main()
