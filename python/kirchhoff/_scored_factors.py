"""The part of FactorGraph that adds factors with scores, and changes scores."""

from __future__ import annotations

import itertools
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._arrays import whole_number

Literals = Sequence[int]


class ScoredFactors:
    __slots__ = ()

    def _add(self, name: str, *args) -> Any:
        raise NotImplementedError

    def add_pair(self, a: int, b: int, score: float) -> int:
        """Adds a score when both literals are true.

        >>> _ = g.add_pair(rain, wet, 3.0)
        >>> g.solve_exact().assignment.tolist(), g.solve_exact().value
        ([1, 0, 1], 4.0)
        """
        return self._add("add_pair", whole_number(a, "a"), whole_number(b, "b"), float(score))

    def add_table(self, groups: Sequence[Union[int, Literals]], log_potentials: npt.ArrayLike) -> int:
        """Adds a score for each combination, an axis for each group; -inf forbids. There are at most 2^16 entries.

        A group is a literal, with values 0 and 1, or a list of literals (from add_values) with a value for each.

        >>> colour = g.add_values([0.0, 0.0, 0.0])
        >>> _ = g.add_table([wet, colour], [[0, 0, 0], [0, 5.0, 0]])
        >>> g.solve_exact().assignment.tolist()
        [0, 1, 1, 0, 1, 0]
        """
        given = lists(groups)
        table = np.asarray(log_potentials, dtype=np.float64)
        shape = shape_of(given)
        if table.shape not in (shape, (int(np.prod(shape)),)):
            raise ValueError(f"log_potentials: shape {table.shape}, expected {shape}")
        return self._add("add_table", given, table.ravel().tolist())

    def add_sequence(self, groups: Sequence[Union[int, Literals]], transitions: npt.ArrayLike) -> int:
        """Adds variables in a row, as groups like those of a table, with a score for the values of each two neighbours.

        `transitions` are those of the first and the second variable, the first one's value varying slowest, then of the
        second and the third, and so on, in one list; -inf forbids. Solvers take O(transitions).

        >>> _ = g.add_sequence([rain, sprinkler], [0, 0, 0, 3.0])
        >>> g.solve_exact().assignment.tolist()
        [1, 1, 1]
        """
        return self._add("add_sequence", lists(groups), flat(transitions))

    def add_rooted_tree(self, groups: Sequence[Union[int, Literals]], parents: Sequence[int],
                        transitions: Optional[npt.ArrayLike] = None, *, counted: Optional[Sequence[int]] = None,
                        count_scores: Optional[npt.ArrayLike] = None,
                        subtree_counts: Sequence[Tuple[int, npt.ArrayLike]] = (),
                        both: Sequence[Tuple[int, int]] = ()) -> int:
        """Adds variables at the nodes of a tree, as groups like those of a table, with scores of neighbours and counts.

        `parents` has the number of each node's parent, -1 for the root. `transitions` has, for each node but the root,
        a score for each value of its parent, which varies slowest, and of its own. `counted` has the value of each node
        that counts, or -1, and `count_scores` a score for each count from 0 on; what is -inf or not listed is
        forbidden. `subtree_counts` has pairs (node, scores), the same for a node below the root and all below it.
        `both` has pairs (node, literal): the literal is true when the node and its parent, both binary, are 1.

        >>> _ = g.add_rooted_tree([wet, rain, sprinkler], [-1, 0, 0], counted=[1, 1, 1], count_scores=[0, 0, 0, 2.0])
        >>> g.solve_exact().assignment.tolist()
        [1, 1, 1]
        """
        counts = [(whole_number(node, "subtree_counts"), flat(scores)) for node, scores in subtree_counts]
        return self._add("add_rooted_tree", lists(groups), ints(parents, "parents"), flat(transitions),
                         ints(counted or (), "counted"), flat(count_scores), counts,
                         [tuple(ints(pair, "both")) for pair in both])

    def add_compression(self, words: Literals, budget: int, *, transitions: Optional[npt.ArrayLike] = None,
                        counted: Optional[Sequence[int]] = None, bigrams: Sequence[Tuple[int, int]] = ()) -> int:
        """Demands that at most `budget` of words in a row are kept (true): of all, or of those where `counted` is 1.

        `transitions` are scores of neighbours as those of a sequence. `bigrams` has pairs (t, literal): the literal is
        true when words t - 1 and t are both kept.

        >>> c = kirchhoff.FactorGraph()
        >>> words, bigram = [c.add_variable(s) for s in (1.0, 2.0, 1.5)], c.add_variable(1.0)
        >>> _ = c.add_compression(words, 2, bigrams=[(1, bigram)])
        >>> c.solve_exact().assignment.tolist()
        [1, 1, 0, 1]
        """
        return self._add("add_compression", ints(words, "words"), whole_number(budget, "budget"),
                         ints(counted or (), "counted"), flat(transitions),
                         [tuple(ints(pair, "bigrams")) for pair in bigrams])

    def add_head(self, heads: Literals = (), left: Literals = (), right: Literals = (), *,
                 left_siblings: Optional[npt.ArrayLike] = None, right_siblings: Optional[npt.ArrayLike] = None,
                 grandparents: Optional[npt.ArrayLike] = None) -> int:
        """Adds scores for the arcs that meet in a word of a tree: `heads` go into it, `left` and `right` out of it.

        Exactly one of `heads` is true; without any they are not looked at. `left` and `right` are in order, the nearest
        first. `right_siblings` has, for k arcs, a score for each two that are true with none between them, in the order
        (0, 1), (0, 2), ... (0, k + 1), (1, 2), ... (k, k + 1), where 0 stands before the first one and k + 1 after the
        last; `left_siblings` is the same. `grandparents` (heads, left and right) scores an arc into the word together
        with one out of it. -inf forbids, and None stands for zeros. Solvers take O(heads k^2).

        >>> h = kirchhoff.FactorGraph()
        >>> arcs = [h.add_variable(-1.0) for _ in range(3)]
        >>> _ = h.add_head(right=arcs, right_siblings=[0, 0, 0, 0, 0, 2.5, 0, 0, 0, 0])  # the first and the third one
        >>> h.solve_ad3().assignment.tolist()
        [1, 0, 1]
        """
        return self._add("add_head", ints(heads, "heads"), ints(left, "left"), ints(right, "right"),
                         flat(left_siblings), flat(right_siblings), flat(grandparents))

    def add_factor(self, literals: Literals, score: Callable[[Tuple[int, ...]], float]) -> int:
        """Adds a factor of one's own over k <= 16 literals; score(y) is that of a configuration, 0 or 1 for each.

        -inf forbids a configuration. The function is called once for each of the 2^k, here and never again, so what it
        raises is raised here.

        >>> _ = g.add_factor([rain, sprinkler, ~wet], lambda y: 1.0 if sum(y) == 2 else 0.0)
        >>> g.score([1, 1, 1]) - (-1.0 - 0.5 + 2.0)
        1.0
        """
        inputs = ints(literals, "literals")
        if len(inputs) > 16:
            raise ValueError(f"literals: {len(inputs)}, and a factor of one's own has at most 16")
        scores = {y: float(score(y)) for y in itertools.product((0, 1), repeat=len(inputs))}
        for y, found in scores.items():
            if not found < np.inf:
                raise ValueError(f"score({y}) is {found}, expected a finite number or -inf")
        return self.add_table(inputs, list(scores.values()))

    def set_score(self, variable: int, score: float) -> None:
        """Changes the score of a variable. Earlier results are a good `start` for solvers then.

        >>> g.set_score(rain, 3.0)
        >>> g.solve_exact().assignment.tolist()
        [1, 0, 1]
        """
        self._add("set_score", whole_number(variable, "variable"), float(score))

    def set_pair_score(self, factor: int, score: float) -> None:
        """Changes the score of a factor that add_pair made.

        >>> pair = g.add_pair(rain, sprinkler, 0.0)
        >>> g.set_pair_score(pair, 2.0)
        >>> g.solve_exact().assignment.tolist()
        [1, 1, 1]
        """
        self._add("set_pair_score", whole_number(factor, "factor"), float(score))

    def set_table_scores(self, factor: int, log_potentials: npt.ArrayLike) -> None:
        """Changes the scores of a factor that add_table or add_factor made, as many as there were.

        >>> table = g.add_table([rain, sprinkler], [[0, 0], [0, 0]])
        >>> g.set_table_scores(table, [[0, 0], [0, 2.0]])
        >>> g.solve_exact().assignment.tolist()
        [1, 1, 1]
        """
        self._add("set_table_scores", whole_number(factor, "factor"), flat(log_potentials))


def shape_of(groups) -> Tuple[int, ...]:
    return tuple(2 if len(group) == 1 else len(group) for group in groups)


def lists(groups) -> List[List[int]]:
    return [ints(np.atleast_1d(group), "groups") for group in groups]


def flat(values) -> List[float]:
    return [] if values is None else np.asarray(values, dtype=np.float64).ravel().tolist()


def ints(values, name: str) -> List[int]:
    return [whole_number(v, name) for v in values]
