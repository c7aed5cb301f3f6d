"""Arrow tables in, Arrow tables out: parsing, distributions over trees, and sums over corpora of any size.

`parse_batches`, `tree_batches` and `expectation_sums` make functions of record batches, which Spark, Ray Data, Dask,
Polars, DuckDB and Hugging Face datasets call: docs/guides/clusters.md shows each. Such a function takes an iterator of
record batches and gives one; a RecordBatch, a Table or a RecordBatchReader gives the same in return, and a DataFrame or
relation that exports Arrow's stream a Table. Columns of the input go on to the output, those
that `keep` names, or all but those whose names results have.
A row that is bad has a text in the column `error` and null in all others that are results. Functions that know a model
by the name of its file can be pickled; each process opens the file once. Each uses one thread unless `threads` says
more, since engines run as many workers as there are cores.

    python -m kirchhoff.arrow parse corpus.parquet --out parsed.parquet --model en.model --column text --format text

does the same for files. This module needs pyarrow: pip install 'kirchhoff[arrow]'.
"""

from __future__ import annotations

from typing import Callable, Iterable, Mapping, Optional, Sequence, Union

import pyarrow as pa

from ._arrow_models import Model
from ._arrow_parses import ParseBatches, Rows
from ._arrow_scores import Scores, TreeBatches
from ._arrow_sums import SUMS, ParserSums, ScoreSums, merged

__all__ = ["expectation_sums", "merge_sums", "parse_batches", "tree_batches"]


def parse_batches(
    model: Model,
    *,
    column: str,
    format: str = "conllu",
    what: Optional[Iterable[str]] = None,
    keep: Optional[Iterable[str]] = None,
    tags: Optional[Mapping[str, str]] = None,
    tag: bool = False,
    k_best: int = 0,
    keep_heads: bool = False,
    projective: bool = False,
    threads: int = 1,
) -> ParseBatches:
    """Returns a function that parses the sentences of record batches; its `schema(input)` is that of the output.

    `format` says what a row of the column has: conllu, CoNLL-U; text, plain text for a model with all parts; or words,
    a list of words, for which `tags` names the columns of their upos, xpos, feats and lemma. With `tag` the model finds
    these. Every sentence becomes a row, with its number within the row it comes from in the column `sentence`; a row
    without sentences becomes one without words.

    `what` are names of results. Lists of strings of words 1 .. n: form, lemma, upos, xpos, feats and labels, the
    relations. heads: n + 1 integers, of which the first is -1. arc_probabilities and label_probabilities: n doubles.
    entropy and log_prob: doubles. conllu: the sentence as text. trees: the k_best trees, lists of {heads, labels,
    log_prob}. By default heads and labels, form for texts, and trees with k_best. keep_heads and projective are those of
    `Parser.parse`.

    >>> words = [("the", "DET", 2, "det"), ("dog", "NOUN", 3, "nsubj"), ("barks", "VERB", 0, "root")]
    >>> s = kirchhoff.conllu.Sentence([w[0] for w in words])
    >>> s.set_column("upos", [w[1] for w in words])
    >>> s.set_column("deprel", [w[3] for w in words])
    >>> s.heads = [-1] + [w[2] for w in words]
    >>> kirchhoff.Parser.train([s] * 20, root="single", epochs=2).save("en.model")
    >>> parse = parse_batches("en.model", column="conllu", keep=["id"])
    >>> parsed = parse(pa.table({"id": [1, 2], "conllu": [str(s), "1\\tdog\\n"]}))
    >>> parsed.column_names
    ['id', 'sentence', 'heads', 'labels', 'error']
    >>> parsed["heads"].to_pylist(), parsed["labels"][0].as_py()
    ([[-1, 2, 3, 0], None], ['det', 'nsubj', 'root'])
    >>> parsed["error"][1].as_py()[:7]
    'row:1:6'
    """
    return ParseBatches(Rows(model, column, format, tags, tag), what, keep, k_best, keep_heads, projective, threads)


def tree_batches(
    *,
    column: str,
    root: str,
    what: Optional[Iterable[str]] = None,
    keep: Optional[Iterable[str]] = None,
    labels: int = 0,
    k_best: int = 0,
    samples: int = 0,
    seed: int = 0,
    projective: bool = False,
    threads: int = 1,
) -> TreeBatches:
    """Returns a function that answers questions about score matrices, one in each row.

    A row of the column has (n+1) x (n+1) log-weights, or (n+1) x (n+1) x labels: a list of doubles [head, dependent], row
    by row, which are read where they lie, or nested lists. `what` are log_partition, entropy, marginals (in the shape of
    the scores, as one list), heads, labels and log_prob of the best tree, trees (the k_best) and samples, both lists of
    {heads, labels, log_prob}; by default all but entropy and marginals. The samples of a row depend on `seed` and its
    scores alone, wherever it is parsed.

    >>> table = pa.table({"scores": [[0.0] * 16, [0.0] * 9, [0.0] * 8]})
    >>> found = tree_batches(column="scores", root="single", what=["log_partition", "heads"], keep=[])(table)
    >>> np.exp(found["log_partition"].to_numpy()[:2]).round(6).tolist()
    [9.0, 2.0]
    >>> found["heads"].to_pylist()[2], found["error"][2].as_py()
    (None, 'scores: 8 numbers are no matrix of (n+1) x (n+1)')
    """
    return TreeBatches(Scores(column, root, labels, projective, threads), what, keep, k_best, samples, seed)


def expectation_sums(
    model: Optional[Model] = None,
    *,
    column: str,
    format: str = "conllu",
    tags: Optional[Mapping[str, str]] = None,
    tag: bool = False,
    templates: str = "",
    names: Sequence[str] = (),
    root: Optional[str] = None,
    functions: Optional[Callable] = None,
    labels: int = 0,
    projective: bool = False,
) -> Union[ParserSums, ScoreSums]:
    """Returns a function that makes all record batches it is given one small batch of exact sums, for merge_sums.

    With a model the rows are sentences as in parse_batches, and `templates` and `names` are features of arcs as in
    `Parser.feature_statistics`. Without one they are score matrices as in tree_batches, with `root`, and functions(n) has
    the functions called `names` of a graph of n words, an array (len(names), n+1, n+1[, labels]).

    The columns are quantity (sentences, words, errors, entropy, expectation or covariance), first and second (the names
    of functions), exponent and digits (the exact sum), and value (the nearest double). Sums are the same bits for any
    order of the rows and any partition, on machines with the same instructions.

    >>> table = pa.table({"scores": [[0.1 * i for i in range(9)], [0.0] * 9, [0.3] * 16]})
    >>> sums = expectation_sums(column="scores", root="multi", names=["length"],
    ...                         functions=lambda n: [abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1)))])
    >>> sums(table)["quantity"].to_pylist()
    ['sentences', 'words', 'errors', 'entropy', 'expectation', 'covariance']
    >>> parts = [sums(table.slice(2, 1)), sums(table.slice(0, 2))]
    >>> merge_sums(pa.concat_tables(parts)).equals(sums(table))
    True
    """
    if model is not None:
        if root is not None or functions is not None or labels or projective:
            raise ValueError("root, functions, labels and projective: are for score matrices, without a model")
        return ParserSums(Rows(model, column, format, tags, tag), templates, names)
    if root is None or templates or tags or tag:
        raise ValueError("model: without one, rows are score matrices, which need root and take functions")
    return ScoreSums(Scores(column, root, labels, projective, 1), functions, names)


def merge_sums(sums: Union[pa.Table, pa.RecordBatch, Iterable[pa.RecordBatch]]) -> pa.Table:
    """Adds the sums of parts of a corpus, in any order and in any tree of merges, without rounding.

    >>> empty = expectation_sums(column="scores", root="multi")(pa.table({"scores": pa.array([], pa.list_(pa.float64()))}))
    >>> merge_sums(empty)["value"].to_pylist()
    [0.0, 0.0, 0.0, 0.0]
    """
    batches = [sums] if isinstance(sums, pa.RecordBatch) else sums.to_batches() if isinstance(sums, pa.Table) else sums
    return pa.Table.from_batches([merged(batches)], SUMS)


if __name__ == "__main__":
    import sys

    from ._arrow_command import main

    sys.exit(main())
