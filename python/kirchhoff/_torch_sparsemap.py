"""SparseMAP as differentiable functions of PyTorch.

The marginals are piecewise linear in the scores: the derivative is a projection, which is symmetric, and whose own
derivative by the scores is 0.
"""

from __future__ import annotations

import torch
from torch.autograd import Function

from . import _core
from ._torch_numbers import like, numbers
from .factor_graph import FactorGraph
from .sparse_mixtures import _solved


class SparseMarginals(Function):
    """The marginals of SparseMAP, from doubles on the CPU."""

    @staticmethod
    def forward(ctx, scores, root, lengths, tolerance, max_iterations, threads):
        ctx.batch, shape = _solved(scores.detach().numpy(), root, lengths, tolerance, max_iterations, threads)
        return torch.from_numpy(ctx.batch.marginals()).reshape(scores.shape)

    @staticmethod
    def backward(ctx, grad):
        return SparseAlong.apply(grad, ctx.batch), None, None, None, None, None


class SparseAlong(Function):
    """The projection of a direction, which is its own derivative."""

    @staticmethod
    def forward(ctx, direction, batch):
        ctx.batch = batch
        nodes = direction.shape[-1]
        flat = direction.detach().reshape(-1, nodes, nodes).numpy()
        return torch.from_numpy(batch.along(flat)).reshape(direction.shape)

    @staticmethod
    def backward(ctx, grad):
        return SparseAlong.apply(grad, ctx.batch), None


class SparseGraphMarginals(Function):
    """The marginals of LP-SparseMAP on a factor graph, (..., variables), from doubles on the CPU."""

    @staticmethod
    def forward(ctx, scores, graph, tolerance, max_iterations):
        ctx.graph = graph._graph
        rows = scores.detach().reshape(-1, scores.shape[-1]).numpy()
        ctx.found = [_core.lp_sparsemap(ctx.graph, row, tolerance, max_iterations) for row in rows]
        marginals = []
        for i, found in enumerate(ctx.found):
            status, _, residual, _ = found.report()
            if status == "infeasible":
                raise _core.Infeasible(f"lp_sparsemap: row {i} of scores leaves the graph without a solution")
            if status != "converged":
                raise RuntimeError(f"lp_sparsemap: row {i} of scores has not converged after {max_iterations} iterations, "
                                   f"factors disagree by {residual:.2g}; allow more, or a larger tolerance")
            marginals.append(torch.from_numpy(found.marginals()))
        return torch.stack(marginals).reshape(scores.shape) if marginals else torch.zeros_like(scores)

    @staticmethod
    def backward(ctx, grad):
        return SparseGraphAlong.apply(grad, ctx.graph, ctx.found), None, None, None


class SparseGraphAlong(Function):
    """The projection of a direction on what the factors' mixtures leave to the marginals."""

    @staticmethod
    def forward(ctx, direction, graph, found):
        ctx.graph, ctx.found = graph, found
        rows = direction.detach().reshape(-1, direction.shape[-1]).numpy()
        along = [torch.from_numpy(p.gradient(graph, row)[0]) for p, row in zip(found, rows)]
        return torch.stack(along).reshape(direction.shape) if along else torch.zeros_like(direction)

    @staticmethod
    def backward(ctx, grad):
        return SparseGraphAlong.apply(grad, ctx.graph, ctx.found), None, None


def sparsemap(scores, *, root: str, lengths=None, tolerance: float = 1e-12, max_iterations: int = 100000,
              threads: int = 0) -> torch.Tensor:
    """Returns the mixture of trees nearest to the scores, the shape of the scores: most trees and arcs have exactly 0.

    It is piecewise linear in the scores, with exact derivatives from the trees that it mixes. The trees themselves are
    what kirchhoff.sparsemap gives. It is computed on the CPU, in O(k n^2 + k^3) for k trees.

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
    return like(SparseMarginals.apply(x, root, lengths, tolerance, max_iterations, threads), scores)


def lp_sparsemap(graph: FactorGraph, scores, *, tolerance: float = 1e-9, max_iterations: int = 20000) -> torch.Tensor:
    """Returns the point of a factor graph's relaxation nearest to the scores, (..., variables), as the scores are.

    The scores replace those of the graph's variables; the scores of its factors count too, and are constants. It is
    piecewise linear, with derivatives from what the factors mix. Infeasible says that the graph has no solution, and
    RuntimeError that it was not found. An iteration takes a projection for each factor.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(), g.add_variable(), g.add_variable()])
    >>> scores = torch.tensor([0.2, 0.6, -3.0], requires_grad=True)
    >>> kt.lp_sparsemap(g, scores)[1].backward()
    >>> [round(x, 6) for x in scores.grad.tolist()]
    [-0.5, 0.5, 0.0]
    """
    return like(SparseGraphMarginals.apply(numbers(scores).to("cpu", torch.float64), graph, tolerance, max_iterations), scores)
