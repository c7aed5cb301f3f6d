"""Weighted finite-state machines: distributions over trajectories, cyclic machines included."""

from __future__ import annotations

from typing import Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._arrays import seed_of
from ._wfsm_calculus import WfsmCalculus
from ._wfsm_parts import Path, Symbols, Transition, WfsmWeights, weights_of

_SAME = -1  # output of an acceptor's transition


class Wfsm(WfsmCalculus):
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
        return Wfsm._of(self._machine.with_log_weights(*weights_of(log_weights)))

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
        return [Path(*p) for p in self._machine.sample_paths(count, seed_of(seed, rng), threads)]

    def string(self, path: Path) -> List[int]:
        """The path's symbols without epsilons."""
        return self._machine.string(path.start, list(path.transitions))

    def _numbers(self, string) -> List[int]:
        try:
            return [self._input[s] if isinstance(s, str) else int(s) for s in string]
        except KeyError as e:
            raise ValueError(f"string: {e.args[0]!r} is not among the symbols") from None

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
