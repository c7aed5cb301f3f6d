"""The command `python -m kirchhoff.arrow parse`, which fills a table of sentences with parses."""

from __future__ import annotations

import argparse
import os
import sys
from typing import List, Optional, Tuple

import pyarrow as pa

from ._arrow_files import TableFile, shard_rows, write_table
from ._arrow_parses import FORMATS, TYPES

_EXAMPLE = """example:
  python -m kirchhoff.arrow parse corpus.parquet --out parsed.parquet --model en.model --column text --format text

as a Slurm array of 64 tasks, each with its part of the rows:
  #SBATCH --array=1-64
  python -m kirchhoff.arrow parse corpus.parquet --out parsed.$SLURM_ARRAY_TASK_ID.parquet --model en.model \\
    --column text --format text --shard $SLURM_ARRAY_TASK_ID/64 --threads $SLURM_CPUS_PER_TASK"""


def _shard(text: str) -> Tuple[int, int]:
    try:
        number, count = map(int, text.split("/"))
    except ValueError:
        number = count = 0
    if not 1 <= number <= count:
        raise argparse.ArgumentTypeError(f"{text!r} is not I/N with I from 1 to N")
    return number, count


def _names(text: str) -> List[str]:
    return [name for name in text.split(",") if name]


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kirchhoff.arrow", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    parse = verbs.add_parser("parse", formatter_class=argparse.RawDescriptionHelpFormatter, epilog=_EXAMPLE,
                             description="Parses the sentences of a column, and writes the rows with their parses.")
    parse.add_argument("input", help="a Parquet or Arrow file")
    parse.add_argument("--out", required=True, metavar="FILE",
                       help="the file to write, which is there when all is done: Parquet, or Arrow for .arrow")
    parse.add_argument("--model", required=True, metavar="FILE", help="the model, as 'kirchhoff train' writes it")
    parse.add_argument("--column", default="text", help="the column of sentences [text]")
    parse.add_argument("--format", choices=FORMATS, default="conllu", help="what a row of it has [conllu]")
    parse.add_argument("--what", type=_names, metavar="NAME,...", help=f"the results: {', '.join(TYPES)}")
    parse.add_argument("--keep", type=_names, metavar="NAME,...", help="the columns of the input to keep [all]")
    for name in ("lemma", "upos", "xpos", "feats"):
        parse.add_argument(f"--{name}", metavar="COLUMN", help=f"the column of {name}, for --format words")
    parse.add_argument("--tag", action="store_true", help="let the model find tags and lemmas")
    parse.add_argument("--k-best", type=int, default=0, metavar="K", help="also the K best trees of each sentence")
    parse.add_argument("--keep-heads", action="store_true", help="keep the heads that CoNLL-U gives")
    parse.add_argument("--projective", action="store_true", help="only trees whose arcs do not cross")
    parse.add_argument("--shard", type=_shard, default=(1, 1), metavar="I/N", help="only part I of N of the rows [1/1]")
    parse.add_argument("--threads", type=int, default=0, metavar="T", help="the number of threads; 0 is all cores [0]")
    return parser


def _parse(given: argparse.Namespace) -> Optional[str]:
    """Does what the options say; the text tells how many rows have an error."""
    from .arrow import parse_batches

    if os.path.exists(given.out) and os.path.samefile(given.input, given.out):
        raise ValueError(f"{given.out}: this is the input; write to another file")
    tags = {name: getattr(given, name) for name in ("lemma", "upos", "xpos", "feats") if getattr(given, name)}
    parse = parse_batches(given.model, column=given.column, format=given.format, what=given.what, keep=given.keep,
                          tags=tags, tag=given.tag, k_best=given.k_best, keep_heads=given.keep_heads,
                          projective=given.projective, threads=given.threads)
    table = TableFile(given.input, given.column)
    rows = errors = 0

    def parsed():
        nonlocal rows, errors
        for batch in parse(table.batches(*shard_rows(table.rows, given.shard), 4096)):
            rows += batch.num_rows
            errors += batch.num_rows - batch.column("error").null_count
            yield batch

    write_table(given.out, parse.schema(table.schema), parsed())
    return f"{errors} of {rows} rows have an error" if errors else None


def main(arguments: Optional[List[str]] = None) -> int:
    """Returns the exit status: 1 after an error; bad usage ends with 2."""
    given = _arguments().parse_args(arguments)
    try:
        said = _parse(given)
    except (ValueError, TypeError, OSError, pa.ArrowException) as error:
        said, status = str(error), 1
    else:
        status = 0
    if said:
        print(f"kirchhoff.arrow: {said}", file=sys.stderr)
    return status
