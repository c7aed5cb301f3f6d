"""Gold trees as PyTorch's tensors: their checks, and sums over their arcs.

On a device every operation of PyTorch costs as much as a small batch of graphs, so there are few of them.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import torch

from ._device_graphs import DeviceGraphs


@functools.lru_cache(maxsize=1000)
def _nodes(count: int, device: torch.device) -> torch.Tensor:
    return torch.arange(count, device=device)


class TreeArcs:
    """The arcs of a tree of each graph in arrays of some shape. Heads, and labels or None, are (..., n+1).

    `bound` is n + 1 of each graph, (..., 1), or None if all are as large as the arrays. What is said about words beyond
    it, and about the root, does not matter, but must be among nodes and labels.
    """

    def __init__(self, shape, heads: Any, labels, bound):
        self.batch, self.axes = shape[: -2 if labels is None else -3], 2 if labels is None else 3
        nodes = shape[-self.axes]
        words = _nodes(nodes, heads.device)[1:]
        self.unused = None if bound is None else words >= bound
        self.index = torch.add(words, heads[..., 1:], alpha=nodes)
        if labels is not None:
            self.index = torch.add(labels[..., 1:], self.index, alpha=shape[-1])

    def used(self, values: torch.Tensor) -> torch.Tensor:
        """Returns numbers of words, (..., n), with 0 for those that a graph has not."""
        return values if self.unused is None else values.masked_fill(self.unused, 0)

    def sum(self, values: torch.Tensor) -> torch.Tensor:
        """Returns the sum of an array's values, (...), in double precision."""
        return self.used(values.flatten(-self.axes).gather(-1, self.index)).sum(-1, dtype=torch.float64)

    def add_to(self, array: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
        """Adds a number for each graph, (...), to the arcs of an array, which must be contiguous, and returns it."""
        each = self.used(numbers.to(array.dtype).unsqueeze(-1).expand(self.index.shape))
        array.view(self.batch + (-1,)).scatter_add_(-1, self.index, each)
        return array


def gold_arcs(p: Any, heads, labels) -> TreeArcs:
    """Returns the arcs of a tree of each graph of p; ValueError says why heads and labels are no trees of p's graphs.

    Heads on the device of the scores stay there, and the error comes with the first answer that p gives.
    """
    given = [None if t is None else torch.as_tensor(t) for t in (heads, labels)]
    shape = p.batch_shape + p.event_shape
    if isinstance(p, DeviceGraphs) and all(t is None or _stays(t, p) for t in given):
        return _checked_there(p, *(None if t is None else t.expand(shape).long() for t in given))
    device = p._library.device if isinstance(p, DeviceGraphs) else "cpu"
    arrays = p._checked_gold(*(None if t is None else t.cpu() for t in given))
    found = [None if a is None else torch.as_tensor(np.maximum(a, 0).reshape(shape), device=device) for a in arrays]
    bound = None if p._lengths is None else torch.as_tensor(p.lengths).unsqueeze(-1) + 1
    return TreeArcs(p.scores.shape, found[0], found[1], bound)


def _stays(values: torch.Tensor, p: Any) -> bool:
    """Says whether heads or labels can be checked on the device; if not, the check on the host has a message."""
    integers = not (values.is_floating_point() or values.is_complex() or values.dtype == torch.bool)
    shape = p.batch_shape + p.event_shape
    fits = tuple(values.shape) == shape[len(shape) - values.dim():] and values.dim() > 0
    return values.device == p.scores.device and integers and fits


def _checked_there(p: DeviceGraphs, heads, labels) -> TreeArcs:
    """Counts what is wrong with each tree. Words climb by 1, 2, 4, ... heads, so this takes O(n log n)."""
    nodes = p.event_shape[0]
    bound = p.nodes_of_graphs()
    above = torch.remainder(heads, nodes if bound is None else bound)  # of all words, those beyond a graph's, too
    wrong = (above != heads)[..., 1:]
    above.select(-1, 0).zero_()
    top = above
    for _ in range((nodes - 2).bit_length()):
        top = top.gather(-1, top)
    wrong = torch.add(wrong, top[..., 1:])
    chosen = None
    if labels is not None:
        chosen = torch.remainder(labels, p.labels)
        wrong = torch.add(wrong, (chosen != labels)[..., 1:])
    single = p.root == "single"
    if single:
        wrong = torch.add(above[..., 1:] == 0, wrong, alpha=2)
    arcs = TreeArcs(p.scores.shape, above, chosen, bound)
    p.also_check(arcs.used(wrong).sum(-1), int(single), lambda: p._checked_gold(heads, labels))
    return arcs
