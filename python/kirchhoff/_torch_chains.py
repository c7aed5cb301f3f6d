"""Linear chains for PyTorch: autograd functions of log Z, each the derivative of the one before it.

All take emissions (..., length, tags) and transitions (..., length-1, tags, tags), and their distribution p, which
reads them where they lie: doubles on the CPU.
"""

from __future__ import annotations

import numpy as np
import torch
from torch.autograd import Function

from ._torch_functions import Value, finite, tensor_of
from ._torch_numbers import like
from .chain import ChainDistribution


def _tensors(tables):
    return tuple(torch.from_numpy(np.array(t)) for t in tables)


def _arrays(*tensors):
    return tuple(t.detach().numpy() for t in tensors)


def _each(grad: torch.Tensor, tables):
    """Returns the arrays, times the number of their chain."""
    return tuple(grad.reshape(grad.shape + (1,) * (t.dim() - grad.dim())) * t for t in tables)


class ChainLogPartition(Function):
    """log Z of each chain."""

    @staticmethod
    def forward(ctx, emissions, transitions, p):
        ctx.p = p
        ctx.save_for_backward(emissions, transitions)
        return tensor_of(p.log_partition())

    @staticmethod
    def backward(ctx, grad):
        return (*_each(grad, ChainMarginals.apply(*ctx.saved_tensors, ctx.p)), None)


class ChainMarginals(Function):
    """The gradient of log Z."""

    @staticmethod
    def forward(ctx, emissions, transitions, p):
        ctx.p = p
        ctx.save_for_backward(emissions, transitions)
        return _tensors(p.marginals())

    @staticmethod
    def backward(ctx, by_emissions, by_transitions):
        return (*ChainAlong.apply(*ctx.saved_tensors, by_emissions, by_transitions, ctx.p), None)


class ChainAlong(Function):
    """The Hessian of log Z times a direction."""

    @staticmethod
    def forward(ctx, emissions, transitions, r, r_pairs, p):
        ctx.p = p
        ctx.save_for_backward(emissions, transitions, r, r_pairs)
        return _tensors(p.marginals_along(_arrays(r, r_pairs)))

    @staticmethod
    def backward(ctx, *grads):
        emissions, transitions, r, r_pairs = ctx.saved_tensors
        by_scores = by_direction = (None, None)
        if any(ctx.needs_input_grad[:2]):
            by_scores = ChainCovarianceGradient.apply(emissions, transitions, r, r_pairs, *grads, ctx.p)
        if any(ctx.needs_input_grad[2:4]):
            by_direction = ChainAlong.apply(emissions, transitions, *grads, ctx.p)
        return (*by_scores, *by_direction, None)


class ChainCovarianceGradient(Function):
    """The third derivatives of log Z along two directions."""

    @staticmethod
    def forward(ctx, emissions, transitions, r, r_pairs, s, s_pairs, p):
        ctx.p = p
        ctx.save_for_backward(emissions, transitions, r, r_pairs, s, s_pairs)
        return _tensors(p.covariance_gradient(_arrays(r, r_pairs), _arrays(s, s_pairs)))

    @staticmethod
    def backward(ctx, *grads):
        scores, r, s = ctx.saved_tensors[:2], ctx.saved_tensors[2:4], ctx.saved_tensors[4:]
        if any(ctx.needs_input_grad[:2]):
            raise NotImplementedError("kirchhoff.torch: chain_log_partition and chain_log_prob have three derivatives, "
                                      "all else has two; this asks for one more")
        by_r = by_s = (None, None)
        if any(ctx.needs_input_grad[2:4]):
            by_r = ChainCovarianceGradient.apply(*scores, *s, *grads, ctx.p)
        if any(ctx.needs_input_grad[4:6]):
            by_s = ChainCovarianceGradient.apply(*scores, *r, *grads, ctx.p)
        return (None, None, *by_r, *by_s, None)


def prepared(emissions: torch.Tensor, transitions: torch.Tensor):
    """Returns scores as doubles on the CPU, transitions for every position; gradients flow back to the caller's."""
    found = []
    for name, values in (("emissions", emissions), ("transitions", transitions)):
        if values.is_complex() or values.dtype == torch.bool:
            raise ValueError(f"{name}: dtype {values.dtype} is not a real number type")
        found.append(values.to("cpu", torch.float64))
    x, y = found
    full = ChainDistribution._spread(y.detach().numpy(), tuple(x.shape)).shape if x.dim() > 1 else y.shape
    if y.dim() in (2, x.dim()) and y.shape[-2:] == full[-2:] and y.dim() != len(full):
        y = y.unsqueeze(-3)
    return x, y.expand(full)


def chain_of(x: torch.Tensor, y: torch.Tensor, lengths) -> ChainDistribution:
    """Returns what answers about prepared scores."""
    if lengths is not None:
        lengths = torch.as_tensor(lengths).cpu().numpy()
    return ChainDistribution(x.detach().numpy(), y.detach().numpy(), lengths=lengths)


def _valued(value, gradients, differentiable, scores, like_what):
    return like(Value.apply(value, gradients, differentiable, *scores), like_what)


def chain_log_partition(emissions, transitions, *, lengths=None) -> torch.Tensor:
    """Returns log Z of each chain (...), with three derivatives, each in O(length tags^2).

    emissions are (..., length, tags) and transitions (..., length-1, tags, tags), or (tags, tags) for all positions, or
    (..., tags, tags); see ChainDistribution.

    >>> kt.chain_log_partition(torch.zeros(3, 2), torch.zeros(2, 2)).exp().round(decimals=4).item()
    8.0
    """
    x, y = prepared(emissions, transitions)
    return like(ChainLogPartition.apply(x, y, chain_of(x, y, lengths)), emissions)


def chain_marginals(emissions, transitions, *, lengths=None):
    """Returns the probabilities of tags and of pairs of tags, with two derivatives, in O(length tags^2).

    >>> tags, pairs = kt.chain_marginals(torch.zeros(3, 2), torch.zeros(2, 2))
    >>> tags[0].tolist(), pairs.shape
    ([0.5, 0.5], torch.Size([2, 2, 2]))
    """
    x, y = prepared(emissions, transitions)
    return tuple(like(t, emissions) for t in ChainMarginals.apply(x, y, chain_of(x, y, lengths)))


def chain_score(emissions, transitions, tags, *, lengths=None) -> torch.Tensor:
    """Returns the sum of the scores of a sequence's tags and pairs, (...), for integers (..., length), in O(length).

    >>> kt.chain_score(torch.eye(3), torch.zeros(3, 3), torch.tensor([0, 1, 1])).item()
    2.0
    """
    x, y = prepared(emissions, transitions)
    return like(_score(x, y, chain_of(x, y, lengths), tags), emissions)


def _score(x, y, p: ChainDistribution, tags) -> torch.Tensor:
    p.log_prob(torch.as_tensor(tags).cpu().numpy())  # says what is wrong with the tags
    tags = torch.as_tensor(tags).cpu().long().expand(x.shape[:-1])
    beyond = torch.arange(x.shape[-2]) >= torch.as_tensor(p.lengths).unsqueeze(-1)
    tags = tags.masked_fill(beyond, 0)
    own = x.gather(-1, tags.unsqueeze(-1)).squeeze(-1).masked_fill(beyond, 0.0).sum(-1)
    index = (tags[..., :-1] * p.tags + tags[..., 1:]).unsqueeze(-1)
    return own + y.flatten(-2).gather(-1, index).squeeze(-1).masked_fill(beyond[..., 1:], 0.0).sum(-1)


def chain_log_prob(emissions, transitions, tags, *, lengths=None) -> torch.Tensor:
    """Returns log p(tags), (...), for integers (..., length), with three derivatives, in O(length tags^2).

    What comes after a chain's length is ignored. Minus its mean is the loss of a linear-chain CRF.

    >>> kt.chain_log_prob(torch.zeros(3, 2), torch.zeros(2, 2), torch.tensor([0, 1, 1])).exp().item()
    0.125
    """
    x, y = prepared(emissions, transitions)
    p = chain_of(x, y, lengths)
    return like(_score(x, y, p, tags) - ChainLogPartition.apply(x, y, p), emissions)


def chain_entropy(emissions, transitions, *, lengths=None) -> torch.Tensor:
    """Returns the entropy in nats, (...), with two derivatives, in O(length tags^2).

    >>> kt.chain_entropy(torch.zeros(3, 2), torch.zeros(2, 2)).exp().round(decimals=4).item()
    8.0
    """
    x, y = prepared(emissions, transitions)
    p = chain_of(x, y, lengths)

    def differentiable(e, t):
        return tuple(-g for g in ChainAlong.apply(e, t, finite(e), finite(t), p))

    return _valued(p.entropy, lambda: tuple(p.entropy_gradient()), differentiable, (x, y), emissions)


def chain_kl(p_scores, q_scores, *, lengths=None) -> torch.Tensor:
    """Returns KL(p || q), (...), of pairs (emissions, transitions), with two derivatives by all, in O(length tags^2).

    >>> scores = torch.zeros(3, 2), torch.zeros(2, 2)
    >>> kt.chain_kl(scores, scores).item()
    0.0
    """
    (x, y), (z, w) = prepared(*p_scores), prepared(*q_scores)
    p, q = chain_of(x, y, lengths), chain_of(z, w, lengths)

    def gradients():
        by_p, by_q = p.kl_gradient(q)
        return (*by_p, *by_q)

    def differentiable(e, t, f, u):
        by_p = ChainAlong.apply(e, t, finite(e) - finite(f), finite(t) - finite(u), p)
        own, other = ChainMarginals.apply(e, t, p), ChainMarginals.apply(f, u, q)
        return (*by_p, *(b - a for a, b in zip(own, other)))

    return _valued(lambda: p.kl(q), gradients, differentiable, (x, y, z, w), p_scores[0])
