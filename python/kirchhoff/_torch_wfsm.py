"""Differentiable functions of the weights of machines for PyTorch: kirchhoff.torch.wfsm.

One machine is the skeleton, and log-weights are a batch: a tensor (..., arcs), or a tuple of tensors (..., arcs), (...,
states) and (..., states) with start and final weights, which are the machine's own otherwise. What the skeleton forbids
stays forbidden. Results have the dtype and the device of the weights; the work is done in double precision, on the CPU
and on all its cores. log_partition and log_prob have three derivatives, all else two.

>>> import torch, kirchhoff, kirchhoff.torch as kt
>>> m = kirchhoff.Wfsm([(0, 1, 1), (0, 1, 2), (1, 2, 1)], start={0: 0.0}, final={1: 0.0, 2: 0.0})
>>> x = torch.zeros(2, 3, dtype=torch.float64, requires_grad=True)
>>> kt.wfsm.log_partition(m, x).sum().backward()
>>> x.grad.tolist()  # how often each arc is expected in the four trajectories
[[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]
"""

from __future__ import annotations

from functools import lru_cache
from typing import Sequence, Tuple, Union

import numpy as np
import torch

from . import _torch_verbs as verbs
from ._torch_functions import LogPartition, Scored
from ._torch_numbers import doubles, like
from ._wfsm_batch import WfsmRows, strings_of, with_string
from ._wfsm_parts import WfsmWeights
from .wfsm import Wfsm

__all__ = ["counts", "cross_entropy", "entropy", "expectation", "kl", "log_partition", "log_prob", "renyi"]

Weights = Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor, torch.Tensor]]


@lru_cache(maxsize=256)
def _own(machine: Wfsm) -> Tuple[torch.Tensor, ...]:
    """Returns the machine's own log-weights."""
    return tuple(map(torch.from_numpy, machine.log_weights))


def _doubles(x: torch.Tensor, size: int, name: str) -> torch.Tensor:
    x = doubles(x, name)
    if x.dim() == 0 or x.shape[-1] != size:
        raise ValueError(f"{name}: shape {tuple(x.shape)} does not end with {size}")
    return x


def _joined(given, others: Sequence[torch.Tensor], name: str) -> torch.Tensor:
    """Returns numbers for transitions, starts and ends as one tensor (..., places); `others` are for what is not given."""
    given = given if isinstance(given, tuple) else (given, None, None)
    parts = [_doubles(other if part is None else part, len(other), name) for part, other in zip(given, others)]
    batch = np.broadcast_shapes(*(tuple(x.shape[:-1]) for x in parts))
    return torch.cat([x.expand(*batch, x.shape[-1]) for x in parts], -1)


def _scored(machine: Wfsm, weights: Weights, threads: int, name: str = "weights", all_places: bool = True) -> Scored:
    """Returns weights of transitions, starts and ends as the verbs take them; or, if no others are given, of transitions."""
    own = _own(machine)
    given = weights[0] if isinstance(weights, tuple) else weights
    alone = not all_places and given is weights
    x = _doubles(given, len(own[0]), name) if alone else _joined(weights, own, name)
    return Scored((x,), lambda s: WfsmRows(machine, s.detach().numpy(), threads), given)


def _pair(machine: Wfsm, p_weights: Weights, q_weights: Weights, threads: int) -> Tuple[Scored, Scored]:
    """Returns weights of two batches of the same shape."""
    p, q = _scored(machine, p_weights, threads, "p_weights"), _scored(machine, q_weights, threads, "q_weights")
    x, y = torch.broadcast_tensors(*p.scores, *q.scores)
    return p._replace(scores=(x,)), q._replace(scores=(y,))


def log_partition(machine: Wfsm, weights: Weights, *, threads: int = 0) -> torch.Tensor:
    """Returns log Z of each machine, (...), with three derivatives; -inf where there is no trajectory.

    >>> kt.wfsm.log_partition(m, torch.zeros(3, dtype=torch.float64)).exp().round(decimals=6).item()
    4.0
    """
    return verbs.log_partition(_scored(machine, weights, threads, all_places=False))


def counts(machine: Wfsm, weights: Weights, *, threads: int = 0) -> WfsmWeights:
    """Returns the expected uses of transitions (..., arcs), starts and ends (..., states), with two derivatives.

    >>> kt.wfsm.counts(m, torch.zeros(3)).final.tolist()
    [0.0, 0.5, 0.5]
    """
    (found,) = verbs.marginals(_scored(machine, weights, threads))
    return WfsmWeights(*found.split([len(own) for own in _own(machine)], -1))


def expectation(machine: Wfsm, weights: Weights, f: Weights, *, threads: int = 0) -> torch.Tensor:
    """Returns E[sum of f over the trajectory], (..., features), with two derivatives. It is linear in f.

    f is (..., features, arcs), or a tuple with (..., features, states) for starting and for ending too.

    >>> kt.wfsm.expectation(m, torch.zeros(3), torch.ones(1, 3)).tolist()  # the number of transitions
    [1.5]
    """
    return verbs.expectation(_scored(machine, weights, threads),
                             (_joined(f, [torch.zeros_like(own) for own in _own(machine)], "f"),), (1,))


def entropy(machine: Wfsm, weights: Weights, *, threads: int = 0) -> torch.Tensor:
    """Returns the entropy of each machine's trajectory in nats, (...), with two derivatives.

    >>> kt.wfsm.entropy(m, torch.zeros(3, dtype=torch.float64)).exp().round(decimals=6).item()
    4.0
    """
    return verbs.information("entropy", _scored(machine, weights, threads))


def renyi(machine: Wfsm, weights: Weights, alpha: float, *, threads: int = 0) -> torch.Tensor:
    """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha) of each machine, (...), with two derivatives.

    It is inf where the sum diverges, which may be for alpha < 1, and then has no gradient: ValueError.

    >>> kt.wfsm.renyi(m, torch.zeros(3, dtype=torch.float64), 2.0).exp().round(decimals=6).item()
    4.0
    """
    return verbs.renyi(_scored(machine, weights, threads), alpha)


def kl(machine: Wfsm, p_weights: Weights, q_weights: Weights, *, threads: int = 0) -> torch.Tensor:
    """Returns KL(p || q) of each pair of machines, (...), with two derivatives by both.

    It is inf where q forbids a trajectory that p allows, and then has no gradient: ValueError.

    >>> kt.wfsm.kl(m, torch.zeros(3), torch.zeros(3)).item()
    0.0
    """
    return verbs.information("kl", *_pair(machine, p_weights, q_weights, threads))


def cross_entropy(machine: Wfsm, p_weights: Weights, q_weights: Weights, *, threads: int = 0) -> torch.Tensor:
    """Returns -E_p[log q] = entropy of p + KL(p || q), (...), with two derivatives by both.

    >>> x = torch.zeros(3, dtype=torch.float64)
    >>> kt.wfsm.cross_entropy(m, x, x).exp().round(decimals=6).item()
    4.0
    """
    return verbs.information("cross_entropy", *_pair(machine, p_weights, q_weights, threads))


def log_prob(machine: Wfsm, weights: Weights, strings: Sequence, *, threads: int = 0) -> torch.Tensor:
    """Returns log p of a string under each machine, (...), summed over its trajectories, with three derivatives.

    `strings` is one string of symbols, or a list with one for each machine. It is -inf where no trajectory reads it.

    >>> kt.wfsm.log_prob(m, torch.zeros(2, 3, dtype=torch.float64), [[1], [1, 1]]).exp().round(decimals=6).tolist()
    [0.25, 0.25]
    """
    scored = _scored(machine, weights, threads)
    (x,) = scored.scores
    batch = x.shape[:-1]
    rows = x.reshape(-1, x.shape[-1])
    strings = strings_of(machine, strings, batch)
    totals = torch.full((len(rows),), -torch.inf, dtype=torch.float64)
    for string in set(strings):
        found = with_string(machine, string)
        if found is None:
            continue
        at = torch.tensor([i for i, s in enumerate(strings) if s == string])
        product, places = found
        own = rows[at][:, torch.from_numpy(places)]
        totals = totals.index_put((at,), LogPartition.apply(WfsmRows(product, own.detach().numpy(), threads), own))
    log_z = LogPartition.apply(scored.make(x), x)
    impossible = torch.isinf(totals.detach())  # also -inf - -inf where there is no trajectory at all
    found = totals.masked_fill(impossible, 0.0).reshape(batch) - log_z.masked_fill(impossible.reshape(batch), 0.0)
    return like(found.masked_fill(impossible.reshape(batch), -torch.inf), scored.given)
