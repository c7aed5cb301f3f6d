"""Reads and writes sentences in CoNLL-U and CoNLL-X.

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
    """Reads the sentences of a file one after the other, with memory for one, in O(bytes).

    `format` is conllu or conllx. A ParseError names file, line and column; the iterator can go on after it.

    >>> kirchhoff.conllu.write("a.conllu", [kirchhoff.conllu.Sentence(["a", "b"])] * 3)
    >>> [len(s) for s in kirchhoff.conllu.read("a.conllu")]
    [2, 2, 2]
    """
    return sentences_in_file(os.fspath(path), format)


def loads(text: str, *, format: str = "conllu", name: str = "input") -> List[Sentence]:
    """Returns the sentences of a text as a list, in O(bytes); `name` is for messages.

    >>> [s] = kirchhoff.conllu.loads("1\\ta\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> s.heads.tolist()
    [-1, 0]
    """
    return list(sentences_in_text(text, name, format))


def dumps(sentences: Iterable[Sentence]) -> str:
    """Returns the sentences as text, in O(bytes). A sentence as it was read gives the same bytes.

    >>> kirchhoff.conllu.dumps([kirchhoff.conllu.Sentence(["a"])]).split()
    ['1', 'a', '_', '_', '_', '_', '_', '_', '_', '_']
    """
    return "".join(map(str, sentences))


def write(path: Union[str, os.PathLike], sentences: Iterable[Sentence]) -> None:
    """Writes the sentences to a file one after the other, in O(bytes).

    >>> kirchhoff.conllu.write("b.conllu", [kirchhoff.conllu.Sentence(["a"])])
    >>> len(next(kirchhoff.conllu.read("b.conllu")))
    1
    """
    with open(path, "w", encoding="utf-8", newline="") as out:
        for sentence in sentences:
            out.write(str(sentence))
