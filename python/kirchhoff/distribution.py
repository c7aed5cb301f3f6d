"""Distributions over dependency trees, one graph or a batch of them."""

from __future__ import annotations

from typing import NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core

ArrayLike = Union[npt.ArrayLike, Sequence[npt.ArrayLike]]
_FLOAT64 = np.dtype(np.float64)


class Trees(NamedTuple):
    """Trees of each graph. Padding and trees that do not exist are -1; their log_prob is -inf."""

    heads: np.ndarray  #: (..., n+1) or (..., k, n+1) integers
    labels: Optional[np.ndarray]  #: the same shape, of the arc into each word; None for unlabelled graphs
    log_prob: np.ndarray


class SampledTrees(NamedTuple):
    """Distinct trees in the order of their perturbed log-probabilities (see `importance_estimate`)."""

    heads: np.ndarray
    labels: Optional[np.ndarray]
    log_prob: np.ndarray
    perturbed: np.ndarray  #: log-probability + Gumbel noise
    threshold: np.ndarray  #: the highest perturbed log-probability not among them; -inf when these are all trees


class TreeDistribution:
    """p(tree) proportional to exp(sum of the scores of its arcs).

    Args:
      scores: log-weights (..., n+1, n+1), or (..., n+1, n+1, labels); or a list of such graphs of different sizes.
        Any framework's CPU array that NumPy can read. Computed in double precision. A float64 array is read where it
        lies: do not change it while the distribution is in use.
      root: "single" or "multi".
      lengths: number of words of each graph of a padded batch; default: all n.
      labelled: whether the last axis is labels; needed only when the shape leaves it open.
      threads: for batches; 0 means all cores.
      dtype: of results, float64 or float32; the work is done in float64.

    Raises ValueError for NaN, +inf or a wrong shape, and Infeasible when a graph has no tree. Cost: O(n^3) per graph.

    >>> import numpy as np
    >>> p = TreeDistribution(np.log([[1, 2, 1], [1, 1, 3], [1, 1, 1]]), root="multi")
    >>> round(float(np.exp(p.log_partition())), 6)  # 2*1 + 2*3 + 1*1
    9.0
    """

    __slots__ = ("_batch", "_scores", "_lengths", "_shape", "_root", "_labels", "_threads", "_float32")

    def __init__(self, scores: ArrayLike, *, root: str, lengths: Optional[npt.ArrayLike] = None,
                 labelled: Optional[bool] = None, threads: int = 0, dtype: npt.DTypeLike = np.float64):
        self._float32 = dtype is not np.float64 and _is_float32(dtype)
        self._scores, self._shape, self._labels, self._lengths = _graphs(scores, root, lengths, labelled)
        self._root = root
        self._threads = threads
        make = _core.LabelledBatch if self._labels else _core.TreeBatch
        flat_lengths = None if self._lengths is None else self._lengths.reshape(-1)
        flat = _flat(self._scores, self._shape) if self._shape else self._scores
        self._batch = make(flat, root == "single", flat_lengths, threads)

    # --- shapes -------------------------------------------------------------------------------------------------

    @property
    def batch_shape(self) -> tuple:
        """Shape of the batch; () for one graph."""
        return self._shape

    @property
    def event_shape(self) -> tuple:
        """Shape of heads: (n+1,)."""
        return (self._scores.shape[-3 if self._labels else -2],)

    @property
    def labels(self) -> int:
        """Number of labels; 0 for unlabelled graphs."""
        return self._labels

    @property
    def root(self) -> str:
        return self._root

    @property
    def scores(self) -> np.ndarray:
        return self._scores

    @property
    def lengths(self) -> np.ndarray:
        """Number of words of each graph."""
        return self._out(self._batch.words())

    def _out(self, array: np.ndarray) -> np.ndarray:
        """A (batch, ...) result in the caller's shape and precision."""
        if self._float32 and array.dtype == np.float64:
            array = array.astype(np.float32)
        return array.reshape(self._shape + array.shape[1:]) if len(self._shape) != 1 else array

    def _number(self, array: np.ndarray):
        return self._out(array) if self._shape else float(array[0])

    def _arcs(self, array, name: str) -> np.ndarray:
        """An array of this distribution's arcs, one for each graph; broadcast over the batch."""
        array = np.asarray(array, dtype=np.float64)
        try:
            array = np.broadcast_to(array, self._scores.shape)
        except ValueError:
            raise ValueError(f"{name}: shape {array.shape} does not fit the scores' {self._scores.shape}") from None
        return array.reshape((-1,) + self._scores.shape[len(self._shape):])

    def _heads(self, heads, name: str = "heads") -> np.ndarray:
        heads = np.asarray(heads)
        if heads.dtype.kind not in "iu":
            raise ValueError(f"{name}: dtype {heads.dtype} is not an integer type")
        if heads.shape[-1:] != self.event_shape:
            raise ValueError(f"{name}: shape {heads.shape} does not end in (n+1,) = {self.event_shape}")
        heads = np.broadcast_to(heads, self._shape + self.event_shape)
        return np.ascontiguousarray(heads.reshape((-1,) + self.event_shape), dtype=np.int64)

    def _gold(self, heads, labels):
        if (labels is None) != (self._labels == 0):
            raise ValueError("labels: needed for a labelled distribution" if labels is None else
                             "labels: this distribution has none")
        return self._heads(heads), None if labels is None else self._heads(labels, "labels")

    def _other(self, q: "TreeDistribution"):
        if not isinstance(q, TreeDistribution):
            raise TypeError(f"q is a {type(q).__name__}, expected a TreeDistribution")
        if q._scores.shape != self._scores.shape or q._root != self._root:
            raise ValueError(f"q: scores {q._scores.shape}, root {q._root!r} do not fit {self._scores.shape}, "
                             f"{self._root!r}")
        return q._batch

    # --- probabilities ------------------------------------------------------------------------------------------

    def log_partition(self):
        """log Z, Z the sum over all trees of exp(score). A float, or an array of shape batch_shape."""
        return self._out(self._batch.log_partition()) if self._shape else self._batch.first_log_partition()

    def marginals(self) -> np.ndarray:
        """p(head -> dependent), the shape of the scores. The gradient of log_partition."""
        array = self._batch.marginals()
        return array if array.ndim == self._scores.ndim and not self._float32 else self._out(array)

    def log_marginals(self) -> np.ndarray:
        """Their logarithms, right also where a marginal is below the smallest double. O(n^3)."""
        return self._out(self._batch.log_marginals())

    def marginals_along(self, direction) -> np.ndarray:
        """Derivative of the marginals when the scores move along `direction`: the Hessian of log Z times it. O(n^3)."""
        return self._out(self._batch.marginals_along(self._arcs(direction, "direction")))

    def given(self, *, require=(), forbid=()) -> "TreeDistribution":
        """Conditioned on arcs (head, dependent) that must, and arcs that must not be in the tree, whatever their label.

        For a batch: a list of arcs for each graph. Infeasible, naming the arcs in conflict, when no tree is left.

        >>> import numpy as np
        >>> p = TreeDistribution(np.zeros((4, 4)), root="single").given(require=[(0, 2)], forbid=[(2, 1)])
        >>> p.argmax().heads.tolist(), p.marginals()[3, 1].item()
        ([-1, 3, 0, 2], 1.0)
        """
        scores = self._batch.constrained(_arc_lists(require, self._shape, "require"),
                                         _arc_lists(forbid, self._shape, "forbid"))
        return TreeDistribution(scores.reshape(self._scores.shape), root=self._root, lengths=self._lengths,
                                labelled=bool(self._labels), threads=self._threads,
                                dtype=np.float32 if self._float32 else np.float64)

    def log_prob(self, heads, labels=None):
        """log p(tree); -inf for an impossible arc. ValueError when heads are not a tree.

        >>> import numpy as np
        >>> p = TreeDistribution(np.zeros((3, 3)), root="single")
        >>> round(p.log_prob([-1, 0, 1]), 6)  # one of two trees
        -0.693147
        """
        return self._number(self._batch.log_prob(*self._gold(heads, labels)))

    def log_count(self):
        """Natural logarithm of the number of trees without an impossible arc."""
        return self._number(self._batch.log_count())

    # --- decoding and sampling ----------------------------------------------------------------------------------

    def _trees(self, heads, labels, log_prob, squeeze: bool):
        if squeeze:
            heads, labels, log_prob = heads[:, 0], labels[:, 0], log_prob[:, 0]
        prob = self._number(log_prob) if squeeze else self._out(log_prob)
        return self._out(heads), self._out(labels) if self._labels else None, prob

    def argmax(self) -> Trees:
        """The most probable tree. O(n^2)."""
        return Trees(*self._trees(*self._batch.argmax(False), True))

    def mbr(self) -> Trees:
        """The tree with the highest expected number of right heads (and labels)."""
        return Trees(*self._trees(*self._batch.argmax(True), True))

    def topk(self, k: int) -> Trees:
        """The k most probable trees, best first. O(k n^2)."""
        return Trees(*self._trees(*self._batch.topk(k), False))

    def sample(self, shape: Union[int, tuple] = (), *, seed: int = 0, rng: Optional[np.random.Generator] = None,
               method: str = "auto") -> Trees:
        """Independent samples of shape `shape` for each graph: heads (*batch_shape, *shape, n+1).

        The same seed gives the same trees, sample i whatever the number of samples; with `rng` the seed is drawn from
        it. method: auto, wilson (multi), wilson_marginal, wilson_reject (single), colbourn.
        """
        shape = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        count = int(np.prod(shape, dtype=np.int64))
        if count < 0:
            raise ValueError(f"shape {shape} has a negative extent")
        heads, labels, log_prob = self._batch.sample(count, _seed(seed, rng), method)
        full = self._shape + shape
        log_prob = self._out(log_prob)
        return Trees(heads.reshape(full + self.event_shape),
                     labels.reshape(full + self.event_shape) if self._labels else None,
                     log_prob.reshape(full) if full else float(log_prob[0]))

    def sample_without_replacement(self, k: int, *, seed: int = 0,
                                   rng: Optional[np.random.Generator] = None) -> SampledTrees:
        """k distinct trees (all, if there are fewer: the rest is padding) by stochastic beam search. O(k n^3)."""
        heads, labels, log_prob, perturbed, threshold = self._batch.sample_without_replacement(k, _seed(seed, rng))
        trees = self._trees(heads, labels, log_prob, False)
        return SampledTrees(*trees, self._out(perturbed), self._number(threshold))

    def enumerate_support(self, most: int = 100_000) -> Trees:
        """All possible trees, most probable first. ValueError when there are more than `most`; one graph only."""
        if self._shape:
            raise ValueError("enumerate_support: for one graph, not a batch")
        count = int(np.rint(np.exp(min(self.log_count(), 60.0))))
        if count > most:
            raise ValueError(f"enumerate_support: {count} trees are more than most = {most}")
        return self.topk(count)

    # --- expectations -------------------------------------------------------------------------------------------

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

    # --- Python's own --------------------------------------------------------------------------------------------

    def __reduce__(self):
        return _restore, (self._scores, self._root, self._lengths, bool(self._labels), self._threads, self._float32)

    def __repr__(self) -> str:
        labels = f", labels={self._labels}" if self._labels else ""
        return (f"TreeDistribution(batch_shape={self._shape}, words<={self.event_shape[0] - 1}, "
                f"root={self._root!r}{labels})")


def _restore(scores, root, lengths, labelled, threads, float32):
    return TreeDistribution(scores, root=root, lengths=lengths, labelled=labelled, threads=threads,
                            dtype=np.float32 if float32 else np.float64)


class DecodedTrees(NamedTuple):
    """Trees of each graph. Padding and trees that do not exist are -1; their score is -inf."""

    heads: np.ndarray  #: (..., n+1), or (..., k, n+1) when k was given
    labels: Optional[np.ndarray]  #: the same shape; None for unlabelled graphs
    score: np.ndarray  #: sum of the scores of its arcs


def decode(scores: ArrayLike, *, root: str, k: Optional[int] = None, require=(), forbid=(),
           lengths: Optional[npt.ArrayLike] = None, labelled: Optional[bool] = None, threads: int = 0) -> DecodedTrees:
    """The trees of highest score, without a distribution: O(n^2) for each graph and tree.

    Arguments as for TreeDistribution and its `given`. With k: the k best, best first.

    >>> import numpy as np
    >>> decode(np.arange(16.0).reshape(4, 4), root="single", require=[(0, 3)]).heads.tolist()
    [-1, 3, 3, 0]
    """
    array, shape, labels, lengths = _graphs(scores, root, lengths, labelled)
    run = _core.decode_labelled if labels else _core.decode
    heads, chosen, score = run(_flat(array, shape), root == "single", None if lengths is None else lengths.reshape(-1),
                               1 if k is None else k, _arc_lists(require, shape, "require"),
                               _arc_lists(forbid, shape, "forbid"), threads)
    tail = heads.shape[2:] if k is None else heads.shape[1:]
    score = score.reshape(shape + tail[:-1])
    return DecodedTrees(heads.reshape(shape + tail), chosen.reshape(shape + tail) if labels else None,
                        score if score.shape else float(score))


def _is_float32(dtype) -> bool:
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype: {np.dtype(dtype)} is neither float32 nor float64")
    return np.dtype(dtype) == np.float32


def _graphs(scores, root, lengths, labelled):
    """The scores as one float64 array, batch shape, number of labels, lengths."""
    if isinstance(scores, (list, tuple)) and len(scores) and np.ndim(scores[0]) >= 2:
        if lengths is not None:
            raise ValueError("lengths: a list of graphs has its own")
        graphs = [np.asarray(s) for s in scores]
        labelled = graphs[0].ndim == 3
        scores, lengths = _pad(graphs)
    array = np.asarray(scores)
    if array.dtype is not _FLOAT64 and array.dtype != _FLOAT64:
        if array.dtype.kind not in "fiu":
            raise ValueError(f"scores: dtype {array.dtype} is not a real number type")
        array = array.astype(np.float64)
    if root != "single" and root != "multi":
        raise ValueError(f"root is {root!r}, expected 'single' or 'multi'")
    has_labels = _has_labels(array.shape, labelled)
    shape = array.shape[: -3 if has_labels else -2]
    if lengths is not None:
        lengths = np.ascontiguousarray(np.broadcast_to(np.asarray(lengths, dtype=np.int64), shape))
    return array, shape, array.shape[-1] if has_labels else 0, lengths


def _flat(array: np.ndarray, shape: tuple) -> np.ndarray:
    """With one batch axis."""
    return array if len(shape) == 1 else array.reshape((-1,) + array.shape[len(shape):])


def _arc_lists(arcs, shape: tuple, name: str):
    """A list of (head, dependent) for each graph."""
    try:
        lists = [arcs] if not shape else list(arcs) or [()] * int(np.prod(shape))
        lists = [[(int(head), int(dependent)) for head, dependent in graph] for graph in lists]
    except TypeError:
        raise ValueError(f"{name}: expected pairs (head, dependent)" + ("" if not shape else " in a list for each graph")
                         ) from None
    if len(lists) != int(np.prod(shape)):
        raise ValueError(f"{name}: {len(lists)} lists of arcs for {int(np.prod(shape))} graphs")
    return lists


def _has_labels(shape: tuple, labelled: Optional[bool]) -> bool:
    plain = len(shape) >= 2 and shape[-1] == shape[-2]
    with_labels = len(shape) >= 3 and shape[-2] == shape[-3]
    if labelled is None:
        if plain and with_labels:
            raise ValueError(f"scores: shape {shape} may be a batch or a labelled graph; say labelled=True or False")
        labelled = with_labels and not plain
    if not (with_labels if labelled else plain):
        raise ValueError(f"scores: shape {shape} is not (..., n+1, n+1{', labels' if labelled else ''})")
    if shape[-3 if labelled else -2] < 2:
        raise ValueError(f"scores: shape {shape} has no word")
    return labelled


def _pad(graphs):
    """Graphs of different sizes as one padded batch, and their numbers of words."""
    nodes = max(g.shape[0] for g in graphs)
    out = np.zeros((len(graphs), nodes) + ((nodes,) if graphs[0].ndim > 1 else ()) + graphs[0].shape[2:],
                   dtype=np.result_type(*graphs))
    for i, g in enumerate(graphs):
        if g.ndim < 2 or g.shape[0] != g.shape[1] or g.shape[2:] != graphs[0].shape[2:]:
            raise ValueError(f"scores[{i}]: shape {g.shape} is not (n+1, n+1[, labels])")
        out[i, : g.shape[0], : g.shape[1]] = g
    return out, np.array([g.shape[0] - 1 for g in graphs])


def _seed(seed: int, rng: Optional[np.random.Generator]) -> int:
    return int(rng.integers(0, 2**63)) if rng is not None else int(seed) % 2**64
