#!/usr/bin/env python3
"""Measures how fast engines parse a table, against a bare loop of as many processes.

    bench/cluster.py [--workers 1 2] [--engines bare spark ray] [--batch 1000] [--order 1] [--words 400000]

Run it where kirchhoff, pyspark and ray are installed (make test-cluster makes build/cluster/env). The corpus is a
treebank repeated (--treebank, by default the example), in Parquet, with --words words for each worker, and the model is
trained on it. Every engine parses the corpus once before it is measured; then it parses all again, and drops the
result. Spark's workers are still there then, and Ray's are started anew for each job. Printed is a table, of the best of
--runs runs, row by row as they are known. With --model a model is taken instead.

With several --words each engine has a job of each size. What a job costs whatever its size drops out of the difference
of the longest and the shortest, which is the row of "the rest": how fast the engine is once it is at work. The row of
"the first" has the seconds from the engine's start to the end of its first job, of the shortest.
"""

import argparse
import contextlib
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
TASK_FILES = 5  # of one of Spark's tasks, so that a worker's share is a whole number of tasks as soon as it is millions
BLOCK_BYTES = 8 << 20  # of Ray's blocks, 120,000 words; with its own 128 MB a short job has fewer blocks than workers


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


@contextlib.contextmanager
def bare(model, workers, batch):
    """One process for each worker, with its share of the files and nothing else."""
    context = multiprocessing.get_context("spawn")

    def job(folder):
        files = sorted(map(str, folder.iterdir()))
        barrier, seconds = context.Barrier(workers), context.Queue()
        processes = [context.Process(target=bare_worker, args=(model, files[i::workers], batch, barrier, seconds))
                     for i in range(workers)]
        for process in processes:
            process.start()
        found = [seconds.get() for _ in processes]
        for process in processes:
            process.join()
        return max(wall for wall, _ in found), sum(used for _, used in found)

    yield job


@contextlib.contextmanager
def spark(model, workers, batch):
    """As many executors with a core each; one JVM and one Python process for each."""
    os.environ.update(SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    from pyspark.sql import SparkSession

    import kirchhoff.spark

    session = (SparkSession.builder.master(f"local-cluster[{workers},1,1024]")
               .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
               .config("spark.ui.enabled", "false").config("spark.executor.memory", "768m")
               .config("spark.ui.showConsoleProgress", "false")
               .config("spark.scheduler.minRegisteredResourcesRatio", "1.0")  # the first job waits for all workers
               .config("spark.scheduler.maxRegisteredResourcesWaitingTime", "120s")
               .config("spark.sql.files.openCostInBytes", "0")
               .config("spark.sql.execution.arrow.maxRecordsPerBatch", str(batch)).getOrCreate())
    session.sparkContext.setLogLevel("ERROR")

    def job(folder):
        size = next(folder.iterdir()).stat().st_size
        session.conf.set("spark.sql.files.maxPartitionBytes", str(TASK_FILES * size))

        def parsed():
            df = session.read.parquet(str(folder))
            return kirchhoff.spark.parse(df, model, column="conllu", keep=[], what=WHAT)

        return measured(lambda: parsed().write.format("noop").mode("overwrite").save())

    yield job
    session.stop()


@contextlib.contextmanager
def ray(model, workers, batch):
    """As many actors with a core each; one core more for what reads and plans."""
    os.environ.update(RAY_USAGE_STATS_ENABLED="0")
    import ray as engine

    import kirchhoff.ray

    engine.init(num_cpus=workers + 1, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    context = engine.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = BLOCK_BYTES

    def job(folder):
        def parsed():
            ds = engine.data.read_parquet(str(folder))
            return kirchhoff.ray.parse(ds, model, column="conllu", keep=[], what=WHAT, batch_size=batch,
                                       concurrency=workers)

        return measured(lambda: parsed().materialize())[0], None  # its processes are no children of this one

    yield job
    engine.shutdown()


ENGINES = {"bare": bare, "spark": spark, "ray": ray}


def jobs(engine, model, corpora, workers, batch, runs):
    """Names, words, seconds and processor time of an engine's jobs, of which `corpora` are folders with their words."""
    begin = time.perf_counter()
    with ENGINES[engine](model, workers, batch) as job:
        job(corpora[0][0])
        yield "the first", corpora[0][1], time.perf_counter() - begin, None
        found = []
        for folder, words in corpora:
            found.append((words, *min((job(folder) for _ in range(runs)), key=lambda run: run[0])))
            yield f"{words:,}", *found[-1]
        if len(found) > 1:
            yield "the rest", *(None if last is None else last - first for first, last in zip(found[0], found[-1]))


def above(value, alone):
    return "" if value is None or alone is None else f"{100 * (value / alone - 1):+.0f} %"


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
    parser.add_argument("--words", type=int, nargs="+", default=[400_000], help="for each worker, of one or more jobs")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--engines", nargs="+", choices=tuple(ENGINES), default=list(ENGINES))
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = given.model or str(folder / "en.model")
        if not given.model:
            kirchhoff.Parser.train(given.treebank, root="single", epochs=3, order=given.order).save(model)
        print(f"{processor()}, {os.cpu_count()} cores; order {given.order}, batches of {given.batch}\n")
        print("| engine | workers | words | seconds | words a second | time to the bare loop's | "
              "processor time to its |\n|---|--:|--:|--:|--:|--:|--:|", flush=True)
        for workers in given.workers:
            corpora = []
            for words in sorted(given.words):
                corpus = folder / f"{workers}-{words}"
                corpora.append((corpus, write_corpus(corpus, given.treebank, words, workers, given.batch)))
            alone = {}
            for engine in given.engines:
                for name, words, seconds, used in jobs(engine, model, corpora, workers, given.batch, given.runs):
                    bare_seconds, bare_used = alone.setdefault(name, (seconds, used))
                    print(f"| {engine} | {workers} | {name} | {seconds:.1f} | {words / seconds:,.0f} | "
                          f"{above(seconds, bare_seconds)} | {above(used, bare_used)} |", flush=True)


if __name__ == "__main__":
    main()
