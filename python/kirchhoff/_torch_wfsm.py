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

from ._torch_functions import Along, LogPartition, Marginals, Value, finite
from ._torch_numbers import like
from ._wfsm_batch import WfsmRows, strings_of, with_string
from ._wfsm_parts import WfsmWeights
from .wfsm import Wfsm

__all__ = ["counts", "cross_entropy", "entropy", "kl", "log_partition", "log_prob"]

Weights = Union[torch.Tensor, Tuple[torch.Tensor, torch.Tensor, torch.Tensor]]


@lru_cache(maxsize=256)
def _own(machine: Wfsm) -> Tuple[torch.Tensor, ...]:
    """Returns the machine's own log-weights."""
    return tuple(map(torch.from_numpy, machine.log_weights))


def _doubles(x: torch.Tensor, size: int, name: str) -> torch.Tensor:
    if x.is_complex() or x.dtype == torch.bool:
        raise ValueError(f"{name}: dtype {x.dtype} is not a real number type")
    if x.dim() == 0 or x.shape[-1] != size:
        raise ValueError(f"{name}: shape {tuple(x.shape)} does not end with {size}")
    return x.to("cpu", torch.float64)


def _places(machine: Wfsm, weights: Weights, name: str = "weights") -> torch.Tensor:
    """Returns all weights as one tensor of doubles, (..., places)."""
    given = weights if isinstance(weights, tuple) else (weights, None, None)
    parts = []
    for part, own in zip(given, _own(machine)):
        parts.append(_doubles(own if part is None else part, len(own), name))
    batch = np.broadcast_shapes(*(tuple(x.shape[:-1]) for x in parts))
    return torch.cat([x.expand(*batch, x.shape[-1]) for x in parts], -1)


def _transitions(weights: Weights) -> torch.Tensor:
    return weights[0] if isinstance(weights, tuple) else weights


def _rows(machine: Wfsm, x: torch.Tensor, threads: int = 0) -> WfsmRows:
    return WfsmRows(machine, x.detach().numpy(), threads)


def log_partition(machine: Wfsm, weights: Weights, *, threads: int = 0) -> torch.Tensor:
    """Returns log Z of each machine, (...), with three derivatives; -inf where there is no trajectory.

    >>> kt.wfsm.log_partition(m, torch.zeros(3, dtype=torch.float64)).exp().round(decimals=6).item()
    4.0
    """
    x = _places(machine, weights) if isinstance(weights, tuple) else _doubles(weights, len(_own(machine)[0]), "weights")
    return like(LogPartition.apply(x, _rows(machine, x, threads)), _transitions(weights))


def counts(machine: Wfsm, weights: Weights, *, threads: int = 0) -> WfsmWeights:
    """Returns the expected uses of transitions (..., arcs), starts and ends (..., states), with two derivatives.

    >>> kt.wfsm.counts(m, torch.zeros(3)).final.tolist()
    [0.0, 0.5, 0.5]
    """
    x = _places(machine, weights)
    found = like(Marginals.apply(x, _rows(machine, x, threads)), _transitions(weights))
    return WfsmWeights(*found.split([len(own) for own in _own(machine)], -1))


def entropy(machine: Wfsm, weights: Weights, *, threads: int = 0) -> torch.Tensor:
    """Returns the entropy of each machine's trajectory in nats, (...), with two derivatives.

    >>> kt.wfsm.entropy(m, torch.zeros(3, dtype=torch.float64)).exp().round(decimals=6).item()
    4.0
    """
    x = _places(machine, weights)
    p = _rows(machine, x, threads)
    return like(Value.apply(p.entropy, lambda: p.entropy_with_gradient()[1], lambda s: -Along.apply(s, finite(s), p), x),
                _transitions(weights))


def kl(machine: Wfsm, p_weights: Weights, q_weights: Weights, *, threads: int = 0) -> torch.Tensor:
    """Returns KL(p || q) of each pair of machines, (...), with two derivatives by both.

    It is inf where q forbids a trajectory that p allows, and then has no gradient: ValueError.

    >>> kt.wfsm.kl(m, torch.zeros(3), torch.zeros(3)).item()
    0.0
    """
    x, y = torch.broadcast_tensors(_places(machine, p_weights, "p_weights"), _places(machine, q_weights, "q_weights"))
    p, q = _rows(machine, x, threads), _rows(machine, y, threads)
    value = p.kl(q)

    def gradients(s, t):
        return Along.apply(s, finite(s) - finite(t), p), Marginals.apply(t, q) - Marginals.apply(s, p)

    def arrays():
        if np.isinf(value).any():
            raise ValueError("kl: it is infinite, and has no gradient: q forbids a trajectory that p allows")
        return gradients(x.detach(), y.detach())

    return like(Value.apply(lambda: value, arrays, gradients, x, y), _transitions(p_weights))


def cross_entropy(machine: Wfsm, p_weights: Weights, q_weights: Weights, *, threads: int = 0) -> torch.Tensor:
    """Returns -E_p[log q] = entropy of p + KL(p || q), (...), with two derivatives by both.

    >>> x = torch.zeros(3, dtype=torch.float64)
    >>> kt.wfsm.cross_entropy(m, x, x).exp().round(decimals=6).item()
    4.0
    """
    return entropy(machine, p_weights, threads=threads) + kl(machine, p_weights, q_weights, threads=threads)


def log_prob(machine: Wfsm, weights: Weights, strings: Sequence, *, threads: int = 0) -> torch.Tensor:
    """Returns log p of a string under each machine, (...), summed over its trajectories, with three derivatives.

    `strings` is one string of symbols, or a list with one for each machine. It is -inf where no trajectory reads it.

    >>> kt.wfsm.log_prob(m, torch.zeros(2, 3, dtype=torch.float64), [[1], [1, 1]]).exp().round(decimals=6).tolist()
    [0.25, 0.25]
    """
    x = _places(machine, weights)
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
        totals = totals.index_put((at,), LogPartition.apply(own, _rows(product, own, threads)))
    log_z = LogPartition.apply(x, _rows(machine, x, threads))
    impossible = torch.isinf(totals.detach())  # also -inf - -inf where there is no trajectory at all
    found = totals.masked_fill(impossible, 0.0).reshape(batch) - log_z.masked_fill(impossible.reshape(batch), 0.0)
    return like(found.masked_fill(impossible.reshape(batch), -torch.inf), _transitions(weights))
