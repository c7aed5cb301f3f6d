"""Turns what callers give into arrays of the shapes that the extension takes; a ValueError names the argument."""

from __future__ import annotations

from typing import List, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

ArrayLike = Union[npt.ArrayLike, Sequence[npt.ArrayLike]]
_FLOAT64 = np.dtype(np.float64)


def is_float32(dtype) -> bool:
    if np.dtype(dtype) not in (np.float32, np.float64):
        raise ValueError(f"dtype: {np.dtype(dtype)} is neither float32 nor float64")
    return np.dtype(dtype) == np.float32


def graphs_of(scores, lengths, labelled):
    """Returns the scores as one float64 array, the shape of the batch, the number of labels and the lengths."""
    array = scores
    if type(scores) is not np.ndarray:
        if isinstance(scores, (list, tuple)) and len(scores) and np.ndim(scores[0]) >= 2:
            if lengths is not None:
                raise ValueError("lengths: a list of graphs has its own")
            graphs = [np.asarray(s) for s in scores]
            labelled = graphs[0].ndim == 3
            scores, lengths = padded(graphs)
        array = np.asarray(scores)
    if array.dtype is not _FLOAT64 and array.dtype != _FLOAT64:
        if array.dtype.kind not in "fiu":
            raise ValueError(f"scores: dtype {array.dtype} is not a real number type")
        array = array.astype(np.float64)
    full = array.shape
    with_labels = has_labels(full, labelled)
    shape = full[: -3 if with_labels else -2]
    if lengths is not None:
        lengths = lengths_of(lengths, shape)
    return array, shape, full[-1] if with_labels else 0, lengths


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
    try:
        lists = [arcs] if not shape else list(arcs) or [()] * int(np.prod(shape))
        lists = [[(int(head), int(dependent)) for head, dependent in graph] for graph in lists]
    except TypeError:
        where = " in a list for each graph" if shape else ""
        raise ValueError(f"{name}: expected pairs (head, dependent){where}") from None
    if len(lists) != int(np.prod(shape)):
        raise ValueError(f"{name}: {len(lists)} lists of arcs for {int(np.prod(shape))} graphs")
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


def padded(graphs):
    """Returns graphs of different sizes as one padded batch, and their numbers of words."""
    nodes = max(g.shape[0] for g in graphs)
    out = np.zeros((len(graphs), nodes) + ((nodes,) if graphs[0].ndim > 1 else ()) + graphs[0].shape[2:],
                   dtype=np.result_type(*graphs))
    for i, g in enumerate(graphs):
        if g.ndim < 2 or g.shape[0] != g.shape[1] or g.shape[2:] != graphs[0].shape[2:]:
            raise ValueError(f"scores[{i}]: shape {g.shape} is not (n+1, n+1[, labels])")
        out[i, : g.shape[0], : g.shape[1]] = g
    return out, np.array([g.shape[0] - 1 for g in graphs])


def seed_of(seed: int, rng: Optional[np.random.Generator]) -> int:
    return int(rng.integers(0, 2**63)) if rng is not None else int(seed) % 2**64


def floats(values) -> List[float]:
    return np.asarray(values, dtype=np.float64).tolist()
