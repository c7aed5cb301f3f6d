"""Solvers: the part of FactorGraph that gives marginals and best assignments, and their results."""

from __future__ import annotations

from typing import NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from ._arrays import floats


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


class Solvers:
    __slots__ = ()

    def solve_exact(self, *, max_assignments: int = 1 << 20) -> ExactResult:
        """By enumeration. ValueError when there are more assignments than that."""
        return ExactResult(*self._graph.solve_exact(max_assignments))

    def solve_bp(self, *, product: str = "sum", schedule: str = "sequential", damping: float = 0.0,
                 max_iterations: int = 1000, tolerance: float = 1e-9,
                 start: Optional[npt.ArrayLike] = None) -> BpResult:
        """Belief propagation, sum- or max-product; exact on graphs without loops.

        schedule: flooding, sequential or residual. `start`: the messages of an earlier result.
        """
        messages = [] if start is None else floats(start)
        return BpResult(*self._graph.solve_bp(product, schedule, damping, max_iterations, tolerance, messages))

    def factor_belief(self, result: BpResult, factor: int) -> np.ndarray:
        """Probability of each configuration of a factor of at most 16 inputs: an axis of length 2 for each."""
        belief = self._graph.factor_belief(floats(result.messages), factor)
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
