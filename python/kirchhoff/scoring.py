"""How well a system's annotation agrees with the gold standard."""

from __future__ import annotations

from typing import Dict, Iterable, List, NamedTuple

from . import _core
from ._arrays import is_single
from ._core import Sentence


class Score(NamedTuple):
    """Counts of one metric."""

    gold: int
    system: int
    correct: int

    @property
    def precision(self) -> float:
        return self.correct / self.system if self.system else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        both = self.gold + self.system
        return 2 * self.correct / both if both else 0.0


class Interval(NamedTuple):
    low: float
    high: float


class Comparison(NamedTuple):
    difference: float  #: F1 of the other minus F1 of this
    p_value: float  #: two-sided


class Slice(NamedTuple):
    """Heads and relations of some of the words."""

    name: str
    gold: int
    system: int
    right_heads: int
    right_arcs: int


class Evaluation:
    """Scores by the name of the metric: words, upos, xpos, ufeats, lemmas, uas, las, clas, mlas, blex, ..."""

    def __init__(self, core: "_core.Evaluation"):
        self._core = core
        self.scores: Dict[str, Score] = {name: Score(*counts) for name, counts in core.scores().items()}

    def __getitem__(self, metric: str) -> Score:
        return self.scores[metric]

    def intervals(self, *, samples: int = 1000, confidence: float = 0.95, seed: int = 0) -> Dict[str, Interval]:
        """Bootstrap intervals of the F1 scores."""
        return {k: Interval(*v) for k, v in self._core.intervals(samples, confidence, seed).items()}

    def compare(self, other: "Evaluation", *, samples: int = 1000, seed: int = 0) -> Dict[str, Comparison]:
        """Of two systems on the same gold standard, by approximate randomization."""
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
    """The scores of the CoNLL 2018 shared task and a few more. ValueError unless both have the same text.

    >>> from kirchhoff import conllu
    >>> gold = conllu.loads("1\\ta\\t_\\t_\\t_\\t_\\t2\\tx\\t_\\t_\\n2\\tb\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n")
    >>> system = conllu.loads(conllu.dumps(gold))
    >>> system[0].heads = [-1, 0, 1]
    >>> evaluate(gold, gold, root="single")["uas"].f1, evaluate(gold, system, root="single")["uas"].f1
    (1.0, 0.0)
    """
    return Evaluation(_core.evaluate(list(gold), list(system), is_single(root)))


def slices(gold: Iterable[Sentence], system: Iterable[Sentence], *, by: str) -> List[Slice]:
    """Right heads and relations by length, pos, deprel or distance."""
    return [Slice(*s) for s in _core.slices(list(gold), list(system), by)]
