"""FactorGraph against a brute force in NumPy."""

import itertools
import pickle

import numpy as np
import pytest

from kirchhoff import FactorGraph, TreeDistribution


class Oracle:
    """All assignments of `variables` binary variables; `score` gives each one's score, -inf when forbidden."""

    def __init__(self, variables, score):
        self.y = np.array(list(itertools.product((0, 1), repeat=variables)))
        self.scores = np.array([score(y) for y in self.y])
        self.log_z = np.logaddexp.reduce(self.scores)
        self.p = np.exp(self.scores - self.log_z)
        self.marginals = self.p @ self.y
        self.best = self.scores.max()


def scored(scores, allowed):
    return lambda y: float(np.dot(scores, y)) if allowed(y) else -np.inf


KINDS = {
    "add_xor": (lambda g, v: g.add_xor([v[0], ~v[1], v[2]]), lambda y: y[0] + (1 - y[1]) + y[2] == 1),
    "add_or": (lambda g, v: g.add_or([v[0], ~v[1]]), lambda y: y[0] or not y[1]),
    "add_nand": (lambda g, v: g.add_nand(v[:3]), lambda y: not (y[0] and y[1] and y[2])),
    "add_imply": (lambda g, v: g.add_imply(v[0], ~v[1]), lambda y: not (y[0] and y[1])),
    "add_at_most_one": (lambda g, v: g.add_at_most_one(np.array(v)), lambda y: y.sum() <= 1),
    "add_budget": (lambda g, v: g.add_budget(v, 2), lambda y: y.sum() <= 2),
    "add_or_out": (lambda g, v: g.add_or_out(v[:3], v[3]), lambda y: y[3] == y[:3].any()),
    "add_xor_out": (lambda g, v: g.add_xor_out(v[:3], ~v[3]), lambda y: y[:3].sum() == 1 - y[3]),
}


@pytest.fixture
def rng():
    return np.random.default_rng(3)


@pytest.mark.parametrize("kind", KINDS)
def test_each_factor(rng, kind):
    add, allowed = KINDS[kind]
    scores = rng.normal(size=4)
    g = FactorGraph()
    add(g, [g.add_variable(s) for s in scores])
    oracle = Oracle(4, scored(scores, allowed))
    exact, bp = g.solve_exact(), g.solve_bp()
    assert exact.status == bp.status == "converged"
    for result in (exact, bp):
        assert result.log_partition == pytest.approx(oracle.log_z)
        np.testing.assert_allclose(result.marginals, oracle.marginals, atol=1e-8)
    np.testing.assert_allclose(exact.entropy, -sum(p * np.log(p) for p in oracle.p if p > 0))
    for result in (exact, g.solve_bp(product="max"), g.solve_lp(), g.solve_ilp(), g.solve_ad3(search="exact")):
        assert result.value == pytest.approx(oracle.best)
        assert g.score(result.assignment) == pytest.approx(oracle.best)
    for y, score in zip(oracle.y, oracle.scores):
        assert g.score(y) == pytest.approx(score)


def test_tables_pairs_and_values(rng):
    scores, table, pair = rng.normal(size=5), rng.normal(size=(3, 2)), 0.7
    g = FactorGraph()
    colour = g.add_values(scores[:3])
    a, b = g.add_variable(scores[3]), g.add_variable(scores[4])
    g.add_table([colour, a], table)
    g.add_pair(a, ~b, pair)

    def score(y):
        if y[:3].sum() != 1:
            return -np.inf
        return scores @ y + table[y[:3].argmax(), y[3]] + pair * (y[3] and not y[4])

    oracle = Oracle(5, score)
    bp = g.solve_bp()
    assert bp.log_partition == pytest.approx(oracle.log_z)
    np.testing.assert_allclose(bp.marginals, oracle.marginals, atol=1e-8)
    belief = g.factor_belief(bp, g.factors - 1)  # over a and not b
    joint = [[oracle.p[(oracle.y[:, 3] == i) & (1 - oracle.y[:, 4] == j)].sum() for j in (0, 1)] for i in (0, 1)]
    np.testing.assert_allclose(belief, joint, atol=1e-8)
    assert g.solve_ad3(search="exact").value == pytest.approx(oracle.best)
    again = g.solve_bp(start=bp.messages, schedule="flooding")
    assert again.iterations <= bp.iterations


@pytest.mark.parametrize("root", ["single", "multi"])
def test_tree_factor_is_the_tree_distribution(rng, root):
    scores = rng.normal(size=(4, 4))
    g = FactorGraph()
    arcs = [(h, d, g.add_variable(scores[h, d])) for h in range(4) for d in range(1, 4) if h != d]
    g.add_tree(3, arcs, root=root)
    p, bp = TreeDistribution(scores, root=root), g.solve_bp()
    assert bp.log_partition == pytest.approx(p.log_partition())
    for h, d, v in arcs:
        assert bp.marginals[v] == pytest.approx(p.marginals()[h, d], abs=1e-9)
    best = p.argmax().heads
    chosen = g.solve_ilp().assignment
    assert all(chosen[v] == (best[d] == h) for h, d, v in arcs)


def test_loops_and_options(rng):
    scores = rng.normal(size=4)
    g = FactorGraph()
    v = [g.add_variable(s) for s in scores]
    pairs = {(i, j): rng.normal() for i, j in itertools.combinations(range(4), 2)}
    for (i, j), s in pairs.items():
        g.add_pair(v[i], v[j], s)
    oracle = Oracle(4, lambda y: scores @ y + sum(s for (i, j), s in pairs.items() if y[i] and y[j]))
    assert g.solve_exact().log_partition == pytest.approx(oracle.log_z)
    for schedule in ("flooding", "sequential", "residual"):
        bp = g.solve_bp(schedule=schedule, damping=0.2)
        assert bp.status == "converged"
        np.testing.assert_allclose(bp.marginals, oracle.marginals, atol=0.1)
    lp, ad3, ilp = g.solve_lp(), g.solve_ad3(), g.solve_ilp()
    assert lp.bound >= oracle.best - 1e-9 and ad3.bound == pytest.approx(lp.bound, abs=1e-3)
    assert ilp.value == pytest.approx(oracle.best)
    assert g.solve_bp(max_iterations=1, tolerance=1e-15).status == "iteration_limit"


def test_pickle_and_errors(rng):
    g = FactorGraph()
    v = g.add_values([0.1, 0.2, -np.inf])
    w = g.add_variable()
    g.add_table([v, w], np.arange(6.0).reshape(3, 2))
    g.add_tree(1, [(0, 1, w)], root="single")
    copy = pickle.loads(pickle.dumps(g))
    assert repr(copy) == repr(g) and copy.solve_exact().log_partition == g.solve_exact().log_partition
    np.testing.assert_array_equal(copy.scores, g.scores)
    factors = g.factors
    for bad in [lambda: g.add_variable(np.nan), lambda: g.add_xor([]), lambda: g.add_xor([w, w]),
                lambda: g.add_or([99]), lambda: g.add_budget([w], -1), lambda: g.add_table([v, w], np.zeros(5)),
                lambda: g.add_tree(1, [(0, 1, w)], root="both"), lambda: g.score([1]), lambda: g.score([2] * 4),
                lambda: g.solve_bp(schedule="x"), lambda: g.solve_bp(damping=1.5), lambda: g.solve_bp(start=[1.0]),
                lambda: g.solve_exact(max_assignments=1), lambda: g.factor_belief(g.solve_bp(), 99)]:
        with pytest.raises(ValueError):
            bad()
    assert g.factors == factors
    h = FactorGraph()
    x = h.add_variable()
    h.add_xor([x])
    h.add_xor([~x])
    assert h.solve_exact().status == h.solve_lp().status == "infeasible"
    assert FactorGraph().solve_exact().log_partition == 0.0
