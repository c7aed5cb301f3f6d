"""PyTorch's autograd functions of log Z, each the derivative of the one before it, so that derivatives compose.

All take scores, and their distribution p, which reads them where they lie: doubles on the CPU, or doubles or floats on
a device, where p is a DeviceTreeDistribution. Scores are saved for the backward pass, so that PyTorch notices when they
are changed in between. A number per graph is a double; an array of arcs has the precision of p's marginals.
"""

from __future__ import annotations

import torch
from torch.autograd import Function

from ._device_graphs import DeviceGraphs


def tensor_of(answer) -> torch.Tensor:
    """Returns an answer of a distribution as a tensor, without a copy of an array."""
    return answer if isinstance(answer, torch.Tensor) else torch.as_tensor(answer, dtype=torch.float64)


def _handed(tensor: torch.Tensor, p):
    """Returns a tensor as p takes it."""
    tensor = tensor.detach()
    return tensor if isinstance(p, DeviceGraphs) else tensor.numpy()


def finite(scores: torch.Tensor) -> torch.Tensor:
    """Returns scores with 0 for impossible arcs, as a direction."""
    return scores.masked_fill(torch.isinf(scores), 0.0)


def _over_arcs(grad: torch.Tensor, arcs: torch.Tensor) -> torch.Tensor:
    """Returns a number per graph, ready to be multiplied with this array of arcs."""
    return grad.to(arcs.dtype).reshape(grad.shape + (1,) * (arcs.dim() - grad.dim()))


class LogPartition(Function):
    """log Z of each graph."""

    @staticmethod
    def forward(ctx, scores, p):
        ctx.p = p
        ctx.save_for_backward(scores)
        if not isinstance(p, DeviceGraphs):
            return tensor_of(p.log_partition())
        if ctx.needs_input_grad[0]:
            p.solve("log_partition", "marginals")  # one solution has both
        return p.take("log_partition")

    @staticmethod
    def backward(ctx, grad):
        (scores,) = ctx.saved_tensors
        marginals = Marginals.apply(scores, ctx.p)
        return _over_arcs(grad, marginals) * marginals, None


class Marginals(Function):
    """The gradient of log Z."""

    @staticmethod
    def forward(ctx, scores, p):
        ctx.p = p
        ctx.save_for_backward(scores)
        if isinstance(p, DeviceGraphs):
            return p.take("marginals")
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
        return tensor_of(p.marginals_along(_handed(direction, p)))

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
        return tensor_of(p.covariance_gradient(_handed(r, p), _handed(s, p)))

    @staticmethod
    def backward(ctx, grad):
        scores, r, s = ctx.saved_tensors
        if ctx.needs_input_grad[0]:
            raise NotImplementedError("kirchhoff.torch: log_partition and log_prob have three derivatives, all else has "
                                      "two; this asks for one more")
        by_r, by_s = ctx.needs_input_grad[1:3]
        return (None, CovarianceGradient.apply(scores, s, grad, ctx.p) if by_r else None,
                CovarianceGradient.apply(scores, r, grad, ctx.p) if by_s else None, None)


class LogProb(Function):
    """log p of a tree of each graph: the score of its arcs, which is a sum over `arcs`, less log Z."""

    @staticmethod
    def forward(ctx, scores, arcs, p):
        ctx.arcs, ctx.p = arcs, p
        log_z = LogPartition.forward(ctx, scores, p)  # this says what is wrong with the scores, or the tree
        return arcs.sum(scores.detach()) - log_z

    @staticmethod
    def backward(ctx, grad):
        (scores,) = ctx.saved_tensors
        marginals = Marginals.apply(scores, ctx.p)
        if not torch.is_grad_enabled():  # where the marginals are, since nobody else has them
            return ctx.arcs.less(marginals, grad), None, None
        own = ctx.arcs.add_to(torch.zeros_like(marginals), torch.ones_like(grad))
        return _over_arcs(grad, own) * (own - marginals), None, None


class Value(Function):
    """A number per graph with its gradients, which are arrays or, where they shall be differentiated, functions.

    `value()` returns the number, `gradients()` an array for each tensor of scores, and `differentiable(*scores)` the
    same as tensors that autograd can differentiate further.
    """

    @staticmethod
    def forward(ctx, value, gradients, differentiable, *scores):
        ctx.gradients, ctx.differentiable = gradients, differentiable
        ctx.save_for_backward(*scores)
        found = tensor_of(value())
        ctx.value = found.detach()
        return found

    @staticmethod
    def backward(ctx, grad):
        scores = ctx.saved_tensors
        # gradients() says why an infinite value has none
        if torch.is_grad_enabled() and not bool(torch.isinf(ctx.value).any()):
            found = ctx.differentiable(*scores)
        else:
            found = ctx.gradients()
        found = map(tensor_of, found if isinstance(found, tuple) else (found,))
        return (None, None, None) + tuple(_over_arcs(grad, g) * g for g in found)
