"""The part of TreeDistribution that finds trees: decoding and sampling."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np

from ._arrays import counted, seed_of, whole_number
from ._scored_graphs import ScoredGraphs
from .trees import SampledTrees, Trees


class TreeSearch(ScoredGraphs):
    __slots__ = ()

    def _trees(self, heads, labels, log_prob, *, squeeze: bool):
        if squeeze:
            heads, labels, log_prob = heads[:, 0], labels[:, 0], log_prob[:, 0]
        prob = self._number(log_prob) if squeeze else self._out(log_prob)
        return self._out(heads), self._out(labels) if self._labels else None, prob

    def _found(self, mbr: bool) -> Tuple[Any, Any, Any]:
        """Returns heads and labels (batch, 1, n+1) and log_prob (batch, 1) of the best trees, or of those of mbr."""
        return self._batch.argmax(mbr)

    def _drawn(self, count: int, seed: int, method: str) -> Tuple[Any, Any, Any]:
        """Returns heads and labels (batch, count, n+1) and log_prob (batch, count) of samples."""
        return self._batch.sample(count, seed, method, 0)

    def _distinct(self, k: int, seed: int) -> Tuple[Any, Any, Any, Any, Any]:
        """Returns the same of distinct trees, with perturbed (batch, k) and threshold (batch,)."""
        return self._batch.sample_without_replacement(whole_number(k, "k"), seed)

    def argmax(self) -> Trees:
        """Returns the most probable tree: heads (..., n+1), labels, log_prob (...). Takes O(n^2).

        >>> best = p.argmax()
        >>> best.heads.tolist(), round(9 * np.exp(best.log_prob).item(), 6)
        ([-1, 0, 1], 6.0)
        """
        return Trees(*self._trees(*self._found(False), squeeze=True))

    def mbr(self) -> Trees:
        """Returns the tree whose marginals have the highest sum, in O(n^2).

        It is the one with the most right heads (and labels), as expected by p; shapes are those of argmax.

        >>> p.mbr().heads.tolist()
        [-1, 0, 1]
        """
        return Trees(*self._trees(*self._found(True), squeeze=True))

    def k_best(self, k: int) -> Trees:
        """Returns the k most probable trees, best first: heads (..., k, n+1), labels, log_prob (..., k). O(k n^2).

        >>> best = p.k_best(2)
        >>> best.heads.tolist(), (9 * np.exp(best.log_prob)).round(6).tolist()
        ([[-1, 0, 1], [-1, 0, 0]], [6.0, 2.0])
        """
        return Trees(*self._trees(*self._batch.k_best(whole_number(k, "k")), squeeze=False))

    def sample(self, shape: Union[int, tuple] = (), *, seed: Optional[int] = 0, rng: Optional[np.random.Generator] = None,
               method: str = "automatic") -> Trees:
        """Draws independent trees for each graph: heads and labels (..., *shape, n+1), log_prob (..., *shape).

        The same seed gives the same trees, and tree i does not depend on how many are drawn; with `rng` the seed is
        drawn from it, and with seed=None it is another one each time. `method` is automatic, wilson (for multi), wilson_marginal or wilson_reject (for single), or
        colbourn. It costs O(n^3) once, and then a random walk for each tree, mostly short and at worst O(n^3). On a
        CUDA device automatic always begins with a walk, so its trees may be others than on the CPU.

        >>> trees = p.sample(1000, seed=1)
        >>> trees.heads.shape, bool(abs((trees.heads[:, 1] == 0).mean() - 8 / 9) < 0.05)
        ((1000, 3), True)
        """
        shape, count = counted(shape)
        heads, labels, log_prob = self._drawn(count, seed_of(seed, rng), method)
        if shape == ():
            return Trees(*self._trees(heads, labels, log_prob, squeeze=True))
        heads, labels, log_prob = self._trees(heads, labels, log_prob, squeeze=False)
        full = self._shape + shape
        return Trees(heads.reshape(full + self.event_shape),
                     labels.reshape(full + self.event_shape) if self._labels else None, log_prob.reshape(full))

    def sample_without_replacement(self, k: int, *, seed: Optional[int] = 0,
                                   rng: Optional[np.random.Generator] = None) -> SampledTrees:
        """Draws k distinct trees by stochastic beam search, in O(k n^3). If there are fewer, the rest is padding.

        heads (..., k, n+1), labels, log_prob and perturbed (..., k), threshold (...). Each tree is drawn from p given
        that it is none of those before it. On a CUDA device these are other trees for the same seed (unless graphs
        have labels).

        >>> trees = p.sample_without_replacement(5, seed=1)
        >>> sorted(trees.heads.tolist()), trees.threshold
        ([[-1, -1, -1], [-1, -1, -1], [-1, 0, 0], [-1, 0, 1], [-1, 2, 0]], -inf)
        """
        heads, labels, log_prob, perturbed, threshold = self._distinct(whole_number(k, "k"), seed_of(seed, rng))
        heads, labels, log_prob = self._trees(heads, labels, log_prob, squeeze=False)
        return SampledTrees(heads, labels, log_prob, self._out(perturbed), self._number(threshold))

    def log_count(self):
        """Returns the logarithm of the number of trees without an impossible arc, a number (...), in O(n^3).

        >>> round(np.exp(p.log_count()).item(), 6)
        3.0
        """
        return self._number(self._batch.log_count())

    def enumerate_support(self, most: int = 100_000) -> Trees:
        """Lists all m possible trees of one graph, most probable first: heads (m, n+1), labels, log_prob (m,).

        It takes O(m n^2), and raises ValueError when there are more than `most`.

        >>> p.enumerate_support().heads.tolist()
        [[-1, 0, 1], [-1, 0, 0], [-1, 2, 0]]
        """
        if self._shape:
            raise ValueError("enumerate_support: for one graph, not a batch")
        count = int(np.rint(np.exp(min(float(self.log_count()), 60.0))))
        if count > most:
            raise ValueError(f"enumerate_support: {count} trees are more than most = {most}")
        return self.k_best(count)
