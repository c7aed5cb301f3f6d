"""Chains of higher order as chains whose states are runs of tags."""

from __future__ import annotations

import numpy as np

from ._arrays import doubles
from .tag_sequences import ChainArrays


def higher_order(emissions, ngrams) -> ChainArrays:
    """Returns the scores of a ChainDistribution over runs of m tags, for a chain of order m.

    emissions are (..., length, tags), length >= m, and ngrams (..., length-m, tags, ..., tags) with m+1 axes of tags:
    [t, i, j, ..., l] is the score of these tags at positions t .. t+m. State number i tags^(m-1) + ... + l at position
    t of the result are the tags i, ..., l at positions t .. t+m-1, so it has length-m+1 positions, and so have
    `lengths`. Sequences that disagree are forbidden. Everything that the distribution answers about states is right for
    the chain; `tags_of_states` turns sequences back. Solving takes O(length tags^(2m)).

    >>> trigrams = np.zeros((2, 2, 2, 2))  # order 2, four positions
    >>> p = kirchhoff.ChainDistribution(*kirchhoff.higher_order(np.zeros((4, 2)), trigrams))
    >>> round(np.exp(p.log_partition()).item())
    16
    """
    emissions, ngrams = doubles(np.asarray(emissions), "emissions"), doubles(np.asarray(ngrams), "ngrams")
    if emissions.ndim < 2 or 0 in emissions.shape:
        raise ValueError(f"emissions: shape {emissions.shape} is not (..., length, tags) with at least one of each")
    *batch, length, tags = emissions.shape
    order = ngrams.ndim - len(batch) - 2
    if not 1 <= order <= length or ngrams.shape != (*batch, length - order) + (tags,) * (order + 1):
        raise ValueError(f"ngrams: shape {ngrams.shape} does not fit emissions of shape {emissions.shape}: expected "
                         "(..., length-m, tags, ..., tags) with m+1 axes of tags, 1 <= m <= length")
    states, shifts = tags**order, tags**(order - 1)
    positions = length - order + 1
    last = np.arange(states) % tags
    out = emissions[..., order - 1:, :][..., last].copy()
    for k in range(order - 1):  # the first state has the emissions of all of its tags
        out[..., 0, :] += emissions[..., k, np.arange(states) // tags**(order - 1 - k) % tags]
    transitions = np.full((*batch, positions - 1, states, states), -np.inf)
    before, after = np.repeat(np.arange(states), tags), np.arange(states * tags)
    # After the run (i, ..., l) comes (..., l, new): its number is that of the n-gram without its first tag.
    transitions[..., before, after % (shifts * tags)] = ngrams.reshape(*batch, positions - 1, states * tags)
    return ChainArrays(out, transitions)


def tags_of_states(states, tags: int, order: int) -> np.ndarray:
    """Returns the tags (..., length) of sequences of states (..., length-m+1) of `higher_order`; -1 stays padding.

    >>> kirchhoff.tags_of_states([[1, 2, 0]], tags=2, order=2).tolist()  # 01, 10, 00
    [[0, 1, 0, 0]]
    """
    states = np.asarray(states)
    if states.dtype.kind not in "iu" or tags < 1 or order < 1 or (states >= tags**order).any():
        raise ValueError(f"states: expected integers below tags^order = {tags}^{order}")
    powers = tags ** np.arange(order - 1, -1, -1)
    runs = np.where(states[..., None] >= 0, states[..., None] // powers % tags, -1)
    last = runs[..., 1:, -1]
    if order == 1 or states.shape[-1] == 0:
        return runs[..., 0]
    return np.concatenate([runs[..., 0, :], last], -1)
