"""Dependency trees with scores on pairs of arcs, as factor graphs."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import doubles
from ._graph_rows import placed, rows_of
from .factor_graph import FactorGraph

ScoredArcs = Tuple[npt.ArrayLike, npt.ArrayLike]


class DependencyGraph(NamedTuple):
    """This is the factor graph of dependency trees: `graph`, and the arcs (arcs, 3): head, dependent, variable.

    `pair_factors` has the number of each pair's factor, -1 for a pair that was left out.

    >>> d = kirchhoff.dependency_graph(np.zeros((3, 3)), root="multi")
    >>> d.arcs.tolist()
    [[0, 1, 0], [2, 1, 1], [0, 2, 2], [1, 2, 3]]
    >>> round(np.exp(d.graph.solve_bp().log_partition).item(), 9)  # three trees
    3.0
    """
    graph: FactorGraph
    words: int
    arcs: np.ndarray
    pair_factors: np.ndarray

    def heads(self, assignment: npt.ArrayLike) -> np.ndarray:
        """Returns the tree among an assignment's arcs, (n+1,), in O(arcs); ValueError when they are not one.

        >>> d.heads([1, 0, 0, 1]).tolist()
        [-1, 0, 1]
        """
        values = np.asarray(assignment)
        if values.shape != (self.graph.variables,):
            raise ValueError(f"assignment: expected {self.graph.variables} numbers")
        chosen = self.arcs[values[self.arcs[:, 2]] != 0]
        heads = np.full(self.words + 1, -1)
        heads[chosen[:, 1]] = chosen[:, 0]
        if len(chosen) != self.words or (heads[1:] < 0).any():
            raise ValueError("assignment: not one head for each word")
        return heads

    def assignment(self, heads: npt.ArrayLike) -> np.ndarray:
        """Returns the assignment of a tree, (variables,): its arcs, and what follows for all other variables.

        ValueError when it is not a tree of this graph.

        >>> d.assignment([-1, 0, 1]).tolist()
        [1, 0, 0, 1]
        """
        tree = np.asarray(heads)
        if tree.shape != (self.words + 1,):
            raise ValueError(f"heads: shape {tree.shape}, expected ({self.words + 1},)")
        scores = np.zeros(self.graph.variables)
        scores[self.arcs[tree[self.arcs[:, 1]] != self.arcs[:, 0], 2]] = -np.inf
        fixed = rows_of(self.graph, placed(self.graph, scores, None, None)).graph(0)
        found = fixed.solve_ad3(1e-6, 1e-6, 1000, None, "exact", [], [])[6]
        if found.size != self.graph.variables or not np.array_equal(self.heads(found)[1:], tree[1:]):
            raise ValueError("heads: not a tree of this graph")
        return found


def dependency_graph(scores: npt.ArrayLike, *, root: str, pairs: Optional[ScoredArcs] = None,
                     consecutive_siblings: Optional[ScoredArcs] = None, non_projective: Optional[ScoredArcs] = None,
                     form: str = "factor") -> DependencyGraph:
    """Returns the graph of trees with scores on arcs (n+1, n+1), where -inf leaves an arc out, and on pairs of arcs.

    `pairs` is two arrays: arcs (k, 2, 2), of which [i, 0] and [i, 1] are (head, dependent), and k scores, which count
    when both arcs are there. `consecutive_siblings` has pairs of one head and side that count when no child of the head
    is between them, `non_projective` arcs (k, 2) that count when they span a word that their head does not dominate.
    form="flow" has the small factors of [Martins10] in the place of one TREE. Takes O(arcs + pairs), and with flows
    O(n arcs).

    >>> s = np.zeros((3, 3))
    >>> siblings = kirchhoff.sibling_pairs(s)
    >>> d = kirchhoff.dependency_graph(s, root="multi", pairs=(siblings, np.ones(len(siblings))))
    >>> d.heads(d.graph.solve_ad3().assignment).tolist()
    [-1, 0, 0]
    """
    graph = FactorGraph()
    table = _square(scores)
    lists = [_scored(pairs, "pairs", 2), _scored(consecutive_siblings, "consecutive_siblings", 2),
             _scored(non_projective, "non_projective", 1)]
    arcs, factors = graph._add("set_dependency_graph", table, root, *(part for each in lists for part in each), form)
    return DependencyGraph(graph, len(table) - 1, np.array(arcs, dtype=np.int64).reshape(-1, 3),
                           np.array(factors, dtype=np.int64))


def sibling_pairs(scores: npt.ArrayLike) -> np.ndarray:
    """Returns all pairs of arcs with the same head, (k, 2, 2); arcs with score -inf are left out. Takes O(arcs^2).

    >>> kirchhoff.sibling_pairs(np.zeros((3, 3))).tolist()
    [[[0, 1], [0, 2]]]
    """
    return _core.sibling_pairs(_square(scores))


def grandparent_pairs(scores: npt.ArrayLike) -> np.ndarray:
    """Returns all pairs of arcs of which the first one's dependent is the other's head, (k, 2, 2), in O(arcs^2).

    >>> kirchhoff.grandparent_pairs(np.zeros((3, 3))).tolist()
    [[[0, 1], [1, 2]], [[0, 2], [2, 1]]]
    """
    return _core.grandparent_pairs(_square(scores))


def head_bigram_pairs(scores: npt.ArrayLike) -> np.ndarray:
    """Returns all pairs of arcs into neighbouring words, (k, 2, 2), in O(arcs^2).

    >>> kirchhoff.head_bigram_pairs(np.zeros((3, 3))).shape
    (4, 2, 2)
    """
    return _core.head_bigram_pairs(_square(scores))


def _square(scores: npt.ArrayLike) -> np.ndarray:
    table = doubles(np.asarray(scores), "scores")
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise ValueError(f"scores: shape {table.shape} is not (n+1, n+1)")
    return table


def _scored(given: Optional[ScoredArcs], name: str, arcs: int) -> Tuple[np.ndarray, list]:
    """Returns arcs as rows and their scores; `arcs` of them have one score."""
    if given is None:
        return np.zeros((0, 2), dtype=np.int64), []
    rows, scores = np.asarray(given[0]), np.asarray(given[1], dtype=np.float64)
    shape = (len(scores),) + (2,) * arcs if scores.ndim == 1 else None
    if rows.size == 0 and scores.size == 0:
        return np.zeros((0, 2), dtype=np.int64), []
    if rows.shape != shape or rows.dtype.kind not in "iu":
        raise ValueError(f"{name}: expected integers {('k',) + (2,) * arcs} and k scores, not shapes {rows.shape} and "
                         f"{scores.shape}")
    return np.ascontiguousarray(rows.reshape(-1, 2), dtype=np.int64), scores.tolist()
