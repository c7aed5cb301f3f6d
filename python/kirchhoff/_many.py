"""Structures of which there may be many for each one of a batch: arrays with the batch's axes, then axes of their own."""

from __future__ import annotations

from typing import Tuple

import numpy as np


def spread(array: np.ndarray, batch: tuple, event: tuple, name: str) -> Tuple[np.ndarray, tuple]:
    """Returns an array of structures as (*batch, *more, *event), and `more`.

    With no more axes than batch and event together it is broadcast against them, as one structure for all is. Else its
    first axes are the batch's, and what comes between them and the event's is `more`, as in p.sample(more).
    """
    axes = array.ndim - len(event)
    if axes < 0 or array.shape[axes:] != event:
        raise ValueError(f"{name}: shape {array.shape} does not end in {event}")
    more = array.shape[len(batch):axes]
    try:
        return np.broadcast_to(array, batch + more + event), more
    except ValueError:
        raise ValueError(f"{name}: shape {array.shape} does not fit {batch + event}, nor {batch + ('...',) + event}"
                         ) from None


def with_axes(numbers, more: tuple):
    """Returns numbers (...) of a batch with as many axes of size 1 as `more` has, ready for its structures."""
    return numbers.reshape(numbers.shape + (1,) * len(more))
