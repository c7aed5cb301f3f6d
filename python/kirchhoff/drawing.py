"""Draws pictures of trees and of distributions over them."""

from __future__ import annotations

import os
from typing import Iterable, NamedTuple, Optional, Sequence, Union

from . import _core
from ._core import Sentence
from .distribution import TreeDistribution


class Picture(NamedTuple):
    """Trees as text, SVG and an HTML page that needs no other file. A picture shows itself in notebooks, and prints as
    text.

    >>> picture = kirchhoff.render(kirchhoff.TreeDistribution(np.zeros((3, 3)), root="single"), words=["a", "b"])
    >>> picture.svg.startswith("<svg"), picture.html.startswith("<!doctype html>")
    (True, True)
    """

    text: str
    svg: str
    html: str  #: a page that needs no other file

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Picture, {len(self.svg)} bytes of SVG>"

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the picture to a file in the format of its ending, .svg, .html or .txt.

        >>> picture.save("p.svg")
        >>> open("p.svg", encoding="utf-8").read() == picture.svg
        True
        """
        kinds = {".svg": self.svg, ".html": self.html, ".txt": self.text}
        ending = os.path.splitext(os.fspath(path))[1]
        if ending not in kinds:
            raise ValueError(f"path: {ending!r} is none of {', '.join(kinds)}")
        with open(path, "w", encoding="utf-8") as out:
            out.write(kinds[ending])


def render(what: Union[TreeDistribution, Sentence, Iterable[Sentence]], *, words: Optional[Sequence] = None,
           min_probability: float = 0.05) -> Picture:
    """Draws a distribution (or a batch), or the trees of annotated sentences, in O(n^2) for each graph.

    `words` of a distribution are n strings, or a list of them for each graph of a batch. Arcs below min_probability are
    left out, unless they are the likeliest of their word. ArcProb=P in a sentence's MISC shades an arc.

    >>> p = kirchhoff.TreeDistribution(np.zeros((3, 3)), root="single")
    >>> "sleeps" in kirchhoff.render(p, words=["She", "sleeps"]).svg
    True
    """
    if isinstance(what, TreeDistribution):
        lists = [] if words is None else ([list(words)] if not what.batch_shape else [list(w) for w in words])
        return Picture(*_core.render_batch(what._batch, lists, min_probability))
    if words is not None:
        raise ValueError("words: sentences have their own")
    return Picture(*_core.render_sentences([what] if isinstance(what, Sentence) else list(what)))
