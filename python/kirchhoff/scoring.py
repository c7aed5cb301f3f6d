"""Measures how well a system's annotation agrees with the gold standard."""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple

from . import _core
from ._core import Sentence


class Score(NamedTuple):
    """A score counts what is in the gold standard, what is in the system's annotation, and what is right.

    >>> s = kirchhoff.Score(gold=10, system=8, correct=6)
    """

    gold: int
    system: int
    correct: int

    @property
    def precision(self) -> float:
        """Precision is correct / system, and 0 when there is nothing.

        >>> s.precision
        0.75
        """
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        """Recall is correct / gold, and 0 when there is nothing.

        >>> s.recall
        0.6
        """
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """F1 is 2 correct / (gold + system), the harmonic mean of precision and recall, and 0 when there is nothing.

        >>> round(s.f1, 6)
        0.666667
        """
        both = self.gold + self.system
        return 2 * self.correct / both if both else 0.0


class Interval(NamedTuple):
    """A confidence interval.

    >>> kirchhoff.scoring.Interval(0.8, 0.9).high
    0.9
    """
    low: float
    high: float


class Comparison(NamedTuple):
    """A comparison of two systems has the difference of their F1 and its two-sided p-value.

    >>> kirchhoff.scoring.Comparison(difference=0.01, p_value=0.04).p_value
    0.04
    """
    difference: float  #: F1 of the other minus F1 of this
    p_value: float  #: two-sided


class Slice(NamedTuple):
    """A slice is some of the words: how many are in gold and system, and how many of gold's have the right head, and
    the right head and relation.

    >>> kirchhoff.scoring.Slice("NOUN", gold=10, system=10, right_heads=9, right_arcs=8).right_heads
    9
    """

    name: str
    gold: int
    system: int
    right_heads: int
    right_arcs: int


class Evaluation:
    """An evaluation has scores by the name of the metric: words, upos, xpos, ufeats, lemmas, uas, las, clas, ...

    It prints as a table, and is made by `evaluate`.

    >>> s = kirchhoff.conllu.Sentence(["a", "b", "c"])
    >>> s.heads = [-1, 2, 0, 2]
    >>> s.set_column("deprel", ["x", "root", "y"])
    >>> [wrong] = kirchhoff.conllu.loads(str(s))
    >>> wrong.heads = [-1, 2, 0, 1]
    >>> e = kirchhoff.evaluate([s] * 10, [wrong] * 10, root="single")
    >>> round(e["uas"].f1, 6), list(e.scores)[:3]
    (0.666667, ['tokens', 'sentences', 'words'])
    """

    def __init__(self, core: "_core.Evaluation"):
        self._core = core
        self.scores: Dict[str, Score] = {name: Score(*counts) for name, counts in core.scores().items()}

    def __getitem__(self, metric: str) -> Score:
        return self.scores[metric]

    def intervals(self, *, samples: int = 1000, confidence: float = 0.95, seed: int = 0) -> Dict[str, Interval]:
        """Returns bootstrap intervals of the F1 scores, by metric, in O(samples * sentences).

        >>> low, high = e.intervals()["uas"]
        >>> round(low, 6), round(high, 6)  # all sentences are alike here
        (0.666667, 0.666667)
        """
        return {k: Interval(*v) for k, v in self._core.intervals(samples, confidence, seed).items()}

    def compare(self, other: "Evaluation", *, samples: int = 1000, seed: int = 0) -> Dict[str, Comparison]:
        """Compares two systems on the same gold standard by approximate randomization, in O(samples * sentences).

        >>> other = kirchhoff.evaluate([s] * 10, [s] * 10, root="single")
        >>> round(e.compare(other)["uas"].difference, 6), e.compare(other)["uas"].p_value < 0.05
        (0.333333, True)
        """
        return {k: Comparison(*v) for k, v in self._core.compare(other._core, samples, seed).items()}

    def _rows(self):
        return [(k, f"{100 * s.precision:.2f}", f"{100 * s.recall:.2f}", f"{100 * s.f1:.2f}")
                for k, s in self.scores.items()]

    def __repr__(self) -> str:
        rows = [("metric", "precision", "recall", "F1"), *self._rows()]
        return "\n".join(f"{name:<23}{p:>10}{r:>10}{f:>10}" for name, p, r, f in rows)

    def _repr_html_(self) -> str:
        rows = "".join("<tr>" + "".join(f"<td>{x}</td>" for x in row) + "</tr>" for row in self._rows())
        return f"<table><tr><th>metric</th><th>precision</th><th>recall</th><th>F1</th></tr>{rows}</table>"


def evaluate(gold: Iterable[Sentence], system: Iterable[Sentence], *, root: str) -> Evaluation:
    """Computes the scores of the CoNLL 2018 shared task and a few more, in O(words).

    `root` is "single" or "multi", for the metric valid_tree. ValueError is raised unless both have the same text.

    >>> gold = kirchhoff.conllu.Sentence(["a", "b"])
    >>> gold.heads = [-1, 2, 0]
    >>> [system] = kirchhoff.conllu.loads(str(gold))
    >>> system.heads = [-1, 0, 1]
    >>> kirchhoff.evaluate([gold], [gold], root="single")["uas"].f1
    1.0
    >>> kirchhoff.evaluate([gold], [system], root="single")["uas"].f1
    0.0
    """
    return Evaluation(_core.evaluate(list(gold), list(system), root))


def slices(gold: Iterable[Sentence], system: Iterable[Sentence], *, by: str) -> List[Slice]:
    """Counts right heads and relations by length, pos, deprel or distance: a list of slices, in O(words).

    >>> s = kirchhoff.conllu.Sentence(["a", "b"])
    >>> s.heads = [-1, 2, 0]
    >>> s.set_column("upos", ["DET", "NOUN"])
    >>> [(x.name, x.right_heads) for x in kirchhoff.slices([s], [s], by="pos")]
    [('DET', 1), ('NOUN', 1)]
    """
    return [Slice(*s) for s in _core.slices(list(gold), list(system), by)]
