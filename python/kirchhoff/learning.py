"""Losses of factor graphs, from CRFs to structured SVMs, with their gradients."""

from __future__ import annotations

from typing import List, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import floats
from .factor_graph import FactorGraph


class GraphLoss(NamedTuple):
    """This is a loss and its gradient; status, iterations and residual are those of the solver.

    `variables` is the gradient by the scores of variables. `factors` has the gradient by each factor's scores: a number
    for a pair, an array of its shape for a table, and None for hard factors.

    >>> g = kirchhoff.FactorGraph()
    >>> a, b = g.add_variable(1.0), g.add_variable(0.0)
    >>> _ = g.add_pair(a, b, 0.5)
    >>> at = kirchhoff.structured_loss(g, [1, 1])
    >>> at.status, round(at.value, 4), at.variables.round(4).tolist(), at.factors[0].round(4).item()
    ('converged', 0.7192, [-0.2174, -0.4042], -0.5129)
    """
    status: str  #: converged, iteration_limit, time_limit or infeasible
    iterations: int
    residual: float
    value: float  #: approximate inference may make it negative
    variables: np.ndarray
    factors: List[Optional[np.ndarray]]


def structured_loss(graph: FactorGraph, gold: npt.ArrayLike, loss: str = "crf", *, beta: Optional[float] = None,
                    gamma: Optional[float] = None, cost: str = "mistakes", costs: Optional[npt.ArrayLike] = None,
                    method: str = "ad3", maximum: str = "relaxed", damping: float = 0.0,
                    max_iterations: Optional[int] = None, tolerance: Optional[float] = None) -> GraphLoss:
    """Returns L = 1/beta log sum over y of exp beta[score(y) - score(gold) + gamma cost(y)], and its gradient.

    `loss` is crf, svm, perceptron or softmax_margin; beta and gamma replace its own. For beta < inf the sum is Bethe's
    approximation, exact on graphs without loops. For beta = inf it is a maximum, found by `method` (ad3, lp, ilp or
    exact): with maximum="relaxed" that of the relaxation, whose gradient may be fractional, with "rounded" that of the
    best assignment found. cost="mistakes" counts a wrong variable once, "hamming" one of several values twice; `costs`
    multiplies that for each variable. damping is belief propagation's; max_iterations and tolerance are the solver's.
    Takes what the solver takes. ValueError when gold is forbidden.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(1.0), g.add_variable(0.5)])
    >>> kirchhoff.structured_loss(g, [1, 0], "svm", cost="hamming").value  # margin 0.5, where 2 is asked for
    1.5
    """
    values = _gold(graph, gold)
    weights = [] if costs is None else floats(costs)
    found = _core.graph_loss(graph._graph, values, loss, beta, gamma, cost, weights, method, maximum, damping,
                             max_iterations, tolerance)
    scores = np.split(found[5], found[6][1:-1]) if len(found[6]) > 1 else []
    return GraphLoss(*found[:5], [graph._shaped(f, own) for f, own in enumerate(scores)])


def _gold(graph: FactorGraph, gold: npt.ArrayLike) -> List[int]:
    values = np.asarray(gold)
    if values.shape != (graph.variables,) or not np.isin(values, (0, 1)).all():
        raise ValueError(f"gold: expected {graph.variables} numbers that are 0 or 1")
    return values.astype(int).tolist()
