"""The part of FactorGraph that finds marginals and best assignments, and the results of its solvers."""

from __future__ import annotations

from typing import NamedTuple, Optional, Type, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import floats


class ExactResult(NamedTuple):
    """This is what enumeration gives. `status` is converged or infeasible; marginals and assignment are (variables,).

    log_partition and entropy are exact; bethe_entropy is what the Bethe approximation makes of the true marginals.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(1.0), g.add_variable(0.0)])
    >>> r = g.solve_exact()
    >>> r.status, r.marginals.round(4).tolist(), r.assignment.tolist(), r.value
    ('converged', [0.7311, 0.2689], [1, 0], 1.0)
    """
    status: str  #: converged or infeasible
    log_partition: float
    entropy: float
    bethe_entropy: float  #: what the Bethe approximation makes of the entropy, given the true marginals
    marginals: np.ndarray  #: p(y_i = 1)
    assignment: np.ndarray  #: the best, 0 or 1 for each variable
    value: float  #: its score


class BpResult(NamedTuple):
    """This is what belief propagation gives. `status` is converged, iteration_limit or infeasible.

    marginals (beliefs), log_odds and assignment are (variables,), factor_entropies (factors,). log_partition is Bethe's
    approximation. messages are for `start` of another call, and for factor_belief, as is free_energy.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(1.0), g.add_variable(0.0)])
    >>> r = g.solve_bp()
    >>> r.status, r.marginals.round(4).tolist(), r.log_odds.round(4).tolist()
    ('converged', [0.7311, 0.2689], [1.0, -1.0])
    """
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
    free_energy: str = "bethe"  #: the one that was asked for


class MapResult(NamedTuple):
    """This is what the solvers for a best assignment give.

    `status` is converged, iteration_limit, time_limit or infeasible.

    No assignment has a higher score than `bound`. `point` (variables,) is the relaxation's solution, `integral` whether
    all of it is 0 or 1. `assignment` (variables,) is the best found and `value` its score; empty and -inf if none was.
    `duals` are AD3's, (edges,): for each literal of each factor, the part of its variable's score that the factor got.
    They prove the bound, and are for factor_posterior and for `start` of another call.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(1.0), g.add_variable(0.0)])
    >>> r = g.solve_ad3()
    >>> r.status, r.integral, r.assignment.tolist(), round(r.bound, 6)
    ('converged', True, [1, 0], 1.0)
    """
    status: str  #: converged, iteration_limit, time_limit or infeasible
    iterations: int
    residual: float  #: how far the factors of AD3 are from agreeing
    bound: float  #: no assignment has a higher score
    point: np.ndarray  #: the relaxation's solution
    integral: bool  #: whether all of it is 0 or 1
    assignment: np.ndarray  #: best found; empty if none was
    value: float  #: its score; -inf if there is none
    duals: np.ndarray = np.empty(0)  #: AD3's parts of the scores, for each literal of each factor


class FactorPosterior(NamedTuple):
    """This is what one factor makes of a solution of the relaxation: a mixture of its own configurations.

    `configurations` is (k, literals), 0 or 1 for each literal that the factor was given, `weights` (k,) sums to 1,
    `inputs` (literals,) is the mean, and `score` the mean of the scores.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(1.0), g.add_variable(0.0)])
    >>> g.factor_posterior(g.solve_ad3(), 0).configurations.tolist()
    [[1, 0]]
    """
    inputs: np.ndarray  #: how much each literal is 1 in the mixture
    score: float  #: the mean of the scores
    weights: np.ndarray
    configurations: np.ndarray


Result = TypeVar("Result")


def _result_of(kind: Type[Result], value: object, name: str) -> Result:
    """The value, which must be a result of this kind: those of one solver say nothing to another."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is a {type(value).__name__}, expected a {kind.__name__}")
    return value


class Solvers:
    __slots__ = ()
    _graph: _core.FactorGraph

    def solve_exact(self, *, max_assignments: int = 1 << 20) -> ExactResult:
        """Finds marginals, log Z, entropy and the best assignment by enumeration, in O(assignments * edges).

        ValueError when the factors allow more than max_assignments.

        >>> r = g.solve_exact()
        >>> r.assignment.tolist(), r.value, round(r.log_partition, 4)
        ([0, 1, 1], 1.5, 2.2873)
        """
        return ExactResult(*self._graph.solve_exact(max_assignments))

    def solve_bp(self, *, product: str = "sum", schedule: str = "sequential", damping: float = 0.0,
                 max_iterations: int = 1000, tolerance: float = 1e-9,
                 start: Optional[Union[BpResult, npt.ArrayLike]] = None,
                 free_energy: str = "bethe", retry_damping: float = 0.0) -> BpResult:
        """Propagates beliefs by the sum or the max product; they and Bethe's log Z are exact on graphs without loops.

        `schedule` is flooding, sequential or residual. `damping` is the part of the old message in the new one, and
        `start` is an earlier result or its messages. free_energy="convex" has one fixed point, and a log Z that is
        never too low; retry_damping, if above 0, is for a second try when messages do not converge. An iteration is one
        pass over the factors, O(edges) and O(n^3) for a tree.

        >>> round(g.solve_bp().log_partition, 4), g.solve_bp(product="max").assignment.tolist()
        (2.2873, [0, 1, 1])
        """
        if isinstance(start, MapResult):
            raise TypeError("start is a MapResult, expected a BpResult or messages")
        messages = [] if start is None else floats(start.messages if isinstance(start, BpResult) else start)
        return BpResult(*self._graph.solve_bp(product, schedule, damping, max_iterations, tolerance, messages,
                                              free_energy, retry_damping))

    def factor_belief(self, result: BpResult, factor: int) -> np.ndarray:
        """Returns the probability of each configuration of a factor of k <= 16 literals, k axes of length 2, in O(2^k).

        >>> belief = g.factor_belief(g.solve_bp(), 0)
        >>> belief.shape, belief[0, 1, 1].round(4).item()  # sprinkler and wet, no rain
        ((2, 2, 2), 0.4551)
        """
        known = _result_of(BpResult, result, "result")
        belief = self._graph.factor_belief(floats(known.messages), known.free_energy, factor)
        return belief.reshape((2,) * (belief.size.bit_length() - 1))

    def solve_lp(self) -> MapResult:
        """Solves the linear programming relaxation, the largest score in the local polytope, by COIN-OR Clp's simplex.

        >>> g.solve_lp().bound, g.solve_lp().integral
        (1.5, True)
        """
        return MapResult(*self._graph.solve_lp())

    def solve_ilp(self, *, time_limit: Optional[float] = None) -> MapResult:
        """Finds the best assignment by branch and bound on the linear program. It is for small graphs.

        After time_limit seconds, if that is given, the best so far is returned.

        >>> g.solve_ilp().assignment.tolist()
        [0, 1, 1]
        """
        return MapResult(*self._graph.solve_ilp(time_limit))

    def solve_ad3(self, *, gap: float = 1e-6, tolerance: float = 1e-6, max_iterations: int = 10000,
                  time_limit: Optional[float] = None, search: str = "relaxation",
                  start: Optional[MapResult] = None) -> MapResult:
        """Solves the relaxation by alternating directions dual decomposition, which moves `bound` to its optimum.

        It stops when bound - value <= gap * max(1, |bound|), or the relaxation's optimum is as near the bound. With
        search="exact" it branches on fractional variables until the gap is closed. `start` is an earlier result of AD3,
        of this graph before its scores were changed. An iteration costs one projection for each factor.

        >>> g.solve_ad3().assignment.tolist()
        [0, 1, 1]
        """
        known = None if start is None else _result_of(MapResult, start, "start")
        duals, point = ([], []) if known is None else (floats(known.duals), floats(known.point))
        return MapResult(*self._graph.solve_ad3(gap, tolerance, max_iterations, time_limit, search, duals, point))

    def factor_posterior(self, result: MapResult, factor: int) -> FactorPosterior:
        """Returns the mixture of a factor's configurations that is its part of a result of AD3, by one projection.

        It is best under the factor's part of the scores, and the point is its mean, as far as the result is optimal.

        >>> posterior = g.factor_posterior(g.solve_ad3(), 0)
        >>> posterior.configurations.tolist(), posterior.weights.tolist()
        ([[0, 1, 1]], [1.0])
        """
        known = _result_of(MapResult, result, "result")
        return FactorPosterior(*self._graph.factor_posterior(floats(known.point), floats(known.duals), factor))
