"""The part of TreeDistribution that computes objectives of learning: norms, expectation criteria, products over arcs."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from ._arrays import Arcs, parts_of, real_number, whole_number
from ._tree_expectations import TreeExpectations


class TreeLoss(NamedTuple):
    """This is a loss of trees, a number (...), and its gradient by the scores of arcs."""
    value: Any
    gradient: Arcs


class TreeObjectives(TreeExpectations):
    __slots__ = ()

    def pair_marginals(self, max_words: int = 40):
        """Returns the probability that a tree has both of two arcs, (..., n+1, n+1, n+1, n+1).

        Entry [h, d, k, l] is that of h -> d and k -> l; for h, d = k, l it is the arc's own. Labels do not matter: the
        probability of two arcs with labels is `second_order` of their indicators. Takes O(n^4); ValueError is raised for graphs of more than `max_words`. For a list of graphs it is a list.

        >>> pairs = p.pair_marginals()
        >>> (9 * pairs[0, 1, 1, 2]).round(6).item(), (9 * pairs[0, 1, 0, 2]).round(6).item()
        (6.0, 2.0)
        """
        table = self._batch.pair_marginals(whole_number(max_words, "max_words"))
        nodes = self.event_shape * 4
        if not self._listed:
            return self._out(table.reshape((-1,) + nodes))
        return [self._rounded(t.reshape(nodes)[: n + 1, : n + 1, : n + 1, : n + 1])
                for t, n in zip(table, self._batch.words().tolist())]

    def log_prob_gradient(self, heads, labels=None) -> Arcs:
        """Returns d log_prob / d scores, which is 1 for the tree's arcs less the marginals, in O(n^2).

        heads and labels are one tree for each graph.

        >>> (9 * p.log_prob_gradient([-1, 0, 1]))[0, 1:].round(6).tolist()  # 9 - 8, and 0 - 3
        [1.0, -3.0]
        """
        return self._arc_out(self._batch.log_prob_gradient(*self._gold(heads, labels)))

    def structured_loss(self, heads, labels=None, loss: str = "crf", *, beta: Optional[float] = None,
                        gamma: Optional[float] = None, cost: str = "mistakes") -> TreeLoss:
        """Returns 1/beta log sum over trees y of exp beta[score(y) - score(gold) + gamma cost(y)], and its gradient.

        `loss` is crf, svm, perceptron, softmax_margin or risk, the last of which is E[cost]; beta and gamma replace its
        own. The cost is the number of words whose head is wrong, or, with labels, whose head or label is, as LAS counts;
        cost="hamming" doubles gamma. heads and labels are one tree for each graph. Takes O(n^3 + n^2 L), and O(n^2 L) for
        beta = inf. ValueError when gold is no tree of this root mode, or has an arc or label that is impossible.

        >>> at = p.structured_loss([-1, 0, 1], loss="svm")  # the tree with two wrong heads is 1/6 as probable: 2 - log 6
        >>> round(at.value, 4), at.gradient.round(4).tolist()[0][1:]
        (0.2082, [-1.0, 1.0])
        """
        values, gradients = self._batch.structured_loss(*self._gold(heads, labels), loss, beta, gamma, cost)
        return TreeLoss(self._number(values), self._arc_out(gradients))

    def norm(self, k: float):
        """Returns the l_k norm (sum of p^k)^(1/k) of the probabilities of all trees, k > 0: a number (...). O(n^3).

        >>> round(81 * p.norm(2) ** 2, 6)  # 6^2 + 2^2 + 1
        41.0
        """
        return self._number(self._batch.norm(real_number(k, "k")))

    def norm_gradient(self, k: float) -> Arcs:
        """Returns d norm / d scores: norm (marginals of p^k - marginals of p), in O(n^3).

        >>> p.norm_gradient(2)[0, 1:].round(4).tolist()
        [0.0617, -0.1504]
        """
        return self._arc_out(self._batch.norm_gradient(real_number(k, "k")))

    def generalized_expectation(self, f, target):
        """Returns the criterion |E[f] - target|^2 / 2, a number (...), for f as in expectation, target (..., features).

        >>> distance = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
        >>> round(p.generalized_expectation([distance], [2.0]), 6)  # the mean is 21/9
        0.055556
        """
        f = self._features(f, "f")
        return self._number(self._batch.generalized_expectation(f, self._targets(target, f)))

    def generalized_expectation_gradient(self, f, target) -> Arcs:
        """Returns d generalized_expectation / d scores: the covariance of (E[f] - target) f and arcs, in O(n^3).

        >>> distance = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
        >>> p.generalized_expectation_gradient([distance], [2.0])[0, 1:].round(6).tolist()
        [-0.024691, 0.074074]
        """
        f = self._features(f, "f")
        return self._arc_out(self._batch.generalized_expectation_gradient(f, self._targets(target, f)))

    def _targets(self, target, functions) -> np.ndarray:
        """Returns the targets as (batch, features)."""
        first = functions[0] if len(functions) else np.zeros((0, 0))
        count = first.size() if not isinstance(first, np.ndarray) else first.shape[0]
        target = np.asarray(target, dtype=np.float64)
        try:
            return np.broadcast_to(target, self._shape + (count,)).reshape(-1, count)
        except ValueError:
            raise ValueError(f"target: shape {target.shape} does not fit {self._shape + (count,)}") from None

    def log_multiplicative_expectation(self, log_q):
        """Returns log E[product of q over the tree's arcs], a number (...), for log q like the scores, in O(n^3).

        -inf is for q = 0; the value is -inf when every tree has such an arc.

        >>> log_q = np.log([[1.0, 1.0, 3.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])  # 0 -> 2 counts three times
        >>> round(9 * np.exp(p.log_multiplicative_expectation(log_q)).item(), 6)  # 6 + 3 * 2 + 3 * 1
        15.0
        """
        return self._number(self._batch.log_multiplicative_expectation(self._arcs(log_q, "log_q")))

    def log_multiplicative_expectation_gradient(self, log_q):
        """Returns d log_multiplicative_expectation / d scores, and / d log_q: two arrays like the scores, in O(n^3).

        >>> of_p, of_log_q = p.log_multiplicative_expectation_gradient(np.zeros((3, 3)))
        >>> of_p.round(6).any().item(), (9 * of_log_q)[0].round(6).tolist()  # of the latter, the marginals
        (False, [0.0, 8.0, 3.0])
        """
        found = self._batch.log_multiplicative_expectation_gradient(self._arcs(log_q, "log_q"))
        return tuple(map(self._arc_out, found))

    def _rounded(self, array: np.ndarray) -> np.ndarray:
        return array.astype(np.float32) if self._float32 else array
