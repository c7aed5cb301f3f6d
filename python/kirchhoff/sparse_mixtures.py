"""SparseMAP: a few structures with probabilities, the mixture of which is nearest to the scores."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import ArrayLike, flattened, graphs_of, whole_number
from ._graph_rows import placed, rows_of
from .factor_graph import FactorGraph


class SparseTrees(NamedTuple):
    """The trees that a graph's mixture has, likeliest first, and their probabilities.

    Graphs of a batch have as many rows as the largest mixture: missing trees are -1, with probability 0. Trees that
    differ in labels alone are different trees.

    >>> scores = np.array([[0, 2.0, 1.0], [0, 0, 1.5], [0, 1.0, 0]])
    >>> p = kirchhoff.sparsemap(scores, root="single")
    >>> p.heads.tolist(), p.probabilities.round(6).tolist()
    ([[-1, 0, 1], [-1, 2, 0]], [0.875, 0.125])
    """

    heads: np.ndarray  #: (..., k, n+1) integers
    labels: Optional[np.ndarray]  #: the label of the arc into each word, in the same shape; None for unlabelled graphs
    probabilities: np.ndarray  #: (..., k), with sum 1
    marginals: np.ndarray  #: (..., n+1, n+1[, labels]): the probability of each arc, the point nearest to the scores
    iterations: Any  #: (...): how many trees joined the mixture after the first
    gap: Any  #: (...): no mixture is better by more
    converged: Any  #: (...): whether the gap is within the tolerance


def _solved(scores, root, lengths, labelled, tolerance, max_iterations, threads):
    """Returns the mixtures as the extension keeps them, and the shape of the batch."""
    array, shape, labels, words = graphs_of(scores, lengths, labelled, padded=True)
    solve = _core.labelled_sparsemap if labels else _core.sparsemap
    return solve(flattened(array, shape), root, None if words is None else words.reshape(-1), float(tolerance),
                 whole_number(max_iterations, "max_iterations"), threads), shape


def sparsemap(scores: ArrayLike, *, root: str, lengths: Optional[npt.ArrayLike] = None, labelled: bool = False,
              tolerance: float = 1e-12, max_iterations: int = 100000, threads: int = 0) -> SparseTrees:
    """Finds the mixture u of trees that minimises |u - scores|^2 / 2.

    The arguments scores (..., n+1, n+1[, labels]), root, lengths, labelled and threads are those of TreeDistribution.
    With labels u has a number for each of them, and labels of an arc share its probability. The gap may be `tolerance`
    times the larger of n and the largest difference of scores that matters. A mixture of k trees takes about k best
    trees to find, and O(k n^2 + k^3) in all, O(k n^2 L + k^3) with L labels.

    >>> p = kirchhoff.sparsemap(np.zeros((4, 4)), root="single")
    >>> p.marginals[0, 1:].round(6).tolist(), len(p.heads)  # three of the nine trees mix to the same as all
    ([0.333333, 0.333333, 0.333333], 3)
    """
    batch, shape = _solved(scores, root, lengths, labelled, tolerance, max_iterations, threads)
    heads, labels, probabilities, marginals = (x.reshape(shape + x.shape[1:])
                                               for x in (*batch.trees(), batch.marginals()))
    report = [r.reshape(shape) if shape else r[0].item() for r in batch.report()]
    is_labelled = isinstance(batch, _core.LabelledSparseBatch)
    return SparseTrees(heads, labels if is_labelled else None, probabilities, marginals, *report)


class SparseFactor(NamedTuple):
    """The configurations that a factor mixes, likeliest first, and their probabilities.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(0.2), g.add_variable(0.6)])
    >>> kirchhoff.lp_sparsemap(g).factors[0].inputs.tolist()
    [[0, 1], [1, 0]]
    """

    inputs: np.ndarray  #: (k, literals), 0 or 1 for each literal that the factor was given
    probabilities: np.ndarray  #: (k,), with sum 1


class SparseGraph(NamedTuple):
    """What LP-SparseMAP finds for a factor graph.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(0.2), g.add_variable(0.6)])
    >>> p = kirchhoff.lp_sparsemap(g)
    >>> p.status, p.marginals.round(6).tolist()
    ('converged', [0.3, 0.7])
    """

    status: str  #: converged, iteration_limit, time_limit or infeasible
    iterations: int
    residual: float  #: the largest disagreement between a factor and a variable
    gap: float  #: no point of the relaxation is better by more, as far as the factors agree
    marginals: np.ndarray  #: (variables,)
    factors: List[SparseFactor]  #: what each factor mixes


def lp_sparsemap(graph: FactorGraph, scores: Optional[npt.ArrayLike] = None, *, tolerance: float = 1e-9,
                 max_iterations: int = 20000) -> SparseGraph:
    """Finds the point u of the graph's relaxation that minimises |u - scores|^2 / 2 - (the factors' scores of u).

    `scores` (variables,) replace the graph's. Factors may disagree by `tolerance`. An iteration takes a projection for
    each factor.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_budget([g.add_variable(), g.add_variable(), g.add_variable()], 1)
    >>> kirchhoff.lp_sparsemap(g, [0.75, 0.5, 0.0]).marginals.round(6).tolist()
    [0.625, 0.375, 0.0]
    """
    values = graph.scores if scores is None else np.asarray(scores, dtype=np.float64)
    if values.shape != (graph.variables,):
        raise ValueError(f"scores: shape {values.shape}, expected ({graph.variables},)")
    rows = rows_of(graph, placed(graph, values, None, None))
    found = _core.lp_sparsemaps(rows, float(tolerance), whole_number(max_iterations, "max_iterations"), 1)
    ((status, iterations, residual, gap),) = found.reports()
    if status == "infeasible":
        return SparseGraph(status, iterations, residual, gap, np.zeros(0), [])
    factors = [SparseFactor(*found.factor(0, f)) for f in range(graph.factors)]
    return SparseGraph(status, iterations, residual, gap, found.marginals()[0], factors)
