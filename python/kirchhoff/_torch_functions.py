"""PyTorch's autograd functions of log Z, each the derivative of the one before it, so that derivatives compose.

All take scores as doubles on the CPU, and their distribution p, which reads them where they lie: they are saved for the
backward pass, so that PyTorch notices when they are changed in between.
"""

from __future__ import annotations

import numpy as np
import torch
from torch.autograd import Function


def array_of(tensor: torch.Tensor) -> np.ndarray:
    """Returns the memory of a CPU tensor."""
    return tensor.detach().numpy()


def finite(scores: torch.Tensor) -> torch.Tensor:
    """Returns scores with 0 for impossible arcs, as a direction."""
    return scores.masked_fill(torch.isinf(scores), 0.0)


def _over_arcs(grad: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    """Returns a number per graph, ready to be multiplied with arrays of arcs."""
    return grad.reshape(grad.shape + (1,) * (scores.dim() - grad.dim()))


class LogPartition(Function):
    """log Z of each graph."""

    @staticmethod
    def forward(ctx, scores, p):
        ctx.p = p
        ctx.save_for_backward(scores)
        return torch.as_tensor(p.log_partition(), dtype=torch.float64)

    @staticmethod
    def backward(ctx, grad):
        (scores,) = ctx.saved_tensors
        return _over_arcs(grad, scores) * Marginals.apply(scores, ctx.p), None


class Marginals(Function):
    """The gradient of log Z."""

    @staticmethod
    def forward(ctx, scores, p):
        ctx.p = p
        ctx.save_for_backward(scores)
        return torch.from_numpy(p.marginals().copy())  # what the distribution keeps shall not be written to

    @staticmethod
    def backward(ctx, grad):
        (scores,) = ctx.saved_tensors
        return Along.apply(scores, grad, ctx.p), None


class Along(Function):
    """The Hessian of log Z times a direction."""

    @staticmethod
    def forward(ctx, scores, direction, p):
        ctx.p = p
        ctx.save_for_backward(scores, direction)
        return torch.from_numpy(p.marginals_along(array_of(direction)))

    @staticmethod
    def backward(ctx, grad):
        scores, direction = ctx.saved_tensors
        by_scores, by_direction = ctx.needs_input_grad[:2]
        return (CovarianceGradient.apply(scores, direction, grad, ctx.p) if by_scores else None,
                Along.apply(scores, grad, ctx.p) if by_direction else None, None)


class CovarianceGradient(Function):
    """The third derivatives of log Z along two directions."""

    @staticmethod
    def forward(ctx, scores, r, s, p):
        ctx.p = p
        ctx.save_for_backward(scores, r, s)
        return torch.from_numpy(p.covariance_gradient(array_of(r), array_of(s)))

    @staticmethod
    def backward(ctx, grad):
        scores, r, s = ctx.saved_tensors
        if ctx.needs_input_grad[0]:
            raise NotImplementedError("kirchhoff.torch: log_partition and log_prob have three derivatives, all else has "
                                      "two; this asks for one more")
        by_r, by_s = ctx.needs_input_grad[1:3]
        return (None, CovarianceGradient.apply(scores, s, grad, ctx.p) if by_r else None,
                CovarianceGradient.apply(scores, r, grad, ctx.p) if by_s else None, None)


class Value(Function):
    """A number per graph with its gradients, which are arrays or, where they shall be differentiated, functions.

    `gradients()` returns an array for each tensor of scores, and `differentiable(*scores)` the same as tensors that
    autograd can differentiate further.
    """

    @staticmethod
    def forward(ctx, value, gradients, differentiable, *scores):
        ctx.gradients, ctx.differentiable = gradients, differentiable
        ctx.infinite = bool(np.isinf(value).any())
        ctx.save_for_backward(*scores)
        return torch.as_tensor(value, dtype=torch.float64)

    @staticmethod
    def backward(ctx, grad):
        scores = ctx.saved_tensors
        if torch.is_grad_enabled() and not ctx.infinite:  # gradients() says why an infinite value has none
            found = ctx.differentiable(*scores)
        else:
            found = ctx.gradients()
        found = found if isinstance(found, tuple) else (found,)
        scale = _over_arcs(grad, scores[0])
        return (None, None, None) + tuple(scale * torch.as_tensor(g) for g in found)
