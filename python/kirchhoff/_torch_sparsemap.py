"""SparseMAP as differentiable functions of PyTorch.

The marginals are piecewise linear in the scores: the derivative is a projection, which is symmetric, and whose own
derivative by the scores is 0.
"""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

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


def _solved_rows(graph, scores: torch.Tensor, tolerance: float, max_iterations: int) -> list:
    """Returns what LP-SparseMAP finds for each row of scores, as the extension keeps it."""
    rows = scores.detach().reshape(-1, scores.shape[-1]).numpy()
    all_found = [_core.lp_sparsemap(graph, row, tolerance, max_iterations) for row in rows]
    for i, found in enumerate(all_found):
        status, _, residual, _ = found.report()
        if status == "infeasible":
            raise _core.Infeasible(f"lp_sparsemap: row {i} of scores leaves the graph without a solution")
        if status != "converged":
            raise RuntimeError(f"lp_sparsemap: row {i} of scores has not converged after {max_iterations} iterations, "
                               f"factors disagree by {residual:.2g}; allow more, or a larger tolerance")
    return all_found


def _stacked(rows: list, like_this: torch.Tensor) -> torch.Tensor:
    return torch.from_numpy(np.stack(rows)).reshape(like_this.shape) if rows else torch.zeros_like(like_this)


class SparseGraphMarginals(Function):
    """The marginals of LP-SparseMAP on a factor graph, (..., variables), from doubles on the CPU."""

    @staticmethod
    def forward(ctx, scores, graph, tolerance, max_iterations):
        ctx.graph, ctx.found = graph, _solved_rows(graph, scores, tolerance, max_iterations)
        return _stacked([found.marginals() for found in ctx.found], scores)

    @staticmethod
    def backward(ctx, grad):
        return SparseGraphAlong.apply(grad, ctx.graph, ctx.found), None, None, None


class SparsePairMarginals(Function):
    """The same as a function of the scores of pairs too, which all rows share; it has one derivative."""

    @staticmethod
    def forward(ctx, scores, pair_scores, graph, pair_factors, tolerance, max_iterations):
        factors = np.asarray(pair_factors, dtype=np.int64)
        ctx.graph = _core.graph_with_scores(graph, graph.scores(), factors, pair_scores.detach().numpy(), [])
        ctx.pairs = pair_factors
        ctx.found = _solved_rows(ctx.graph, scores, tolerance, max_iterations)
        return _stacked([found.marginals() for found in ctx.found], scores)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        by_scores, by_pairs = [], np.zeros(len(ctx.pairs))
        for found, row in zip(ctx.found, grad.detach().reshape(-1, grad.shape[-1]).numpy()):
            along, by_factor = found.gradient(ctx.graph, row)
            by_scores.append(along)
            for k, f in enumerate(ctx.pairs):
                if f >= 0:  # the weights of the configurations in which both are 1
                    by_pairs[k] += by_factor[f] @ found.factor(f)[0].all(axis=1)
        return _stacked(by_scores, grad), torch.from_numpy(by_pairs), None, None, None, None


class SparseGraphAlong(Function):
    """The projection of a direction on what the factors' mixtures leave to the marginals."""

    @staticmethod
    def forward(ctx, direction, graph, found):
        ctx.graph, ctx.found = graph, found
        rows = direction.detach().reshape(-1, direction.shape[-1]).numpy()
        return _stacked([p.gradient(graph, row)[0] for p, row in zip(found, rows)], direction)

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


def lp_sparsemap(graph: FactorGraph, scores, *, pairs: Optional[Tuple] = None, tolerance: float = 1e-9,
                 max_iterations: int = 20000) -> torch.Tensor:
    """Returns the point of a factor graph's relaxation nearest to the scores, (..., variables), as the scores are.

    The scores replace those of the graph's variables, and `pairs` those of pair factors: the numbers of k factors, -1
    for none, and k scores. Other factors keep theirs. The point is piecewise linear, with derivatives from what the
    factors mix, one with `pairs` and else any number. Infeasible says that the graph has no solution, and RuntimeError
    that it was not found. An iteration takes a projection for each factor.

    >>> g = kirchhoff.FactorGraph()
    >>> _ = g.add_xor([g.add_variable(), g.add_variable(), g.add_variable()])
    >>> scores = torch.tensor([0.2, 0.6, -3.0], requires_grad=True)
    >>> kt.lp_sparsemap(g, scores)[1].backward()
    >>> [round(x, 6) for x in scores.grad.tolist()]
    [-0.5, 0.5, 0.0]
    """
    x = numbers(scores).to("cpu", torch.float64)
    if pairs is None:
        return like(SparseGraphMarginals.apply(x, graph._graph, tolerance, max_iterations), scores)
    factors = [int(f) for f in pairs[0]]
    used = [f for f in factors if f >= 0]
    if len(set(used)) != len(used) or any(f >= graph.factors or graph._graph.factor_name(f) != "pair" for f in used):
        raise ValueError("pairs: a factor is given twice, or is not a pair of this graph")
    pair_scores = numbers(torch.as_tensor(pairs[1]), "pairs").to("cpu", torch.float64)
    if pair_scores.shape != (len(factors),):
        raise ValueError(f"pairs: {len(factors)} factors and scores of shape {tuple(pair_scores.shape)}")
    return like(SparsePairMarginals.apply(x, pair_scores, graph._graph, factors, tolerance, max_iterations), scores)
