"""The part of SpanningTreeDistribution that is about scores, expectations and information."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from . import _core
from ._arrays import doubles, flattened, lengths_of, real_number, whole_number


class SpanningExpectations:
    __slots__ = ("_batch", "_scores", "_shape", "_lengths", "_threads")

    def __init__(self, scores, *, lengths=None, threads: int = 0):
        scores = doubles(np.asarray(scores), "scores")
        if scores.ndim < 2 or scores.shape[-1] != scores.shape[-2] or scores.shape[-1] < 2:
            raise ValueError(f"scores: shape {scores.shape} is not (..., nodes, nodes) with at least two nodes")
        self._scores, self._shape, nodes = scores, scores.shape[:-2], scores.shape[-1]
        self._lengths = lengths_of(nodes if lengths is None else lengths, self._shape)
        if ((self._lengths < 2) | (self._lengths > nodes)).any():
            raise ValueError(f"lengths: {self._lengths.tolist()} has numbers beyond 2 to {nodes} nodes")
        self._threads = threads
        self._batch = _core.SpanningBatch(self._flat(scores), self._lengths.reshape(-1), threads)

    @property
    def batch_shape(self) -> tuple:
        """The shape of the batch, () for one graph.

        >>> p.batch_shape
        ()
        """
        return self._shape

    @property
    def event_shape(self) -> tuple:
        """The shape of the edges of one tree, (nodes-1, 2).

        >>> p.event_shape
        (2, 2)
        """
        return (self._scores.shape[-1] - 1, 2)

    @property
    def scores(self) -> np.ndarray:
        """The log-weights as they were given, in float64: (..., nodes, nodes).

        >>> np.exp(p.scores[0]).round(6).tolist()
        [1.0, 1.0, 2.0]
        """
        return self._scores

    @property
    def lengths(self) -> np.ndarray:
        """The number of nodes of each graph, (...).

        >>> p.lengths.tolist()
        3
        """
        return self._lengths

    @property
    def methods(self) -> list:
        """The method that answered for each graph: "fast" or "robust".

        >>> p.methods
        ['fast']
        """
        return self._batch.methods()

    def _flat(self, array: np.ndarray) -> np.ndarray:
        return array[None] if not self._shape else flattened(array, self._shape)

    def _out(self, array: np.ndarray) -> np.ndarray:
        return array.reshape(self._shape + array.shape[1:])

    def _number(self, array: np.ndarray):
        return self._out(array) if self._shape else array[0].item()

    def _edges(self, f, name: str, each: int = 0) -> np.ndarray:
        """Returns an array (..., *each, nodes, nodes) of the caller with one batch axis."""
        array, core = doubles(np.asarray(f), name), self._scores.shape[-2:]
        extra = array.shape[array.ndim - 2 - each:array.ndim - 2] if each and array.ndim >= 2 + each else ()
        try:
            if len(extra) != each:
                raise ValueError
            return self._flat(np.broadcast_to(array, self._shape + extra + core))
        except ValueError:
            raise ValueError(f"{name}: shape {array.shape} does not fit {self._shape + ('k',) * each + core}") from None

    def _paired(self, q: "SpanningExpectations") -> Tuple[Any, Any]:
        """Returns this and q, broadcast against each other."""
        if not isinstance(q, SpanningExpectations):
            raise TypeError(f"q is a {type(q).__name__}, expected a SpanningTreeDistribution")
        try:
            shape = np.broadcast_shapes(self._shape, q._shape)
            p, r = (x if x._shape == shape else x._with(np.broadcast_to(x._scores, shape + x._scores.shape[-2:]),
                                                        np.broadcast_to(x._lengths, shape)) for x in (self, q))
            fits = p._scores.shape == r._scores.shape and np.array_equal(p._lengths, r._lengths)
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(f"q: scores {q._scores.shape} do not fit {self._scores.shape}, or have other lengths")
        return p, r

    def _with(self, scores: np.ndarray, lengths: Optional[np.ndarray] = None) -> Any:
        """Returns the distribution with these scores, and these lengths or its own."""
        raise NotImplementedError

    def expectation(self, f) -> np.ndarray:
        """Returns E[sum of f over the tree's edges] of k functions, (..., k).

        f has the shape (..., k, nodes, nodes) and is symmetric.

        >>> p.expectation(np.ones((1, 3, 3))).round(6).tolist()  # the number of edges
        [2.0]
        """
        return self._out(self._batch.expectation(self._edges(f, "f", 1)))

    def covariance(self, r, s) -> np.ndarray:
        """Returns Cov(r, s) of two functions that are sums over edges, (..., R, S).

        >>> long = np.zeros((1, 3, 3))
        >>> long[0, 0, 2] = long[0, 2, 0] = 1.0  # whether the edge 0 - 2 is there: with probability 4/5
        >>> (25 * p.covariance(long, long)).round(6).tolist()
        [[4.0]]
        """
        return self._out(self._batch.covariance(self._edges(r, "r", 1), self._edges(s, "s", 1)))

    def second_order(self, r, s) -> np.ndarray:
        """Returns E[r s^T], (..., R, S), of two functions that are sums over edges.

        >>> p.second_order(np.ones((1, 3, 3)), np.ones((1, 3, 3))).round(6).tolist()
        [[4.0]]
        """
        return self._out(self._batch.second_order(self._edges(r, "r", 1), self._edges(s, "s", 1)))

    def covariance_gradient(self, r, s) -> np.ndarray:
        """Returns d Cov(r, s) / d scores, (..., nodes, nodes): third derivatives of log Z.

        >>> p.covariance_gradient(p.scores, p.scores).shape
        (3, 3)
        """
        return self._out(self._batch.covariance_gradient(self._edges(r, "r"), self._edges(s, "s")))

    def cumulants(self, f, order: int) -> np.ndarray:
        """Returns the cumulants 0 to `order` <= 30 of a sum over edges, (..., order+1): 0, mean, variance, ...

        f has the shape of the scores, or of one graph's, and is symmetric. Takes O(order^2 nodes^3).

        >>> long = np.zeros((3, 3))
        >>> long[0, 2] = long[2, 0] = 1.0
        >>> (25 * p.cumulants(long, 2)).round(6).tolist()
        [0.0, 20.0, 4.0]
        """
        return self._out(self._batch.cumulants(self._edges(f, "f"), whole_number(order, "order")))

    def entropy(self):
        """Returns Shannon's entropy in nats, a number (...).

        >>> round(p.entropy(), 4)  # of probabilities 2/5, 2/5, 1/5
        1.0549
        """
        return self._number(self._batch.entropy())

    def entropy_gradient(self) -> np.ndarray:
        """Returns d entropy / d scores, (..., nodes, nodes).

        >>> p.entropy_gradient()[0].round(4).tolist()
        [0.0, 0.0555, -0.1109]
        """
        return self._out(self._batch.entropy_gradient())

    def entropy_with_gradient(self) -> Tuple[Any, np.ndarray]:
        """Returns entropy() and entropy_gradient() together.

        >>> value, gradient = p.entropy_with_gradient()
        >>> value == p.entropy(), gradient.shape
        (True, (3, 3))
        """
        return self.entropy(), self.entropy_gradient()

    def renyi(self, alpha: float):
        """Returns Renyi's entropy of order alpha >= 0, log(sum of p^alpha) / (1 - alpha) in nats: a number (...).

        >>> round(np.exp(-p.renyi(2.0)) * 25, 6)  # 2^2 + 2^2 + 1
        9.0
        """
        return self._number(self._batch.renyi(real_number(alpha, "alpha")))

    def renyi_gradient(self, alpha: float) -> np.ndarray:
        """Returns d renyi / d scores, (..., nodes, nodes).

        >>> p.renyi_gradient(2.0).shape
        (3, 3)
        """
        return self._out(self._batch.renyi_gradient(real_number(alpha, "alpha")))

    def cross_entropy(self, q: "SpanningExpectations"):
        """Returns E_p[-log q], a number (...); inf when q forbids a tree that p allows.

        >>> round(np.exp(p.cross_entropy(q)), 6)  # q is uniform over three trees
        3.0
        """
        p, r = self._paired(q)
        return p._number(p._batch.cross_entropy(r._batch))

    def cross_entropy_gradient(self, q: "SpanningExpectations") -> Tuple[np.ndarray, np.ndarray]:
        """Returns d cross_entropy / d scores of p, and of q: two arrays (..., nodes, nodes).

        >>> of_p, of_q = p.cross_entropy_gradient(q)
        >>> (15 * of_q)[0].round(6).tolist()  # marginals of q less those of p
        [0.0, 1.0, -2.0]
        """
        p, r = self._paired(q)
        of_p, of_q = p._batch.cross_entropy_gradient(r._batch)
        return p._out(of_p), p._out(of_q)

    def kl(self, q: "SpanningExpectations"):
        """Returns KL(p || q) = E_p[log p - log q] >= 0, a number (...).

        >>> round(p.kl(q) - (p.cross_entropy(q) - p.entropy()), 9), p.kl(p)
        (0.0, 0.0)
        """
        p, r = self._paired(q)
        return p._number(p._batch.kl(r._batch))

    def kl_gradient(self, q: "SpanningExpectations") -> Tuple[np.ndarray, np.ndarray]:
        """Returns d kl / d scores of p, and of q: two arrays (..., nodes, nodes).

        >>> p.kl_gradient(q)[0].shape
        (3, 3)
        """
        p, r = self._paired(q)
        of_p, of_q = p._batch.kl_gradient(r._batch)
        return p._out(of_p), p._out(of_q)
