"""Scores in the place of a factor graph's own: a batch of them for one graph, as rows that the extension takes."""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional, Tuple

import numpy as np

from . import _core
from .factor_graph import FactorGraph


class Placed(NamedTuple):
    """Scores, arrays or tensors, and where they belong."""

    shape: tuple  #: that of the batch
    total: int  #: how many scores the graph's factors have
    columns: np.ndarray  #: where the scores of factors belong in the extension's layout; -1 for none
    variables: Any  #: (..., variables)
    factors: List[Any]  #: (..., k): their last axes together are the columns


def placed(graph: FactorGraph, variables, factors: Optional[Mapping[int, Any]], pairs: Optional[Tuple],
           others: tuple = ()) -> Placed:
    """Checks the scores' shapes; `others` is the shape of what else there is a batch of. A ValueError names what is bad.

    Arrays and tensors do, since only shapes matter here: variables (..., variables), each of the factors in the shape of
    its table after the batch's, and pairs, the numbers of k factors, -1 for none, and scores (..., k).
    """
    first = _core.score_layout(graph._graph)
    if tuple(variables.shape[-1:]) != (graph.variables,):
        raise ValueError(f"variables: shape {tuple(variables.shape)}, expected (..., {graph.variables})")
    shapes, columns, parts = [others, tuple(variables.shape[:-1])], [], []
    if pairs is not None:
        numbers, scores = np.asarray(pairs[0], dtype=np.int64), pairs[1]
        used = numbers[numbers >= 0]
        if (used >= graph.factors).any() or (np.diff(first)[used] != 1).any():
            raise ValueError("pairs: a factor is not a pair of this graph")
        if numbers.ndim != 1 or tuple(scores.shape[-1:]) != numbers.shape:
            raise ValueError(f"pairs: {numbers.size} factors and scores of shape {tuple(scores.shape)}")
        shapes.append(tuple(scores.shape[:-1]))
        columns.append(np.where(numbers >= 0, first[np.maximum(numbers, 0)], -1))
        parts.append(scores)
    for f, scores in (factors or {}).items():
        if not 0 <= f < graph.factors or first[f] == first[f + 1]:
            raise ValueError(f"factors: factor {f} is not in the graph, or has no scores")
        shape = graph._score_shape(f, int(first[f + 1] - first[f]))
        batch = tuple(scores.shape[:len(scores.shape) - len(shape)])
        if batch + shape != tuple(scores.shape):
            raise ValueError(f"factors[{f}]: shape {tuple(scores.shape)}, expected {('...',) + shape}")
        shapes.append(batch)
        columns.append(np.arange(first[f], first[f + 1]))
        parts.append(scores.reshape(batch + (-1,)))
    everywhere = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
    used = everywhere[everywhere >= 0]
    if len(np.unique(used)) != len(used):
        raise ValueError("factors: a factor is given twice")
    try:
        return Placed(np.broadcast_shapes(*shapes), int(first[-1]), everywhere, variables, parts)
    except ValueError:
        raise ValueError(f"scores: batches of shapes {', '.join(map(str, shapes))} do not fit each other") from None


def rows_of(graph: FactorGraph, at: Placed) -> "_core.ScoredRows":
    """Returns the rows of NumPy's arrays."""
    values = [rows_of_array(part, at.shape) for part in at.factors]
    joined = np.concatenate(values, axis=1) if values else np.zeros((int(np.prod(at.shape)), 0))
    return _core.ScoredRows(graph._graph, rows_of_array(at.variables, at.shape), at.columns, joined)


def rows_of_array(array: np.ndarray, shape: tuple) -> np.ndarray:
    """Returns an array (..., k), broadcast to a batch of this shape, as rows."""
    rows = np.broadcast_to(array, shape + array.shape[-1:]).reshape(int(np.prod(shape)), array.shape[-1])
    return np.ascontiguousarray(rows)
