"""Turns what callers give into arrays of the shapes that the extension takes; a ValueError names the argument."""

from __future__ import annotations

import math
import operator
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

ArrayLike = Union[npt.ArrayLike, Sequence[npt.ArrayLike]]
#: An array of arcs, or a list of them for a list of graphs; which of the two it is, a type checker cannot tell.
Arcs = Union[np.ndarray, Any]
_FLOAT64 = np.dtype(np.float64)
_dtype = operator.attrgetter("dtype")
_LARGEST_ITEM = 2**31 - 1  # bytes, of NumPy 1


def whole_number(value: Any, name: str) -> int:
    """Returns an integer that a caller gives; the error names the argument, where the extension's would name types.

    A number with a fraction, which int() would cut off, is an error, and so is 2.0: who gives one number in that way
    gives others that are cut.
    """
    try:
        return operator.index(value)
    except TypeError:
        error = ValueError if isinstance(value, (float, np.floating)) else TypeError
        raise error(f"{name}: {value!r} is not an integer") from None


def counted(shape: Any) -> Tuple[Tuple[int, ...], int]:
    """Returns the shape of samples, which a caller gives as a number or several, as a tuple, and their number."""
    extents = shape if isinstance(shape, (tuple, list, np.ndarray)) else (shape,)
    shape = tuple(whole_number(extent, "shape") for extent in extents)
    if any(extent < 0 for extent in shape):
        raise ValueError(f"shape {shape} has a negative extent")
    return shape, math.prod(shape)


def real_number(value: Any, name: str) -> float:
    """Returns a number that a caller gives, with an error as that of `whole_number`."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: {value!r} is not a number") from None


def is_float32(dtype) -> bool:
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype: {np.dtype(dtype)} is neither float32 nor float64")
    return np.dtype(dtype) == np.float32


def graphs_of(scores, lengths, labelled, padded=False):
    """Returns the scores as one float64 array, or a list of them if they were one and are not to be padded, the shape
    of the batch, the number of labels and the lengths."""
    array = scores
    if type(scores) is not np.ndarray:
        if isinstance(scores, (list, tuple)):
            if not len(scores):
                raise ValueError("scores: an empty list, without a graph")
            if np.ndim(scores[0]) >= 2:
                if lengths is not None:
                    raise ValueError("lengths: a list of graphs has its own")
                if not padded:
                    return list_of(scores)
                graphs = [np.asarray(s) for s in scores]
                labelled = graphs[0].ndim == 3
                scores, lengths = padded_batch(graphs)
        array = np.asarray(scores)
    array = doubles(array, "scores")
    full = array.shape
    with_labels = has_labels(full, labelled)
    shape = full[: -3 if with_labels else -2]
    if lengths is not None:
        lengths = lengths_of(lengths, shape)
    return array, shape, full[-1] if with_labels else 0, lengths


def list_of(scores):
    """Returns a list of graphs as graphs_of does: float64 arrays where they lie, others converted one by one."""
    graphs = list(scores)
    if set(map(type, graphs)) != {np.ndarray} or set(map(_dtype, graphs)) != {_FLOAT64}:
        graphs = [doubles(np.asarray(g), "scores", i) for i, g in enumerate(graphs)]
    axes = graphs[0].ndim
    if axes > 3:
        raise ValueError(f"scores[0]: shape {graphs[0].shape} is not (n+1, n+1[, labels])")
    if 0 in graphs[0].shape[2:]:
        raise ValueError(f"scores[0]: shape {graphs[0].shape} has no label")
    return graphs, (len(graphs),), graphs[0].shape[2] if axes == 3 else 0, None


def doubles(array: np.ndarray, name: str, index: Optional[int] = None) -> np.ndarray:
    if array.dtype is not _FLOAT64 and array.dtype != _FLOAT64:
        if array.dtype.kind not in "fiu":
            name += "" if index is None else f"[{index}]"
            raise ValueError(f"{name}: dtype {array.dtype} is not a real number type")
        array = array.astype(np.float64)
    return array


def one_for_each(arrays, count: int, name: str) -> List[np.ndarray]:
    """Returns the float64 arrays that a caller gives for the graphs of a list."""
    if not isinstance(arrays, (list, tuple)) or len(arrays) != count:
        given = f"of {len(arrays)}" if isinstance(arrays, (list, tuple)) else type(arrays).__name__
        raise ValueError(f"{name}: expected a list of {count} arrays, one for each graph, not {given}")
    return [doubles(np.asarray(a), name, i) for i, a in enumerate(arrays)]


def rows_of(rows, words: np.ndarray, name: str) -> np.ndarray:
    """Returns the heads, or labels, of graphs of different sizes as one array, filled up with -1."""
    out = np.full((len(words), int(words.max()) + 1), -1, dtype=np.int64)
    if len(rows) != len(words):
        raise ValueError(f"{name}: {len(rows)} rows for {len(words)} graphs")
    for i, n in enumerate(words.tolist()):
        row = np.asarray(rows[i])
        if row.dtype.kind not in "iu":
            raise ValueError(f"{name}[{i}]: dtype {row.dtype} is not an integer type")
        if row.shape not in ((n + 1,), out.shape[1:]):
            raise ValueError(f"{name}[{i}]: shape {row.shape} is not (n+1,) = ({n + 1},)")
        out[i, : len(row)] = row
    return out


def parts_of(block: np.ndarray, words: np.ndarray, labels: int) -> List[np.ndarray]:
    """Returns the arrays of arcs of graphs with these numbers of words, which lie in a block one after the other."""
    nodes = words + 1
    sizes = nodes * nodes * ((labels or 1) * block.itemsize)
    begins = (np.cumsum(sizes) - sizes).tolist()
    tail = (labels,) if labels else ()
    kinds = {n: np.dtype((block.dtype, (n, n) + tail)) for n in np.unique(nodes).tolist()}
    each = list(map(kinds.__getitem__, nodes.tolist()))
    if block.nbytes > _LARGEST_ITEM:
        return [block[b // block.itemsize:][: k.itemsize // block.itemsize].reshape(k.shape)
                for k, b in zip(each, begins)]
    # A field of one item as large as the block is made in one step, and takes half the time of a slice of another shape.
    return list(map(block.view(f"V{block.nbytes}").reshape(()).getfield, each, begins))


def lengths_of(lengths, shape: tuple) -> np.ndarray:
    """Returns the number of words of each graph of a batch."""
    words = np.asarray(lengths)
    if words.dtype.kind not in "iu":
        raise ValueError(f"lengths: dtype {words.dtype} is not an integer type")
    try:
        return np.array(np.broadcast_to(words, shape), dtype=np.int64, order="C")
    except ValueError:
        raise ValueError(f"lengths: shape {words.shape} does not fit a batch of shape {shape}") from None


def flattened(array: np.ndarray, shape: tuple) -> np.ndarray:
    """Returns the array with one batch axis."""
    return array if len(shape) == 1 else array.reshape((-1,) + array.shape[len(shape):])


def arc_lists(arcs, shape: tuple, name: str):
    """Returns a list of pairs (head, dependent) for each graph."""
    count = math.prod(shape)
    if arcs == ():  # the default
        return [[]] * count
    try:
        lists = [arcs] if not shape else list(arcs) or [()] * count
        lists = [[(whole_number(head, name), whole_number(dependent, name)) for head, dependent in graph] for graph in lists]
    except TypeError:
        where = " in a list for each graph" if shape else ""
        raise ValueError(f"{name}: expected pairs (head, dependent){where}") from None
    if len(lists) != count:
        raise ValueError(f"{name}: {len(lists)} lists of arcs for {count} graphs")
    return lists


def has_labels(shape: tuple, labelled: bool) -> bool:
    """Checks the shape of scores. It never decides by itself whether the last axis is labels, since a batch of n+1
    graphs and a graph with n+1 labels look alike: that would work for all sizes but one."""
    if len(shape) == 2 and not labelled and shape[0] == shape[1] >= 2:
        return False  # one graph: the case in which a microsecond is much
    axis = -2 if labelled else -1
    if len(shape) < 1 - axis or shape[axis] != shape[axis - 1]:
        hint = "" if labelled or len(shape) < 3 or shape[-2] != shape[-3] else "; labels need labelled=True"
        raise ValueError(f"scores: shape {shape} is not (..., n+1, n+1{', labels' if labelled else ''}){hint}")
    if shape[-3 if labelled else -2] < 2:
        raise ValueError(f"scores: shape {shape} has no word")
    if labelled and shape[-1] == 0:
        raise ValueError(f"scores: shape {shape} has no label")
    return labelled


def padded_batch(graphs):
    """Returns graphs of different sizes as one padded batch, and their numbers of words."""
    nodes = max(g.shape[0] for g in graphs)
    out = np.zeros((len(graphs), nodes) + ((nodes,) if graphs[0].ndim > 1 else ()) + graphs[0].shape[2:],
                   dtype=np.result_type(*graphs))
    for i, g in enumerate(graphs):
        if g.ndim < 2 or g.shape[0] != g.shape[1] or g.shape[2:] != graphs[0].shape[2:]:
            raise ValueError(f"scores[{i}]: shape {g.shape} is not (n+1, n+1[, labels])")
        out[i, : g.shape[0], : g.shape[1]] = g
    return out, np.array([g.shape[0] - 1 for g in graphs])


def seed_of(seed: Optional[int], rng: Optional[np.random.Generator] = None) -> int:
    """Returns the seed; without one it is drawn from `rng`, or from the operating system."""
    if rng is None and seed is not None:
        return whole_number(seed, "seed") % 2**64
    return int((np.random.default_rng() if rng is None else rng).integers(0, 2**63))


def floats(values) -> List[float]:
    return np.asarray(values, dtype=np.float64).tolist()
