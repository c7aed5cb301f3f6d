"""Expectations and information: the part of TreeDistribution that gives numbers and gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .distribution import TreeDistribution


class TreeExpectations:
    __slots__ = ()

    def _features(self, f, name: str) -> np.ndarray:
        """(batch, features, n+1, n+1[, labels])."""
        f = np.asarray(f, dtype=np.float64)
        core = self._scores.shape[len(self._shape):]
        if f.ndim < len(core) + 1 or f.shape[f.ndim - len(core):] != core:
            raise ValueError(f"{name}: shape {f.shape} is not (..., features, {', '.join(map(str, core))})")
        count = f.shape[f.ndim - len(core) - 1]
        return np.broadcast_to(f, self._shape + (count,) + core).reshape((-1, count) + core)

    def expectation(self, f) -> np.ndarray:
        """E[sum over arcs of f], f (..., features, n+1, n+1): an array (*batch_shape, features)."""
        return self._out(self._batch.expectation(self._features(f, "f")))

    def covariance(self, r, s) -> np.ndarray:
        """Cov(r, s) of two additive functions: (*batch_shape, R, S)."""
        return self._out(self._batch.covariance(self._features(r, "r"), self._features(s, "s")))

    def entropy(self):
        """Shannon entropy in nats."""
        return self._number(self._batch.entropy())

    def entropy_gradient(self) -> np.ndarray:
        return self._out(self._batch.entropy_gradient())

    def renyi(self, alpha: float):
        """Renyi entropy of order alpha >= 0."""
        return self._number(self._batch.renyi(alpha))

    def renyi_gradient(self, alpha: float) -> np.ndarray:
        return self._out(self._batch.renyi_gradient(alpha))

    def cross_entropy(self, q: "TreeDistribution"):
        """E_p[-log q]; +inf when q forbids a tree that p allows."""
        return self._number(self._batch.cross_entropy(self._other(q)))

    def cross_entropy_gradient(self, q: "TreeDistribution"):
        """With respect to the scores of p and of q."""
        return tuple(map(self._out, self._batch.cross_entropy_gradient(self._other(q))))

    def kl(self, q: "TreeDistribution"):
        """KL(p || q) >= 0."""
        return self._number(self._batch.kl(self._other(q)))

    def kl_gradient(self, q: "TreeDistribution"):
        """With respect to the scores of p and of q."""
        return tuple(map(self._out, self._batch.kl_gradient(self._other(q))))

    def risk(self, gold, labels=None):
        """Expected fraction of words with the right head (and label)."""
        return self._number(self._batch.risk(*self._gold(gold, labels)))

    def risk_gradient(self, gold, labels=None) -> np.ndarray:
        return self._out(self._batch.risk_gradient(*self._gold(gold, labels)))
