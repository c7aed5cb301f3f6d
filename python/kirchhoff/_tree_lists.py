"""The part of TreeDistribution that gives trees one by one, as iterators that are never done sooner than the trees."""

from __future__ import annotations

from typing import Any, Iterator, Optional

import numpy as np

from ._arrays import seed_of
from ._tree_search import TreeSearch
from .trees import Trees


class _OneByOne:
    """An iterator over trees of one graph, which the extension finds when they are asked for."""

    def __init__(self, source: Any, labelled: bool):
        self._source, self._labelled = source, labelled

    def __iter__(self):
        return self

    def __next__(self) -> Trees:
        heads, labels, log_prob = self._source.next()
        return Trees(heads, labels if self._labelled else None, log_prob)


class DistinctTrees(_OneByOne):
    """Distinct trees of a graph one by one, each from p given that it is none of those before; see iter_distinct.

    >>> p = kirchhoff.TreeDistribution(np.zeros((3, 3)), root="multi")
    >>> trees = p.iter_distinct(seed=1)
    >>> [next(trees).heads.tolist() for _ in range(2)] == p.sample_without_replacement(2, seed=1).heads.tolist()
    True
    """

    @property
    def perturbed(self) -> float:
        """The log-probability plus Gumbel noise of the tree given last.

        >>> trees.perturbed > trees.threshold
        True
        """
        return self._source.perturbed()

    @property
    def threshold(self) -> float:
        """The largest one of the trees not given yet, -inf when there is none: it finds the next tree.

        >>> trees.threshold == p.sample_without_replacement(2, seed=1).threshold
        True
        """
        return self._source.threshold()


class TreeLists(TreeSearch):
    __slots__ = ()

    def _alone(self, name: str):
        if self._shape:
            raise ValueError(f"{name}: for one graph, not a batch; p[i] is one of a batch")

    def iter_best(self) -> Iterator[Trees]:
        """Returns an iterator over all trees of one graph, most probable first, which finds each when it is asked for.

        A tree takes O(n^2) at most.

        >>> [round(9 * np.exp(tree.log_prob)) for tree in p.iter_best()]
        [6, 2, 1]
        """
        self._alone("iter_best")
        return _OneByOne(self._batch.best_list(0), bool(self._labels))

    def iter_distinct(self, *, seed: Optional[int] = 0, rng: Optional[np.random.Generator] = None) -> DistinctTrees:
        """Returns an iterator over the trees of one graph, each drawn from p given that it is none of those before it.

        Its `perturbed` and `threshold` are those of sample_without_replacement, whose trees these are. O(n^3) a tree.

        >>> sum(round(9 * np.exp(tree.log_prob)) for tree in p.iter_distinct(seed=1))
        9
        """
        self._alone("iter_distinct")
        return DistinctTrees(self._batch.distinct_list(0, seed_of(seed, rng)), bool(self._labels))

    def iter_samples(self, *, seed: Optional[int] = 0, rng: Optional[np.random.Generator] = None,
                     method: str = "automatic") -> Iterator[Trees]:
        """Returns an endless iterator over independent trees of one graph: those of `sample` with the same seed.

        They are drawn in blocks, each twice as large as the one before, of at most 1024.

        >>> trees = p.iter_samples(seed=1)
        >>> [next(trees).heads.tolist() for _ in range(3)] == p.sample(3, seed=1).heads.tolist()
        True
        """
        self._alone("iter_samples")
        return self._endless(seed_of(seed, rng), method)

    def _endless(self, seed: int, method: str) -> Iterator[Trees]:
        begin, block = 0, 1
        while True:
            heads, labels, log_prob = self._batch.sample(block, seed, method, begin)
            for row, names, log_p in zip(heads[0], labels[0], log_prob[0]):
                yield Trees(row, names if self._labels else None, float(log_p))
            begin, block = begin + block, min(2 * block, 1024)

    def expected_draws(self, method: str = "automatic"):
        """Returns the mean number of random steps of a walk without a budget, (...), in O(n^3).

        `method` is that of sample. It is the mean of one try for wilson_reject, and 0 for colbourn, which does not walk.

        >>> round(kirchhoff.TreeDistribution(np.zeros((2, 2)), root="multi").expected_draws("wilson"), 6)
        1.0
        """
        return self._number(self._batch.expected_draws(method))
