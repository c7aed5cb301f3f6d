"""Weighted finite-state machines: distributions over trajectories, cyclic machines included."""

from __future__ import annotations

from typing import Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from .distribution import _seed

_SAME = -1  # output of an acceptor's transition


class Transition(NamedTuple):
    """From a state to a state, reading a symbol (0: epsilon)."""

    source: int
    target: int
    symbol: int = 0
    log_weight: float = 0.0
    output: Optional[int] = None  #: of a transducer: kept, printed, and otherwise without effect


class WfsmWeights(NamedTuple):
    """One number for each transition, start weight and final weight: log-weights, gradients, counts, a function."""

    transitions: np.ndarray
    start: np.ndarray
    final: np.ndarray


class Path(NamedTuple):
    """A trajectory: its first state and the numbers of its transitions."""

    start: int
    transitions: List[int]
    log_weight: float
    log_prob: float


class Moments(NamedTuple):
    """Orders 0 .. m of a function f: E[f^k], E[(f - E f)^k] and the cumulants."""

    raw: np.ndarray
    central: np.ndarray
    cumulants: np.ndarray


Symbols = Mapping[str, int]
#: (features, transitions), or with (features, states) for starting and for ending too.
Features = Union[npt.ArrayLike, Tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]]


class Wfsm:
    """p(trajectory) = start weight * weights of its transitions * final weight / Z; immutable, solved when made.

    Args:
      transitions: `Transition`s or tuples (source, target, symbol, log_weight, output), the last three optional.
      start, final: log-weights by state, {0: 0.0}.
      states: their number; default: one more than the largest that is named.
      symbols, output_symbols: numbers of names, for strings and texts.

    Raises ValueError; InfiniteSum (a ValueError) naming a cycle when Z is infinite; Infeasible without any trajectory.
    Cost: O(arcs) without cycles, else plus a sparse elimination for each strongly connected component.

    >>> import numpy as np, kirchhoff
    >>> loop = kirchhoff.Wfsm([(0, 0, 1, np.log(0.5)), (0, 1, 2, np.log(0.5))], start={0: 0.0}, final={1: 0.0})
    >>> round(loop.log_partition(), 12), round(loop.expected_length(), 12)  # a geometric distribution
    (0.0, 2.0)
    >>> round(float(np.exp(loop.log_prob([1, 1, 2]))), 12)
    0.125
    """

    __slots__ = ("_machine", "_input", "_output")

    def __init__(self, transitions: Iterable[Sequence], *, start: Mapping[int, float], final: Mapping[int, float],
                 states: Optional[int] = None, symbols: Optional[Symbols] = None,
                 output_symbols: Optional[Symbols] = None):
        rows = [Transition(*t) for t in transitions]
        arcs = np.array([(t.source, t.target, t.symbol, _SAME if t.output is None else t.output) for t in rows],
                        dtype=np.int64).reshape(-1, 4)
        named = [-1, *start, *final, *arcs[:, :2].ravel().tolist()]
        count = max(named) + 1 if states is None else states
        if count < 0 or any(not 0 <= s < count for s in (*start, *final)):
            raise ValueError(f"start, final: a state that is not among 0 .. {count - 1}")
        self._set(_core.build_wfsm(arcs, np.array([t.log_weight for t in rows], dtype=np.float64),
                                   _by_state(start, count), _by_state(final, count),
                                   list((symbols or {}).items()), list((output_symbols or {}).items())))

    def _set(self, machine: "_core.Wfsm") -> "Wfsm":
        self._machine = machine
        self._input, self._output = map(dict, machine.symbols())
        return self

    @staticmethod
    def _of(machine: "_core.Wfsm") -> "Wfsm":
        return Wfsm.__new__(Wfsm)._set(machine)

    # --- text ---------------------------------------------------------------------------------------------------

    @staticmethod
    def from_text(text: str, *, weights: str = "neglog", arcs: str = "auto", symbols: str = "",
                  output_symbols: str = "", name: str = "input") -> "Wfsm":
        """A machine as OpenFst's fstprint writes it; `symbols` are symbol tables as text.

        weights: what the numbers are: neglog (-log w), log or real. arcs: auto, acceptor or transducer. `name` is for
        messages.

        >>> round(Wfsm.from_text("0 1 1 0.5\\n1\\n").log_partition(), 12)
        -0.5
        """
        return Wfsm._of(_core.read_wfsm(text, weights, arcs, symbols, output_symbols, name))

    def to_text(self, *, weights: str = "neglog") -> str:
        """For OpenFst's fstcompile, with names where there are symbols. Reads back as the same machine."""
        return self._machine.to_text(weights)

    def symbols_text(self) -> Tuple[str, str]:
        """The tables of input and output symbols as OpenFst reads them."""
        return self._machine.symbols_text()

    def to_dot(self) -> str:
        """A drawing for Graphviz."""
        return self._machine.to_dot()

    # --- parts --------------------------------------------------------------------------------------------------

    @property
    def states(self) -> int:
        return self._machine.states()

    @property
    def transitions(self) -> List[Transition]:
        weights = self.log_weights.transitions.tolist()
        return [Transition(s, t, a, w, None if o == _SAME else o)
                for (s, t, a, o), w in zip(self._machine.arcs().tolist(), weights)]

    @property
    def log_weights(self) -> WfsmWeights:
        return WfsmWeights(*self._machine.log_weights())

    @property
    def symbols(self) -> dict:
        return dict(self._input)

    @property
    def output_symbols(self) -> dict:
        return dict(self._output)

    @property
    def useless_states(self) -> int:
        """How many states no trajectory visits."""
        return self._machine.useless_states()

    def with_log_weights(self, log_weights: WfsmWeights) -> "Wfsm":
        """The same states and transitions with other log-weights."""
        return Wfsm._of(self._machine.with_log_weights(*_weights(log_weights)))

    # --- probabilities ------------------------------------------------------------------------------------------

    def log_partition(self) -> float:
        """log Z, Z the sum of the weights of all trajectories."""
        return self._machine.log_partition()

    def transition_marginals(self) -> np.ndarray:
        """Expected number of times that a trajectory uses each transition: above 1 where cycles repeat."""
        return self._machine.transition_marginals()

    def state_visits(self) -> np.ndarray:
        """Expected number of visits to each state."""
        return self._machine.state_visits()

    def counts(self) -> WfsmWeights:
        """The transitions' counts with the probabilities of starting and of ending in each state."""
        return WfsmWeights(*self._machine.counts())

    def log_weight(self, string: Sequence[Union[int, str]]) -> float:
        """Log of the weight of all trajectories that read this string of symbols, by number or name; -inf: none."""
        return self._machine.log_weight(self._numbers(string))

    def log_prob(self, string: Sequence[Union[int, str]]) -> float:
        """log_weight - log_partition."""
        return self._machine.log_prob(self._numbers(string))

    def best_paths(self, k: int) -> List[Path]:
        """The k trajectories of largest weight, best first; all, if there are fewer."""
        return [Path(*p) for p in self._machine.best_paths(k)]

    def sample_paths(self, count: int, *, seed: int = 0, rng: Optional[np.random.Generator] = None,
                     threads: int = 1) -> List[Path]:
        """Independent trajectories; the same seed gives the same ones, whatever the number of threads."""
        return [Path(*p) for p in self._machine.sample_paths(count, _seed(seed, rng), threads)]

    def string(self, path: Path) -> List[int]:
        """The path's symbols without epsilons."""
        return self._machine.string(path.start, list(path.transitions))

    def _numbers(self, string) -> List[int]:
        try:
            return [self._input[s] if isinstance(s, str) else int(s) for s in string]
        except KeyError as e:
            raise ValueError(f"string: {e.args[0]!r} is not among the symbols") from None

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
        return WfsmWeights(*self._machine.hessian_vector(*_weights(direction)))

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
        return WfsmWeights(*self._machine.counts_along(*_weights(direction)))

    def moments(self, f: WfsmWeights, order: int) -> Moments:
        """Of one additive function, up to an order of at most 30."""
        return Moments(*self._machine.moments(*_weights(f), order))

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

    # --- Python's own -------------------------------------------------------------------------------------------

    def __reduce__(self):
        weights = self.log_weights
        return _restore, (self._machine.arcs(), *weights, list(self._input.items()), list(self._output.items()))

    def __repr__(self) -> str:
        return f"Wfsm(states={self.states}, transitions={len(self._machine.arcs())})"


def _restore(*parts) -> Wfsm:
    return Wfsm._of(_core.build_wfsm(*parts))


def _by_state(weights: Mapping[int, float], states: int) -> np.ndarray:
    out = np.full(states, -np.inf)
    for state, weight in weights.items():
        out[state] = weight
    return out


def _weights(w: WfsmWeights):
    return [np.asarray(a, dtype=np.float64) for a in w]
