"""Gold trees as PyTorch's tensors: their checks, and sums over their arcs, scores among them."""

from __future__ import annotations

from typing import Any, Optional

import torch

from . import _core
from ._arrays import lengths_of
from ._device_graphs import DeviceGraphs
from ._many import with_axes
from ._torch_numbers import integers


_MOST_NODES = 8193  # of graphs whose given trees kernels take


def gold_trees(p: Any, heads, labels) -> list:
    """Returns heads and labels (..., *more, n+1) where p's scores lie; ValueError says why they are not trees of p's graphs.

    Heads on the device of the scores stay there, and the error comes with the first answer that p gives.
    """
    given = [None if t is None else torch.as_tensor(t) for t in (heads, labels)]
    shape = p.batch_shape + p.event_shape
    if isinstance(p, DeviceGraphs) and all(t is None or _stays(t, p) for t in given):
        found = [None if t is None else t.expand(shape).long() for t in given]
        p.also_check(_wrong(p, *found), lambda: p._checked_golds(*given))
        return found
    *arrays, more = p._checked_golds(*(None if t is None else t.cpu() for t in given))
    device = p._library.device if isinstance(p, DeviceGraphs) else "cpu"
    shape = p.batch_shape + more + p.event_shape
    return [None if a is None else torch.as_tensor(a.reshape(shape).copy(), device=device) for a in arrays]


def _stays(values: torch.Tensor, p: Any) -> bool:
    """Says whether heads or labels can be checked on the device; if not, the check on the host has a message."""
    integers = not (values.is_floating_point() or values.is_complex() or values.dtype == torch.bool)
    shape = p.batch_shape + p.event_shape
    fits = tuple(values.shape) == shape[len(shape) - values.dim():] and values.dim() > 0
    return values.device == p.scores.device and integers and fits


def _wrong(p: DeviceGraphs, heads, labels) -> torch.Tensor:
    """Returns 1 for every graph whose heads are no tree. Words climb by 1, 2, 4, ... heads, so O(n log n)."""
    nodes = p.event_shape[0]
    heads = heads.reshape(-1, nodes)
    words, lengths = torch.arange(nodes, device=heads.device), p.lengths.reshape(-1, 1).clamp(max=nodes - 1)
    used = (words > 0) & (words <= lengths)
    outside = used & ((heads < 0) | (heads > lengths))
    above = heads.masked_fill(~used | outside, 0)
    for _ in range((nodes - 1).bit_length()):
        above = above.gather(1, above)
    outside |= above != 0
    if labels is not None:
        labels = labels.reshape(-1, nodes)
        outside |= used & ((labels < 0) | (labels >= p.labels))
    wrong = outside.any(1)
    return wrong | (((heads == 0) & used).sum(1) > 1) if p.root == "single" else wrong


def arcs_of(p: Any, heads, labels) -> Any:
    """Returns the arcs of a tree of each of p's graphs; ValueError says why heads and labels are not trees."""
    tree, names = torch.as_tensor(heads), None if labels is None else torch.as_tensor(labels)
    if isinstance(p, DeviceGraphs) and p.event_shape[0] <= _MOST_NODES:
        if _stays(tree, p) and (names is None or _stays(names, p)):
            return DeviceTreeArcs(p, tree, names)
    return TreeArcs(p.scores.shape, gold_trees(p, heads, labels), torch.as_tensor(p.lengths))


class TreeArcs:
    """The arcs of a tree of each graph, in arrays of this shape; `gold` has its heads, and labels or None.

    There may be many trees of each graph; `more` is their shape. Then there is a sum of each.
    """

    def __init__(self, shape, gold, lengths: torch.Tensor):
        heads, labels = gold
        self.shape, self.axes = shape, 2 if labels is None else 3
        size, batch = shape[-self.axes], len(shape) - self.axes
        self.more = tuple(heads.shape[batch:-1])
        words = torch.arange(1, size, device=heads.device)
        self.unused = words > with_axes(lengths, self.more).unsqueeze(-1)
        self.index = heads[..., 1:].masked_fill(self.unused, 0) * size + words
        if labels is not None:
            self.index = self.index * shape[-1] + labels[..., 1:].masked_fill(self.unused, 0)

    def sum(self, values: torch.Tensor) -> torch.Tensor:
        """Returns the sum of an array's values, (..., *more), in double precision."""
        flat = values.flatten(-self.axes)
        arcs = flat.gather(-1, self.index.flatten(flat.dim() - 1)).reshape(self.index.shape)
        return arcs.masked_fill(self.unused, 0).sum(-1, dtype=torch.float64)

    def less(self, marginals: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
        """Returns factors (...) times the difference of the tree's arcs and marginals, in the place of the latter."""
        shape = factors.shape + (1,) * self.axes
        return self.add_to(marginals.mul_(-factors.to(marginals.dtype).reshape(shape)), factors)

    def add_to(self, array: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Adds a number for each graph, (...), to the arcs of an array, which must be contiguous, and returns it."""
        each = numbers.to(array.dtype).unsqueeze(-1).expand(self.index.shape).masked_fill(self.unused, 0)
        array.view(self.shape[: -self.axes] + (-1,)).scatter_add_(-1, self.index, each)
        return array


class DeviceTreeArcs:
    """The same by kernels, which check the trees, too. If they are none, the first answer of p says so."""

    def __init__(self, p: DeviceGraphs, heads: torch.Tensor, labels: Optional[torch.Tensor]):
        self._p, self._given = p, (heads, labels)
        self._heads = self._flat(heads)
        self._labels = None if labels is None else self._flat(labels)
        graphs = self._heads.shape[:1]
        score, wrong = p._library.empty(graphs, "float64"), p._library.empty(graphs, "uint8")
        self._run(_core.cuda_score_trees, p._flat, score, wrong)
        self._score = score.reshape(p.batch_shape)
        p.also_check(wrong, lambda: p._checked_golds(*self._given))

    def _flat(self, values: torch.Tensor) -> torch.Tensor:
        shape = self._p.batch_shape + self._p.event_shape
        return values.expand(shape).reshape(-1, shape[-1]).long().contiguous()

    def _run(self, kernel, arcs: torch.Tensor, *numbers: torch.Tensor):
        p, library = self._p, self._p._library
        given = {"labels": self._labels, "lengths": p._words}
        with library.current():
            kernel(library.capsule(arcs), p.root, library.capsule(self._heads), *map(library.capsule, numbers),
                   library.stream(), library.executor,
                   **{name: library.capsule(t) for name, t in given.items() if t is not None})

    def sum(self, scores: torch.Tensor) -> torch.Tensor:
        """Returns the sum of p's scores, which are these, (...)."""
        return self._score

    def less(self, marginals: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
        self._run(_core.cuda_subtract_from_trees, marginals.view(self._p._flat.shape),
                  factors.reshape(-1).double().contiguous())
        return marginals

    def add_to(self, array: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        gold = gold_trees(self._p, *self._given)
        return TreeArcs(self._p.scores.shape, gold, torch.as_tensor(self._p.lengths)).add_to(array, numbers)


def tree_score(scores, heads, labels=None, *, lengths=None) -> torch.Tensor:
    """Returns the sum of the scores of a tree's arcs, (...), in O(n); heads and labels are integers (..., n+1).

    With more axes after the batch's there are many trees of each graph. ValueError says when a word within its graph's
    length has no head or label that exists.

    >>> kt.tree_score(torch.arange(9.0).reshape(3, 3), torch.tensor([-1, 0, 1])).item()  # 1 + 5
    6.0
    """
    shape = tuple(scores.shape if labels is None else scores.shape[:-1])
    if lengths is None:
        lengths = shape[-1] - 1
    lengths = torch.as_tensor(lengths_of(torch.as_tensor(lengths).cpu().numpy(), shape[:-2])).to(scores.device)
    heads = torch.as_tensor(heads)
    most = with_axes(lengths, tuple(heads.shape[len(shape) - 2:-1])).unsqueeze(-1)
    used = torch.arange(shape[-1], device=scores.device) <= most
    used[..., 0] = False
    heads = integers(heads, scores, most, used, "heads")
    if labels is not None:
        labels = integers(labels, scores, torch.full_like(most, scores.shape[-1] - 1), used, "labels")
    return TreeArcs(scores.shape, (heads, labels), lengths).sum(scores).to(scores.dtype)
