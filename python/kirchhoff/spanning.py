"""Distributions over the spanning trees of undirected weighted graphs, one graph or a batch of them."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Tuple, Union

import numpy as np

from ._arrays import counted, seed_of, whole_number
from ._many import spread
from ._spanning_expectations import SpanningExpectations


class SpanningTrees(NamedTuple):
    """Spanning trees of each graph. Padding and trees that do not exist are -1; their log_prob is -inf.

    >>> trees = kirchhoff.SpanningTreeDistribution(np.zeros((3, 3))).k_best(4)
    >>> trees.edges.shape, np.exp(trees.log_prob).round(6).tolist()
    ((4, 2, 2), [0.333333, 0.333333, 0.333333, 0.0])
    """

    edges: np.ndarray  #: (..., nodes-1, 2) or (..., k, nodes-1, 2) integers: edges (a, b), a < b, in ascending order
    log_prob: Any  #: (...) or (..., k); a float for one tree


class SampledSpanningTrees(NamedTuple):
    """Distinct trees in the order of their perturbed log-probabilities (see `importance_estimate`).

    perturbed is log-probability + Gumbel noise, and threshold the highest one of a tree not among them, -inf when these
    are all.

    >>> some = kirchhoff.SpanningTreeDistribution(np.zeros((4, 4))).sample_without_replacement(5, seed=1)
    >>> some.edges.shape, bool((some.perturbed > some.threshold).all())
    ((5, 3, 2), True)
    """

    edges: np.ndarray  #: (..., k, nodes-1, 2) integers
    log_prob: np.ndarray  #: (..., k)
    perturbed: np.ndarray  #: (..., k)
    threshold: Any  #: (...); a float for one graph


class SpanningTreeDistribution(SpanningExpectations):
    """p(tree) = exp(sum of the scores of its edges) / Z, over the spanning trees of an undirected graph; or a batch.

    Args:
      scores: symmetric log-weights (..., nodes, nodes) of edges, of at least two nodes; -inf where there is no edge.
        The diagonal is ignored. A float64 array is kept: do not change it while the distribution is in use.
      lengths: (...) number of nodes of each graph of a padded batch, integers; default: all.
      threads: for batches; 0 means all cores.

    Raises ValueError for NaN, +inf, a wrong shape or scores that are not symmetric, and Infeasible when a graph is not
    connected. The cost is O(nodes^3) for each graph, and so is that of each method that states none. In shapes `...` is
    batch_shape; for one graph it is empty, and a number is a float. Arrays of edges are symmetric, and 0 beyond a
    graph's nodes; a gradient's entry is with respect to the score of the edge.

    >>> weights = np.array([[1, 1, 2], [1, 1, 1], [2, 1, 1]])  # three trees, of weight 1*2, 1*1 and 2*1
    >>> p = kirchhoff.SpanningTreeDistribution(np.log(weights))
    >>> round(np.exp(p.log_partition()).item(), 6)
    5.0
    >>> q = kirchhoff.SpanningTreeDistribution(np.zeros((3, 3)))  # the same trees, equally probable
    """

    __slots__ = ()

    def log_partition(self):
        """Returns log Z, where Z is the sum of exp(score) over all spanning trees: a number (...). Kirchhoff's theorem.

        >>> complete = kirchhoff.SpanningTreeDistribution(np.zeros((7, 7)))
        >>> round(np.exp(complete.log_partition()).item())  # Cayley's formula: 7^5
        16807
        """
        return self._number(self._batch.log_partition())

    def marginals(self) -> np.ndarray:
        """Returns p(edge is in the tree), (..., nodes, nodes), which is the gradient of log Z.

        >>> (5 * p.marginals()).round(6).tolist()
        [[0.0, 3.0, 4.0], [3.0, 0.0, 3.0], [4.0, 3.0, 0.0]]
        """
        return self._out(self._batch.marginals())

    def log_marginals(self) -> np.ndarray:
        """Returns log p(edge), right also where the probability is below the smallest double; -inf elsewhere.

        >>> np.exp(p.log_marginals()[0]).round(6).tolist()
        [0.0, 0.6, 0.8]
        """
        return self._out(self._batch.log_marginals())

    def marginals_along(self, direction) -> np.ndarray:
        """Returns d marginals(scores + t direction) / dt at t = 0: the Hessian of log Z times `direction`.

        `direction` has the shape of the scores, or of one graph's, and is symmetric.

        >>> direction = np.zeros((3, 3))
        >>> direction[0, 2] = direction[2, 0] = 1.0
        >>> (25 * p.marginals_along(direction))[0].round(6).tolist()  # the variance of 0 - 2 is 4/5 * 1/5
        [0.0, -2.0, 4.0]
        """
        return self._out(self._batch.marginals_along(self._edges(direction, "direction")))

    def log_prob(self, edges):
        """Returns log p(tree), a number (...), for integers (..., nodes-1, 2); -inf when there is no such edge.

        Edges and their ends are in any order. With more axes after the batch's, as those of p.sample(10), there are many
        trees of each graph. ValueError says that edges are not a spanning tree. Beyond a graph's
        edges they may be anything.

        >>> round(5 * np.exp(p.log_prob([(2, 0), (1, 0)])).item(), 6)
        2.0
        """
        rows, more = self._edge_rows(edges)
        return self._of_each(self._batch.log_prob(rows), more)

    def risk(self, gold):
        """Returns the expected fraction of edges that are those of the gold tree, (...), for edges (..., nodes-1, 2).

        As in log_prob there may be many trees of each graph.

        >>> round(p.risk([(0, 1), (0, 2)]), 6)  # of 3/5 and 4/5
        0.7
        """
        rows, more = self._edge_rows(gold)
        self._batch.log_prob(rows)  # says why they are not spanning trees
        nodes = self._scores.shape[-1]
        marginals = self.marginals().reshape(-1, nodes, nodes)
        graph = np.arange(len(rows)) // max(len(rows) // max(len(marginals), 1), 1)
        edges = self._lengths.reshape(-1)[graph, None] - 1
        inside = np.arange(nodes - 1) < edges
        a, b = (np.where(inside, rows[..., i], 0) for i in range(2))
        found = np.where(inside, marginals[graph[:, None], a, b], 0.0)
        return self._of_each(found.sum(-1) / edges[:, 0], more)

    def risk_gradient(self, gold) -> np.ndarray:
        """Returns d risk / d scores, (..., nodes, nodes).

        >>> (50 * p.risk_gradient([(0, 1), (0, 2)])[0]).round(6).tolist()
        [0.0, 4.0, 2.0]
        """
        return self.marginals_along(self._right(gold))

    def log_count(self):
        """Returns the logarithm of the number of spanning trees, a number (...).

        >>> round(np.exp(p.log_count()).item(), 6)
        3.0
        """
        return self._number(self._batch.log_count())

    def argmax(self) -> SpanningTrees:
        """Returns the most probable tree, the maximum spanning tree: edges (..., nodes-1, 2), log_prob (...).

        >>> kirchhoff.SpanningTreeDistribution(np.log([[1, 3, 2], [3, 1, 1], [2, 1, 1]])).argmax().edges.tolist()
        [[0, 1], [0, 2]]
        """
        return self._trees(*self._batch.argmax(False), ())

    def mbr(self) -> SpanningTrees:
        """Returns the tree with the most right edges, as expected by p; shapes are those of argmax.

        >>> (0, 2) in map(tuple, p.mbr().edges.tolist())
        True
        """
        return self._trees(*self._batch.argmax(True), ())

    def k_best(self, k: int) -> SpanningTrees:
        """Returns the k most probable trees, best first: edges (..., k, nodes-1, 2), log_prob (..., k).

        >>> (5 * np.exp(p.k_best(4).log_prob)).round(6).tolist()
        [2.0, 2.0, 1.0, 0.0]
        """
        return self._trees(*self._batch.k_best(whole_number(k, "k")), (k,))

    def sample(self, shape: Union[int, tuple] = (), *, seed: Optional[int] = 0,
               rng: Optional[np.random.Generator] = None) -> SpanningTrees:
        """Draws independent trees for each graph: edges (..., *shape, nodes-1, 2), log_prob (..., *shape).

        The same seed gives the same trees, and tree i does not depend on how many are drawn; graph i of a batch has the
        seed `seed + i`. With `rng` the seed is drawn from it.

        >>> drawn = p.sample(1000, seed=1)
        >>> has_long = (drawn.edges == [0, 2]).all(-1).any(-1)
        >>> drawn.edges.shape, bool(abs(has_long.mean() - 4 / 5) < 0.05)
        ((1000, 2, 2), True)
        """
        shape, count = counted(shape)
        return self._trees(*self._batch.sample(count, seed_of(seed, rng)), shape)

    def sample_without_replacement(self, k: int, *, seed: Optional[int] = 0,
                                   rng: Optional[np.random.Generator] = None) -> SampledSpanningTrees:
        """Draws k distinct trees, each from p given that it is none of those before it. O(k nodes^3).

        edges (..., k, nodes-1, 2), log_prob and perturbed (..., k), threshold (...). If there are fewer, the rest is
        padding.

        >>> p.sample_without_replacement(4, seed=1).threshold
        -inf
        """
        edges, log_prob, perturbed, threshold = self._batch.sample_without_replacement(whole_number(k, "k"), seed_of(seed, rng))
        return SampledSpanningTrees(self._out(edges), self._out(log_prob), self._out(perturbed),
                                    self._number(threshold))

    def with_temperature(self, temperature: float) -> "SpanningTreeDistribution":
        """Returns the distribution with scores / temperature.

        >>> round(np.exp(p.with_temperature(0.5).log_partition()).item(), 6)  # 2^2 + 2^2 + 1
        9.0
        """
        if not 0.0 < temperature < np.inf:
            raise ValueError(f"temperature is {temperature}, expected a positive number")
        return self._with(self._scores / temperature)

    def given(self, *, forbid=()) -> "SpanningTreeDistribution":
        """Returns the distribution given edges (a, b) that are not in the tree; a batch takes a list for each graph.

        Raises Infeasible when no tree is left.

        >>> p.given(forbid=[(0, 2)]).argmax().edges.tolist()
        [[0, 1], [1, 2]]
        """
        scores = np.array(self._scores, order="C")
        flat = scores.reshape((-1,) + scores.shape[-2:])
        lists = [forbid] if not self._shape else list(forbid) or [()] * len(flat)
        if len(lists) != len(flat):
            raise ValueError(f"forbid: {len(lists)} lists of edges for {len(flat)} graphs")
        for i, edges in enumerate(lists):
            nodes = self._lengths.reshape(-1)[i]
            for a, b in edges:
                if not (0 <= a < nodes and 0 <= b < nodes and a != b):
                    raise ValueError(f"forbid: ({a}, {b}) is not an edge of graph {i}")
                flat[i, a, b] = flat[i, b, a] = -np.inf
        return self._with(scores)

    def _of_each(self, numbers: np.ndarray, more: tuple):
        return numbers.reshape(self._shape + more) if more else self._number(numbers)

    def _edge_rows(self, edges) -> Tuple[np.ndarray, tuple]:
        """Returns edges of the caller as rows, (batch * trees, nodes-1, 2), and the shape of the trees of each graph."""
        rows = np.asarray(edges)
        if rows.dtype.kind not in "iu":
            raise ValueError(f"edges: dtype {rows.dtype} is not an integer type")
        rows, more = spread(rows, self._shape, self.event_shape, "edges")
        return np.array(rows, np.int64, order="C").reshape((-1,) + self.event_shape), more

    def _right(self, gold) -> np.ndarray:
        """Returns the fraction of a tree's edges that are gold ones, as a sum over edges: (..., nodes, nodes)."""
        rows, more = self._edge_rows(gold)
        if more:
            raise ValueError(f"gold: {more} trees of each graph, where one is expected")
        self._batch.log_prob(rows)  # says why they are not a spanning tree
        shares = np.zeros((len(rows),) + self._scores.shape[-2:])
        for edges, nodes, share in zip(rows, self._lengths.reshape(-1), shares):
            a, b = edges[:nodes - 1].T
            share[a, b] = share[b, a] = 1.0 / (nodes - 1)
        return shares.reshape(self._scores.shape)

    def _trees(self, edges: np.ndarray, log_prob: np.ndarray, shape: tuple) -> SpanningTrees:
        """Returns trees (batch, count, nodes-1, 2) as (..., *shape, nodes-1, 2)."""
        full = self._shape + shape
        log_prob = log_prob.reshape(full)
        return SpanningTrees(edges.reshape(full + self.event_shape), log_prob if full else log_prob.item())

    def _with(self, scores: np.ndarray, lengths: Optional[np.ndarray] = None) -> "SpanningTreeDistribution":
        return SpanningTreeDistribution(scores, lengths=self._lengths if lengths is None else lengths,
                                        threads=self._threads)

    def __getitem__(self, index) -> "SpanningTreeDistribution":
        """Returns the distribution of a part of the batch, which `index` chooses as it does in an array of batch_shape."""
        if not self._shape:
            raise TypeError("one graph cannot be indexed: it is no batch")
        chosen = np.arange(int(np.prod(self._shape))).reshape(self._shape)[index]  # an IndexError says what is wrong
        flat = self._scores.reshape((-1,) + self._scores.shape[-2:])
        return self._with(flat[chosen], self._lengths.reshape(-1)[chosen])

    def __reduce__(self):
        return _restore, (self._scores, self._lengths, self._threads)

    def __repr__(self) -> str:
        return f"SpanningTreeDistribution(batch_shape={self._shape}, nodes<={self._scores.shape[-1]})"


def _restore(scores, lengths, threads) -> SpanningTreeDistribution:
    return SpanningTreeDistribution(scores, lengths=lengths, threads=threads)
