"""Arc scores of other packages as ours, for PyTorch: kirchhoff.from_supar and its like, with gradients."""

from __future__ import annotations

import torch


def from_torch_struct(potentials: torch.Tensor, *, labelled: bool = False) -> torch.Tensor:
    """Turns potentials of torch-struct's NonProjectiveDependencyCRF into our scores; gradients flow back to them.

    (..., n, n) [head, dependent] over the words, the root's scores on the diagonal, become (..., n+1, n+1). With
    labelled=True, (..., n, n, labels) become (..., n+1, n+1, labels). Takes O(n^2).

    >>> kt.from_torch_struct(torch.tensor([[5.0, 1.0], [2.0, 6.0]]))[0].tolist()  # the root's row
    [0.0, 5.0, 6.0]
    """
    arcs = 3 if labelled else 2
    if potentials.dim() < arcs or potentials.shape[-arcs] != potentials.shape[1 - arcs]:
        hint = "" if labelled else "; labels need labelled=True"
        raise ValueError(f"potentials: shape {tuple(potentials.shape)} is not (..., n, n"
                         f"{', labels' if labelled else ''}){hint}")
    x = potentials if labelled else potentials.unsqueeze(-1)
    root = torch.diagonal(x, dim1=-3, dim2=-2).transpose(-1, -2).unsqueeze(-3)
    below = torch.cat([root, x], -3)
    found = torch.cat([torch.zeros_like(below[..., :1, :]), below], -2)
    return found if labelled else found.squeeze(-1)


def from_supar(scores: torch.Tensor) -> torch.Tensor:
    """Transposes scores of SuPar's MatrixTree, (..., n+1, n+1) [dependent, head]; gradients flow back to them.

    >>> kt.from_supar(torch.tensor([[0.0, 0.0], [7.0, 0.0]]))[0].tolist()
    [0.0, 7.0]
    """
    return scores.transpose(-1, -2)
