"""Losses of factor graphs, from CRFs to structured SVMs, with their gradients."""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import floats, whole_number
from ._graph_rows import placed, rows_of, rows_of_array
from .factor_graph import FactorGraph


class GraphLoss(NamedTuple):
    """This is a loss and its gradient; status, iterations and residual are those of the solver.

    `variables` is the gradient by the scores of variables. `factors` has the gradient by each factor's scores: a number
    for a pair, an array of its shape for a table, a list for a sequence (its transitions), for a rooted tree or a
    compression (its transitions and then its scores of counts) and for a head (its siblings to the left and to the right
    and its grandparents), and None for hard factors. A batch (...) has an axis more for each of its own, before those of
    all else.

    >>> g = kirchhoff.FactorGraph()
    >>> a, b = g.add_variable(1.0), g.add_variable(0.0)
    >>> _ = g.add_pair(a, b, 0.5)
    >>> at = kirchhoff.structured_loss(g, [1, 1])
    >>> at.status, round(at.value, 4), at.variables.round(4).tolist(), at.factors[0].round(4).item()
    ('converged', 0.7192, [-0.2174, -0.4042], -0.5129)
    """
    status: Any  #: converged, iteration_limit, time_limit or infeasible
    iterations: Any
    residual: Any
    value: Any  #: approximate inference may make it negative
    variables: np.ndarray
    factors: List[Optional[np.ndarray]]


def structured_loss(graph: FactorGraph, gold: npt.ArrayLike, loss: str = "crf", *, beta: Optional[float] = None,
                    gamma: Optional[float] = None, cost: str = "mistakes", costs: Optional[npt.ArrayLike] = None,
                    variables: Optional[npt.ArrayLike] = None, factors: Optional[Mapping[int, npt.ArrayLike]] = None,
                    method: str = "ad3", maximum: str = "relaxed", damping: float = 0.0,
                    max_iterations: Optional[int] = None, tolerance: Optional[float] = None, threads: int = 0,
                    schedule: str = "sequential", retry_damping: float = 0.0,
                    free_energy: str = "bethe") -> GraphLoss:
    """Returns L = 1/beta log sum over y of exp beta[score(y) - score(gold) + gamma cost(y)], and its gradient.

    `loss` is crf, svm, perceptron or softmax_margin; beta and gamma replace its own. For beta < inf the sum is Bethe's
    approximation, exact on graphs without loops. For beta = inf it is a maximum, found by `method` (ad3, lp, ilp or
    exact): with maximum="relaxed" that of the relaxation, whose gradient may be fractional, with "rounded" that of the
    best assignment found. cost="mistakes" counts a wrong variable once, "hamming" one of several values twice; `costs`
    multiplies that for each variable. schedule, damping, retry_damping and free_energy are those of FactorGraph.solve_bp;
    max_iterations and tolerance are the solver's.

    `variables` (..., variables) and `factors`, by number and each in the shape of its table, are scores in the place of
    the graph's own. They and gold (..., variables) may be batches, which are broadcast against each other and answered
    by `threads` threads, 0 for all cores. Takes what the solver takes. ValueError when gold is forbidden.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(1.0), g.add_variable(0.5)])
    >>> kirchhoff.structured_loss(g, [1, 0], "svm", cost="hamming").value  # margin 0.5, where 2 is asked for
    1.5
    >>> kirchhoff.structured_loss(g, [[1, 0], [0, 1]], "svm", variables=[1.0, 3.0]).value.tolist()
    [4.0, 0.0]
    """
    values = _gold(graph, gold)
    own = graph.scores if variables is None else np.asarray(variables, dtype=np.float64)
    tables = {whole_number(f, "factors"): np.asarray(scores, dtype=np.float64) for f, scores in (factors or {}).items()}
    at = placed(graph, own, tables, None, values.shape[:-1])
    weights = [] if costs is None else floats(costs)
    golds = rows_of_array(values, at.shape)
    statuses, *report, by_variable, by_factor = _core.graph_losses(
        rows_of(graph, at), golds, loss, beta, gamma, cost, weights, method, maximum,
        (schedule, damping, retry_damping, free_energy), max_iterations, tolerance, threads)
    first = _core.score_layout(graph._graph)
    sizes = np.diff(first)
    by_scores = [by_factor[:, first[f]:first[f + 1]].reshape(at.shape + graph._score_shape(f, int(sizes[f])))
                 if sizes[f] else None for f in range(graph.factors)]
    status, iterations, residual, value = (x.reshape(at.shape) if at.shape else x[0].item()
                                           for x in (np.array(statuses), *report))
    return GraphLoss(status, iterations, residual, value, by_variable.reshape(at.shape + (graph.variables,)), by_scores)


def _gold(graph: FactorGraph, gold: npt.ArrayLike) -> np.ndarray:
    values = np.asarray(gold)
    if values.shape[-1:] != (graph.variables,) or not np.isin(values, (0, 1)).all():
        raise ValueError(f"gold: expected {graph.variables} numbers that are 0 or 1")
    return values.astype(np.uint8)
