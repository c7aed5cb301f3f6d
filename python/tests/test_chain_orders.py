"""Chains of higher order, by all sequences of their tags."""

import itertools

import numpy as np
import pytest

import kirchhoff


def all_sequences(emissions, ngrams):
    """Tags and scores of all sequences of one chain."""
    length, tags = emissions.shape
    order = ngrams.ndim - 2
    found = []
    for sequence in itertools.product(range(tags), repeat=length):
        score = sum(emissions[t, tag] for t, tag in enumerate(sequence))
        score += sum(ngrams[(t,) + sequence[t:t + order + 1]] for t in range(length - order))
        found.append((list(sequence), score))
    return found


@pytest.mark.parametrize("order, length, tags", [(1, 1, 2), (1, 4, 3), (2, 2, 2), (2, 5, 2), (2, 4, 3), (3, 5, 2), (3, 3, 2)])
def test_against_all_sequences(order, length, tags):
    rng = np.random.default_rng(order * 10 + length)
    emissions, ngrams = rng.normal(size=(length, tags)), rng.normal(size=(length - order,) + (tags,) * (order + 1))
    ngrams[rng.random(size=ngrams.shape) < 0.1] = -np.inf
    p = kirchhoff.ChainDistribution(*kirchhoff.higher_order(emissions, ngrams))
    exact = [(s, x) for s, x in all_sequences(emissions, ngrams) if x > -np.inf]
    scores = np.array([x for _, x in exact])
    log_z = np.logaddexp.reduce(scores)
    assert p.log_partition() == pytest.approx(log_z, rel=1e-13)
    q = np.exp(scores - log_z)
    assert p.entropy() == pytest.approx(-(q * (scores - log_z)).sum(), rel=1e-12, abs=1e-13)
    best = p.k_best(len(exact) + 1)
    found = kirchhoff.tags_of_states(best.tags, tags, order).tolist()
    assert sorted(found[:-1]) == sorted(s for s, _ in exact) and found[-1] == [-1] * length
    by_tags = {tuple(s): x - log_z for s, x in exact}
    for sequence, log_prob in zip(found[:-1], best.log_prob):
        assert log_prob == pytest.approx(by_tags[tuple(sequence)], abs=1e-12)


def test_batches_with_lengths():
    rng = np.random.default_rng(1)
    emissions, ngrams = rng.normal(size=(2, 5, 2)), rng.normal(size=(2, 3, 2, 2, 2))
    batch = kirchhoff.ChainDistribution(*kirchhoff.higher_order(emissions, ngrams), lengths=[4, 2])  # of runs of two
    for i, n in enumerate([5, 3]):
        one = kirchhoff.ChainDistribution(*kirchhoff.higher_order(emissions[i, :n], ngrams[i, :n - 2]))
        assert batch.log_partition()[i] == pytest.approx(one.log_partition(), rel=1e-13)


def test_first_order_is_a_chain():
    rng = np.random.default_rng(2)
    emissions, transitions = rng.normal(size=(4, 3)), rng.normal(size=(3, 3, 3))
    found = kirchhoff.higher_order(emissions, transitions)
    np.testing.assert_array_equal(found.emissions, emissions)
    np.testing.assert_array_equal(found.transitions, transitions)


def test_errors():
    for shape in ((4, 2, 2), (3, 2), (2, 2, 3, 2), ()):
        with pytest.raises(ValueError, match="ngrams"):
            kirchhoff.higher_order(np.zeros((4, 2)), np.zeros(shape))
    with pytest.raises(ValueError, match="emissions"):
        kirchhoff.higher_order(np.zeros(4), np.zeros((3, 2, 2)))
    with pytest.raises(ValueError, match="states"):
        kirchhoff.tags_of_states([[4]], 2, 2)
