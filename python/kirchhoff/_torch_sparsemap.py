"""SparseMAP as differentiable functions of PyTorch.

The marginals are piecewise linear in the scores: the derivative is a projection, which is symmetric, and whose own
derivative by the scores is 0.
"""

from __future__ import annotations

from typing import Mapping, Optional, Tuple

import numpy as np
import torch
from torch.autograd import Function

from . import _core
from ._arrays import whole_number
from ._torch_graph_rows import GivenScores
from ._torch_numbers import like, numbers
from .factor_graph import FactorGraph
from .sparse_mixtures import _solved


class SparseMarginals(Function):
    """The marginals of SparseMAP, from doubles on the CPU."""

    @staticmethod
    def forward(ctx, scores, *options):
        ctx.batch, _ = _solved(scores.detach().numpy(), *options)
        return torch.from_numpy(ctx.batch.marginals()).reshape(scores.shape)

    @staticmethod
    def backward(ctx, grad):
        return (SparseAlong.apply(grad, ctx.batch),) + (None,) * 6


class SparseAlong(Function):
    """The projection of a direction, which is its own derivative."""

    @staticmethod
    def forward(ctx, direction, batch):
        ctx.batch = batch
        arcs = direction.shape[-3 if isinstance(batch, _core.LabelledSparseBatch) else -2:]
        flat = direction.detach().reshape((-1,) + tuple(arcs)).numpy()
        return torch.from_numpy(batch.along(flat)).reshape(direction.shape)

    @staticmethod
    def backward(ctx, grad):
        return SparseAlong.apply(grad, ctx.batch), None


class SparseGraphMarginals(Function):
    """The marginals of LP-SparseMAP for rows of scores of a factor graph, (rows, variables)."""

    @staticmethod
    def forward(ctx, variables, values, given, tolerance, max_iterations, threads):
        rows = given.rows(variables.detach(), values.detach())
        ctx.given, ctx.found = given, _core.lp_sparsemaps(rows, tolerance, max_iterations, threads)
        for i, (status, _, residual, _) in enumerate(ctx.found.reports()):
            if status == "infeasible":
                raise _core.Infeasible(f"lp_sparsemap: row {i} of scores leaves the graph without a solution")
            if status != "converged":
                raise RuntimeError(f"lp_sparsemap: row {i} of scores has not converged after {max_iterations} "
                                   f"iterations, factors disagree by {residual:.2g}; allow more, or a larger tolerance")
        return torch.from_numpy(ctx.found.marginals())

    @staticmethod
    def backward(ctx, grad):
        return SparseGraphGradients.apply(grad, ctx.given, ctx.found) + (None,) * 4


class SparseGraphGradients(Function):
    """The gradients by the scores of variables and of factors: a linear function, with a transpose."""

    @staticmethod
    def forward(ctx, grad, given, found):
        ctx.given, ctx.found = given, found
        by_variable, by_factor = found.gradients(np.ascontiguousarray(grad.detach().numpy()))
        return torch.from_numpy(by_variable), given.columns_of(by_factor)

    @staticmethod
    def backward(ctx, by_variable, by_column):
        return SparseGraphMoves.apply(by_variable, by_column, ctx.given, ctx.found), None, None


class SparseGraphMoves(Function):
    """The transpose: how the marginals move when the scores do."""

    @staticmethod
    def forward(ctx, variables, values, given, found):
        ctx.given, ctx.found = given, found
        own = np.ascontiguousarray(variables.detach().numpy())
        return torch.from_numpy(found.moves(own, given.laid_out(values.detach().numpy())))

    @staticmethod
    def backward(ctx, grad):
        return SparseGraphGradients.apply(grad, ctx.given, ctx.found) + (None, None)


def sparsemap(scores, *, root: str, lengths=None, labelled: bool = False, tolerance: float = 1e-12,
              max_iterations: int = 100000, threads: int = 0) -> torch.Tensor:
    """Returns the mixture of trees nearest to the scores, the shape of the scores: most trees and arcs have exactly 0.

    It is piecewise linear in the scores, with exact derivatives from the trees that it mixes. The trees themselves are
    what kirchhoff.sparsemap gives. It is computed on the CPU, in O(k n^2 + k^3) for k trees, and O(k n^2 L + k^3) with L
    labels.

    >>> scores = torch.tensor([[0, 2.0, 1.0], [0, 0, 1.5], [0, 1.0, 0]], requires_grad=True)
    >>> u = kt.sparsemap(scores, root="single")
    >>> u[0].tolist()
    [0.0, 0.875, 0.125]
    >>> u[0, 1].backward()
    >>> scores.grad.tolist()
    [[0.0, 0.25, -0.25], [0.0, 0.0, 0.25], [0.0, -0.25, 0.0]]
    """
    x = numbers(scores).to("cpu", torch.float64)
    if lengths is not None:
        lengths = torch.as_tensor(lengths).cpu().numpy()
    return like(SparseMarginals.apply(x, root, lengths, labelled, tolerance, max_iterations, threads), scores)


def lp_sparsemap(graph: FactorGraph, scores, factors: Optional[Mapping[int, torch.Tensor]] = None, *,
                 pairs: Optional[Tuple] = None, tolerance: float = 1e-9, max_iterations: int = 20000,
                 threads: int = 0) -> torch.Tensor:
    """Returns the point of a factor graph's relaxation nearest to the scores, (..., variables), as the scores are.

    The scores (..., variables) replace those of the graph's variables, `factors`, by number and each in the shape of
    its table, those of other factors, and `pairs` those of pair factors: the numbers of k factors, -1 for none, and
    scores (..., k). Batches are broadcast against each other and solved by `threads` threads, 0 for all cores. The point
    is piecewise linear, with any number of derivatives, from what the factors mix. Infeasible says that the graph has no
    solution, and RuntimeError that it was not found. An iteration takes a projection for each factor.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(), g.add_variable(), g.add_variable()])
    >>> scores = torch.tensor([0.2, 0.6, -3.0], requires_grad=True)
    >>> kt.lp_sparsemap(g, scores)[1].backward()
    >>> [round(x, 6) for x in scores.grad.tolist()]
    [-0.5, 0.5, 0.0]
    """
    given = GivenScores(graph, scores, factors, pairs)
    found = SparseGraphMarginals.apply(given.variables, given.values, given, float(tolerance),
                                       whole_number(max_iterations, "max_iterations"), threads)
    return like(found.reshape(given.shape + (graph.variables,)), scores)
