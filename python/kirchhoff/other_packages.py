"""Turns arc scores of other packages into ours: [head, dependent], with node 0 the root."""

from __future__ import annotations

import numpy as np


def from_torch_struct(potentials, *, labelled: bool = False):
    """Turns potentials of torch-struct's NonProjectiveDependencyCRF into our scores, in O(n^2).

    (..., n, n) [head, dependent] over the words, the root's scores on the diagonal, become (..., n+1, n+1). With
    labelled=True, (..., n, n, labels) become (..., n+1, n+1, labels).

    >>> kirchhoff.from_torch_struct(np.array([[5.0, 1.0], [2.0, 6.0]]))[0].tolist()  # the root's row
    [0.0, 5.0, 6.0]
    """
    a = np.asarray(potentials, dtype=np.float64)
    arcs = 3 if labelled else 2
    if a.ndim < arcs or a.shape[-arcs] != a.shape[1 - arcs]:
        hint = "" if labelled else "; labels need labelled=True"
        raise ValueError(f"potentials: shape {a.shape} is not (..., n, n{', labels' if labelled else ''}){hint}")
    n = a.shape[-arcs]
    lead = a.shape[:-arcs]
    tail = a.shape[-1:] if labelled else ()
    out = np.zeros(lead + (n + 1, n + 1) + tail)
    inner = (Ellipsis, slice(1, None), slice(1, None)) + ((slice(None),) if labelled else ())
    out[inner] = a
    words = np.arange(n)
    if labelled:
        out[..., 0, 1:, :] = a[..., words, words, :]
    else:
        out[..., 0, 1:] = a[..., words, words]
    return out


def from_supar(scores):
    """Transposes scores of SuPar's MatrixTree, (..., n+1, n+1) [dependent, head], in O(n^2).

    >>> kirchhoff.from_supar(np.array([[0.0, 0.0], [7.0, 0.0]]))[0].tolist()
    [0.0, 7.0]
    """
    return np.ascontiguousarray(np.swapaxes(np.asarray(scores, dtype=np.float64), -1, -2))


def from_synjax(log_potentials):
    """Returns log-potentials of SynJax's directed SpanningTreeCRF, (..., n+1, n+1) [head, dependent], as they are.

    >>> kirchhoff.from_synjax([[0.0, 7.0], [0.0, 0.0]])[0].tolist()
    [0.0, 7.0]
    """
    return np.asarray(log_potentials, dtype=np.float64)
