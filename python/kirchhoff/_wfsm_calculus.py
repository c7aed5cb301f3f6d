"""The part of Wfsm that is calculus: derivatives of Z by the weights, expectations and information."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Sequence, Tuple

import numpy as np

from . import _core
from ._arrays import real_number
from ._wfsm_parts import Features, Moments, WfsmWeights, weights_of

if TYPE_CHECKING:
    from .wfsm import Wfsm


class WfsmCalculus:
    __slots__ = ()
    _machine: _core.Wfsm

    def gradient(self) -> WfsmWeights:
        """Returns dZ/dw, by the weights and not their logarithms, in O(arcs): transitions (arcs,), others (states,).

        A weight of 0 has a derivative too, inf where any positive weight would make Z infinite.

        >>> m.gradient().transitions.round(12).tolist()  # Z = b / (1 - a) at a = b = 0.5
        [2.0, 2.0]
        """
        return WfsmWeights(*self._machine.gradient())

    def hessian(self, first: int = 0, count: Optional[int] = None) -> np.ndarray:
        """Returns d2Z / dw dw for all pairs of transitions (arcs, arcs), or `count` rows of it from row `first`.

        It takes O(arcs^2), and a solve for each state.

        >>> m.hessian().round(12).tolist(), m.hessian(1, 1).round(12).tolist()
        ([[8.0, 4.0], [4.0, 0.0]], [[4.0, 0.0]])
        """
        if first == 0 and count is None:
            return self._machine.hessian()
        rows = len(self._machine.arcs()) - first if count is None else count
        return self._machine.hessian_rows(first, rows)

    def hessian_vector(self, direction: WfsmWeights) -> WfsmWeights:
        """Multiplies the Hessian with a vector, start and final weights included, both WfsmWeights. Takes two solves.

        >>> m.hessian_vector(kirchhoff.WfsmWeights([1, 0], [0, 0], [0, 0])).transitions.round(12).tolist()
        [8.0, 4.0]
        """
        return WfsmWeights(*self._machine.hessian_vector(*weights_of(direction)))

    def derivative(self, transitions: Sequence[int]) -> float:
        """Returns the derivative of Z by the weights of these transitions, which may repeat.

        With d different ones it takes d solves and d^2 steps for each of the prod(uses + 1) contents: 2^m where m differ.
        There may be 16 different ones, and up to 64 where they repeat.

        >>> round(m.derivative([0, 0, 1]), 9)  # d3 Z / da da db = 2 / (1 - a)^3
        16.0
        """
        return self._machine.derivative(list(transitions))

    def log_derivative(self, transitions: Sequence[int]) -> float:
        """Returns the logarithm of `derivative`, which is never negative; it may be beyond the range of doubles.

        >>> round(m.log_derivative([0, 0, 1]) / np.log(2).item(), 9)
        4.0
        """
        return self._machine.log_derivative(list(transitions))

    def derivatives(self, order: int) -> np.ndarray:
        """Returns all derivatives of this order: an array with `order` axes of length arcs.

        It takes O(order arcs^order), and a solve for each state; ValueError when it would need more than 4 GB.

        >>> m.derivatives(3)[0, 0].round(9).tolist()
        [48.0, 16.0]
        """
        arcs = len(self._machine.arcs())
        return self._machine.derivatives(order).reshape((arcs,) * order)

    def closure(self, states: Sequence[int]) -> np.ndarray:
        """Returns rows of W* = (I - W)^-1, (len(states), states): the total weights of all walks from these states.

        It takes a solve for each row; a sum that diverges, between states that no trajectory visits, is inf.

        >>> m.closure([0]).round(12).tolist()
        [[2.0, 1.0]]
        """
        return self._machine.closure_rows(list(states))

    def _features(self, f: Features, name: str):
        parts = [np.asarray(a, dtype=np.float64) for a in (f if isinstance(f, tuple) else (f,))]
        if parts[0].ndim != 2:
            raise ValueError(f"{name}: shape {parts[0].shape} is not (features, transitions)")
        rows, states = len(parts[0]), self._machine.states()
        parts = parts + [np.zeros((rows, states))] * (3 - len(parts))
        shapes = [(rows, len(self._machine.arcs())), (rows, states), (rows, states)]
        if [a.shape for a in parts] != shapes:
            raise ValueError(f"{name}: shapes {[a.shape for a in parts]}, expected {shapes}")
        return parts

    def expectation(self, f: Features) -> np.ndarray:
        """Returns E[sum of f over the trajectory], (features,), in O(values of f).

        f is (features, arcs), or a tuple with (features, states) for starting and for ending too.

        >>> m.expectation([[1, 1], [1, 0]]).round(12).tolist()  # its length, and the number of a's
        [2.0, 1.0]
        """
        return self._machine.expectation(*self._features(f, "f"))

    def second_order(self, r: Features, s: Features) -> np.ndarray:
        """Returns E[r s^T], (R, S), for functions r and s as in `expectation`. Takes two solves for each of min(R, S).

        >>> m.second_order([[1, 1]], [[1, 1]]).round(12).tolist()  # of the length: variance + mean^2
        [[6.0]]
        """
        return self._machine.second_order(*self._features(r, "r"), *self._features(s, "s"))

    def covariance(self, r: Features, s: Features) -> np.ndarray:
        """Returns Cov(r, s), (R, S), for functions r and s as in `expectation`. Takes two solves for each of min(R, S).

        >>> m.covariance([[1, 1]], [[1, 1]]).round(12).tolist()
        [[2.0]]
        """
        return self._machine.covariance(*self._features(r, "r"), *self._features(s, "s"))

    def fisher(self, r: Features) -> np.ndarray:
        """Returns the Fisher information, (R, R), of parameters whose features are r: Cov(r, r).

        >>> m.fisher([[1, 1]]).round(12).tolist()
        [[2.0]]
        """
        return self.covariance(r, r)

    def joint_count(self, transitions: Sequence[int]) -> float:
        """Returns the expected product of the counts of these transitions, which may repeat.

        Costs and limits are those of `derivative`.

        >>> round(m.joint_count([0, 0]), 12)  # E[count^2] of the loop: variance 2 + mean 1 squared
        3.0
        """
        return self._machine.joint_count(list(transitions))

    def contains_probability(self, transitions: Sequence[int]) -> float:
        """Returns the probability that a trajectory uses at least one of these transitions, however small it is.

        >>> round(m.contains_probability([0]), 12)
        0.5
        """
        return self._machine.contains_probability(list(transitions))

    def counts_along(self, direction: WfsmWeights) -> WfsmWeights:
        """Returns the derivative of the counts when the log-weights move along `direction`, both WfsmWeights.

        It is the Hessian of log Z times `direction`: Cov(sum of `direction`, count of each). Takes two solves.

        >>> m.counts_along(kirchhoff.WfsmWeights([1, 1], [0, 0], [0, 0])).transitions.round(12).tolist()
        [2.0, 0.0]
        """
        return WfsmWeights(*self._machine.counts_along(*weights_of(direction)))

    def moments(self, f: WfsmWeights, order: int) -> Moments:
        """Returns the moments of orders 0 .. `order` <= 30 of one additive function f (WfsmWeights): arrays (order+1,).

        It takes `order` solves.

        >>> length = kirchhoff.WfsmWeights([1, 1], [0, 0], [0, 0])
        >>> m.moments(length, 2).raw.round(12).tolist(), m.moments(length, 3).cumulants.round(9).tolist()
        ([1.0, 2.0, 6.0], [0.0, 2.0, 2.0, 6.0])
        """
        return Moments(*self._machine.moments(*weights_of(f), order))

    def entropy(self) -> float:
        """Returns the entropy, -sum over trajectories of p log p = log Z - E[log weight], in nats. Takes O(arcs).

        >>> round(m.entropy() / np.log(2).item(), 12)
        2.0
        """
        return self._machine.entropy()

    def entropy_gradient(self) -> WfsmWeights:
        """Returns d entropy / d log-weights, which is -Cov(log weight, count of each). Takes two solves.

        >>> (m.entropy_gradient().transitions / np.log(2)).round(9).tolist()
        [2.0, 0.0]
        """
        return WfsmWeights(*self._machine.entropy_gradient())

    def kl(self, q: "Wfsm") -> float:
        """Returns KL(p || q) = E_p[log p - log q] of machines with the same states and transitions, in O(arcs).

        It is inf when q forbids a trajectory that p allows.

        >>> q = m.with_log_weights(m.log_weights._replace(transitions=np.log([0.25, 0.75])))
        >>> round(m.kl(q) - np.log(0.5 * 0.5 / (0.25 * 0.75)).item(), 12)
        0.0
        """
        return self._machine.kl(q._machine)

    def kl_gradient(self, q: "Wfsm") -> Tuple[WfsmWeights, WfsmWeights]:
        """Returns d kl / d log-weights of p, and of q: two WfsmWeights. Takes two solves.

        >>> q = m.with_log_weights(m.log_weights._replace(transitions=np.log([0.25, 0.75])))
        >>> of_p, of_q = m.kl_gradient(q)
        >>> of_q.transitions.round(9).tolist()  # counts under q - counts under p
        [-0.666666667, 0.0]
        """
        p, q_ = self._machine.kl_gradient(q._machine)
        return WfsmWeights(*p), WfsmWeights(*q_)

    def cross_entropy(self, q: "Wfsm") -> float:
        """Returns -E_p[log q] = entropy + KL, for machines as in `kl`.

        >>> round(m.cross_entropy(m) / np.log(2).item(), 12)
        2.0
        """
        return self._machine.cross_entropy(q._machine)

    def cross_entropy_gradient(self, q: "Wfsm") -> Tuple[WfsmWeights, WfsmWeights]:
        """Returns d cross-entropy / d log-weights of p, and of q: two WfsmWeights. Takes two solves.

        >>> m.cross_entropy_gradient(m)[1].transitions.round(12).tolist()
        [0.0, 0.0]
        """
        of_p, of_q = self._machine.cross_entropy_gradient(q._machine)
        return WfsmWeights(*of_p), WfsmWeights(*of_q)

    def renyi(self, alpha: float) -> float:
        """Returns Renyi's entropy of order alpha >= 0, log(sum of p^alpha) / (1 - alpha) in nats.

        It is inf where the sum diverges, and costs as much as a Wfsm with weights^alpha.

        >>> round(np.exp(m.renyi(2)).item(), 9)  # sum of 4^-k is 1/3
        3.0
        """
        return self._machine.renyi(real_number(alpha, "alpha"))

    def renyi_gradient(self, alpha: float) -> WfsmWeights:
        """Returns d renyi(alpha) / d log-weights: alpha (counts under p^alpha - counts under p) / (1 - alpha).

        >>> m.renyi_gradient(2).transitions.round(9).tolist()  # -2 (1/3 - 1) for a
        [1.333333333, 0.0]
        """
        return WfsmWeights(*self._machine.renyi_gradient(real_number(alpha, "alpha")))

    def expected_length(self) -> float:
        """Returns the expected number of transitions, in O(arcs).

        >>> round(m.expected_length(), 12)
        2.0
        """
        return self._machine.expected_length()

    def expected_length_gradient(self) -> WfsmWeights:
        """Returns d expected_length / d log-weights, which is Cov(length, count of each). Takes two solves.

        >>> m.expected_length_gradient().transitions.round(9).tolist()
        [2.0, 0.0]
        """
        return WfsmWeights(*self._machine.expected_length_gradient())
