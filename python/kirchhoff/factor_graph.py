"""Factor graphs over binary variables with hard constraints: marginals and best assignments."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import floats, whole_number
from ._factor_solvers import Solvers
from ._scored_factors import Literals, ScoredFactors, ints, shape_of


class FactorGraph(ScoredFactors, Solvers):
    """p(y) is proportional to exp(scores of the variables that are 1 + scores of factors).

    A variable is a number, and `~v` its negation: add_imply(a, ~b) is "a implies not b". Scores are finite; -inf fixes
    a variable to 0. Factors are numbered in the order of their adding; each add_ function returns the number. Adding
    costs O(literals).

    >>> g = kirchhoff.FactorGraph()
    >>> rain, sprinkler, wet = g.add_variable(-1.0), g.add_variable(-0.5), g.add_variable(2.0)
    >>> g.add_or_out([rain, sprinkler], wet)
    0
    >>> g.solve_exact().assignment.tolist(), round(g.solve_bp().marginals[wet].item(), 4)
    ([0, 1, 1], 0.8985)
    """

    __slots__ = ("_graph", "_calls", "_set", "_shapes")

    def __init__(self) -> None:
        self._graph = _core.FactorGraph()
        self._calls: list = []  # how to make it again: a pickle of it
        self._set: Dict[Tuple[str, int], int] = {}  # where among them scores are changed
        self._shapes: Dict[int, Tuple[int, ...]] = {}  # of tables, by factor

    def _add(self, name: str, *args):
        result = getattr(self._graph, name)(*args)
        if name in ("set_score", "set_pair_score", "set_table_scores"):  # only the last one matters
            if (name, args[0]) in self._set:
                self._calls[self._set[name, args[0]]] = (name, args)
                return result
            self._set[name, args[0]] = len(self._calls)
        self._calls.append((name, args))
        if name == "add_table":
            self._shapes[result] = shape_of(args[0])
        return result

    def _score_shape(self, factor: int, size: int) -> Tuple[int, ...]:
        """Returns the shape in which a factor's scores are given, of which there are so many; a pair's is ()."""
        return self._shapes.get(factor, () if size == 1 else (size,))

    def add_variable(self, score: float = 0.0) -> int:
        """Adds a binary variable, with its score when it is 1, and returns its number.

        >>> g.add_variable(0.5)
        3
        """
        return self._add("add_variable", float(score))

    def add_values(self, scores: npt.ArrayLike) -> List[int]:
        """Adds a multi-valued variable and returns the numbers of its values.

        There is one binary variable for each score, and exactly one of them is 1.

        >>> g.add_values([0.1, 0.2, 0.3])
        [3, 4, 5]
        """
        return self._add("add_values", floats(scores))

    def add_xor(self, literals: Literals) -> int:
        """Demands that exactly one of the literals is true.

        >>> g.add_xor([rain, ~sprinkler])
        1
        >>> g.solve_exact().assignment.tolist()
        [1, 1, 1]
        """
        return self._add("add_xor", ints(literals, "literals"))

    def add_or(self, literals: Literals) -> int:
        """Demands that at least one of the literals is true.

        >>> _ = g.add_or([rain, ~wet])
        >>> g.solve_exact().assignment.tolist()
        [1, 0, 1]
        """
        return self._add("add_or", ints(literals, "literals"))

    def add_nand(self, literals: Literals) -> int:
        """Demands that not all of the literals are true.

        >>> _ = g.add_nand([sprinkler, wet])
        >>> g.solve_exact().assignment.tolist()
        [1, 0, 1]
        """
        return self._add("add_nand", ints(literals, "literals"))

    def add_imply(self, a: Union[int, Literals], b: int) -> int:
        """Demands that literal a, or all literals of a list together, imply literal b.

        >>> _ = g.add_imply(sprinkler, rain)
        >>> g.solve_exact().assignment.tolist()
        [1, 0, 1]
        """
        return self._add("add_imply", ints(np.atleast_1d(a), "a"), whole_number(b, "b"))

    def add_at_most_one(self, literals: Literals) -> int:
        """Demands that at most one of the literals is true.

        >>> _ = g.add_at_most_one([rain, sprinkler])
        >>> g.score([1, 1, 1])
        -inf
        """
        return self._add("add_at_most_one", ints(literals, "literals"))

    def add_budget(self, literals: Literals, budget: int) -> int:
        """Demands that at most `budget` of the literals are true.

        >>> _ = g.add_budget([rain, sprinkler, wet], 1)
        >>> g.solve_exact().assignment.tolist()
        [0, 0, 0]
        """
        return self._add("add_budget", ints(literals, "literals"), whole_number(budget, "budget"))

    def add_knapsack(self, literals: Literals, weights: npt.ArrayLike, capacity: float) -> int:
        """Demands that the weights of the literals that are true, none of them negative, sum to at most the capacity.

        Whole weights that are not too large have an exact relaxation, and belief propagation takes O(literals capacity);
        others have the relaxation weights . u <= capacity, and it takes time by the number of their different sums.

        >>> _ = g.add_knapsack([rain, sprinkler, wet], [1, 3, 2], 4)
        >>> g.solve_exact().assignment.tolist()
        [1, 0, 1]
        """
        return self._add("add_knapsack", ints(literals, "literals"), floats(weights), float(capacity))

    def add_and_out(self, literals: Literals, output: int) -> int:
        """Makes `output` the "and" of the literals.

        >>> out = g.add_variable(3.0)
        >>> _ = g.add_and_out([rain, wet], out)
        >>> g.solve_exact().assignment.tolist()
        [1, 0, 1, 1]
        """
        return self._add("add_and_out", ints(literals, "literals"), whole_number(output, "output"))

    def add_or_out(self, literals: Literals, output: int) -> int:
        """Makes `output` the "or" of the literals.

        >>> out = g.add_variable(-3.0)
        >>> _ = g.add_or_out([rain, wet], out)
        >>> g.solve_exact().assignment.tolist()
        [0, 0, 0, 0]
        """
        return self._add("add_or_out", ints(literals, "literals"), whole_number(output, "output"))

    def add_xor_out(self, literals: Literals, output: int) -> int:
        """Demands that at most one of the literals is true, and makes `output` say whether there is one.

        >>> one = g.add_variable(1.0)
        >>> _ = g.add_xor_out([rain, sprinkler], one)
        >>> g.solve_exact().assignment.tolist()
        [0, 1, 1, 1]
        """
        return self._add("add_xor_out", ints(literals, "literals"), whole_number(output, "output"))

    def add_tree(self, words: int, arcs: Sequence[Tuple[int, int, int]], *, root: str) -> int:
        """Demands that the arcs (head, dependent, literal) that are 1 form a tree over words 1 .. n. Takes O(arcs).

        Every word needs an arc into it.

        >>> t = kirchhoff.FactorGraph()
        >>> arcs = [(h, d, t.add_variable()) for h, d in [(0, 1), (0, 2), (1, 2), (2, 1)]]
        >>> _ = t.add_tree(2, arcs, root="multi")
        >>> round(np.exp(t.solve_exact().log_partition).item(), 9)  # three trees
        3.0
        """
        return self._add("add_tree", whole_number(words, "words"), [tuple(ints(a, "arcs")) for a in arcs], root)

    @property
    def variables(self) -> int:
        """The number of variables.

        >>> g.variables
        3
        """
        return self._graph.variables()

    @property
    def factors(self) -> int:
        """The number of factors.

        >>> g.factors
        1
        """
        return self._graph.factors()

    @property
    def scores(self) -> np.ndarray:
        """The scores of the variables, (variables,).

        >>> g.scores.tolist()
        [-1.0, -0.5, 2.0]
        """
        return self._graph.scores()

    def score(self, assignment: npt.ArrayLike) -> float:
        """Returns the score of an assignment, 0 or 1 for each variable, in O(edges); -inf when a factor forbids it.

        >>> g.score([0, 1, 1]), g.score([1, 0, 0])
        (1.5, -inf)
        """
        values = np.asarray(assignment)
        if values.shape != (self.variables,) or not np.isin(values, (0, 1)).all():
            raise ValueError(f"assignment: expected {self.variables} numbers that are 0 or 1")
        return self._graph.score(values.astype(int).tolist())

    def __reduce__(self):
        return _replay, (self._calls,)

    def __repr__(self) -> str:
        return f"FactorGraph(variables={self.variables}, factors={self.factors})"


def _replay(calls) -> FactorGraph:
    graph = FactorGraph()
    for name, args in calls:
        graph._add(name, *args)
    return graph
