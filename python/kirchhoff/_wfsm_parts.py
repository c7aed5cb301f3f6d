"""What a machine is made of, and what its methods give."""

from __future__ import annotations

from typing import List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt


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


def weights_of(w: WfsmWeights):
    return [np.asarray(a, dtype=np.float64) for a in w]
