"""Sentences in CoNLL-U and CoNLL-X: read, write.

>>> from kirchhoff import conllu
>>> s = conllu.Sentence(["She", "sleeps"])
>>> s.heads = [-1, 2, 0]
>>> s.set_column("deprel", ["nsubj", "root"])
>>> [again] = conllu.loads(str(s))
>>> again.column("form"), again.heads.tolist(), again.get(1, "deprel")
(['She', 'sleeps'], [-1, 2, 0], 'nsubj')
"""

from __future__ import annotations

import os
from typing import Iterable, Iterator, List, Union

from ._core import ParseError, Sentence, sentences_in_file, sentences_in_text

__all__ = ["ParseError", "Sentence", "dumps", "loads", "read", "write"]


def read(path: Union[str, os.PathLike], *, format: str = "conllu") -> Iterator[Sentence]:
    """The sentences of a file one after the other; ParseError (a ValueError) names file, line and column.

    After an error the iterator goes on with the next sentence.
    """
    return sentences_in_file(os.fspath(path), format)


def loads(text: str, *, format: str = "conllu", name: str = "input") -> List[Sentence]:
    """The sentences of a text; `name` is for messages."""
    return list(sentences_in_text(text, name, format))


def dumps(sentences: Iterable[Sentence]) -> str:
    """As text. A sentence as it was read gives the same bytes."""
    return "".join(map(str, sentences))


def write(path: Union[str, os.PathLike], sentences: Iterable[Sentence]) -> None:
    """To a file, one after the other."""
    with open(path, "w", encoding="utf-8", newline="") as out:
        for sentence in sentences:
            out.write(str(sentence))
