"""Factor graphs over binary variables with hard constraints: marginals and best assignments."""

from __future__ import annotations

from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core

Literals = Sequence[int]


class ExactResult(NamedTuple):
    status: str  #: converged or infeasible
    log_partition: float
    entropy: float
    bethe_entropy: float  #: what the Bethe approximation makes of the entropy, given the true marginals
    marginals: np.ndarray  #: p(y_i = 1)
    assignment: np.ndarray  #: the best, 0 or 1 for each variable
    value: float  #: its score


class BpResult(NamedTuple):
    status: str  #: converged, iteration_limit or infeasible
    iterations: int
    residual: float  #: largest change of a message, as a probability, in the last iteration
    marginals: np.ndarray  #: beliefs
    log_odds: np.ndarray
    factor_entropies: np.ndarray
    bethe_entropy: float
    log_partition: float  #: Bethe approximation; exact on graphs without loops
    assignment: np.ndarray  #: likeliest values, repaired by the hard factors where possible
    value: float
    messages: np.ndarray  #: for `start` of another call, and for factor_belief


class MapResult(NamedTuple):
    status: str  #: converged, iteration_limit, time_limit or infeasible
    iterations: int
    residual: float  #: of AD3: how far the factors are from agreeing
    bound: float  #: no assignment has a higher score
    point: np.ndarray  #: the relaxation's solution
    integral: bool  #: whether all of it is 0 or 1
    assignment: np.ndarray  #: best found; empty if none was
    value: float  #: its score; -inf if there is none


class FactorGraph:
    """p(y) proportional to exp(scores of the variables that are 1 + scores of factors).

    A variable is a number, and `~v` its negation: add_imply(a, ~b) is "a implies not b". Scores are finite; -inf fixes
    a variable to 0. Factors are numbered in the order of their adding; each add_ function returns the number.

    >>> g = FactorGraph()
    >>> rain, sprinkler, wet = g.add_variable(-1.0), g.add_variable(-0.5), g.add_variable(2.0)
    >>> g.add_or_out([rain, sprinkler], wet)
    0
    >>> p = g.solve_bp()
    >>> p.status, round(float(p.marginals[wet]), 4)
    ('converged', 0.8985)
    """

    __slots__ = ("_graph", "_calls")

    def __init__(self) -> None:
        self._graph = _core.FactorGraph()
        self._calls: list = []  # how to make it again: a pickle of it

    def _add(self, name: str, *args):
        result = getattr(self._graph, name)(*args)
        self._calls.append((name, args))
        return result

    # --- variables and factors ------------------------------------------------------------------------------------

    def add_variable(self, score: float = 0.0) -> int:
        """The new variable."""
        return self._add("add_variable", float(score))

    def add_values(self, scores: npt.ArrayLike) -> List[int]:
        """A multi-valued variable: one binary variable for each value, exactly one of which is 1."""
        return self._add("add_values", _floats(scores))

    def add_xor(self, literals: Literals) -> int:
        """Exactly one."""
        return self._add("add_xor", _ints(literals))

    def add_or(self, literals: Literals) -> int:
        """At least one."""
        return self._add("add_or", _ints(literals))

    def add_nand(self, literals: Literals) -> int:
        """Not all."""
        return self._add("add_nand", _ints(literals))

    def add_imply(self, a: int, b: int) -> int:
        """a implies b."""
        return self._add("add_imply", int(a), int(b))

    def add_at_most_one(self, literals: Literals) -> int:
        return self._add("add_at_most_one", _ints(literals))

    def add_budget(self, literals: Literals, budget: int) -> int:
        """At most so many."""
        return self._add("add_budget", _ints(literals), int(budget))

    def add_or_out(self, literals: Literals, output: int) -> int:
        """output = a or b or ..."""
        return self._add("add_or_out", _ints(literals), int(output))

    def add_xor_out(self, literals: Literals, output: int) -> int:
        """At most one, and output says whether there is one."""
        return self._add("add_xor_out", _ints(literals), int(output))

    def add_pair(self, a: int, b: int, score: float) -> int:
        """A score when both are 1."""
        return self._add("add_pair", int(a), int(b), float(score))

    def add_table(self, groups: Sequence[Union[int, Literals]], log_potentials: npt.ArrayLike) -> int:
        """A score for each combination, an axis for each group; -inf forbids. At most 2^16 entries.

        A single literal has values 0 and 1; a list of literals (from add_values) has a value for each.
        """
        lists = [[int(g)] if np.ndim(g) == 0 else _ints(g) for g in groups]
        table = np.asarray(log_potentials, dtype=np.float64)
        shape = tuple(2 if len(g) == 1 else len(g) for g in lists)
        if table.shape not in (shape, (int(np.prod(shape)),)):
            raise ValueError(f"log_potentials: shape {table.shape}, expected {shape}")
        return self._add("add_table", lists, table.ravel().tolist())

    def add_tree(self, words: int, arcs: Sequence[Tuple[int, int, int]], *, root: str) -> int:
        """The arcs (head, dependent, literal) that are 1 form a tree over words 1 .. n."""
        return self._add("add_tree", int(words), [tuple(_ints(a)) for a in arcs], _single(root))

    @property
    def variables(self) -> int:
        return self._graph.variables()

    @property
    def factors(self) -> int:
        return self._graph.factors()

    @property
    def scores(self) -> np.ndarray:
        """Of the variables."""
        return self._graph.scores()

    def score(self, assignment: npt.ArrayLike) -> float:
        """Of an assignment, 0 or 1 for each variable; -inf when a factor forbids it."""
        values = np.asarray(assignment)
        if values.shape != (self.variables,) or not np.isin(values, (0, 1)).all():
            raise ValueError(f"assignment: expected {self.variables} numbers that are 0 or 1")
        return self._graph.score(values.astype(int).tolist())

    # --- solvers; status is part of the result, and not converging is not an error ----------------------------------

    def solve_exact(self, *, max_assignments: int = 1 << 20) -> ExactResult:
        """By enumeration. ValueError when there are more assignments than that."""
        return ExactResult(*self._graph.solve_exact(max_assignments))

    def solve_bp(self, *, product: str = "sum", schedule: str = "sequential", damping: float = 0.0,
                 max_iterations: int = 1000, tolerance: float = 1e-9,
                 start: Optional[npt.ArrayLike] = None) -> BpResult:
        """Belief propagation, sum- or max-product; exact on graphs without loops.

        schedule: flooding, sequential or residual. `start`: the messages of an earlier result.
        """
        messages = [] if start is None else _floats(start)
        return BpResult(*self._graph.solve_bp(product, schedule, damping, max_iterations, tolerance, messages))

    def factor_belief(self, result: BpResult, factor: int) -> np.ndarray:
        """Probability of each configuration of a factor of at most 16 inputs: an axis of length 2 for each."""
        belief = self._graph.factor_belief(_floats(result.messages), factor)
        return belief.reshape((2,) * (belief.size.bit_length() - 1))

    def solve_lp(self) -> MapResult:
        """The linear programming relaxation (COIN-OR Clp)."""
        return MapResult(*self._graph.solve_lp())

    def solve_ilp(self, *, time_limit: float = 1e9) -> MapResult:
        """The best assignment by branch and bound (COIN-OR Cbc). Seconds."""
        return MapResult(*self._graph.solve_ilp(time_limit))

    def solve_ad3(self, *, gap: float = 1e-6, tolerance: float = 1e-6, max_iterations: int = 10000,
                  time_limit: float = 1e9, exact: bool = False) -> MapResult:
        """The relaxation by dual decomposition; exact=True branches on fractional variables until the gap is closed."""
        return MapResult(*self._graph.solve_ad3(gap, tolerance, max_iterations, time_limit, exact))

    # --- Python's own -----------------------------------------------------------------------------------------------

    def __reduce__(self):
        return _replay, (self._calls,)

    def __repr__(self) -> str:
        return f"FactorGraph(variables={self.variables}, factors={self.factors})"


def _replay(calls) -> FactorGraph:
    graph = FactorGraph()
    for name, args in calls:
        graph._add(name, *args)
    return graph


def _ints(values) -> List[int]:
    return [int(v) for v in values]


def _floats(values) -> List[float]:
    return np.asarray(values, dtype=np.float64).tolist()


def _single(root: str) -> bool:
    if root not in ("single", "multi"):
        raise ValueError(f"root is {root!r}, expected 'single' or 'multi'")
    return root == "single"
