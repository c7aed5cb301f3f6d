"""Weighted finite-state machines: distributions over trajectories, cyclic machines included."""

from __future__ import annotations

from typing import Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._arrays import seed_of, whole_number
from ._wfsm_calculus import WfsmCalculus
from ._wfsm_parts import ACCEPTED, Path, Symbols, Transition, WfsmWeights, arrays_of, builder_of, weights_of
from ._wfsm_products import WfsmProducts
from ._wfsm_protocol import WfsmProtocol


class Wfsm(WfsmProtocol, WfsmCalculus, WfsmProducts):
    """p(trajectory) = start weight * weights of its transitions * final weight / Z, solved when it is made.

    Args:
      transitions: `Transition`s or tuples (source, target, symbol, log_weight, output), the last three optional.
      start, final: log-weights by state, {0: 0.0}.
      states: their number; default: one more than the largest that is named.
      symbols, output_symbols: numbers of names, for strings and texts.

    Raises ValueError; InfiniteSum (a ValueError) names a cycle when Z is infinite; Infeasible means that there is no
    trajectory. The cost is O(arcs) without cycles, else plus a sparse elimination for each strongly connected
    component. A solve, in the costs below, is a pass over the arcs with these eliminations at hand.

    >>> half = np.log(0.5)
    >>> m = kirchhoff.Wfsm([(0, 0, 1, half), (0, 1, 2, half)], start={0: 0.0}, final={1: 0.0}, symbols={"a": 1, "b": 2})
    >>> round(m.log_partition(), 12), round(m.expected_length(), 12)  # b, ab, aab, ...: a geometric distribution
    (0.0, 2.0)
    """

    __slots__ = ("_machine", "_input", "_output")

    def __init__(self, transitions: Iterable[Sequence], *, start: Mapping[int, float], final: Mapping[int, float],
                 states: Optional[int] = None, symbols: Optional[Symbols] = None,
                 output_symbols: Optional[Symbols] = None):
        self._set(builder_of(*arrays_of(transitions), start, final, states, symbols, output_symbols).build())

    @staticmethod
    def from_arrays(source, target, symbol=0, log_weight=0.0, output=None, *, start: Mapping[int, float],
                    final: Mapping[int, float], states: Optional[int] = None, symbols: Optional[Symbols] = None,
                    output_symbols: Optional[Symbols] = None) -> "Wfsm":
        """Makes a machine of arrays, (arcs,) each or a number for all arcs, where a list of tuples would take longer.

        They are what the tuples hold, the others are arguments of the class.

        >>> chain = kirchhoff.Wfsm.from_arrays(np.arange(5), np.arange(1, 6), 1, -0.1, start={0: 0.0}, final={5: 0.0})
        >>> round(chain.log_partition(), 12)
        -0.5
        """
        columns = [np.asarray(x) for x in (source, target, symbol, ACCEPTED if output is None else output)]
        for column, name in zip(columns, ("source", "target", "symbol", "output")):
            if column.dtype.kind not in "iu" and column.size:
                raise ValueError(f"{name}: dtype {column.dtype} is not an integer type")
        try:
            *columns, weights = np.broadcast_arrays(*columns, np.asarray(log_weight, dtype=np.float64))
            if weights.ndim != 1:
                raise ValueError
        except ValueError:
            raise ValueError("source, target, symbol, log_weight, output: expected arrays (arcs,) of one length") from None
        arcs = np.stack(columns, 1).astype(np.int64)
        return Wfsm._of(builder_of(arcs, np.ascontiguousarray(weights), start, final, states, symbols,
                                 output_symbols).build())

    def _set(self, machine: "_core.Wfsm") -> "Wfsm":
        self._machine = machine
        self._input, self._output = map(dict, machine.symbols())
        return self

    @staticmethod
    def _of(machine: "_core.Wfsm") -> "Wfsm":
        return Wfsm.__new__(Wfsm)._set(machine)

    @staticmethod
    def from_text(text: str, *, weights: str = "neglog", arcs: str = "automatic", symbols: str = "",
                  output_symbols: str = "", name: str = "input") -> "Wfsm":
        """Reads a machine as OpenFst's fstprint writes it; `symbols` are symbol tables as text.

        `weights` says what the numbers are: neglog (-log w), log or real. `arcs` is automatic, acceptor or transducer.
        `name` is for messages.

        >>> round(kirchhoff.Wfsm.from_text("0 1 1 0.5\\n1\\n").log_partition(), 12)
        -0.5
        """
        return Wfsm._of(_core.read_wfsm(text, weights, arcs, symbols, output_symbols, name))

    def to_text(self, *, weights: str = "neglog") -> str:
        """Writes text for OpenFst's fstcompile, with names where there are symbols, in O(arcs). It reads back the same.

        >>> [line.split() for line in m.to_text(weights="real").splitlines()]
        [['0', '0', 'a', '0.5'], ['0', '1', 'b', '0.5'], ['1', '1']]
        """
        return self._machine.to_text(weights)

    def symbols_text(self) -> Tuple[str, str]:
        """Returns the tables of input and output symbols as OpenFst reads them: lines of name and number.

        >>> [line.split() for line in m.symbols_text()[0].splitlines()]
        [['a', '1'], ['b', '2']]
        """
        return self._machine.symbols_text()

    def to_dot(self) -> str:
        """Draws for Graphviz: final states have two circles, transitions a symbol and a weight. Takes O(arcs).

        >>> m.to_dot().startswith("digraph")
        True
        """
        return self._machine.to_dot()

    @property
    def states(self) -> int:
        """The number of states.

        >>> m.states
        2
        """
        return self._machine.states()

    @property
    def transitions(self) -> List[Transition]:
        """The transitions as they were given, in order.

        >>> [(t.source, t.target, t.symbol) for t in m.transitions]
        [(0, 0, 1), (0, 1, 2)]
        """
        weights = self.log_weights.transitions.tolist()
        return [Transition(s, t, a, w, None if o == ACCEPTED else o)
                for (s, t, a, o), w in zip(self._machine.arcs().tolist(), weights)]

    @property
    def log_weights(self) -> WfsmWeights:
        """The log-weights: transitions (arcs,), start and final (states,); -inf where there is none.

        >>> m.log_weights.final.tolist()
        [-inf, 0.0]
        """
        return WfsmWeights(*self._machine.log_weights())

    @property
    def symbols(self) -> dict:
        """The numbers of the names of input symbols; {} when there are none.

        >>> m.symbols
        {'a': 1, 'b': 2}
        """
        return dict(self._input)

    @property
    def output_symbols(self) -> dict:
        """The numbers of the names of output symbols; {} when there are none.

        >>> m.output_symbols
        {}
        """
        return dict(self._output)

    @property
    def useless_states(self) -> int:
        """The number of states that no trajectory visits.

        >>> m.useless_states
        0
        """
        return self._machine.useless_states()

    def with_log_weights(self, log_weights: WfsmWeights) -> "Wfsm":
        """Returns the same machine with other log-weights, arrays (arcs,), (states,), (states,).

        >>> w = m.log_weights
        >>> changed = m.with_log_weights(w._replace(transitions=np.log([0.25, 0.5])))
        >>> round(np.exp(changed.log_partition()).item(), 12)  # 0.5 / (1 - 0.25)
        0.666666666667
        """
        return self._weighted(log_weights)

    def _weighted(self, weights) -> "Wfsm":
        return Wfsm._of(self._machine.with_log_weights(*weights_of(weights)))

    def log_partition(self) -> float:
        """Returns log Z, where Z is the sum of the weights of all trajectories.

        >>> round(m.log_partition(), 12)  # 0.5 / (1 - 0.5)
        0.0
        """
        return self._machine.log_partition()

    def transition_marginals(self) -> np.ndarray:
        """Returns how often a trajectory is expected to use each transition, (arcs,): above 1 where cycles repeat.

        It is d log Z / d log-weight, and was computed when the machine was made.

        >>> m.transition_marginals().round(12).tolist()
        [1.0, 1.0]
        """
        return self._machine.transition_marginals()

    def state_visits(self) -> np.ndarray:
        """Returns the expected number of visits to each state, (states,), in O(states).

        >>> m.state_visits().round(12).tolist()
        [2.0, 1.0]
        """
        return self._machine.state_visits()

    def counts(self) -> WfsmWeights:
        """Returns the transitions' counts (arcs,) and the probabilities of starting and ending in each state (states,).

        It is the gradient of log Z by all log-weights, and was computed when the machine was made.

        >>> m.counts().start.round(12).tolist(), m.counts().final.round(12).tolist()
        ([1.0, 0.0], [0.0, 1.0])
        """
        return WfsmWeights(*self._machine.counts())

    def log_weight(self, string: Sequence[Union[int, str]]) -> float:
        """Returns the logarithm of the weight of all trajectories that read this string of symbols, by number or name.

        It is -inf when there is none, and takes O(length * arcs) without epsilon cycles.

        >>> round(np.exp(m.log_weight(["a", "b"])).item(), 12), m.log_weight([2, 2])
        (0.25, -inf)
        """
        return self._machine.log_weight(self._numbers(string))

    def log_prob(self, string: Sequence[Union[int, str]]) -> float:
        """Returns log p(string) = log_weight - log_partition, in O(length * arcs) without epsilon cycles.

        >>> round(np.exp(m.log_prob("aab")).item(), 12)
        0.125
        """
        return self._machine.log_prob(self._numbers(string))

    def best_paths(self, k: int) -> List[Path]:
        """Returns the k trajectories of largest weight, best first; all, if there are fewer.

        It takes O(arcs log arcs + k length log).

        >>> [(p.transitions, round(np.exp(p.log_prob).item(), 12)) for p in m.best_paths(3)]
        [([1], 0.5), ([0, 1], 0.25), ([0, 0, 1], 0.125)]
        """
        return [Path(*p) for p in self._machine.best_paths(k)]

    def sample_paths(self, count: int, *, seed: Optional[int] = 0, rng: Optional[np.random.Generator] = None,
                     threads: int = 0) -> List[Path]:
        """Draws independent trajectories; the same seed gives the same ones, whatever the number of threads.

        Each costs its length times the logarithm of the number of transitions from a state.

        >>> lengths = [len(p.transitions) for p in m.sample_paths(1000, seed=1)]
        >>> bool(abs(np.mean(lengths) - m.expected_length()) < 0.2)
        True
        """
        return [Path(*p) for p in self._machine.sample_paths(count, seed_of(seed, rng), threads)]

    def string(self, path: Path) -> List[int]:
        """Returns the path's symbols without epsilons, in O(length).

        >>> m.string(m.best_paths(2)[1])
        [1, 2]
        """
        return self._machine.string(path.start, list(path.transitions))

    def _numbers(self, string) -> List[int]:
        try:
            return [self._input[s] if isinstance(s, str) else whole_number(s, "string") for s in string]
        except KeyError as e:
            raise ValueError(f"string: {e.args[0]!r} is not among the symbols") from None

    def __reduce__(self):
        weights = self.log_weights
        return _restore, (self._machine.arcs(), *weights, list(self._input.items()), list(self._output.items()))

    def __repr__(self) -> str:
        return f"Wfsm(states={self.states}, transitions={len(self._machine.arcs())})"


def _restore(*parts) -> Wfsm:
    return Wfsm._of(_core.wfsm_builder(*parts).build())


def best_paths(transitions: Iterable[Sequence], k: int, *, start: Mapping[int, float], final: Mapping[int, float],
               states: Optional[int] = None) -> List[Path]:
    """Returns the k trajectories of largest weight of a machine whose Z may be infinite: Z in the tropical semiring.

    The arguments are those of Wfsm. Nothing is solved, so each log_prob is nan. InfiniteSum names a cycle of weight
    above 1, with which no trajectory is the best. Takes O(arcs log arcs + k length log), and O(states arcs) with
    cycles.

    >>> loops = [(0, 0, 1, 0.0), (0, 1, 2, -1.0), (0, 1, 3, 2.0)]  # a loop of weight 1: Wfsm raises InfiniteSum
    >>> [(p.transitions, p.log_weight) for p in kirchhoff.best_paths(loops, 2, start={0: 0.0}, final={1: 0.5})]
    [([2], 2.5), ([0, 2], 2.5)]
    """
    return [Path(*p) for p in builder_of(*arrays_of(transitions), start, final, states, None, None).best_paths(k)]
