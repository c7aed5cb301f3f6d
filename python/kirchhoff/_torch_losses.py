"""The losses L_{beta,gamma} of trees and of factor graphs for PyTorch."""

from __future__ import annotations

from typing import Mapping, Optional, Tuple

import numpy as np
import torch
from torch.autograd import Function

from . import _core
from .factor_graph import FactorGraph
from .learning import _gold


def wrong_arcs(scores: torch.Tensor, heads, labels=None) -> torch.Tensor:
    """Returns 0 for the arcs of the trees, and 1 for all others, like the scores; heads and labels are (..., n+1).

    What is no head or label is taken for one: others say what is wrong with it, or do not look at it.
    """
    arcs = scores.shape if labels is None else scores.shape[:-1]
    gold = torch.zeros(arcs, dtype=torch.bool, device=scores.device)
    chosen = torch.as_tensor(heads).to(scores.device).long().expand(arcs[:-1])[..., 1:].clamp(0, arcs[-1] - 1)
    gold[..., 1:].scatter_(-2, chosen.unsqueeze(-2), True)
    if labels is not None:
        names = torch.as_tensor(labels).to(scores.device).long().expand(arcs[:-1]).clamp(0, scores.shape[-1] - 1)
        gold = gold.unsqueeze(-1) & torch.nn.functional.one_hot(names, scores.shape[-1]).bool().unsqueeze(-3)
    return (~gold).to(scores.dtype)


class GraphValue(Function):
    """log Z or a loss of a factor graph, with its gradient by the scores of variables, pairs and other factors.

    `ask(graph)` answers with status, iterations, residual, value, and gradients by variables and factors: of factor f
    by_factor[first[f]:first[f + 1]].
    """

    @staticmethod
    def forward(ctx, graph, ask, pair_factors, numbers, variables, pairs, *factors):
        given = [(f, scores.flatten().tolist()) for f, scores in zip(numbers, factors)]
        scored = _core.graph_with_scores(graph, variables.detach().numpy(), pair_factors, pairs.detach().numpy(), given)
        *_, value, by_variable, by_factor, first = ask(scored)
        found = np.flatnonzero(pair_factors >= 0)
        by_pair = np.zeros(len(pair_factors))
        by_pair[found] = by_factor[first[pair_factors[found]]]
        gradients = [torch.from_numpy(by_variable), torch.from_numpy(by_pair)]
        gradients += [torch.from_numpy(by_factor[first[f]:first[f + 1]]).reshape(t.shape)
                      for f, t in zip(numbers, factors)]
        ctx.save_for_backward(*gradients, variables, pairs, *factors)
        return torch.tensor(value, dtype=torch.float64)

    @staticmethod
    def backward(ctx, grad):
        count = len(ctx.saved_tensors) // 2
        gradients = ctx.saved_tensors[:count]
        if torch.is_grad_enabled():
            gradients = GraphGradients.apply(*ctx.saved_tensors)
        return (None,) * 4 + tuple(grad * gradient for gradient in gradients)


class GraphGradients(Function):
    """The gradients, the first half of the tensors; their derivatives by the scores, the other half, are unknown."""

    @staticmethod
    def forward(ctx, *tensors):
        return tuple(t.clone() for t in tensors[:len(tensors) // 2])

    @staticmethod
    def backward(ctx, *grads):
        raise NotImplementedError("kirchhoff.torch: factor_graph has one derivative; this asks for one more")


def graph_value(graph: FactorGraph, variables: Optional[torch.Tensor], factors: Optional[Mapping[int, torch.Tensor]],
                pairs: Optional[Tuple], gold, loss: Tuple, inference: Tuple) -> torch.Tensor:
    """Returns log Z, or the loss with a gold assignment, of the graph with these scores; the others are its own.

    `loss` has the arguments of kirchhoff.structured_loss from loss to maximum, `inference` those after.
    """
    own = torch.as_tensor(graph.scores) if variables is None else _doubles(variables, "variables")
    if own.shape != (graph.variables,):
        raise ValueError(f"variables: shape {tuple(own.shape)}, expected ({graph.variables},)")
    others = {int(f): _doubles(scores, f"factors[{f}]") for f, scores in (factors or {}).items()}
    pair_factors = np.asarray([] if pairs is None else pairs[0], dtype=np.int64)
    pair_scores = torch.zeros(0, dtype=torch.float64) if pairs is None else _doubles(pairs[1], "pairs")
    if pair_scores.shape != (len(pair_factors),):
        raise ValueError(f"pairs: {len(pair_factors)} factors and scores of shape {tuple(pair_scores.shape)}")
    ask = _asker(graph, gold, loss, inference)
    return GraphValue.apply(graph._graph, ask, pair_factors, list(others), own, pair_scores, *others.values())


def _asker(graph: FactorGraph, gold, loss: Tuple, inference: Tuple):
    if gold is None:
        if loss[:3] != ("crf", None, None):
            raise ValueError("gold: a loss needs it; without it the value is log Z")
        return lambda scored: _core.graph_log_partition(scored, *inference)
    values = _gold(graph, torch.as_tensor(gold).cpu().numpy())
    name, beta, gamma, cost, costs, method, maximum = loss
    weights = [] if costs is None else torch.as_tensor(costs, dtype=torch.float64).tolist()
    return lambda scored: _core.graph_loss(scored, values, name, beta, gamma, cost, weights, method, maximum,
                                           *inference)


def _doubles(values: torch.Tensor, name: str) -> torch.Tensor:
    if values.is_complex() or values.dtype == torch.bool:
        raise ValueError(f"{name}: dtype {values.dtype} is not a real number type")
    return values.to("cpu", torch.float64)
