"""Gold trees as PyTorch's tensors: their checks, and sums over their arcs."""

from __future__ import annotations

from typing import Any

import torch

from ._device_graphs import DeviceGraphs


def gold_trees(p: Any, heads, labels) -> list:
    """Returns heads and labels (..., n+1) where p's scores lie; ValueError says why they are not trees of p's graphs.

    Heads on the device of the scores stay there, and the error comes with the first answer that p gives.
    """
    given = [None if t is None else torch.as_tensor(t) for t in (heads, labels)]
    shape = p.batch_shape + p.event_shape
    if isinstance(p, DeviceGraphs) and all(t is None or _stays(t, p) for t in given):
        found = [None if t is None else t.expand(shape).long() for t in given]
        p.also_check(_wrong(p, *found), lambda: p._checked_gold(*given))
        return found
    arrays = p._checked_gold(*(None if t is None else t.cpu() for t in given))
    device = p._library.device if isinstance(p, DeviceGraphs) else "cpu"
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


class TreeArcs:
    """The arcs of a tree of each graph, in arrays of this shape; `gold` has its heads, and labels or None."""

    def __init__(self, shape, gold, lengths: torch.Tensor):
        heads, labels = gold
        self.shape, self.axes = shape, 2 if labels is None else 3
        size = shape[-self.axes]
        words = torch.arange(1, size, device=heads.device)
        self.unused = words > lengths.unsqueeze(-1)
        self.index = heads[..., 1:].masked_fill(self.unused, 0) * size + words
        if labels is not None:
            self.index = self.index * shape[-1] + labels[..., 1:].masked_fill(self.unused, 0)

    def sum(self, values: torch.Tensor) -> torch.Tensor:
        """Returns the sum of an array's values, (...), in double precision."""
        arcs = values.flatten(-self.axes).gather(-1, self.index)
        return arcs.masked_fill(self.unused, 0).sum(-1, dtype=torch.float64)

    def add_to(self, array: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Adds a number for each graph, (...), to the arcs of an array, which must be contiguous, and returns it."""
        each = numbers.to(array.dtype).unsqueeze(-1).expand(self.index.shape).masked_fill(self.unused, 0)
        array.view(self.shape[: -self.axes] + (-1,)).scatter_add_(-1, self.index, each)
        return array
