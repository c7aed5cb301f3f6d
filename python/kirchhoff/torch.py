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
    """The distribution itself, without gradients."""
    if lengths is not None:
        lengths = _numpy(torch.as_tensor(lengths))
    return TreeDistribution(_numpy(scores), root=root, lengths=lengths, labelled=labelled, threads=threads)


def _numpy(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().cpu().numpy()


def _like(array, scores: torch.Tensor) -> torch.Tensor:
    return torch.as_tensor(np.asarray(array), dtype=scores.dtype, device=scores.device)


def _over_arcs(grad: torch.Tensor, p: TreeDistribution) -> torch.Tensor:
    """A gradient per graph, ready to be multiplied with arrays of arcs."""
    return grad.reshape(grad.shape + (1,) * (3 if p.labels else 2))


class _Marginals(Function):
    @staticmethod
    def forward(ctx, scores, p):
        ctx.p, ctx.like = p, scores
        return _like(p.marginals(), scores)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return _like(ctx.p.marginals_along(_numpy(grad)), ctx.like), None


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
        ctx.gradients, ctx.p, ctx.like = gradients, p, scores[0]
        return _like(value(), scores[0])

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        arrays = ctx.gradients()
        arrays = arrays if isinstance(arrays, tuple) else (arrays,)
        scale = _over_arcs(grad, ctx.p)
        return (None, None, None) + tuple(scale * _like(a, ctx.like) for a in arrays)


def log_partition(scores, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """log Z of each graph."""
    return _LogPartition.apply(scores, distribution(scores, root=root, lengths=lengths, labelled=labelled))


def marginals(scores, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """Arc probabilities, the shape of the scores."""
    return _Marginals.apply(scores, distribution(scores, root=root, lengths=lengths, labelled=labelled))


def expectation(scores, f, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """E[f] for f (..., features, n+1, n+1[, labels]); differentiable in scores and f."""
    arcs = 3 if labelled else 2
    p = marginals(scores, root=root, lengths=lengths, labelled=labelled)
    return (p.unsqueeze(-arcs - 1) * f).sum(dim=tuple(range(-arcs, 0)))


def entropy(scores, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    p = distribution(scores, root=root, lengths=lengths, labelled=labelled)
    return _Value.apply(p.entropy, p.entropy_gradient, p, scores)


def renyi(scores, alpha: float, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    p = distribution(scores, root=root, lengths=lengths, labelled=labelled)
    return _Value.apply(lambda: p.renyi(alpha), lambda: p.renyi_gradient(alpha), p, scores)


def kl(p_scores, q_scores, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """KL(p || q), differentiable in both."""
    p, q = (distribution(s, root=root, lengths=lengths, labelled=labelled) for s in (p_scores, q_scores))
    return _Value.apply(lambda: p.kl(q), lambda: p.kl_gradient(q), p, p_scores, q_scores)


def cross_entropy(p_scores, q_scores, *, root: str, lengths=None, labelled: bool = False) -> torch.Tensor:
    """E_p[-log q], differentiable in both."""
    p, q = (distribution(s, root=root, lengths=lengths, labelled=labelled) for s in (p_scores, q_scores))
    return _Value.apply(lambda: p.cross_entropy(q), lambda: p.cross_entropy_gradient(q), p, p_scores, q_scores)


def risk(scores, heads, labels=None, *, root: str, lengths=None) -> torch.Tensor:
    """Expected fraction of words with the right head (and label)."""
    p = distribution(scores, root=root, lengths=lengths, labelled=labels is not None)
    gold = [None if x is None else _numpy(torch.as_tensor(x)) for x in (heads, labels)]
    return _Value.apply(lambda: p.risk(*gold), lambda: p.risk_gradient(*gold), p, scores)


def tree_score(scores, heads, labels=None, *, lengths=None) -> torch.Tensor:
    """Sum of the scores of a tree's arcs."""
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
    """log p(tree). The heads are taken to be a tree; TreeDistribution.log_prob checks."""
    log_z = log_partition(scores, root=root, lengths=lengths, labelled=labels is not None)
    return tree_score(scores, heads, labels, lengths=lengths) - log_z


class TreeCRF(torch.nn.Module):
    """Negative log-likelihood of gold trees.

    >>> import torch
    >>> loss = TreeCRF(root="single")
    >>> float(loss(torch.zeros(1, 3, 3), torch.tensor([[-1, 0, 1]])))  # one of two trees
    0.6931471824645996
    """

    def __init__(self, *, root: str, reduction: str = "mean"):
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"reduction is {reduction!r}, expected 'mean', 'sum' or 'none'")
        self.root, self.reduction = root, reduction

    def forward(self, scores, heads, lengths=None, labels: Optional[torch.Tensor] = None) -> torch.Tensor:
        loss = -log_prob(scores, heads, labels, root=self.root, lengths=lengths)
        return loss if self.reduction == "none" else getattr(loss, self.reduction)()

    def distribution(self, scores, lengths=None, labelled: bool = False) -> TreeDistribution:
        """For decoding, sampling and everything without a gradient."""
        return distribution(scores, root=self.root, lengths=lengths, labelled=labelled)

    def extra_repr(self) -> str:
        return f"root={self.root!r}, reduction={self.reduction!r}"
