"""Structures of chains and segmentations that the library finds for JAX: integers, which have no derivative."""

from __future__ import annotations

from typing import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np


def search(make: Callable, ask: Callable, shapes: Sequence[tuple], operands: Sequence) -> list:
    """Returns the integers ask(p) of these shapes, for p = make(*scores, lengths), whose arguments are the operands.

    Outside jit the library is called directly, so that errors arrive as they are; inside, by a callback. What vmap makes
    of the operands is one batch.
    """
    def work(*given):
        *scores, lengths = map(np.asarray, given)
        p = make(*(np.asarray(x, np.float64) for x in scores), lengths)
        return [np.asarray(r).astype(np.int32) for r in ask(p)]

    fixed = [jax.lax.stop_gradient(x) for x in operands]
    if not any(isinstance(x, jax.core.Tracer) for x in fixed):
        return [jnp.asarray(r) for r in work(*fixed)]
    out = [jax.ShapeDtypeStruct(shape, np.int32) for shape in shapes]
    return jax.pure_callback(work, out, *fixed, vmap_method="broadcast_all")


def widened(parts: Sequence, axes: Sequence[int], lengths, more: tuple) -> list:
    """Returns scores with these axes for one structure, and lengths, as those of many for each: (*batch, *more, ...)."""
    def wide(x, n: int):
        batch, own = x.shape[:x.ndim - n], x.shape[x.ndim - n:]
        return jnp.broadcast_to(x.reshape(batch + (1,) * len(more) + own), batch + more + own)

    return [wide(jnp.asarray(x), n) for x, n in zip((*parts, lengths), (*axes, 0))] if more else [*parts, lengths]
