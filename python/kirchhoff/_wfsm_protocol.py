"""The part of Wfsm that has the names of all distributions, for code that does not care which of them it has."""

from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._arrays import counted, seed_of
from ._wfsm_parts import Path, SampledPaths, WfsmWeights, weights_of


class WfsmProtocol:
    __slots__ = ()
    _machine: _core.Wfsm

    @property
    def batch_shape(self) -> tuple:
        """The shape of the batch, (): a machine is one. kirchhoff.torch.wfsm and kirchhoff.jax.wfsm have batches.

        >>> m.batch_shape
        ()
        """
        return ()

    @property
    def event_shape(self) -> tuple:
        """The shape of the array of one trajectory, (): its length varies, so it is a Path.

        >>> m.event_shape
        ()
        """
        return ()

    @property
    def scores(self) -> WfsmWeights:
        """The same as log_weights.

        >>> m.scores.final.tolist()
        [-inf, 0.0]
        """
        return WfsmWeights(*self._machine.log_weights())

    def marginals(self) -> WfsmWeights:
        """Returns the gradient of log Z, which for machines is the expected uses of all places: the same as counts.

        >>> m.marginals().transitions.round(12).tolist()
        [1.0, 1.0]
        """
        return WfsmWeights(*self._machine.counts())

    def marginals_along(self, direction: WfsmWeights) -> WfsmWeights:
        """Returns the Hessian of log Z times `direction`: the same as counts_along.

        >>> m.marginals_along(kirchhoff.WfsmWeights([1, 1], [0, 0], [0, 0])).transitions.round(12).tolist()
        [2.0, 0.0]
        """
        return WfsmWeights(*self._machine.counts_along(*weights_of(direction)))

    def covariance_gradient(self, r: WfsmWeights, s: WfsmWeights) -> WfsmWeights:
        """Returns the gradient of Cov(r, s) of two functions by the log-weights, third derivatives of log Z. Six solves.

        >>> length = kirchhoff.WfsmWeights([1, 1], [0, 0], [0, 0])
        >>> m.covariance_gradient(length, length).transitions.round(9).tolist()  # of the variance 2
        [6.0, 0.0]
        """
        rows = [np.concatenate(part)[None] for part in (self.scores, weights_of(r), weights_of(s))]
        found = _core.WfsmBatch(self._machine, rows[0], 1).third_along(rows[1], rows[2])[0]
        arcs, states = len(self.scores.transitions), self._machine.states()
        return WfsmWeights(*np.split(found, [arcs, arcs + states]))

    def entropy_with_gradient(self) -> Tuple[float, WfsmWeights]:
        """Returns entropy() and entropy_gradient() together.

        >>> value, gradient = m.entropy_with_gradient()
        >>> value == m.entropy(), gradient.transitions.shape
        (True, (2,))
        """
        return self._machine.entropy(), WfsmWeights(*self._machine.entropy_gradient())

    def log_count(self) -> float:
        """Returns the logarithm of the number of trajectories, inf when there are cycles: the same as log_trajectories.

        >>> m.log_count()
        inf
        """
        return self._machine.log_trajectories()

    def cumulants(self, f: WfsmWeights, order: int) -> np.ndarray:
        """Returns the cumulants 0 to `order` <= 30 of an additive function, (order+1,): moments(f, order).cumulants.

        >>> m.cumulants(kirchhoff.WfsmWeights([1, 1], [0, 0], [0, 0]), 3).round(9).tolist()
        [0.0, 2.0, 2.0, 6.0]
        """
        return self._machine.moments(*weights_of(f), order)[2]

    def argmax(self) -> Path:
        """Returns the most probable trajectory: the first of best_paths.

        >>> m.argmax().transitions
        [1]
        """
        return self.k_best(1)[0]

    def k_best(self, k: int) -> List[Path]:
        """Returns the k most probable trajectories, best first: the same as best_paths.

        >>> [p.transitions for p in m.k_best(2)]
        [[1], [0, 1]]
        """
        return [Path(*p) for p in self._machine.best_paths(k)]

    def sample(self, shape: Union[int, tuple] = (), *, seed: Optional[int] = 0,
               rng: Optional[np.random.Generator] = None) -> Any:
        """Draws independent trajectories: a Path, or a list of them for a number, lists of lists for more axes.

        The same seed gives the same ones as sample_paths.

        >>> m.sample(3, seed=1) == m.sample_paths(3, seed=1), m.sample(seed=1) == m.sample(3, seed=1)[0]
        (True, True)
        """
        shape, count = counted(shape)
        found: list = [Path(*p) for p in self._machine.sample_paths(count, seed_of(seed, rng), 0)]
        for extent in reversed(shape[1:]):
            found = [found[i:i + extent] for i in range(0, len(found), extent)] if extent else [[]] * shape[0]
        return found if shape else found[0]

    def sample_without_replacement(self, k: int, *, seed: Optional[int] = 0,
                                   rng: Optional[np.random.Generator] = None) -> SampledPaths:
        """Draws k distinct trajectories, each given that it is none of those before it; fewer, if there are fewer.

        >>> some = m.sample_without_replacement(3, seed=1)
        >>> len({len(path.transitions) for path in some.paths}), some.perturbed.shape
        (3, (3,))
        """
        paths, perturbed, threshold = self._machine.sample_without_replacement(k, seed_of(seed, rng))
        found = [Path(*p) for p in paths]
        return SampledPaths(found, np.array([p.log_prob for p in found]), perturbed, threshold)

    def with_temperature(self, temperature: float) -> Any:
        """Returns the machine with log-weights / temperature. InfiniteSum says when its Z is infinite.

        >>> round(np.exp(m.with_temperature(0.5).log_partition()).item(), 12)  # 1/4 / (1 - 1/4)
        0.333333333333
        """
        if not 0.0 < temperature < np.inf:
            raise ValueError(f"temperature is {temperature}, expected a positive number")
        return self._weighted([part / temperature for part in self.scores])

    def given(self, *, forbid: Sequence[int] = ()) -> Any:
        """Returns the machine given transitions, by number, that must not be used. Infeasible when nothing is left.

        To require transitions, intersect the machine with one that does.

        >>> m.given(forbid=[0]).k_best(2)[0].transitions
        [1]
        """
        weights = [part.copy() for part in self.scores]
        for t in forbid:
            if not 0 <= t < len(weights[0]):
                raise ValueError(f"forbid: {t} is no transition")
            weights[0][t] = -np.inf
        return self._weighted(weights)

    def _weighted(self, weights: Sequence[np.ndarray]) -> Any:
        raise NotImplementedError
