"""PyTorch's autograd functions of log Z, each the derivative of the one before it, so that derivatives compose.

All take the distribution p, which reads scores where they lie, and the parts of the scores: one tensor for trees and
machines, emissions and transitions for chains. They are doubles on the CPU, or for trees doubles or floats on a device,
where p is a DeviceTreeDistribution. Scores are saved for the backward pass, so that PyTorch notices when they are
changed in between. A number per structure is a double; an array of arcs has the precision of p's marginals.
"""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Tuple

import numpy as np
import torch
from torch.autograd import Function

from ._device_graphs import DeviceGraphs
from ._verbs import TOO_MANY_DERIVATIVES, parts_of, whole


Tensors = Tuple[torch.Tensor, ...]


class Scored(NamedTuple):
    """Scores of a structure or of a batch, prepared: tensors, what answers about such tensors, the caller's tensor."""

    scores: Tensors
    make: Callable[..., Any]
    given: torch.Tensor
    axes: Tuple[int, ...] = ()  #: of each part for one structure, where batches are broadcast against each other


def widened(tensors: Tensors, axes: Tuple[int, ...], more: tuple) -> Tensors:
    """Returns scores with these axes for one structure as those of many for each one, (*batch, *more, ...): views."""
    def wide(t: torch.Tensor, n: int) -> torch.Tensor:
        batch, own = t.shape[:t.dim() - n], t.shape[t.dim() - n:]
        return t.reshape(batch + (1,) * len(more) + own).expand(batch + more + own)

    return tuple(map(wide, tensors, axes)) if more else tensors


def tensor_of(answer) -> torch.Tensor:
    """Returns an answer of a distribution as a tensor, without a copy of an array."""
    return answer if isinstance(answer, torch.Tensor) else torch.as_tensor(answer, dtype=torch.float64)


def _tensors(answer):
    """Returns an answer in the shape of the scores as one tensor, or as a tuple of them."""
    return whole([tensor_of(part) for part in parts_of(answer)])


def _handed(tensors, p):
    """Returns tensors in the shape of the scores as p takes them."""
    found = [t.detach() for t in tensors]
    return whole(found if isinstance(p, DeviceGraphs) else [t.numpy() for t in found])


def finite(scores: torch.Tensor) -> torch.Tensor:
    """Returns scores with 0 for what is impossible, as a direction."""
    return scores.masked_fill(torch.isinf(scores), 0.0)


def _over(grad: torch.Tensor, array: torch.Tensor) -> torch.Tensor:
    """Returns a number per structure, ready to be multiplied with this array."""
    return grad.to(array.dtype).reshape(grad.shape + (1,) * (array.dim() - grad.dim()))


def _times(grad: torch.Tensor, arrays) -> tuple:
    return tuple(_over(grad, a) * a for a in parts_of(arrays))


class LogPartition(Function):
    """log Z of each structure."""

    @staticmethod
    def forward(ctx, p, *scores):
        ctx.p = p
        ctx.save_for_backward(*scores)
        if not isinstance(p, DeviceGraphs):
            return tensor_of(p.log_partition())
        if any(ctx.needs_input_grad):
            p.solve("log_partition", "marginals")  # one solution has both
        return p.take("log_partition")

    @staticmethod
    def backward(ctx, grad):
        return (None, *_times(grad, Marginals.apply(ctx.p, *ctx.saved_tensors)))


class Marginals(Function):
    """The gradient of log Z."""

    @staticmethod
    def forward(ctx, p, *scores):
        ctx.p = p
        ctx.save_for_backward(*scores)
        if isinstance(p, DeviceGraphs):
            return p.take("marginals")
        # What the distribution keeps shall not be written to.
        return whole([torch.from_numpy(np.array(part)) for part in parts_of(p.marginals())])

    @staticmethod
    def backward(ctx, *grads):
        return (None, *parts_of(Along.apply(ctx.p, *ctx.saved_tensors, *grads)))


class Along(Function):
    """The Hessian of log Z times a direction, whose parts come after those of the scores."""

    @staticmethod
    def forward(ctx, p, *tensors):
        ctx.p, ctx.parts = p, len(tensors) // 2
        ctx.save_for_backward(*tensors)
        return _tensors(p.marginals_along(_handed(tensors[ctx.parts:], p)))

    @staticmethod
    def backward(ctx, *grads):
        n, given = ctx.parts, ctx.saved_tensors
        by_scores = by_direction = (None,) * n
        if any(ctx.needs_input_grad[1:n + 1]):
            by_scores = parts_of(CovarianceGradient.apply(ctx.p, *given, *grads))
        if any(ctx.needs_input_grad[n + 1:]):
            by_direction = parts_of(Along.apply(ctx.p, *given[:n], *grads))
        return (None, *by_scores, *by_direction)


class CovarianceGradient(Function):
    """The third derivatives of log Z along two directions."""

    @staticmethod
    def forward(ctx, p, *tensors):
        ctx.p, n = p, len(tensors) // 3
        ctx.save_for_backward(*tensors)
        return _tensors(p.covariance_gradient(_handed(tensors[n:2 * n], p), _handed(tensors[2 * n:], p)))

    @staticmethod
    def backward(ctx, *grads):
        n = len(grads)
        scores, r, s = (ctx.saved_tensors[i * n:(i + 1) * n] for i in range(3))
        by_scores, *by = (any(ctx.needs_input_grad[1 + i * n:1 + (i + 1) * n]) for i in range(3))
        if by_scores:
            raise NotImplementedError(f"kirchhoff.torch: {TOO_MANY_DERIVATIVES}")
        found = [parts_of(CovarianceGradient.apply(ctx.p, *scores, *other, *grads)) if wanted else (None,) * n
                 for wanted, other in zip(by, (s, r))]
        return (None, *(None,) * n, *found[0], *found[1])


class LogProb(Function):
    """log p of a tree of each graph: the score of its arcs, which is a sum over `arcs`, less log Z."""

    @staticmethod
    def forward(ctx, scores, arcs, p):
        ctx.arcs = arcs
        log_z = LogPartition.forward(ctx, p, scores)  # this says what is wrong with the scores, or the tree
        return arcs.sum(scores.detach()) - log_z

    @staticmethod
    def backward(ctx, grad):
        (scores,) = ctx.saved_tensors
        marginals = Marginals.apply(ctx.p, scores)
        if not torch.is_grad_enabled():  # where the marginals are, since nobody else has them
            return ctx.arcs.less(marginals, grad), None, None
        own = ctx.arcs.add_to(torch.zeros_like(marginals), torch.ones_like(grad))
        return _over(grad, own) * (own - marginals), None, None


class Value(Function):
    """A number per structure with its gradients, which are arrays or, where they shall be differentiated, functions.

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
        scores = ctx.saved_tensors  # here PyTorch says when they were changed
        # gradients() says why an infinite value has none
        if torch.is_grad_enabled() and not bool(torch.isinf(ctx.value).any()):
            found = ctx.differentiable(*scores)
        else:
            found = ctx.gradients()
        return (None, None, None, *_times(grad, tuple(map(tensor_of, found))))
