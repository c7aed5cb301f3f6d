"""The part of SegmentDistribution that is about expectations and information."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np

from ._arrays import real_number
from ._scored_segments import ScoredSegments
from .segmentations import SegmentArrays


class SegmentExpectations(ScoredSegments):
    __slots__ = ()

    def covariance_gradient(self, r, s) -> SegmentArrays:
        """Returns the gradient of Cov(r, s) of two additive functions by the scores: third derivatives of log Z.

        r and s have the shapes of the scores.

        >>> ones = np.ones((3, 2, 1)), np.zeros((1, 1))  # the number of segments
        >>> p.covariance_gradient(ones, ones).segments.shape
        (3, 2, 1)
        """
        return self._gathered(self._rows.covariance_gradient(self._direction(r, "r"), self._direction(s, "s")))

    def expectation(self, f) -> np.ndarray:
        """Returns E[f] of k additive functions, (..., k), in O(k A).

        f is a pair of arrays (..., k, length, longest, tags) and (..., k, tags, tags).

        >>> p.expectation((np.ones((1, 3, 2, 1)), np.zeros((1, 1, 1)))).round(6).tolist()  # segments: 3, 2 or 2
        [2.333333]
        """
        marginals = self._rows.marginals().reshape(len(self._alone), -1)
        found = np.stack([(marginals * g).sum(-1) for g in self._functions(f, "f")], -1)
        return found.reshape(self._shape + found.shape[1:])

    def covariance(self, r, s) -> np.ndarray:
        """Returns Cov(r, s) of additive functions, (..., R, S), in O(R S A).

        >>> count = np.ones((1, 3, 2, 1)), np.zeros((1, 1, 1))
        >>> (9 * p.covariance(count, count)).round(6).tolist()
        [[2.0]]
        """
        right = np.stack(self._functions(s, "s"), 1)
        rows = [self._rows.marginals_along(g).reshape(len(self._alone), 1, -1) for g in self._functions(r, "r")]
        found = np.stack([(row * right).sum(-1) for row in rows], 1)
        return found.reshape(self._shape + found.shape[1:])

    def second_order(self, r, s) -> np.ndarray:
        """Returns E[r s^T] of additive functions, (..., R, S), in O(R S A).

        >>> count = np.ones((1, 3, 2, 1)), np.zeros((1, 1, 1))
        >>> (3 * p.second_order(count, count)).round(6).tolist()  # 9 + 4 + 4
        [[17.0]]
        """
        return self.covariance(r, s) + self.expectation(r)[..., :, None] * self.expectation(s)[..., None, :]

    def cumulants(self, f, order: int) -> np.ndarray:
        """Returns the cumulants 0 to `order` <= 30 of an additive function, (..., order+1): 0, mean, variance, ...

        f has the shapes of the scores. Takes O(order A).

        >>> p.cumulants((np.ones((3, 2, 1)), np.zeros((1, 1))), 2).round(6).tolist()
        [0.0, 2.333333, 0.222222]
        """
        self._functions(f, "f", 0)  # says what is wrong with f
        tables = self._flat([np.broadcast_to(np.asarray(t, np.float64), s.shape) for t, s in zip(f, self._scores)])
        found = np.stack([p.cumulants(np.ascontiguousarray(g[:n]), np.ascontiguousarray(h), order)
                          for p, g, h, n in zip(self._each(), *tables, self._lengths.reshape(-1))])
        return found.reshape(self._shape + found.shape[1:])

    def entropy(self) -> Any:
        """Returns Shannon's entropy in nats, a number (...).

        >>> round(np.exp(p.entropy()).item(), 6)
        3.0
        """
        return self._number(self._rows.entropy())

    def entropy_gradient(self) -> SegmentArrays:
        """Returns the gradient of the entropy by the scores.

        >>> q.entropy_gradient().segments[0].round(4).tolist()
        [[0.0555], [-0.0555]]
        """
        return self.entropy_with_gradient()[1]

    def entropy_with_gradient(self) -> Tuple[Any, SegmentArrays]:
        """Returns entropy() and entropy_gradient() together.

        >>> value, gradient = p.entropy_with_gradient()
        >>> value == p.entropy(), gradient.segments.shape
        (True, (3, 2, 1))
        """
        value, gradient = self._rows.entropy_with_gradient()
        return self._number(value), self._gathered(gradient)

    def renyi(self, alpha: float) -> Any:
        """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha), alpha >= 0, a number (...).

        >>> round(np.exp(-q.renyi(2.0)).item() * 25, 6)
        9.0
        """
        return self._number(self._rows.renyi(real_number(alpha, "alpha")))

    def renyi_gradient(self, alpha: float) -> SegmentArrays:
        """Returns the gradient of Renyi's entropy by the scores.

        >>> q.renyi_gradient(2.0).segments[0].round(4).tolist()  # -2 (5/9 - 3/5) for the first
        [[0.0889], [-0.0889]]
        """
        return self._gathered(self._rows.renyi_gradient(real_number(alpha, "alpha")))

    def kl(self, q: "SegmentExpectations") -> Any:
        """Returns KL(p || q) = E_p[log p - log q], a number (...); inf when q forbids a segmentation that p allows.

        >>> round(np.exp(3 * p.kl(q)).item() * 27 * 4, 6)  # log of (5/3)^3 / (1 * 2 * 2)
        125.0
        """
        p, r = self._paired(q)
        return p._number(p._rows.kl(r._rows))

    def kl_gradient(self, q: "SegmentExpectations") -> Tuple[SegmentArrays, SegmentArrays]:
        """Returns the gradients of KL(p || q) by the scores of p and by those of q.

        >>> p.kl_gradient(q)[1].segments[0].round(4).tolist()  # marginals under q - marginals under p
        [[-0.0667], [0.0667]]
        """
        p, r = self._paired(q)
        of_p, of_q = p._rows.kl_gradient(r._rows)
        return p._gathered(of_p), p._gathered(of_q)

    def cross_entropy(self, q: "SegmentExpectations") -> Any:
        """Returns E_p[-log q], a number (...); inf when q forbids a segmentation that p allows.

        >>> p.cross_entropy(q) == p.entropy() + p.kl(q)
        True
        """
        p, r = self._paired(q)
        return p._number(p._rows.cross_entropy(r._rows))

    def cross_entropy_gradient(self, q: "SegmentExpectations") -> Tuple[SegmentArrays, SegmentArrays]:
        """Returns the gradients of E_p[-log q] by the scores of p and by those of q.

        >>> p.cross_entropy_gradient(p)[1].segments[0].round(6).tolist()
        [[0.0], [0.0]]
        """
        p, r = self._paired(q)
        of_p, of_q = p._rows.cross_entropy_gradient(r._rows)
        return p._gathered(of_p), p._gathered(of_q)
