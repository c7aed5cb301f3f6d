"""Parsing and statistics of Ray's Datasets, by the functions of kirchhoff.arrow.

The workers are actors with one thread each, which open the model once and for all, and all processes of a machine share
one copy of it in memory. With distribute=True Ray's object store brings the file to each machine; otherwise it must be at
the same place on every machine. Ray runs what a lost worker was doing again, on another one: no row is lost, and none is
there twice. This module needs ray: pip install 'kirchhoff[ray]'.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Tuple, Union

import pyarrow as pa

from . import arrow
from ._arrow_models import NamedModel, SentModel, common_folder

if TYPE_CHECKING:
    from ray.data import Dataset

__all__ = ["expectation_sums", "parse"]


class _RayObject:
    """A file's bytes in Ray's object store, which each machine gets once."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]):
        import numpy as np
        import ray

        self._bytes = ray.put(np.fromfile(path, dtype=np.uint8))

    def __call__(self) -> str:
        import ray

        place = common_folder() / f"received.{os.getpid()}"
        place.write_bytes(memoryview(ray.get(self._bytes)))
        return str(place)


class _Worker:
    """An actor that opens the model when it starts."""

    def __init__(self, function: Any):
        self._function = function
        function._source.model.open()

    def __call__(self, table: pa.Table) -> pa.Table:
        return self._function(table)


def _model(path: Union[str, "os.PathLike[str]"], distribute: bool) -> NamedModel:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError("model: expected the name of a file, which every worker opens")
    return SentModel(path, _RayObject(path)) if distribute else NamedModel(path)


def _mapped(ds: "Dataset", function: Any, concurrency: Union[int, Tuple[int, int], None], batch_size: Optional[int],
            ray_options: Optional[dict]) -> "Dataset":
    import ray

    # Workers keep their cores, and one must be left for the tasks that read: without it nothing would ever begin.
    cores = int(ray.cluster_resources().get("CPU", 1))
    options = dict({"num_cpus": 0} if cores < 2 and concurrency is None else {}, **(ray_options or {}))
    least, most = concurrency if isinstance(concurrency, tuple) else (concurrency or max(1, cores - 1),) * 2
    return ds.map_batches(_Worker, fn_constructor_args=(function,), batch_format="pyarrow", batch_size=batch_size,
                          compute=ray.data.ActorPoolStrategy(min_size=least, max_size=most), **options)


def parse(ds: "Dataset", model: Union[str, "os.PathLike[str]"], *, column: str, distribute: bool = False,
          concurrency: Union[int, Tuple[int, int], None] = None, batch_size: int = 1024,
          ray_options: Optional[dict] = None, **options) -> "Dataset":
    """The Dataset with the parses of the sentences in a column; `options` and columns are those of parse_batches.

    `concurrency` is how many workers there are, by default as many as the cluster has cores but for one, which reads:
    leave it a core, too. `ray_options` go to `map_batches`.

    >>> import ray
    >>> _ = ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    >>> s = kirchhoff.conllu.loads("1\\tBirds\\t_\\tNOUN\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tsing\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> kirchhoff.Parser.train(s * 20, root="single", epochs=2).save("en.model")
    >>> ds = ray.data.from_items([{"id": 1, "conllu": str(s[0])}])
    >>> [row["heads"] for row in kirchhoff.ray.parse(ds, "en.model", column="conllu", concurrency=1).take_all()]
    [[-1, 2, 0]]
    """
    function = arrow.parse_batches(_model(model, distribute), column=column, **options)
    return _mapped(ds, function, concurrency, batch_size, ray_options)


def expectation_sums(ds: "Dataset", model: Union[str, "os.PathLike[str]"], *, column: str, distribute: bool = False,
                     concurrency: Union[int, Tuple[int, int], None] = None, batch_size: int = 1024,
                     ray_options: Optional[dict] = None, **options) -> pa.Table:
    """Exact sums over the sentences in a column, as arrow.expectation_sums has them: the same bits for any partition.

    >>> import ray
    >>> _ = ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    >>> s = kirchhoff.conllu.loads("1\\tBirds\\t_\\tNOUN\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tsing\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> kirchhoff.Parser.train(s * 20, root="single", epochs=2).save("en.model")
    >>> ds = ray.data.from_items([{"conllu": str(s[0])}] * 3)
    >>> kirchhoff.ray.expectation_sums(ds, "en.model", column="conllu", concurrency=1)["value"].to_pylist()[:2]
    [3.0, 6.0]
    """
    import ray

    function = arrow.expectation_sums(_model(model, distribute), column=column, **options)
    parts = ray.get(_mapped(ds, function, concurrency, batch_size, ray_options).to_arrow_refs())
    schema = function.schema(pa.schema([]))
    return arrow.merge_sums(pa.concat_tables([part.cast(schema) for part in parts if part.num_rows]) if parts else
                            function(pa.table({column: pa.array([], pa.string())})))
