"""Factors whose scores are those of parts against a brute force in NumPy: sequences, rooted trees, heads."""

import pickle

import numpy as np
import pytest

from enumeration import Oracle
from kirchhoff import FactorGraph


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def check_solvers(g, oracle):
    """All solvers find what enumeration does, and a pickled graph is the same."""
    bp = g.solve_bp()
    assert bp.log_partition == pytest.approx(oracle.log_z)
    np.testing.assert_allclose(bp.marginals, oracle.marginals, atol=1e-8)
    for result in (g.solve_bp(product="max"), g.solve_lp(), g.solve_ad3(), g.solve_ilp()):
        assert result.value == pytest.approx(oracle.best)
    copy = pickle.loads(pickle.dumps(g))
    assert copy.solve_exact().log_partition == g.solve_exact().log_partition


def test_heads(rng):
    scores, left_scores, right_scores, pairs = rng.normal(size=7), rng.normal(size=6), rng.normal(size=10), rng.normal(
        size=(2, 5))
    left_scores[3] = -np.inf

    def chain(y, siblings):
        k, places = len(y), iter(siblings)
        table = {(i, j): next(places) for i in range(k + 1) for j in range(i + 1, k + 2)}
        there = [0, *(np.flatnonzero(y) + 1), k + 1]
        return sum(table[pair] for pair in zip(there, there[1:]))

    def score(y):
        heads, left, right = y[:2], y[2:4], 1 - y[4:]
        if heads.sum() != 1:
            return -np.inf
        own = chain(left, left_scores) + chain(right, right_scores) + heads @ pairs @ np.concatenate([left, right])
        return own + scores @ y

    g = FactorGraph()
    v = [g.add_variable(s) for s in scores]
    g.add_head(v[:2], v[2:4], [~x for x in v[4:]], left_siblings=left_scores, right_siblings=right_scores,
               grandparents=pairs)
    check_solvers(g, Oracle(7, score))
    with pytest.raises(ValueError, match="right_siblings: 9 entries, expected 10"):
        g.add_head(right=v[:3], right_siblings=right_scores[:9])


def test_sequences_and_rooted_trees(rng):
    scores, transitions, counts = rng.normal(size=6), rng.normal(size=12), [0.3, -np.inf, 0.7, -0.2]
    for counted in (False, True):
        g = FactorGraph()
        v = [g.add_variable(s) for s in scores]
        if counted:  # the second variable is the root
            g.add_rooted_tree([v[:3], v[3], ~v[4]], [1, -1, 1], [*transitions[:6].reshape(3, 2).T.ravel(),
                                                                  *transitions[6:10]],
                              counted=[2, 1, 0], count_scores=counts, subtree_counts=[(2, [0.4, -0.6])],
                              both=[(2, v[5])])
        else:
            g.add_sequence([v[:3], v[3], ~v[4]], transitions[:10])

        def score(y):
            if y[:3].sum() != 1:
                return -np.inf
            a, b, c = y[:3].argmax(), y[3], 1 - y[4]
            value = scores @ y + transitions[2 * a + b] + transitions[6 + 2 * b + c]
            if not counted:
                return value
            below = [0.4, -0.6][1 - c]
            return value + counts[int(a == 2) + b + (1 - c)] + below if y[5] == (b and c) else -np.inf

        check_solvers(g, Oracle(6, score))
