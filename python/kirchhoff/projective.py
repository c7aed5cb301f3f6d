"""Distributions over projective trees, whose arcs do not cross: by Eisner's algorithm."""

from __future__ import annotations

import numpy as np

from . import _core
from .distribution import TreeDistribution


class ProjectiveTreeDistribution(TreeDistribution):
    """p(tree) = exp(sum of the scores of its arcs) / Z, over the trees whose arcs do not cross; one graph or a batch.

    Arcs are drawn above the sentence, with the root before the first word. Arguments, methods, shapes and errors are
    those of TreeDistribution; `method` of sample must be automatic, and arrays lie on the CPU. Infeasible says that no
    projective tree is possible. The cost is O(n^3) for each graph; argmax and mbr take O(n^3), too. Of `accuracy` only
    the method is used.

    >>> four = kirchhoff.ProjectiveTreeDistribution(np.zeros((5, 5)), root="single")  # 30 of 64 trees do not cross
    >>> round(np.exp(four.log_partition()).item())
    30
    >>> four.log_prob([-1, 3, 4, 0, 3])  # 3 -> 1 and 4 -> 2 cross
    -inf
    >>> weights = np.array([[1, 2, 1], [1, 1, 3], [1, 1, 1]])  # the three trees of two words are all projective
    >>> p = kirchhoff.ProjectiveTreeDistribution(np.log(weights), root="multi")
    >>> q = kirchhoff.ProjectiveTreeDistribution(np.zeros((3, 3)), root="multi")
    """

    __slots__ = ()
    _makers = (_core.ProjectiveBatch, _core.LabelledProjectiveBatch)

    @staticmethod
    def _family() -> type:
        return ProjectiveTreeDistribution


def is_projective(heads) -> bool:
    """Returns whether no two arcs of a tree cross; heads are n+1 integers, heads[0] == -1. Takes O(n^2).

    >>> kirchhoff.is_projective([-1, 3, 4, 0, 3]), kirchhoff.is_projective([-1, 3, 3, 0, 3])
    (False, True)
    """
    return _core.is_projective(np.asarray(heads, dtype=np.int64).tolist())


def log_projective_mass(p: TreeDistribution):
    """Returns log of the probability that a tree of p is projective, a number (...): log Z projective - log Z.

    It is -inf where no tree is. Takes O(n^3) for each graph.

    >>> p = kirchhoff.TreeDistribution(np.zeros((5, 5)), root="single")
    >>> round(64 * np.exp(kirchhoff.log_projective_mass(p)).item(), 6)
    30.0
    """
    return p._number(p._batch.log_projective_mass())
