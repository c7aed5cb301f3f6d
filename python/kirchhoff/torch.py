"""Differentiable functions of arc scores for PyTorch.

Scores are tensors (..., n+1, n+1), or (..., n+1, n+1, labels) with labelled=True; `lengths` holds the words of each
graph of a padded batch. Results have the scores' dtype and device; the work is done in double precision on the CPU, so
CUDA tensors are copied there and back. log_partition and log_prob have first and second derivatives, the others first.

>>> import torch, kirchhoff.torch as kt
>>> scores = torch.zeros(4, 4, dtype=torch.float64, requires_grad=True)
>>> kt.log_partition(scores, root="single").backward()
>>> [round(x, 6) for x in scores.grad[0, 1:].tolist()]  # each word is the root's child in a third of the trees
[0.333333, 0.333333, 0.333333]
"""

from __future__ import annotations

from typing import Optional

import numpy as np
import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from .distribution import TreeDistribution


def distribution(scores: torch.Tensor, *, root: str, lengths=None, labelled: bool = False,
                 threads: int = 0) -> TreeDistribution:
    """Returns the distribution itself, without gradients, for decoding and sampling. Takes O(n^3) for each graph.

    >>> kt.distribution(torch.zeros(3, 3), root="single").argmax().heads.tolist()
    [-1, 0, 1]
    """
    if lengths is not None:
        lengths = _numpy(torch.as_tensor(lengths))
    return TreeDistribution(_numpy(scores), root=root, lengths=lengths, labelled=labelled, threads=threads)


def _numpy(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()


def _like(array, scores: torch.Tensor) -> torch.Tensor:
    array = np.asarray(array)
    if not array.flags.writeable:
        array = array.copy()  # a tensor would let its owner write to what the distribution keeps
    return torch.as_tensor(array, dtype=scores.dtype, device=scores.device)


def _over_arcs(grad: torch.Tensor, p: TreeDistribution) -> torch.Tensor:
    """Returns a gradient per graph, ready to be multiplied with arrays of arcs."""
    return grad.reshape(grad.shape + (1,) * (3 if p.labels else 2))


class _Marginals(Function):
    @staticmethod
    def forward(ctx, scores, p):
        ctx.p = p
        ctx.save_for_backward(scores)  # p reads them where they lie: PyTorch shall notice when they are changed
        return _like(p.marginals(), scores)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (scores,) = ctx.saved_tensors
        return _like(ctx.p.marginals_along(_numpy(grad)), scores), None


class _LogPartition(Function):
    @staticmethod
    def forward(ctx, scores, p):
        ctx.p = p
        ctx.save_for_backward(scores)
        return _like(p.log_partition(), scores)

    @staticmethod
    def backward(ctx, grad):
        (scores,) = ctx.saved_tensors
        return _over_arcs(grad, ctx.p) * _Marginals.apply(scores, ctx.p), None


class _Value(Function):
    """A number per graph with a gradient array for each of the score tensors."""

    @staticmethod
    def forward(ctx, value, gradients, p, *scores):
        ctx.gradients, ctx.p = gradients, p
        ctx.save_for_backward(*scores)
        return _like(value(), scores[0])

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        scores = ctx.saved_tensors
        arrays = ctx.gradients()
        arrays = arrays if isinstance(arrays, tuple) else (arrays,)
        scale = _over_arcs(grad, ctx.p)
        return (None, None, None) + tuple(scale * _like(a, scores[0]) for a in arrays)


def log_partition(scores, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """Returns log Z of each graph (...), with first and second derivatives. Each of them takes O(n^3).

    >>> kt.log_partition(torch.zeros(4, 4, dtype=torch.float64), root="single").exp().round(decimals=6).item()
    9.0
    """
    return _LogPartition.apply(scores, distribution(scores, root=root, lengths=lengths, labelled=labelled))


def marginals(scores, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """Returns p(head -> dependent), the shape of the scores, with first derivatives, in O(n^3).

    >>> kt.marginals(torch.zeros(3, 3), root="single")[0].tolist()
    [0.0, 0.5, 0.5]
    """
    return _Marginals.apply(scores, distribution(scores, root=root, lengths=lengths, labelled=labelled))


def expectation(scores, f, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """Returns E[sum of f over the arcs], (..., features), for f (..., features, n+1, n+1[, labels]), in O(n^3).

    It is differentiable in scores and f.

    >>> kt.expectation(torch.zeros(3, 3), torch.ones(1, 3, 3), root="single").tolist()  # each tree has two arcs
    [2.0]
    """
    arcs = 3 if labelled else 2
    p = marginals(scores, root=root, lengths=lengths, labelled=labelled)
    return (p.unsqueeze(-arcs - 1) * f).sum(dim=tuple(range(-arcs, 0)))


def entropy(scores, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """Returns the entropy log Z - E[score] in nats, (...), with first derivatives, in O(n^3).

    >>> kt.entropy(torch.zeros(3, 3, dtype=torch.float64), root="single").exp().round(decimals=6).item()
    2.0
    """
    p = distribution(scores, root=root, lengths=lengths, labelled=labelled)
    if not scores.requires_grad:
        return _like(p.entropy(), scores)
    value, gradient = p.entropy_with_gradient()
    return _Value.apply(lambda: value, lambda: gradient, p, scores)


def renyi(scores, alpha: float, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha), (...), with first derivatives, in O(n^3).

    >>> kt.renyi(torch.zeros(3, 3, dtype=torch.float64), 2.0, root="single").exp().round(decimals=6).item()
    2.0
    """
    p = distribution(scores, root=root, lengths=lengths, labelled=labelled)
    return _Value.apply(lambda: p.renyi(alpha), lambda: p.renyi_gradient(alpha), p, scores)


def kl(p_scores, q_scores, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """Returns KL(p || q) = E_p[log p - log q], (...), with first derivatives by both, in O(n^3).

    >>> kt.kl(torch.zeros(3, 3), torch.zeros(3, 3), root="single").item()
    0.0
    """
    p, q = (distribution(s, root=root, lengths=lengths, labelled=labelled) for s in (p_scores, q_scores))
    return _Value.apply(lambda: p.kl(q), lambda: p.kl_gradient(q), p, p_scores, q_scores)


def cross_entropy(p_scores, q_scores, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """Returns E_p[-log q], (...), with first derivatives by both, in O(n^3).

    >>> x = torch.zeros(3, 3, dtype=torch.float64)
    >>> kt.cross_entropy(x, x, root="single").exp().round(decimals=6).item()
    2.0
    """
    p, q = (distribution(s, root=root, lengths=lengths, labelled=labelled) for s in (p_scores, q_scores))
    return _Value.apply(lambda: p.cross_entropy(q), lambda: p.cross_entropy_gradient(q), p, p_scores, q_scores)


def risk(scores, heads, labels=None, *, root: str, lengths=None) -> torch.Tensor:
    """Returns the expected fraction of words with the right head (and label), (...), with first derivatives.

    heads and labels are integers (..., n+1). Takes O(n^3).

    >>> kt.risk(torch.zeros(3, 3), torch.tensor([-1, 0, 1]), root="single").item()
    0.5
    """
    p = distribution(scores, root=root, lengths=lengths, labelled=labels is not None)
    gold = [None if x is None else _numpy(torch.as_tensor(x)) for x in (heads, labels)]
    return _Value.apply(lambda: p.risk(*gold), lambda: p.risk_gradient(*gold), p, scores)


def tree_score(scores, heads, labels=None, *, lengths=None) -> torch.Tensor:
    """Returns the sum of the scores of a tree's arcs, (...), in O(n); heads and labels are integers (..., n+1).

    >>> kt.tree_score(torch.arange(9.0).reshape(3, 3), torch.tensor([-1, 0, 1])).item()  # 1 + 5
    6.0
    """
    heads = torch.as_tensor(heads, device=scores.device).long()
    words = torch.arange(1, heads.shape[-1], device=scores.device)
    index = heads[..., 1:].clamp(min=0)
    if labels is not None:
        chosen = torch.as_tensor(labels, device=scores.device).long()[..., 1:].clamp(min=0)
        index = (index * heads.shape[-1] + words) * scores.shape[-1] + chosen
        arcs = scores.flatten(-3).gather(-1, index)
    else:
        arcs = scores.flatten(-2).gather(-1, index * heads.shape[-1] + words)
    if lengths is not None:
        lengths = torch.as_tensor(lengths, device=scores.device)
        arcs = torch.where(words <= lengths.unsqueeze(-1), arcs, torch.zeros_like(arcs))
    return arcs.sum(-1)


def log_prob(scores, heads, labels=None, *, root: str, lengths=None) -> torch.Tensor:
    """Returns log p(tree) = score - log Z, (...), with first and second derivatives, in O(n^3).

    heads and labels are integers (..., n+1). Heads are taken to be a tree; TreeDistribution.log_prob checks.

    >>> kt.log_prob(torch.zeros(3, 3, dtype=torch.float64), torch.tensor([-1, 0, 1]), root="single").exp().item()
    0.5
    """
    log_z = log_partition(scores, root=root, lengths=lengths, labelled=labels is not None)
    return tree_score(scores, heads, labels, lengths=lengths) - log_z


class TreeCRF(torch.nn.Module):
    """The loss -log p(gold tree) of each graph; `reduction` is mean, sum or none. It takes O(n^3) for each graph.

    >>> loss = kt.TreeCRF(root="single")
    >>> scores = torch.zeros(1, 3, 3, dtype=torch.float64)
    >>> loss(scores, torch.tensor([[-1, 0, 1]])).exp().round(decimals=6).item()  # one of two trees
    2.0
    """

    def __init__(self, *, root: str, reduction: str = "mean"):
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"reduction is {reduction!r}, expected 'mean', 'sum' or 'none'")
        self.root, self.reduction = root, reduction

    def forward(self, scores, heads, lengths=None, labels: Optional[torch.Tensor] = None) -> torch.Tensor:
        """Returns the loss of scores (batch, n+1, n+1[, labels]), heads and labels (batch, n+1), lengths (batch,).

        >>> gold = torch.tensor([[-1, 0, 1]])
        >>> kt.TreeCRF(root="single", reduction="none")(scores, gold, torch.tensor([2])).shape
        torch.Size([1])
        """
        loss = -log_prob(scores, heads, labels, root=self.root, lengths=lengths)
        return loss if self.reduction == "none" else getattr(loss, self.reduction)()

    def distribution(self, scores, lengths=None, labelled: bool = False) -> TreeDistribution:
        """Returns the distribution, for decoding, sampling and everything without a gradient.

        >>> loss.distribution(scores).argmax().heads.tolist()
        [[-1, 0, 1]]
        """
        return distribution(scores, root=self.root, lengths=lengths, labelled=labelled)

    def extra_repr(self) -> str:
        """Describes the loss when PyTorch prints modules.

        >>> loss
        TreeCRF(root='single', reduction='mean')
        """
        return f"root={self.root!r}, reduction={self.reduction!r}"
