"""Machines of one skeleton with rows of weights, under the names that the functions of kirchhoff.torch and jax ask for."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from . import _core
from .wfsm import Wfsm


class WfsmRows:
    """What machines say about weights (..., places): transitions come first, then start and final weights.

    Weights (..., arcs) are of transitions alone, for log_partition and its derivatives.
    """

    def __init__(self, machine: Wfsm, weights: np.ndarray, threads: int = 0):
        self._shape = weights.shape
        self._weights = weights
        self._batch = _core.WfsmBatch(machine._machine, self._rows(weights), threads)

    def _rows(self, array: Any) -> np.ndarray:
        return np.ascontiguousarray(array, dtype=np.float64).reshape(-1, self._shape[-1])

    def log_partition(self) -> np.ndarray:
        return self._batch.log_partition().reshape(self._shape[:-1])

    def marginals(self) -> np.ndarray:
        return self._batch.counts().reshape(self._shape)

    def marginals_along(self, direction: np.ndarray) -> np.ndarray:
        return self._batch.counts_along(self._rows(direction)).reshape(self._shape)

    def covariance_gradient(self, r: np.ndarray, s: np.ndarray) -> np.ndarray:
        return self._batch.third_along(self._rows(r), self._rows(s)).reshape(self._shape)

    def entropy(self) -> np.ndarray:
        return self._batch.entropies().reshape(self._shape[:-1])

    def entropy_with_gradient(self) -> Tuple[np.ndarray, np.ndarray]:
        return self.entropy(), -self.marginals_along(self._finite())

    def entropy_gradient(self) -> np.ndarray:
        return self.entropy_with_gradient()[1]

    def kl(self, q: "WfsmRows") -> np.ndarray:
        return self._batch.divergences(q._batch).reshape(self._shape[:-1])

    def kl_gradient(self, q: "WfsmRows") -> Tuple[np.ndarray, np.ndarray]:
        return self._pair_gradient(q, self._finite() - q._finite())

    def cross_entropy(self, q: "WfsmRows") -> np.ndarray:
        return self.entropy() + self.kl(q)

    def cross_entropy_gradient(self, q: "WfsmRows") -> Tuple[np.ndarray, np.ndarray]:
        return self._pair_gradient(q, -q._finite())

    def _pair_gradient(self, q: "WfsmRows", direction: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
        if np.isinf(self.kl(q)).any():
            raise ValueError("kl: it is infinite, and has no gradient: q forbids a trajectory that p allows")
        return self.marginals_along(direction), q.marginals() - self.marginals()

    def _finite(self) -> np.ndarray:
        return np.where(np.isinf(self._weights), 0.0, self._weights)

    def renyi(self, alpha: float) -> np.ndarray:
        return self._batch.renyi(alpha).reshape(self._shape[:-1])

    def renyi_gradient(self, alpha: float) -> np.ndarray:
        return self._batch.renyi_gradient(alpha).reshape(self._shape)


@lru_cache(maxsize=256)
def with_string(machine: Wfsm, string: Tuple[int, ...]) -> Optional[Tuple[Wfsm, np.ndarray]]:
    """Returns the machine's product with a string, and the place of the machine that each of its places comes from.

    It is None when no trajectory reads the string.
    """
    try:
        core, states, _, arcs, _ = _core.intersect(_core.builder_of(machine._machine),
                                                   _core.builder_of(_core.string_acceptor(list(string))))
    except _core.Infeasible:
        return None
    count, all_arcs = machine.states, len(machine._machine.arcs())
    first = all_arcs + np.asarray(states, dtype=np.int64)
    return Wfsm._of(core), np.concatenate([np.asarray(arcs, dtype=np.int64), first, first + count])


def strings_of(machine: Wfsm, strings: Sequence, batch: Sequence[int]) -> list:
    """Returns a string of numbers for each machine of a batch, from one string or from one for each of them."""
    one = len(strings) == 0 or not hasattr(strings[0], "__len__") or isinstance(strings[0], str)
    count = int(np.prod(batch, dtype=np.int64))
    numbers = [tuple(machine._numbers(s)) for s in ([strings] if one else strings)]
    if one:
        return numbers * count
    if len(numbers) != count:
        raise ValueError(f"strings: {len(numbers)} strings for {count} machines")
    return numbers
