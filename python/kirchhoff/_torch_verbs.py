"""The verbs of kirchhoff.torch, once for all structures: the public functions of each structure call them."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import torch

from ._torch_functions import Along, LogPartition, Marginals, Scored, Tensors, Value, finite
from ._torch_numbers import like
from ._verbs import INFORMATION, is_shannons, parts_of

def log_partition(x: Scored) -> torch.Tensor:
    return like(LogPartition.apply(x.make(*x.scores), *x.scores), x.given)


def marginals(x: Scored) -> Tensors:
    return tuple(like(t, x.given) for t in _marginals(x.make(*x.scores), x.scores))


def _marginals(p, scores) -> Tensors:
    return parts_of(Marginals.apply(p, *scores))


def expectation(x: Scored, f: Tensors, axes: Tuple[int, ...]) -> torch.Tensor:
    """Returns E[f] (..., features); part i of f has a feature axis before its last axes[i] axes."""
    total: Any = 0.0
    for p, g, n in zip(_marginals(x.make(*x.scores), x.scores), f, axes):
        total = total + (p.unsqueeze(-n - 1) * g).flatten(-n).sum(-1)
    return like(total, x.given)


def information(verb: str, x: Scored, y: Optional[Scored] = None) -> torch.Tensor:
    """Returns the entropy of x, or KL(x || y), or the cross-entropy: a verb of INFORMATION."""
    a, b = INFORMATION[verb]
    if y is not None:
        x, y = _broadcast(x, y)
    p, n = x.make(*x.scores), len(x.scores)
    given = x.scores if y is None else x.scores + y.scores
    q = None if y is None else y.make(*y.scores)
    others = () if q is None else (q,)
    differentiable = _differentiable(p, q, n, a, b)
    if q is None and torch.is_grad_enabled() and any(s.requires_grad for s in given):
        value, gradient = p.entropy_with_gradient()
        return like(Value.apply(lambda: value, lambda: parts_of(gradient), differentiable, *given), x.given)

    def gradients():
        found = getattr(p, f"{verb}_gradient")(*others)
        return parts_of(found) if y is None else parts_of(found[0]) + parts_of(found[1])

    return like(Value.apply(lambda: getattr(p, verb)(*others), gradients, differentiable, *given), x.given)


def _broadcast(x: Scored, y: Scored) -> Tuple[Scored, Scored]:
    """Returns both with the batch that they have together, if they are of structures of the same shape."""
    pairs = list(zip(x.scores, y.scores, x.axes))
    if all(s.shape == t.shape for s, t, _ in pairs) or any(s.shape[-n:] != t.shape[-n:] for s, t, n in pairs):
        return x, y
    try:
        found = [torch.broadcast_tensors(s, t) for s, t, _ in pairs]
    except RuntimeError:
        return x, y  # for which there is a message
    return x._replace(scores=tuple(s for s, _ in found)), y._replace(scores=tuple(t for _, t in found))


def _differentiable(p, q, n: int, a: float, b: float) -> Callable[..., Tensors]:
    """Returns the gradients as functions of the scores of p, which have n parts, and of q."""

    def gradients(*scores):
        s, t = scores[:n], scores[n:] or (None,) * n
        direction = [sum(c * finite(part) for c, part in ((a, own), (-b, other)) if c) for own, other in zip(s, t)]
        by_p = parts_of(Along.apply(p, *s, *direction))
        return by_p if q is None else by_p + tuple(v - u for u, v in zip(_marginals(p, s), _marginals(q, t)))

    return gradients


def renyi(x: Scored, alpha: float) -> torch.Tensor:
    p = x.make(*x.scores)

    def at(order: float, scores):
        moved = [order * s for s in scores]
        return x.make(*moved), moved

    def gradient(*scores):
        if alpha == 0.0:
            return tuple(map(torch.zeros_like, scores))
        if is_shannons(alpha):
            between, middle = at((1.0 + alpha) / 2.0, scores)
            along = parts_of(Along.apply(between, *middle, *map(finite, scores)))
            return tuple(-alpha * t for t in along)
        own, powered = _marginals(p, scores), _marginals(*at(alpha, scores))
        return tuple(alpha / (1.0 - alpha) * (v - u) for u, v in zip(own, powered))

    return like(Value.apply(lambda: p.renyi(alpha), lambda: parts_of(p.renyi_gradient(alpha)), gradient, *x.scores),
                x.given)
