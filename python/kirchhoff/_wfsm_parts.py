"""The parts that a machine is made of, and the results of its methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import whole_number

if TYPE_CHECKING:
    from .wfsm import Wfsm

ACCEPTED = -1  #: the output of a transition that has none


class Transition(NamedTuple):
    """A transition goes from a state to a state and reads a symbol, of which 0 is epsilon.

    `output` belongs to transducers: it matters where machines are composed.

    >>> kirchhoff.Transition(0, 1, symbol=2, log_weight=-0.5)
    Transition(source=0, target=1, symbol=2, log_weight=-0.5, output=None)
    """

    source: int
    target: int
    symbol: int = 0
    log_weight: float = 0.0
    output: Optional[int] = None  #: what a transducer writes


class WfsmWeights(NamedTuple):
    """One number for each transition, start weight and final weight: log-weights, gradients, counts, or a function.

    The shapes are (arcs,) for transitions and (states,) for start and final.

    >>> m = kirchhoff.Wfsm([(0, 1)], start={0: 0.0}, final={1: 0.0})
    >>> [a.tolist() for a in m.counts()]
    [[1.0], [1.0, 0.0], [0.0, 1.0]]
    """

    transitions: np.ndarray
    start: np.ndarray
    final: np.ndarray


class Path(NamedTuple):
    """A trajectory has a first state, the numbers of its transitions, and logarithms of its weight and probability.

    >>> kirchhoff.Wfsm([(0, 1)], start={0: 0.0}, final={1: 0.0}).best_paths(1)
    [Path(start=0, transitions=[0], log_weight=0.0, log_prob=0.0)]
    """

    start: int
    transitions: List[int]
    log_weight: float
    log_prob: float


class SampledPaths(NamedTuple):
    """Distinct trajectories in the order of their perturbed log-probabilities (see `importance_estimate`).

    perturbed is log-probability + Gumbel noise, and threshold the highest one of a trajectory not among them, -inf when
    these are all.

    >>> m = kirchhoff.Wfsm([(0, 1)], start={0: 0.0}, final={1: 0.0})
    >>> m.sample_without_replacement(2).threshold
    -inf
    """

    paths: List[Path]
    log_prob: np.ndarray  #: (k,)
    perturbed: np.ndarray  #: (k,)
    threshold: float


class Moments(NamedTuple):
    """The moments of orders 0 .. m of a function f are arrays (m+1,): E[f^k], E[(f - E f)^k] and the cumulants.

    >>> m = kirchhoff.Wfsm([(0, 1)], start={0: 0.0}, final={1: 0.0})
    >>> m.moments(kirchhoff.WfsmWeights([3.0], [0, 0], [0, 0]), 2).raw.tolist()
    [1.0, 3.0, 9.0]
    """

    raw: np.ndarray
    central: np.ndarray
    cumulants: np.ndarray


class WfsmProduct(NamedTuple):
    """A product of two machines, and the states and transitions of both that its own are made of.

    A transition where only one of them moves, because it reads or writes epsilon, has -1 for the other.

    >>> one = kirchhoff.Wfsm([(0, 1, 3)], start={0: 0.0}, final={1: 0.0})
    >>> one.intersect(one).left_states, one.intersect(one).right_transitions
    ([0, 1], [0])
    """

    machine: "Wfsm"
    left_states: List[int]
    right_states: List[int]
    left_transitions: List[int]
    right_transitions: List[int]


Symbols = Mapping[str, int]
#: (features, transitions), or with (features, states) for starting and for ending too.
Features = Union[npt.ArrayLike, Tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike]]


def weights_of(w: WfsmWeights) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    transitions, start, final = (np.asarray(a, dtype=np.float64) for a in w)
    return transitions, start, final


def by_state(weights: Mapping[int, float], states: int) -> np.ndarray:
    """Returns weights that are given by state as an array, -inf for the others."""
    out = np.full(states, -np.inf)
    for state, weight in weights.items():
        out[state] = weight
    return out


def arrays_of(transitions: Iterable[Sequence]) -> Tuple[np.ndarray, np.ndarray]:
    """Returns the arcs (arcs, 4) and the weights of tuples."""
    rows = [Transition(*t) for t in transitions]
    arcs = np.array([(t.source, t.target, t.symbol, ACCEPTED if t.output is None else t.output) for t in rows])
    if arcs.size and arcs.dtype.kind not in "iu":
        raise ValueError(f"transitions: states and symbols of dtype {arcs.dtype} are not integers")
    return arcs.astype(np.int64).reshape(-1, 4), np.array([t.log_weight for t in rows], dtype=np.float64)


def builder_of(arcs: np.ndarray, weights: np.ndarray, start: Mapping[int, float], final: Mapping[int, float],
               states: Optional[int], symbols: Optional[Symbols], output_symbols: Optional[Symbols]):
    """Returns the machine before it is solved."""
    ends = [whole_number(s, "start, final") for s in (*start, *final)]
    count = max([-1, *ends, int(arcs[:, :2].max(initial=-1))]) + 1 if states is None else states
    if count < 0 or any(not 0 <= s < count for s in ends):
        raise ValueError(f"start, final: a state that is not among 0 .. {count - 1}")
    if states is None and count > 1_000_000 + 16 * (len(arcs) + len(ends)):  # as in texts
        raise ValueError(f"transitions: state {count - 1} is too large a number for so few; states= says it is meant")
    return _core.wfsm_builder(arcs, weights, by_state(start, count), by_state(final, count),
                              list((symbols or {}).items()), list((output_symbols or {}).items()))
