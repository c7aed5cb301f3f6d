"""Arc scores in the layouts of other packages, as ours: [head, dependent], node 0 the root."""

from __future__ import annotations

import numpy as np


def from_torch_struct(potentials):
    """torch-struct (NonProjectiveDependencyCRF): (..., n, n[, labels]) [head, dependent], root scores on the diagonal.

    >>> import numpy as np
    >>> from_torch_struct(np.array([[5.0, 1.0], [2.0, 6.0]]))[0].tolist()  # the root's row
    [0.0, 5.0, 6.0]
    """
    a = np.asarray(potentials, dtype=np.float64)
    labelled = a.ndim >= 3 and a.shape[-1] != a.shape[-2]
    n = a.shape[-2]
    lead = a.shape[:-3] if labelled else a.shape[:-2]
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
    """SuPar (MatrixTree): (..., n+1, n+1) [dependent, head], node 0 the root."""
    return np.ascontiguousarray(np.swapaxes(np.asarray(scores, dtype=np.float64), -1, -2))


def from_synjax(log_potentials):
    """SynJax (SpanningTreeCRF, directed): (..., n+1, n+1) [head, dependent], node 0 the root: the same as ours."""
    return np.asarray(log_potentials, dtype=np.float64)
