"""The part of TreeDistribution that computes expectations and information, with gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._arrays import Arcs, one_for_each, real_number, whole_number
from ._scored_graphs import ScoredGraphs
from .sparse_features import SparseFeatures, _features_for

if TYPE_CHECKING:
    from .distribution import TreeDistribution


class TreeExpectations(ScoredGraphs):
    __slots__ = ()

    def _features(self, f, name: str):
        """Returns the functions as (batch, features, n+1, n+1[, labels]), or a list of arrays without the batch."""
        first = f[0] if isinstance(f, (list, tuple)) and len(f) else f
        if isinstance(first, SparseFeatures):
            words = self._batch.words().tolist()
            if words:
                return _features_for(f, words, name, self._labels)
            f = np.zeros(first._shape)
        if self._listed:
            arrays = one_for_each(f, len(self._scores), name)
            for i, (a, s) in enumerate(zip(arrays, self._scores)):
                if a.ndim != s.ndim + 1 or a.shape[1:] != s.shape or len(a) != len(arrays[0]):
                    count = "features" if i == 0 else len(arrays[0])
                    raise ValueError(f"{name}[{i}]: shape {a.shape} is not ({count}, {', '.join(map(str, s.shape))})")
            return arrays
        f = np.asarray(f, dtype=np.float64)
        core = self._scores.shape[len(self._shape):]
        if f.ndim < len(core) + 1 or f.shape[f.ndim - len(core):] != core:
            raise ValueError(f"{name}: shape {f.shape} is not (..., features, {', '.join(map(str, core))})")
        count = f.shape[f.ndim - len(core) - 1]
        return np.broadcast_to(f, self._shape + (count,) + core).reshape((-1, count) + core)

    def expectation(self, f) -> np.ndarray:
        """Returns E[sum of f over the tree's arcs], (..., features), in O(values of f).

        f has the shape (..., features, n+1, n+1[, labels]); it is a list for a list of graphs. SparseFeatures have the
        non-zero values only.

        >>> distance = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
        >>> (9 * p.expectation([distance])).round(6).tolist()  # (2*3 + 6*2 + 1*3) / 9
        [21.0]
        """
        return self._out(self._batch.expectation(self._features(f, "f")))

    def covariance(self, r, s) -> np.ndarray:
        """Returns Cov(r, s) of two functions that are sums over arcs, (..., R, S).

        Both have the shape (..., features, n+1, n+1[, labels]). With R' and S' non-zero values of the functions on an
        arc, the cost is O(n^3 (R' + S') + RS + n^2 min(R, nR') min(S, nS')).

        >>> from_root = np.zeros((1, 3, 3))
        >>> from_root[0, 0, 1:] = 1.0  # the number of the root's children: 2 with probability 2/9, else 1
        >>> (81 * p.covariance(from_root, from_root)).round(6).tolist()
        [[14.0]]
        """
        return self._out(self._batch.covariance(self._features(r, "r"), self._features(s, "s")))

    def second_order(self, r, s) -> np.ndarray:
        """Returns E[r s^T], (..., R, S), of two functions that are sums over arcs, in the shapes of covariance.

        >>> words = np.ones((1, 3, 3))  # every tree has two arcs
        >>> p.second_order(words, words).round(6).tolist()
        [[4.0]]
        """
        return self._out(self._batch.second_order(self._features(r, "r"), self._features(s, "s")))

    def cumulants(self, f, order: int) -> np.ndarray:
        """Returns the cumulants 0 to `order` <= 30 of a sum over arcs, (..., order+1): 0, mean, variance, ...

        f has the shape of the scores, or of one graph's; it is a list for a list of graphs. Takes O(order^2 n^3).

        >>> children = np.zeros((3, 3))
        >>> children[0, 1:] = 1.0  # the number of the root's children: 2 with probability 2/9, else 1
        >>> (729 * p.cumulants(children, 3)).round(6).tolist()  # 11/9, 2/9 * 7/9, 2/9 * 7/9 * 5/9
        [0.0, 891.0, 126.0, 70.0]
        """
        return self._out(self._batch.cumulants(self._arcs(f, "f"), whole_number(order, "order")))

    def covariance_gradient(self, r, s) -> Arcs:
        """Returns d Cov(r, s) / d scores for two functions that are sums over arcs: third derivatives of log Z.

        Both have the shape of the scores, or of one graph's, as `direction` of `marginals_along`, whose derivative along
        `s` this is too. The result has the shape of the scores. Takes O(n^3).

        >>> children = np.zeros((3, 3))
        >>> children[0, 1:] = 1.0  # the number of the root's children: 2 with probability 2/9
        >>> (729 * p.covariance_gradient(children, children))[0, 1:].round(6).tolist()  # of 2/9 * 7/9
        [10.0, 60.0]
        """
        return self._arc_out(self._batch.covariance_gradient(self._arcs(r, "r"), self._arcs(s, "s")))

    def entropy(self):
        """Returns the entropy, -sum over trees of p log p = log Z - E[score], in nats: a number (...). Takes O(n^2).

        >>> round(q.entropy() - np.log(3).item(), 9)
        0.0
        """
        return self._number(self._batch.entropy())

    def entropy_gradient(self) -> Arcs:
        """Returns d entropy / d scores, which is -Cov(score, [h -> d is in the tree]), in O(n^3).

        >>> p.entropy_gradient()[0, 1:].round(4).tolist()
        [-0.1498, 0.2955]
        """
        return self._arc_out(self._batch.entropy_with_gradient()[1])

    def entropy_with_gradient(self):
        """Returns entropy() and entropy_gradient() together, in less time than the two of them take.

        >>> value, gradient = p.entropy_with_gradient()
        >>> value == p.entropy(), bool((gradient == p.entropy_gradient()).all())
        (True, True)
        """
        value, gradient = self._batch.entropy_with_gradient()
        return self._number(value), self._arc_out(gradient)

    def renyi(self, alpha: float):
        """Returns Renyi's entropy of order alpha >= 0, log(sum of p^alpha) / (1 - alpha) in nats: a number (...).

        Order 0 gives the logarithm of the number of trees, order 1 Shannon's entropy. Takes O(n^3).

        >>> round(np.exp(-p.renyi(2)).item() * 81, 6)  # 6^2 + 2^2 + 1
        41.0
        """
        return self._number(self._batch.renyi(real_number(alpha, "alpha")))

    def renyi_gradient(self, alpha: float) -> Arcs:
        """Returns d renyi / d scores: alpha (marginals of p^alpha - marginals of p) / (1 - alpha), in O(n^3).

        >>> p.renyi_gradient(2)[0, 1:].round(4).tolist()
        [-0.1734, 0.4228]
        """
        return self._arc_out(self._batch.renyi_gradient(real_number(alpha, "alpha")))

    def cross_entropy(self, q: "TreeDistribution"):
        """Returns E_p[-log q] = log Z_q - E_p[score of q], a number (...), in O(n^2).

        q is a TreeDistribution over the same words with the same root; batches are broadcast against each other. The
        value is +inf when q forbids a tree that p allows.

        >>> round(p.cross_entropy(q) - np.log(3).item(), 9)
        0.0
        """
        p, q = self._paired(q)
        return p._number(p._batch.cross_entropy(q._batch))

    def cross_entropy_gradient(self, q: "TreeDistribution"):
        """Returns d cross_entropy / d scores of p, and of q: two arrays of the shape of the scores. Takes O(n^3).

        >>> of_p, of_q = p.cross_entropy_gradient(q)
        >>> (9 * of_q).round(6)[0].tolist()  # marginals of q - marginals of p
        [0.0, -2.0, 3.0]
        """
        p, q = self._paired(q)
        return tuple(map(p._arc_out, p._batch.cross_entropy_gradient(q._batch)))

    def kl(self, q: "TreeDistribution"):
        """Returns KL(p || q) = E_p[log p - log q] >= 0, a number (...), in O(n^2).

        It is +inf when q forbids a tree that p allows.

        >>> round(p.kl(q) - (p.cross_entropy(q) - p.entropy()), 9), p.kl(p)
        (0.0, 0.0)
        """
        p, q = self._paired(q)
        return p._number(p._batch.kl(q._batch))

    def kl_gradient(self, q: "TreeDistribution"):
        """Returns d kl / d scores of p, and of q: two arrays of the shape of the scores. Takes O(n^3).

        >>> of_p, of_q = p.kl_gradient(q)
        >>> (9 * of_q).round(6)[0].tolist()
        [0.0, -2.0, 3.0]
        """
        p, q = self._paired(q)
        return tuple(map(p._arc_out, p._batch.kl_gradient(q._batch)))

    def risk(self, gold, labels=None):
        """Returns the expected fraction of words with the right head (and label), (...): the gold arcs' marginals / n.

        gold has the heads, (..., n+1), and labels the same shape, for labelled graphs; as in log_prob there may be many
        trees of each graph. Takes O(n).

        >>> round(18 * p.risk([-1, 0, 1]), 6)  # (8/9 + 6/9) / 2
        14.0
        """
        heads, labels, more = self._golds(gold, labels)
        return self._of_each(self._batch.risk(heads, labels), more)

    def risk_gradient(self, gold, labels=None) -> Arcs:
        """Returns d risk / d scores, which is Cov(right words / n, [h -> d is in the tree]), in O(n^3).

        >>> (81 * p.risk_gradient([-1, 0, 1]))[0, 1:].round(6).tolist()
        [7.0, -12.0]
        """
        return self._arc_out(self._batch.risk_gradient(*self._gold(gold, labels)))
