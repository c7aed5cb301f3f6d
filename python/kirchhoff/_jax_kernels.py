"""Questions of JAX's functions to the kernels, by XLA's foreign function interface.

Kernels answer on CUDA devices if this package was built with CUDA and with XLA's header; they answer on the CPU only in
tests.
"""

from __future__ import annotations

import pathlib
import re
from typing import NamedTuple, Tuple

import jax
import jax.experimental
import jax.numpy as jnp
import numpy as np

from . import _core, _device_arrays


def xla_version() -> Tuple[int, ...]:
    """Returns the version of XLA's interface that the installed JAX has, read from the header that it brings along."""
    if not hasattr(jax, "ffi"):  # JAX before 0.5
        return (0, 0)
    header = pathlib.Path(jax.ffi.include_dir(), "xla", "ffi", "api", "c_api.h")
    text = header.read_text() if header.exists() else ""
    found = [re.search(rf"#define XLA_FFI_API_{part} (\d+)", text) for part in ("MAJOR", "MINOR")]
    return tuple(int(each[1]) if each else 0 for each in found)


# JAX refuses to start with handlers that are newer than itself, so these are left out then.
_HANDLERS = _core.xla_handlers() if _core.xla_version() <= xla_version() else {}
_NAME = "kirchhoff_answer"
TREES = "kirchhoff_trees"
for _platform, _handler in _HANDLERS.items():
    jax.ffi.register_ffi_target(_NAME, _handler, platform=_platform)
    jax.ffi.register_ffi_target(TREES, _core.xla_tree_handlers()[_platform], platform=_platform)

_STATUSES = _core.cuda_statuses()
_SOLVED = _STATUSES.index("extended")
_REASONS = {"infeasible": "no tree is possible",
            "invalid": "a score is NaN, +inf or beyond +-1e9, or the number of words is wrong"}


class Question(NamedTuple):
    """What a primitive asks: names of results, and the share of the scores in the direction."""

    wanted: Tuple[str, ...]
    score_share: float = 0.0


def platform_of(array) -> str:
    """Returns where an array lies, as lowering rules name it."""
    devices = array.devices() if isinstance(array, jax.Array) else ()
    return "cuda" if any(device.platform in ("gpu", "cuda") for device in devices) else "cpu"


def has_kernels(platform: str) -> bool:
    """Says whether kernels answer on a platform, which is named as in lowering rules."""
    wanted = _device_arrays.kernels_on_device() if platform == "cuda" else _device_arrays.kernels_on_host
    return bool(_HANDLERS) and platform in ("cpu", "cuda") and wanted


def doubles():
    """Lets JAX know doubles, whatever its setting is."""
    return jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64()


def solve(question: Question, scores, lengths, *directions, root: str, arcs: int):
    """Returns the status of each graph, and the answers in the scores' precision; the kernels' numbers are doubles."""
    shape = scores.shape[:-arcs]
    with doubles():
        dtype = jnp.float64 if scores.dtype == jnp.float64 else jnp.float32
        types = [jax.ShapeDtypeStruct(scores.shape, dtype) if name in ("marginals", "derivatives") else
                 jax.ShapeDtypeStruct(shape, jnp.float64) for name in question.wanted]
        ask = jax.ffi.ffi_call(_NAME, [jax.ShapeDtypeStruct(shape, jnp.uint8), *types])
        arrays = [jnp.asarray(x).astype(dtype) for x in (scores, *directions)]
        status, *found = ask(arrays[0], jnp.asarray(lengths).astype(jnp.int32), *arrays[1:], root=root,
                             wanted=" ".join(question.wanted), score_share=np.float64(question.score_share),
                             arcs=np.int64(arcs))
        return status, [x.astype(scores.dtype) for x in found]


_solve = jax.jit(solve, static_argnums=0, static_argnames=("root", "arcs"))


def solved(question: Question, *operands, **static):
    """Returns the answers outside jit, or None if a graph has none."""
    status, found = _solve(question, *operands, **static)
    return found if all_solved(status) else None


def all_solved(status) -> bool:
    return np.asarray(status).max(initial=0) <= _SOLVED


def _check(status):
    wrong = np.flatnonzero(np.asarray(status).reshape(-1) > _SOLVED)
    if wrong.size:
        reason = _STATUSES[int(np.asarray(status).reshape(-1)[wrong[0]])]
        error = _core.Infeasible if reason == "infeasible" else ValueError
        raise error(f"graph {wrong[0]}: {_REASONS[reason]}")
    return np.asarray(status)


def passed(status):
    """Returns, inside jit, which graphs are solved; a callback reads the status, and raises an error if one is not."""
    return jax.pure_callback(_check, jax.ShapeDtypeStruct(status.shape, status.dtype), status) <= _SOLVED


def checked(question: Question, *operands, **static):
    """Returns the answers inside jit; a callback reads the status of the graphs, and raises an error."""
    status, found = solve(question, *operands, **static)
    fine = passed(status)
    # Answers depend on the check, so that it is not left out.
    return [jnp.where(fine.reshape(fine.shape + (1,) * (x.ndim - fine.ndim)), x, 0) for x in found]
