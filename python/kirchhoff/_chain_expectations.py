"""The part of ChainDistribution that is about expectations and information."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from ._arrays import real_number, whole_number
from ._scored_chains import ScoredChains
from .tag_sequences import ChainArrays


class ChainExpectations(ScoredChains):
    __slots__ = ()

    def expectation(self, f) -> np.ndarray:
        """Returns E[f] of k additive functions, (..., k).

        f is a pair of arrays (..., k, length, tags) and (..., k, length-1, tags, tags). Values at impossible
        places are ignored. Takes O(k length tags^2).

        >>> p.expectation((np.ones((1, 2, 2)), np.zeros((1, 1, 2, 2)))).round(6).tolist()  # the number of positions
        [2.0]
        """
        return self._out(self._batch.expectation(*self._function(f, "f", 1)))

    def covariance(self, r, s) -> np.ndarray:
        """Returns Cov(r, s) of additive functions, (..., R, S), in O(R S length tags^2).

        >>> first = np.zeros((1, 2, 2))
        >>> first[0, 0, 1] = 1.0  # whether the first tag is 1, which has probability 4/6
        >>> round(36 * p.covariance((first, np.zeros((1, 1, 2, 2))), (first, np.zeros((1, 1, 2, 2)))).item(), 6)
        8.0
        """
        return self._out(self._batch.covariance(*self._function(r, "r", 1), *self._function(s, "s", 1)))

    def second_order(self, r, s) -> np.ndarray:
        """Returns E[r s^T] of additive functions, (..., R, S), in O(R S length tags^2).

        >>> ones = np.ones((1, 2, 2)), np.zeros((1, 1, 2, 2))
        >>> p.second_order(ones, ones).round(6).tolist()
        [[4.0]]
        """
        return self._out(self._batch.second_order(*self._function(r, "r", 1), *self._function(s, "s", 1)))

    def covariance_gradient(self, r, s) -> ChainArrays:
        """Returns the gradient of Cov(r, s) of two additive functions by the scores: third derivatives of log Z.

        r and s have the shapes of the scores. Takes O(length tags^2).

        >>> f = kirchhoff.ChainArrays(np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros((1, 2, 2)))
        >>> p.covariance_gradient(f, f).emissions.shape
        (2, 2)
        """
        return self._tables(self._batch.covariance_gradient(*self._function(r, "r"), *self._function(s, "s")))

    def cumulants(self, f, order: int) -> np.ndarray:
        """Returns the cumulants 0 to `order` <= 30 of an additive function, (..., order+1): 0, mean, variance, ...

        f has the shapes of the scores. Takes O(order^2 length tags^2).

        >>> p.cumulants((np.array([[0.0, 1.0], [0.0, 0.0]]), np.zeros((1, 2, 2))), 2).round(6).tolist()
        [0.0, 0.666667, 0.222222]
        """
        tags, pairs = self._function(f, "f")
        return self._out(self._batch.cumulants(tags, pairs, whole_number(order, "order")))

    def entropy(self):
        """Returns Shannon's entropy in nats, a number (...), in O(length tags^2).

        >>> round(p.entropy(), 4)  # of probabilities 1/6, 1/6, 2/6, 2/6
        1.3297
        """
        return self._number(self._batch.entropy())

    def entropy_gradient(self) -> ChainArrays:
        """Returns the gradient of the entropy by the scores, in O(length tags^2).

        >>> round(p.entropy_gradient().emissions[0, 1].item(), 4)
        -0.154
        """
        return self._tables(self._batch.entropy_gradient())

    def entropy_with_gradient(self) -> Tuple[Any, ChainArrays]:
        """Returns entropy() and entropy_gradient() together.

        >>> value, gradient = p.entropy_with_gradient()
        >>> value == p.entropy(), gradient.emissions.shape
        (True, (2, 2))
        """
        return self.entropy(), self.entropy_gradient()

    def risk(self, gold):
        """Returns the expected fraction of positions with the right tag, (...), for tags (..., length), in O(length).

        As in log_prob there may be many sequences of each chain.

        >>> round(p.risk([1, 0]), 6)  # of 4/6 and 3/6
        0.583333
        """
        rows, share, more = self._checked_tags(gold)
        marginals = self._flat(self.marginals().emissions)
        right = np.take_along_axis(marginals, rows.reshape(len(marginals), -1, rows.shape[1]).swapaxes(1, 2), -1)
        return self._of_each((right.swapaxes(1, 2).reshape(rows.shape) * share).sum(-1), more)

    def risk_gradient(self, gold) -> ChainArrays:
        """Returns the gradient of the risk by the scores, in O(length tags^2).

        >>> (36 * p.risk_gradient([1, 0]).emissions[0]).round(6).tolist()  # half of the variance of having tag 1
        [-4.0, 4.0]
        """
        return self._tables(self._batch.marginals_along(*self._function(self._right(gold), "gold")))

    def renyi(self, alpha: float):
        """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha), alpha >= 0, a number (...), in O(length tags^2).

        >>> round(np.exp(p.renyi(0.0)).item(), 6), round(np.exp(-p.renyi(2.0)).item() * 36, 6)
        (4.0, 10.0)
        """
        return self._number(self._batch.renyi(real_number(alpha, "alpha")))

    def renyi_gradient(self, alpha: float) -> ChainArrays:
        """Returns the gradient of Renyi's entropy by the scores, in O(length tags^2).

        >>> round(p.renyi_gradient(2.0).emissions[0, 1].item(), 6)  # 2 (4/6 - 8/10)
        -0.266667
        """
        return self._tables(self._batch.renyi_gradient(real_number(alpha, "alpha")))

    def cross_entropy(self, q: "ChainExpectations"):
        """Returns E_p[-log q], a number (...), in O(length tags^2); inf when q forbids a sequence that p allows.

        >>> round(np.exp(p.cross_entropy(q)).item(), 6)  # q is uniform over four sequences
        4.0
        """
        p, r = self._paired(q)
        return p._number(p._batch.cross_entropy(r._batch))

    def cross_entropy_gradient(self, q: "ChainExpectations") -> Tuple[ChainArrays, ChainArrays]:
        """Returns the gradients of E_p[-log q] by the scores of p and by those of q, in O(length tags^2).

        >>> by_p, by_q = p.cross_entropy_gradient(q)
        >>> by_q.emissions.round(6).tolist()  # marginals of q less those of p
        [[0.166667, -0.166667], [0.0, 0.0]]
        """
        p, r = self._paired(q)
        by_p, by_q = p._batch.cross_entropy_gradient(r._batch)
        return p._tables(by_p), p._tables(by_q)

    def kl(self, q: "ChainExpectations"):
        """Returns KL(p || q) = E_p[log p - log q], a number (...), in O(length tags^2).

        >>> round(p.kl(q) - (p.cross_entropy(q) - p.entropy()), 6), p.kl(p)
        (0.0, 0.0)
        """
        p, r = self._paired(q)
        return p._number(p._batch.kl(r._batch))

    def kl_gradient(self, q: "ChainExpectations") -> Tuple[ChainArrays, ChainArrays]:
        """Returns the gradients of KL(p || q) by the scores of p and by those of q, in O(length tags^2).

        >>> p.kl_gradient(p)[1].emissions.tolist()
        [[0.0, 0.0], [0.0, 0.0]]
        """
        p, r = self._paired(q)
        by_p, by_q = p._batch.kl_gradient(r._batch)
        return p._tables(by_p), p._tables(by_q)
