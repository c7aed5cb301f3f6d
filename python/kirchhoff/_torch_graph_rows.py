"""Scores of a factor graph as rows of tensors, through which PyTorch differentiates to what the caller gave."""

from __future__ import annotations

from typing import Mapping, Optional, Tuple

import numpy as np
import torch

from . import _core
from ._arrays import whole_number
from ._graph_rows import placed
from ._torch_numbers import doubles
from .factor_graph import FactorGraph


class GivenScores:
    """A batch (...) of scores for one graph: variables (rows, variables) and values (rows, columns), doubles on the CPU."""

    def __init__(self, graph: FactorGraph, variables: torch.Tensor, factors: Optional[Mapping[int, torch.Tensor]],
                 pairs: Optional[Tuple], others: tuple = ()):
        tables = {whole_number(f, "factors"): doubles(scores, f"factors[{f}]") for f, scores in (factors or {}).items()}
        both = None if pairs is None else (pairs[0], doubles(torch.as_tensor(pairs[1]), "pairs"))
        at = placed(graph, doubles(variables, "variables"), tables, both, others)
        self.graph, self.shape, self.columns = graph, at.shape, at.columns
        self.count, self.total = int(np.prod(at.shape)), at.total
        self.variables = self._rows(at.variables)
        none = torch.zeros(self.count, 0, dtype=torch.float64)
        self.values = torch.cat([self._rows(part) for part in at.factors], 1) if at.factors else none

    def _rows(self, scores: torch.Tensor) -> torch.Tensor:
        return scores.expand(self.shape + scores.shape[-1:]).reshape(self.count, scores.shape[-1])

    def rows(self, variables: torch.Tensor, values: torch.Tensor) -> "_core.ScoredRows":
        """Returns what the extension takes."""
        own, given = (np.ascontiguousarray(x.numpy()) for x in (variables, values))
        return _core.ScoredRows(self.graph._graph, own, self.columns, given)

    def columns_of(self, by_factor: np.ndarray) -> torch.Tensor:
        """Returns the part of a gradient by all scores of factors that belongs to `values`."""
        found = np.zeros((self.count, len(self.columns)))
        used = self.columns >= 0
        found[:, used] = by_factor[:, self.columns[used]]
        return torch.from_numpy(found)

    def laid_out(self, values: np.ndarray) -> np.ndarray:
        """Returns numbers for all scores of factors, those of `values` and else 0."""
        found = np.zeros((self.count, self.total))
        used = self.columns >= 0
        found[:, self.columns[used]] = values[:, used]
        return found
