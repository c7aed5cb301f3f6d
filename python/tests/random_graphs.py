"""Batches of random graphs, for tests that compare two ways to the same answers."""

import numpy as np


def batch(words, size=1.0, labels=None, graphs=4, seed=0):
    """Scores and lengths; the first graph has all words."""
    rng = np.random.default_rng([words, seed])
    x = size * rng.normal(size=(graphs, words + 1, words + 1) + ((labels,) if labels else ()))
    lengths = rng.integers(1, words + 1, size=graphs)
    lengths[0] = words
    return x, lengths


def close(ours, exact, **tolerance):
    np.testing.assert_allclose(ours, exact, **{"rtol": 1e-11, "atol": 1e-300, **tolerance})
