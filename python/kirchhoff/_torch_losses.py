"""The losses L_{beta,gamma} of trees and of factor graphs for PyTorch."""

from __future__ import annotations

from typing import Mapping, Optional, Tuple

import numpy as np
import torch
from torch.autograd import Function

from . import _core
from ._graph_rows import rows_of_array
from ._torch_graph_rows import GivenScores
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
    """log Z or a loss of rows of scores of a factor graph: variables (rows, variables), values (rows, columns).

    `ask(variables, values)` answers with the value of each row and its gradients by both.
    """

    @staticmethod
    def forward(ctx, variables, values, ask):
        value, *gradients = ask(variables.detach(), values.detach())
        ctx.save_for_backward(*gradients, variables, values)
        return value

    @staticmethod
    def backward(ctx, grad):
        gradients = ctx.saved_tensors[:2]
        if torch.is_grad_enabled():
            gradients = GraphGradients.apply(*ctx.saved_tensors)
        return tuple(grad.unsqueeze(-1) * gradient for gradient in gradients) + (None,)


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
    golds = None if gold is None else _gold(graph, torch.as_tensor(gold).cpu().numpy())
    if golds is None and loss[:3] != ("crf", None, None):
        raise ValueError("gold: a loss needs it; without it the value is log Z")
    own = torch.as_tensor(graph.scores) if variables is None else variables
    given = GivenScores(graph, own, factors, pairs, () if golds is None else golds.shape[:-1])
    if golds is not None:
        golds = rows_of_array(golds, given.shape)

    def ask(x, w):
        if golds is None:
            found = _core.graph_log_partitions(given.rows(x, w), *inference)
        else:
            name, beta, gamma, cost, costs, method, maximum = loss
            weights = [] if costs is None else torch.as_tensor(costs, dtype=torch.float64).tolist()
            found = _core.graph_losses(given.rows(x, w), golds, name, beta, gamma, cost, weights, method, maximum,
                                       *inference)
        return torch.from_numpy(found[3]), torch.from_numpy(found[4]), given.columns_of(found[5])

    return GraphValue.apply(given.variables, given.values, ask).reshape(given.shape)
