"""Parsing and statistics of Spark's DataFrames, by the functions of kirchhoff.arrow.

Each task of an executor parses with one thread, and all processes of a machine share one copy of the model in memory.
With distribute=True Spark brings the file to the executors; otherwise it must be at the same place on every machine.
Spark runs what a lost executor was doing again, on another one: no row is lost, and none is there twice. This module
needs pyspark: pip install 'kirchhoff[spark]'.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Union

import pyarrow as pa

from . import arrow
from ._arrow_models import NamedModel, SentModel

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["expectation_sums", "parse"]


class _SparkFile:
    """Where Spark puts a file that was sent with the job."""

    def __init__(self, name: str):
        self._name = name

    def __call__(self) -> str:
        from pyspark import SparkFiles

        return SparkFiles.get(self._name)


def _model(session: "SparkSession", path: Union[str, "os.PathLike[str]"], distribute: bool) -> NamedModel:
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError("model: expected the name of a file, which every worker opens")
    if not distribute:
        return NamedModel(path)
    model = SentModel(path, _SparkFile(Path(path).name))
    session.sparkContext.addFile(os.path.abspath(path))
    return model


def parse(df: "DataFrame", model: Union[str, "os.PathLike[str]"], *, column: str, distribute: bool = False,
          **options) -> "DataFrame":
    """The DataFrame with the parses of the sentences in a column; `options` and columns are those of parse_batches.

    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    >>> s = kirchhoff.conllu.loads("1\\tBirds\\t_\\tNOUN\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tsing\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> kirchhoff.Parser.train(s * 20, root="single", epochs=2).save("en.model")
    >>> df = spark.createDataFrame([(1, str(s[0])), (2, "broken")], "id long, conllu string")
    >>> [(row.id, row.heads, row.error is None) for row in kirchhoff.spark.parse(df, "en.model", column="conllu").collect()]
    [(1, [-1, 2, 0], True), (2, None, False)]
    """
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    function = arrow.parse_batches(_model(df.sparkSession, model, distribute), column=column, **options)
    return df.mapInArrow(function, from_arrow_schema(function.schema(to_arrow_schema(df.schema))))


def expectation_sums(df: "DataFrame", model: Union[str, "os.PathLike[str]"], *, column: str, distribute: bool = False,
                     **options) -> pa.Table:
    """Exact sums over the sentences in a column, as arrow.expectation_sums has them: the same bits for any partition.

    >>> from pyspark.sql import SparkSession
    >>> spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    >>> s = kirchhoff.conllu.loads("1\\tBirds\\t_\\tNOUN\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tsing\\t_\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> kirchhoff.Parser.train(s * 20, root="single", epochs=2).save("en.model")
    >>> df = spark.createDataFrame([(str(s[0]),)] * 3, "conllu string")
    >>> sums = kirchhoff.spark.expectation_sums(df, "en.model", column="conllu")
    >>> sums["quantity"].to_pylist()[:2], sums["value"].to_pylist()[:2]
    (['sentences', 'words'], [3.0, 6.0])
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    function = arrow.expectation_sums(_model(df.sparkSession, model, distribute), column=column, **options)
    parts = df.mapInArrow(function, from_arrow_schema(function.schema(pa.schema([])))).toArrow()
    return arrow.merge_sums(parts.cast(function.schema(pa.schema([]))))
