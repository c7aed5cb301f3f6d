"""Trees as sequences of choices, for samplers and searches of one's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from .distribution import TreeDistribution
from .projective import ProjectiveTreeDistribution


class HeadSequence:
    """The heads of a tree of one graph, chosen one after the other, with exact conditional probabilities.

    Words come in an order of their own, those with the most certain heads first; for root="single" the root's child is
    chosen before all. Making it takes O(n^3) and a choice O(n^2). Labels do not matter.

    >>> p = kirchhoff.TreeDistribution(np.log([[1, 2, 1], [1, 1, 3], [1, 1, 1]]), root="multi")
    >>> sequence = kirchhoff.HeadSequence(p)
    >>> while not sequence.done:
    ...     sequence.choose(int(np.argmax(sequence.log_probabilities())))
    >>> sequence.heads.tolist(), round(9 * np.exp(sequence.log_prob), 6)
    ([-1, 0, 1], 6.0)
    """

    __slots__ = ("_core",)

    def __init__(self, p: TreeDistribution):
        if p.batch_shape or isinstance(p, ProjectiveTreeDistribution):
            raise ValueError("HeadSequence: for one graph and all its trees; p[i] is one of a batch")
        self._core: Any = p._batch.head_sequence(0)

    @property
    def words(self) -> int:
        """The number of words, and of choices.

        >>> sequence.words
        2
        """
        return self._core.words()

    @property
    def step(self) -> int:
        """The number of choices made.

        >>> kirchhoff.HeadSequence(p).step
        0
        """
        return self._core.step()

    @property
    def done(self) -> bool:
        """Whether all heads are chosen.

        >>> kirchhoff.HeadSequence(p).done
        False
        """
        return self._core.done()

    @property
    def word(self) -> int:
        """The word whose head is chosen next; 0 when the root's child is, and -1 when all heads are chosen.

        >>> sequence.word
        -1
        """
        return self._core.word()

    @property
    def heads(self) -> np.ndarray:
        """The heads (n+1,), -1 for words that have none yet.

        >>> kirchhoff.HeadSequence(p).heads.tolist()
        [-1, -1, -1]
        """
        return np.array(self._core.heads(), dtype=np.int64)

    @property
    def log_prob(self) -> float:
        """The log-probability of the choices made: of the tree, once all are.

        >>> kirchhoff.HeadSequence(p).log_prob
        0.0
        """
        return self._core.log_prob()

    def log_probabilities(self) -> np.ndarray:
        """Returns log p of each node (n+1,) as the next choice, given those made; -inf where no tree is left.

        >>> np.exp(kirchhoff.HeadSequence(p).log_probabilities()).sum().round(6).item()
        1.0
        """
        return self._core.log_probabilities()

    def choose(self, option: int) -> None:
        """Makes the next choice; ValueError when no tree is left with it.

        >>> one = kirchhoff.HeadSequence(p)
        >>> one.choose(0)
        >>> one.step
        1
        """
        self._core.choose(option)

    def copy(self) -> "HeadSequence":
        """Returns a copy that goes its own way, as the beams of a search do, in O((n - step)^2).

        >>> kirchhoff.HeadSequence(p).copy().step
        0
        """
        other = object.__new__(HeadSequence)
        other._core = type(self._core)(self._core)
        return other
