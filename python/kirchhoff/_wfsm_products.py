"""The part of Wfsm that makes machines of machines: products, and what a transducer writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable

from . import _core
from ._wfsm_parts import WfsmProduct

if TYPE_CHECKING:
    from .wfsm import Wfsm


class WfsmProducts:
    __slots__ = ()
    _machine: _core.Wfsm
    _of: Callable

    def intersect(self, other: "Wfsm") -> WfsmProduct:
        """Returns the pairs of trajectories, one of each machine, that read the same string; weights multiply.

        Epsilons are put in one order, so that no pair is counted twice, and only states that pairs visit are made.
        Infeasible means that no string is common to both.

        >>> both = m.intersect(kirchhoff.Wfsm([(0, 1, 1), (1, 2, 2)], start={0: 0.0}, final={2: 0.0}))
        >>> round(both.machine.log_partition() / np.log(0.5).item(), 12), both.left_transitions
        (2.0, [0, 1])
        """
        return self._product(_core.intersect, other)

    def compose(self, other: "Wfsm") -> WfsmProduct:
        """Returns the pairs of a trajectory and one of `other` that reads what it writes, otherwise as `intersect`.

        An acceptor writes what it reads. The product reads what this machine reads, and writes what `other` writes.

        >>> upper = kirchhoff.Wfsm([(0, 0, 1, -1.0, 5), (0, 0, 2, -1.0, 6)], start={0: 0.0}, final={0: 0.0})
        >>> sorted((t.symbol, t.output) for t in m.compose(upper).machine.transitions)
        [(1, 5), (2, 6)]
        """
        return self._product(_core.compose, other)

    def project_output(self) -> "Wfsm":
        """Returns the acceptor with the same trajectories that reads what this machine writes, in O(arcs).

        >>> kirchhoff.Wfsm([(0, 1, 1, 0.0, 7)], start={0: 0.0}, final={1: 0.0}).project_output().log_prob([7])
        0.0
        """
        return self._of(self._machine.project_output())

    def log_trajectories(self) -> float:
        """Returns the logarithm of the number of trajectories, inf when there are cycles. Takes O(arcs).

        >>> m.log_trajectories()
        inf
        """
        return self._machine.log_trajectories()

    def _product(self, function, other: "Wfsm") -> WfsmProduct:
        machine, *origins = function(_core.builder_of(self._machine), _core.builder_of(other._machine))
        return WfsmProduct(self._of(machine), *origins)
