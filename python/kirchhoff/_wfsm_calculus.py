"""Derivatives, expectations and information: the part of Wfsm that is calculus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Sequence, Tuple

import numpy as np

from ._wfsm_parts import Features, Moments, WfsmWeights, weights_of

if TYPE_CHECKING:
    from .wfsm import Wfsm


class WfsmCalculus:
    __slots__ = ()

    # --- derivatives of Z with respect to the weights (not their logarithms) --------------------------------------

    def gradient(self) -> WfsmWeights:
        """dZ/dw."""
        return WfsmWeights(*self._machine.gradient())

    def hessian(self, first: int = 0, count: Optional[int] = None) -> np.ndarray:
        """d2Z / dw dw for all pairs of transitions, or `count` rows of it from row `first`. O(arcs^2)."""
        if first == 0 and count is None:
            return self._machine.hessian()
        rows = len(self._machine.arcs()) - first if count is None else count
        return self._machine.hessian_rows(first, rows)

    def hessian_vector(self, direction: WfsmWeights) -> WfsmWeights:
        """The Hessian times a vector, start and final weights included. Two solves."""
        return WfsmWeights(*self._machine.hessian_vector(*weights_of(direction)))

    def derivative(self, transitions: Sequence[int]) -> float:
        """The derivative of Z by the weights of these transitions, at most 16."""
        return self._machine.derivative(list(transitions))

    def log_derivative(self, transitions: Sequence[int]) -> float:
        return self._machine.log_derivative(list(transitions))

    def derivatives(self, order: int) -> np.ndarray:
        """All derivatives of this order: an array with `order` axes of length arcs."""
        arcs = len(self._machine.arcs())
        return self._machine.derivatives(order).reshape((arcs,) * order)

    # --- expectations -------------------------------------------------------------------------------------------

    def _features(self, f: Features, name: str):
        parts = f if isinstance(f, tuple) else (f,)
        parts = [np.asarray(a, dtype=np.float64) for a in parts]
        if parts[0].ndim != 2:
            raise ValueError(f"{name}: shape {parts[0].shape} is not (features, transitions)")
        rows, states = len(parts[0]), self.states
        parts = parts + [np.zeros((rows, states))] * (3 - len(parts))
        shapes = [(rows, len(self._machine.arcs())), (rows, states), (rows, states)]
        if [a.shape for a in parts] != shapes:
            raise ValueError(f"{name}: shapes {[a.shape for a in parts]}, expected {shapes}")
        return parts

    def expectation(self, f: Features) -> np.ndarray:
        """E[sum of f over the trajectory]: (features,)."""
        return self._machine.expectation(*self._features(f, "f"))

    def second_order(self, r: Features, s: Features) -> np.ndarray:
        """E[r s^T]: (R, S)."""
        return self._machine.second_order(*self._features(r, "r"), *self._features(s, "s"))

    def covariance(self, r: Features, s: Features) -> np.ndarray:
        """Cov(r, s): (R, S)."""
        return self._machine.covariance(*self._features(r, "r"), *self._features(s, "s"))

    def counts_along(self, direction: WfsmWeights) -> WfsmWeights:
        """Derivative of the counts when the log-weights move along `direction`."""
        return WfsmWeights(*self._machine.counts_along(*weights_of(direction)))

    def moments(self, f: WfsmWeights, order: int) -> Moments:
        """Of one additive function, up to an order of at most 30."""
        return Moments(*self._machine.moments(*weights_of(f), order))

    def entropy(self) -> float:
        """Of the trajectory, in nats."""
        return self._machine.entropy()

    def entropy_gradient(self) -> WfsmWeights:
        """This and the gradients below are with respect to the log-weights."""
        return WfsmWeights(*self._machine.entropy_gradient())

    def kl(self, q: "Wfsm") -> float:
        """KL(p || q) of machines with the same states and transitions."""
        return self._machine.kl(q._machine)

    def kl_gradient(self, q: "Wfsm") -> Tuple[WfsmWeights, WfsmWeights]:
        """With respect to p and to q."""
        p, q_ = self._machine.kl_gradient(q._machine)
        return WfsmWeights(*p), WfsmWeights(*q_)

    def renyi(self, alpha: float) -> float:
        """Renyi entropy of order alpha >= 0; inf where the sum of p^alpha diverges."""
        return self._machine.renyi(alpha)

    def renyi_gradient(self, alpha: float) -> WfsmWeights:
        return WfsmWeights(*self._machine.renyi_gradient(alpha))

    def expected_length(self) -> float:
        """Expected number of transitions."""
        return self._machine.expected_length()

    def expected_length_gradient(self) -> WfsmWeights:
        return WfsmWeights(*self._machine.expected_length_gradient())
