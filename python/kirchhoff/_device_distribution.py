"""TreeDistribution of scores that lie on a CUDA device, answered by kernels there."""

from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from . import _core
from ._device_graphs import STATUSES, DeviceGraphs
from ._many import with_axes
from .distribution import TreeDistribution

_LARGE_LOG_Z = 1e4  # beyond this rounded log Z have not the digits for a difference of two


class DeviceTreeDistribution(DeviceGraphs):
    """Answers as TreeDistribution does, with arrays of the scores' library, on their device."""

    __slots__ = ()

    @property
    def methods(self) -> List[str]:
        """What answered for each graph: "certified" by the fast method, "solved" by the robust one, or "extended"."""
        self.solve("log_partition")
        return [STATUSES[s] for s in self._status.tolist()]

    def log_partition(self):
        self.solve("log_partition")
        return self._numbers(self._answers["log_partition"])

    def entropy(self):
        self.solve("entropy")
        return self._numbers(self._answers["entropy"])

    def marginals(self):
        self.solve("log_partition", "entropy", "marginals")
        return self._answers["marginals"]

    def marginals_along(self, direction):
        return self._ask("derivatives", direction=self._direction(direction))[0]

    def entropy_with_gradient(self):
        value, gradient = self._ask("entropy", "derivatives", score_share=-1.0)
        return self._numbers(value), gradient

    def entropy_gradient(self):
        return self.entropy_with_gradient()[1]

    def expectation(self, f):
        f = self._library.readable(self._library.send(f), "f")
        shape, axes = tuple(self._scores.shape), 3 if self._labels else 2
        p = self._library.cast(self.marginals(), "float64").reshape(self._shape + (1,) + shape[-axes:])
        if tuple(f.shape)[-axes:] != shape[-axes:] or f.ndim <= axes:
            return super().expectation(f)  # which says what is wrong
        product = p * f
        return self._numbers(product.reshape(tuple(product.shape)[:-axes] + (-1,)).sum(-1))

    def cross_entropy(self, q: TreeDistribution):
        value = self._versus(q, 0.0)
        return super().cross_entropy(q) if value is None else value

    def kl(self, q: TreeDistribution):
        value = self._versus(q, 1.0)
        return super().kl(q) if value is None else value

    def cross_entropy_gradient(self, q: TreeDistribution):
        found = self._versus_gradient(q, 0.0)
        return super().cross_entropy_gradient(q) if found is None else found

    def kl_gradient(self, q: TreeDistribution):
        found = self._versus_gradient(q, 1.0)
        return super().kl_gradient(q) if found is None else found

    def log_prob(self, heads, labels=None):
        score, more = self._over_trees(self._scores, heads, labels)
        return self._numbers(score - with_axes(self._double("log_partition"), more))

    def risk(self, gold, labels=None):
        right, more = self._over_trees(self.marginals(), gold, labels)
        return self._numbers(right / with_axes(self.lengths, more))

    def _found(self, mbr: bool) -> Tuple[Any, Any, Any]:
        if not mbr:
            return self._with_log_prob(*self._trees_of(_core.cuda_best_trees, self._flat, 1))
        # Impossible arcs have marginal 0, as have some possible ones: only the scores tell them apart.
        gains = self._ask("marginals", exact=True)[0].reshape(self._flat.shape)
        gains = self._library.where(self._flat != -np.inf, gains, -np.inf)
        heads, labels, _ = self._trees_of(_core.cuda_best_trees, gains, 1)
        score = self._sums(self._scores, heads[:, 0], None if labels is None else labels[:, 0])
        return self._with_log_prob(heads, labels, score.reshape(-1, 1))

    def _drawn(self, count: int, seed: int, method: str) -> Tuple[Any, Any, Any]:
        return self._with_log_prob(*self._trees_of(_core.cuda_sample_trees, self._flat, count, count=count, seed=seed,
                                                   method=method))

    def _distinct(self, k: int, seed: int) -> Tuple[Any, Any, Any, Any, Any]:
        if self._labels:
            return super()._distinct(k, seed)
        self.solve("log_partition")  # which says what is wrong with graphs
        library, (graphs, nodes) = self._library, self._flat.shape[:2]
        found = {"heads": library.empty((graphs, max(k, 0), nodes), "int32"),
                 "log_prob": library.empty((graphs, max(k, 0)), "float64"),
                 "perturbed": library.empty((graphs, max(k, 0)), "float64"),
                 "threshold": library.empty((graphs,), "float64")}
        given = found if self._words is None else {**found, "lengths": self._words}
        with library.current():
            _core.cuda_beam_sample(library.capsule(self._flat), self._root,
                                   library.capsule(library.empty((graphs,), "uint8")), library.stream(),
                                   library.executor, **{name: library.capsule(x) for name, x in given.items()},
                                   trees=k, seed=seed)
        heads = library.cast(found["heads"], "int64")
        numbers = [self._numbers(found[name]) for name in ("log_prob", "perturbed", "threshold")]
        return heads, heads, numbers[0], numbers[1], numbers[2]

    def _with_log_prob(self, heads, labels, score) -> Tuple[Any, Any, Any]:
        """Returns the trees with log p(tree) in the place of their scores, in the caller's precision."""
        log_prob = score - self._double("log_partition").reshape(-1, 1)
        return heads, labels if labels is not None else heads, self._numbers(log_prob)

    def _double(self, name: str):
        self.solve(name)
        return self._answers[name]

    def _over_trees(self, array, heads, labels):
        """Returns the sums of an array's numbers of trees' arcs, (..., *more), and `more`."""
        heads, labels, more = self._checked_golds(heads, labels)
        sums = self._sums(array, *(None if x is None else self._library.send(x) for x in (heads, labels)))
        return sums.reshape(self._shape + more), more

    def _sums(self, array, heads, labels):
        """Returns the same as rows for heads and labels (rows, n+1) on the device, as many for each graph."""
        rows, nodes = heads.shape
        each = max(rows // max(self._flat.shape[0], 1), 1)
        index = [self._library.send(np.arange(rows)[:, None] // each), heads[:, 1:].clip(0),
                 self._library.send(np.arange(1, nodes)[None])]
        index += [] if labels is None else [labels[:, 1:].clip(0)]
        arcs = self._library.cast(array.reshape(self._flat.shape)[tuple(index)], "float64")
        return self._library.where(heads[:, 1:] >= 0, arcs, 0.0).sum(-1)

    def _gap(self, q: DeviceGraphs, share: float):
        """Returns share * own scores - q's, 0 where there is no arc, and infinite where q forbids an arc."""
        cast, where = self._library.cast, self._library.where
        x, y = cast(self._flat, "float64"), cast(q._flat, "float64")
        arcs = x != -np.inf
        return share * where(arcs, x, 0.0) - where(arcs, y, 0.0)

    def _versus(self, q, share: float):
        """Returns E_p[gap] - share log Z_p + log Z_q, or None where the CPU must look at the graphs more closely."""
        if not self._is_like(q):
            return None  # and the CPU broadcasts batches against each other
        gap, other = self._gap(q, share), q._double("log_partition")
        finite = gap != np.inf
        mean, own = self._ask("expectation", "log_partition", direction=self._library.where(finite, gap, 0.0))
        unclear = (~finite).any() | (abs(own) > _LARGE_LOG_Z).any() | (abs(other) > _LARGE_LOG_Z).any()
        return None if bool(unclear) else self._numbers((mean - share * own + other).clip(0))

    def _versus_gradient(self, q, share: float):
        if not self._is_like(q):
            return None
        gap = self._gap(q, share)
        if bool((gap == np.inf).any()):
            return None
        along, own = self._ask("derivatives", "marginals", direction=gap)
        return along, q.marginals() - own

    def _is_like(self, q) -> bool:
        """Says whether q is a batch of the same shapes on the same device."""
        if isinstance(q, TreeDistribution) and q.batch_shape != self._shape:
            return False
        self._fitting(q)
        if not isinstance(q, DeviceTreeDistribution) or q._library.device != self._library.device:
            return False
        return (q._words is None and self._words is None) or not bool((q.lengths != self.lengths).any())
