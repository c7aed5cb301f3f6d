"""Tests kirchhoff.ray on a cluster of two nodes: the same rows as one process, whatever happens to the workers."""

import os
import signal
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import ray
import support
from ray.cluster_utils import Cluster

import kirchhoff.ray
from kirchhoff._arrow_models import NamedModel


@pytest.fixture(scope="module")
def cluster(corpus):
    folder = tempfile.TemporaryDirectory(dir="/tmp", ignore_cleanup_errors=True)  # sockets want short names
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_TMPDIR=folder.name, RAY_worker_niceness="0")
    memory = {"object_store_memory": 150_000_000, "node_ip_address": "127.0.0.1"}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False, **memory})
    cluster.add_node(num_cpus=2, **memory)
    ray.init(address=cluster.address, log_to_driver=False, _node_ip_address="127.0.0.1")
    cluster.wait_for_nodes()
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    folder.cleanup()


@pytest.fixture(scope="module")
def rows(cluster, corpus):
    return ray.data.read_parquet(str(corpus / "corpus")).repartition(12).materialize()


def parse(ds, model, **options):
    options = {"concurrency": 2, "batch_size": 300, **options}
    return kirchhoff.ray.parse(ds, model, column="conllu", keep=["id"], what=support.WHAT, **options)


def collected(ds, alone):
    parts = [part.select(alone.column_names).cast(alone.schema) for part in ray.get(ds.to_arrow_refs()) if part.num_rows]
    return support.by_row(pa.concat_tables(parts))


def test_there_are_two_nodes_and_no_other_network(cluster):
    assert len([node for node in ray.nodes() if node["Alive"]]) == 2
    assert support.interfaces() == {"lo"}


def test_rows_are_those_of_one_process(rows, model, alone):
    support.assert_same(collected(parse(rows, model), alone), alone)


def test_the_model_is_sent_once_and_mapped_by_all(rows, model, alone):
    class Spy:
        """Parses in an actor, and says what is in its memory."""

        def __init__(self, function):
            self.worker = kirchhoff.ray._Worker(function)

        def __call__(self, table):
            self.worker(table)
            mapped = [m for m in support.mapped_models() if "kirchhoff-models" in m[3]]
            return pa.table({"pid": [os.getpid()], "mapped": [repr(mapped)]})

    function = kirchhoff.arrow.parse_batches(kirchhoff.ray._model(model, True), column="conllu")
    found = rows.map_batches(Spy, fn_constructor_args=(function,), batch_format="pyarrow", concurrency=3).take_all()
    assert len({row["pid"] for row in found}) > 1
    [mapped] = {row["mapped"] for row in found}  # the same file, of the same inode
    assert "r--s" in mapped
    support.assert_same(collected(parse(rows, model, distribute=True), alone), alone)


def test_a_killed_worker_loses_nothing_and_doubles_nothing(rows, model, alone, tmp_path):
    marker, middle = tmp_path / "killed", alone["id"][alone.num_rows // 2].as_py()

    class Saboteur:
        """Kills its own process when it meets the row for the first time."""

        def __init__(self, function):
            self.worker = kirchhoff.ray._Worker(function)

        def __call__(self, table):
            if middle in table["id"].to_pylist():
                try:
                    os.close(os.open(marker, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
                except FileExistsError:
                    pass
                else:
                    os.kill(os.getpid(), signal.SIGKILL)
            return self.worker(table)

    function = kirchhoff.arrow.parse_batches(model, column="conllu", keep=["id"], what=support.WHAT)
    found = rows.map_batches(Saboteur, fn_constructor_args=(function,), batch_format="pyarrow", batch_size=300,
                             concurrency=2)
    support.assert_same(collected(found, alone), alone)
    assert marker.exists()


class OnOneNode(NamedModel):
    """A model whose file is on the first node alone: each node has its own view of the path."""

    def __init__(self, path, node):
        super().__init__(path)
        self._node = node

    def open(self):
        if ray.get_runtime_context().get_node_id() != self._node:
            self._path = self._path + ".of.this.node"
        return super().open()


def test_a_model_that_machines_do_not_have_is_a_clear_error(rows, model, corpus):
    with pytest.raises(Exception, match="no.model: cannot be read on the machine .*every machine of the cluster"):
        parse(rows, str(corpus / "no.model")).materialize()
    node = next(node for node in ray.nodes() if node["Alive"])["NodeID"]
    function = kirchhoff.arrow.parse_batches(OnOneNode(model, node), column="conllu")
    for one in [node["NodeID"] for node in ray.nodes() if node["Alive"]]:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        worker = ray.remote(kirchhoff.ray._Worker).options(
            num_cpus=0, scheduling_strategy=NodeAffinitySchedulingStrategy(one, soft=False)).remote(function)
        answer = worker.__call__.remote(pa.table({"conllu": ["1\ta\ta\tX\t_\t_\t_\t_\t_\t_\n\n"]}))
        if one == node:
            assert ray.get(answer).num_rows == 1
        else:
            with pytest.raises(Exception, match="of.this.node: cannot be read on the machine"):
                ray.get(answer)


def test_skewed_blocks(rows, model, alone, corpus):
    table = support.corpus_table(corpus / "corpus")
    limit = int(0.9 * len(table))
    blocks = [table.slice(0, limit)] + [table.slice(limit + 20 * i, 20) for i in range(-(-(len(table) - limit) // 20))]
    support.assert_same(collected(parse(ray.data.from_arrow(blocks), model), alone), alone)


def test_sums_are_the_same_bits_for_all_partitions(rows, model, sums, corpus):
    few = support.corpus_table(corpus / "corpus").slice(0, 2000)
    for parts in (1, 2, 7):
        order = np.random.default_rng(parts).permutation(len(few))
        ds = ray.data.from_arrow([few.take(part) for part in np.array_split(order, parts)])
        found = kirchhoff.ray.expectation_sums(ds, model, column="conllu", concurrency=2, templates=support.TEMPLATES,
                                               names=support.NAMES)
        assert found.equals(sums)


def test_memory_of_workers_is_flat(model, corpus):
    class Measured:
        """Parses in one actor, and says how much memory it has."""

        def __init__(self, function):
            self.worker, self.number = kirchhoff.ray._Worker(function), 0

        def __call__(self, table):
            self.worker(table)
            self.number += 1
            return pa.table({"number": [self.number], "kb": [support.resident_kb()]})

    table = support.corpus_table(corpus / "corpus").slice(0, 3000)
    function = kirchhoff.arrow.parse_batches(model, column="conllu", keep=["id"], what=support.WHAT)
    ds = ray.data.from_arrow([table] * 8)
    found = ds.map_batches(Measured, fn_constructor_args=(function,), batch_format="pyarrow", batch_size=300,
                           concurrency=1).to_pandas().sort_values("number")
    quarter = len(found) // 4
    assert quarter > 4
    early, late = found.kb[quarter:2 * quarter].max(), found.kb[-quarter:].max()
    assert late - early < 20_000, (early, late)
    assert Path(model).exists()
