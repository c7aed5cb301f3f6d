"""Differentiable functions of the weights of machines for JAX: kirchhoff.jax.wfsm.

One machine is the skeleton, and log-weights are a batch: an array (..., arcs), or a tuple of arrays (..., arcs), (...,
states) and (..., states) with start and final weights, which are the machine's own otherwise. What the skeleton forbids
stays forbidden. The work is done in double precision on the CPU, where jit calls it back; results have the dtype of the
weights. log_partition and log_prob have three derivatives, all else two, in both modes and under jit and vmap.

>>> import jax, jax.numpy as jnp, kirchhoff, kirchhoff.jax as kj
>>> m = kirchhoff.Wfsm([(0, 1, 1), (0, 1, 2), (1, 2, 1)], start={0: 0.0}, final={1: 0.0, 2: 0.0})
>>> jax.grad(lambda x: kj.wfsm.log_partition(m, x))(jnp.zeros(3)).tolist()  # how often each arc is expected
[0.5, 0.5, 0.5]
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from ._jax_families import Family
from ._jax_primitives import Kind
from ._wfsm_batch import WfsmRows, strings_of, with_string
from ._wfsm_parts import WfsmWeights
from .wfsm import Wfsm

__all__ = ["counts", "cross_entropy", "entropy", "expectation", "kl", "log_partition", "log_prob", "renyi"]


_machines = Family(Kind("wfsm_", lambda weights, _, *, machine: WfsmRows(machine, weights), lambda _: (1,)))


def _joined(given, others, name: str):
    """Returns numbers for transitions, starts and ends as one array (..., places); `others` are for what is not given."""
    given = given if isinstance(given, tuple) else (given, None, None)
    first = jnp.asarray(given[0])
    if not jnp.issubdtype(first.dtype, jnp.integer) and not jnp.issubdtype(first.dtype, jnp.floating):
        raise ValueError(f"{name}: dtype {first.dtype} is not a real number type")
    dtype = first.dtype if jnp.issubdtype(first.dtype, jnp.floating) else jnp.result_type(float)
    parts = []
    for part, own in zip(given, others):
        x = jnp.asarray(own if part is None else part, dtype=dtype)
        if x.ndim == 0 or x.shape[-1] != len(own):
            raise ValueError(f"{name}: shape {x.shape} does not end with {len(own)}")
        parts.append(x)
    batch = jnp.broadcast_shapes(*(x.shape[:-1] for x in parts))
    ends = np.cumsum([x.shape[-1] for x in parts])
    # Not by jnp.concatenate: what XLA makes of it, jaxlib 0.7.1 cannot hand to a callback, and ends the program.
    joined = jnp.zeros(batch + (int(ends[-1]),), dtype)
    for x, end in zip(parts, ends):
        joined = joined.at[..., end - x.shape[-1]:end].set(x)
    return joined


def _operands(machine: Wfsm, weights, name: str = "weights"):
    """Returns all weights as one array, and what stands in the place of lengths."""
    x = _joined(weights, machine.log_weights, name)
    return x, np.zeros(x.shape[:-1], np.int32)


def _pair(machine: Wfsm, p_weights, q_weights):
    (x, _), (y, _) = _operands(machine, p_weights, "p_weights"), _operands(machine, q_weights, "q_weights")
    x, y = jnp.broadcast_arrays(x, y)
    return x, y.astype(x.dtype), np.zeros(x.shape[:-1], np.int32)


def log_partition(machine: Wfsm, weights):
    """Returns log Z of each machine, (...), with three derivatives; -inf where there is no trajectory.

    >>> round(float(jnp.exp(kj.wfsm.log_partition(m, jnp.zeros(3)))), 4)
    4.0
    """
    return _machines.log_partition(*_operands(machine, weights), machine=machine)


def counts(machine: Wfsm, weights):
    """Returns the expected uses of transitions (..., arcs), starts and ends (..., states), as WfsmWeights.

    They have two derivatives.

    >>> kj.wfsm.counts(m, jnp.zeros(3)).final.tolist()
    [0.0, 0.5, 0.5]
    """
    (found,) = _machines.marginals(*_operands(machine, weights), machine=machine)
    sizes = [len(part) for part in machine.log_weights]
    parts: list = jnp.split(found, np.cumsum(sizes)[:2], axis=-1)
    return WfsmWeights(*parts)


def expectation(machine: Wfsm, weights, f):
    """Returns E[sum of f over the trajectory], (..., features), with two derivatives. It is linear in f.

    f is (..., features, arcs), or a tuple with (..., features, states) for starting and for ending too.

    >>> kj.wfsm.expectation(m, jnp.zeros(3), jnp.ones((1, 3))).tolist()  # the number of transitions
    [1.5]
    """
    own = [np.zeros(len(part)) for part in machine.log_weights]
    return _machines.expectation(*_operands(machine, weights), machine=machine, f=(_joined(f, own, "f"),))


def entropy(machine: Wfsm, weights):
    """Returns the entropy of each machine's trajectory in nats, (...), with two derivatives.

    >>> round(float(jnp.exp(kj.wfsm.entropy(m, jnp.zeros(3)))), 4)
    4.0
    """
    return _machines.information("entropy", *_operands(machine, weights), machine=machine)


def renyi(machine: Wfsm, weights, alpha: float):
    """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha) of each machine, (...), with two derivatives.

    alpha is a Python number: inside jit it is a part of the compiled function. The entropy is inf where the sum
    diverges, which may be for alpha < 1, and then has no gradient: an error.

    >>> round(float(jnp.exp(kj.wfsm.renyi(m, jnp.zeros(3), 2.0))), 4)
    4.0
    """
    return _machines.renyi(*_operands(machine, weights), machine=machine, alpha=alpha)


def kl(machine: Wfsm, p_weights, q_weights):
    """Returns KL(p || q) of each pair of machines, (...), with two derivatives by both.

    It is inf where q forbids a trajectory that p allows, and then has no gradient: an error.

    >>> float(kj.wfsm.kl(m, jnp.zeros(3), jnp.zeros(3)))
    0.0
    """
    return _machines.information("kl", *_pair(machine, p_weights, q_weights), machine=machine)


def cross_entropy(machine: Wfsm, p_weights, q_weights):
    """Returns -E_p[log q] = entropy of p + KL(p || q), (...), with two derivatives by both.

    >>> round(float(jnp.exp(kj.wfsm.cross_entropy(m, jnp.zeros(3), jnp.zeros(3)))), 4)
    4.0
    """
    return _machines.information("cross_entropy", *_pair(machine, p_weights, q_weights), machine=machine)


def log_prob(machine: Wfsm, weights, strings):
    """Returns log p of a string under each machine, (...), summed over its trajectories, with three derivatives.

    `strings` is one string of symbols, or a list with one for each machine. It is -inf where no trajectory reads it.

    >>> jnp.exp(kj.wfsm.log_prob(m, jnp.zeros((2, 3)), [[1], [1, 1]])).round(4).tolist()
    [0.25, 0.25]
    """
    x, lengths = _operands(machine, weights)
    batch = x.shape[:-1]
    rows = x.reshape(-1, x.shape[-1])
    strings = strings_of(machine, strings, batch)
    totals = jnp.full(len(rows), -jnp.inf, dtype=x.dtype)
    for string in sorted(set(strings)):
        found = with_string(machine, string)
        if found is not None:
            at = np.array([i for i, s in enumerate(strings) if s == string])
            product, places = found
            totals = totals.at[at].set(_machines.log_partition(rows[at][:, places], np.zeros(len(at), np.int32),
                                                                   machine=product))
    return totals.reshape(batch) - _machines.log_partition(x, lengths, machine=machine)
