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

from ._jax_primitives import Family
from ._wfsm_batch import WfsmRows, strings_of, with_string
from ._wfsm_parts import WfsmWeights
from .wfsm import Wfsm

__all__ = ["counts", "cross_entropy", "entropy", "kl", "log_partition", "log_prob"]


def _rows_of(weights, _, *, machine, arcs):
    return WfsmRows(machine, np.asarray(weights, np.float64))


_machines = Family("wfsm_", _rows_of, kernels=False)


def _places(machine: Wfsm, weights, name: str = "weights"):
    """Returns all weights as one array (..., places)."""
    given = weights if isinstance(weights, tuple) else (weights, None, None)
    first = jnp.asarray(given[0])
    if not jnp.issubdtype(first.dtype, jnp.integer) and not jnp.issubdtype(first.dtype, jnp.floating):
        raise ValueError(f"{name}: dtype {first.dtype} is not a real number type")
    dtype = first.dtype if jnp.issubdtype(first.dtype, jnp.floating) else jnp.result_type(float)
    parts = []
    for part, own in zip(given, machine.log_weights):
        x = jnp.asarray(own if part is None else part, dtype=dtype)
        if x.ndim == 0 or x.shape[-1] != len(own):
            raise ValueError(f"{name}: shape {x.shape} does not end with {len(own)}")
        parts.append(x)
    batch = jnp.broadcast_shapes(*(x.shape[:-1] for x in parts))
    return jnp.concatenate([jnp.broadcast_to(x, batch + x.shape[-1:]) for x in parts], -1)


def _ask(primitive, machine: Wfsm, x):
    return primitive.bind(x, np.zeros(x.shape[:-1], np.int32), machine=machine, arcs=1)


def log_partition(machine: Wfsm, weights):
    """Returns log Z of each machine, (...), with three derivatives; -inf where there is no trajectory.

    >>> round(float(jnp.exp(kj.wfsm.log_partition(m, jnp.zeros(3)))), 4)
    4.0
    """
    return _ask(_machines.log_partition_p, machine, _places(machine, weights))[0]


def counts(machine: Wfsm, weights):
    """Returns the expected uses of transitions (..., arcs), starts and ends (..., states), as WfsmWeights.

    They have two derivatives.

    >>> kj.wfsm.counts(m, jnp.zeros(3)).final.tolist()
    [0.0, 0.5, 0.5]
    """
    found = _ask(_machines.solve_p, machine, _places(machine, weights))[1]
    sizes = [len(part) for part in machine.log_weights]
    parts: list = jnp.split(found, np.cumsum(sizes)[:2], axis=-1)
    return WfsmWeights(*parts)


def entropy(machine: Wfsm, weights):
    """Returns the entropy of each machine's trajectory in nats, (...), with two derivatives.

    >>> round(float(jnp.exp(kj.wfsm.entropy(m, jnp.zeros(3)))), 4)
    4.0
    """
    return _ask(_machines.entropy_p, machine, _places(machine, weights))[0]


def kl(machine: Wfsm, p_weights, q_weights):
    """Returns KL(p || q) of each pair of machines, (...), with two derivatives by both.

    It is inf where q forbids a trajectory that p allows.

    >>> float(kj.wfsm.kl(m, jnp.zeros(3), jnp.zeros(3)))
    0.0
    """
    x, y = jnp.broadcast_arrays(_places(machine, p_weights, "p_weights"), _places(machine, q_weights, "q_weights"))
    log_z, expected = _ask(_machines.solve_p, machine, x)
    used = expected != 0
    difference = jnp.where(used, jnp.where(used, x, 0) - jnp.where(used, y, 0), 0)
    return (expected * difference).sum(-1) - log_z + _ask(_machines.log_partition_p, machine, y)[0]


def cross_entropy(machine: Wfsm, p_weights, q_weights):
    """Returns -E_p[log q] = entropy of p + KL(p || q), (...), with two derivatives by both.

    >>> round(float(jnp.exp(kj.wfsm.cross_entropy(m, jnp.zeros(3), jnp.zeros(3)))), 4)
    4.0
    """
    return entropy(machine, p_weights) + kl(machine, p_weights, q_weights)


def log_prob(machine: Wfsm, weights, strings):
    """Returns log p of a string under each machine, (...), summed over its trajectories, with three derivatives.

    `strings` is one string of symbols, or a list with one for each machine. It is -inf where no trajectory reads it.

    >>> jnp.exp(kj.wfsm.log_prob(m, jnp.zeros((2, 3)), [[1], [1, 1]])).round(4).tolist()
    [0.25, 0.25]
    """
    x = _places(machine, weights)
    batch = x.shape[:-1]
    rows = x.reshape(-1, x.shape[-1])
    strings = strings_of(machine, strings, batch)
    totals = jnp.full(len(rows), -jnp.inf, dtype=x.dtype)
    for string in sorted(set(strings)):
        found = with_string(machine, string)
        if found is not None:
            at = np.array([i for i, s in enumerate(strings) if s == string])
            product, places = found
            totals = totals.at[at].set(_ask(_machines.log_partition_p, product, rows[at][:, places])[0])
    return totals.reshape(batch) - _ask(_machines.log_partition_p, machine, x)[0]
