"""FactorGraph against a brute force in NumPy."""

import itertools
import pickle

import numpy as np
import pytest

from enumeration import Oracle
from kirchhoff import FactorGraph, TreeDistribution


def scored(scores, allowed):
    return lambda y: float(np.dot(scores, y)) if allowed(y) else -np.inf


KINDS = {
    "add_xor": (lambda g, v: g.add_xor([v[0], ~v[1], v[2]]), lambda y: y[0] + (1 - y[1]) + y[2] == 1),
    "add_or": (lambda g, v: g.add_or([v[0], ~v[1]]), lambda y: y[0] or not y[1]),
    "add_nand": (lambda g, v: g.add_nand(v[:3]), lambda y: not (y[0] and y[1] and y[2])),
    "add_imply": (lambda g, v: g.add_imply(v[0], ~v[1]), lambda y: not (y[0] and y[1])),
    "add_at_most_one": (lambda g, v: g.add_at_most_one(np.array(v)), lambda y: y.sum() <= 1),
    "add_budget": (lambda g, v: g.add_budget(v, 2), lambda y: y.sum() <= 2),
    "add_imply of several": (lambda g, v: g.add_imply([v[0], ~v[1]], v[2]), lambda y: y[2] or not (y[0] and not y[1])),
    "add_knapsack of real weights": (lambda g, v: g.add_knapsack(v, np.array([1.5, 2.25, 3.0, 0.75]), 4.5),
                                     lambda y: np.dot([1.5, 2.25, 3, 0.75], y) <= 4.5),
    "add_knapsack": (lambda g, v: g.add_knapsack(v, [1, 2, 3, 4], 5), lambda y: np.dot([1, 2, 3, 4], y) <= 5),
    "add_and_out": (lambda g, v: g.add_and_out([v[0], ~v[1], v[2]], v[3]),
                    lambda y: y[3] == (y[0] and not y[1] and y[2])),
    "add_compression": (lambda g, v: g.add_compression(v[:3], 2, bigrams=[(2, v[3])]),
                        lambda y: y[:3].sum() <= 2 and y[3] == (y[1] and y[2])),
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


def loop(rng, strength):
    """Five variables with a pair for every two, and their scores."""
    scores = rng.normal(size=5)
    g = FactorGraph()
    v = [g.add_variable(s) for s in scores]
    pairs = {(i, j): strength * rng.normal() for i, j in itertools.combinations(range(5), 2)}
    for (i, j), s in pairs.items():
        g.add_pair(v[i], v[j], s)
    return g, v, scores, pairs


def test_duals_prove_the_bound_and_posteriors_are_mixtures(rng):
    fractional = 0
    for _ in range(10):
        g, v, scores, pairs = loop(rng, 3.0)
        g.add_nand([v[0], v[1], v[2]])
        r = g.solve_ad3(gap=1e-9, tolerance=1e-9)
        assert r.duals.shape == (2 * len(pairs) + 3,)
        left, bound = scores.copy(), 0.0
        for f, ((i, j), s) in enumerate(pairs.items()):
            a, b = r.duals[2 * f:2 * f + 2]
            bound += max(0.0, a, b, a + b + s)
            left[[i, j]] -= a, b
        q = r.duals[-3:]
        bound += max(q @ y for y in itertools.product((0, 1), repeat=3) if sum(y) < 3)
        left[:3] -= q
        assert bound + np.maximum(left, 0.0).sum() == pytest.approx(r.bound, abs=1e-6)
        value = scores @ r.point
        for f, (i, j) in enumerate(pairs):
            p = g.factor_posterior(r, f)
            assert p.weights.sum() == pytest.approx(1.0) and p.configurations.shape == (len(p.weights), 2)
            np.testing.assert_allclose(p.weights @ p.configurations, r.point[[i, j]], atol=1e-3)
            np.testing.assert_allclose(p.weights @ p.configurations, p.inputs, atol=1e-9)
            assert p.score == pytest.approx(pairs[i, j] * (p.weights @ p.configurations.all(axis=1)))
            value += p.score
        assert value == pytest.approx(r.bound, abs=0.02)
        nand = g.factor_posterior(r, len(pairs)).configurations
        assert not nand.all(axis=1).any(), "configurations are of the literals that were given"
        fractional += not r.integral
    assert fractional > 2
    with pytest.raises(ValueError):
        g.factor_posterior(g.solve_lp(), 0)


def test_beliefs_are_of_the_literals_that_were_given(rng):
    g = FactorGraph()
    v = [g.add_variable(s) for s in rng.normal(size=3)]
    g.add_nand([v[0], ~v[1]])
    g.add_and_out([v[0], v[1]], v[2])
    bp = g.solve_bp()
    assert g.factor_belief(bp, 0)[1, 1] == 0.0 and (g.factor_belief(bp, 0) > 0.0).sum() == 3
    belief = g.factor_belief(bp, 1)
    assert all((belief[y] > 0.0) == (y[2] == (y[0] and y[1])) for y in itertools.product((0, 1), repeat=3))


def test_scores_that_change(rng):
    g, v, scores, pairs = loop(rng, 1.0)
    g.add_table([v[0], v[1]], np.zeros((2, 2)))
    first = g.solve_ad3()
    other, table = rng.normal(size=5), rng.normal(size=(2, 2))
    for _ in range(2):
        for i, s in zip(v, other):
            g.set_score(i, s)
        g.set_pair_score(0, 0.25)
        g.set_table_scores(g.factors - 1, table)

    def score(y):
        own = dict(pairs)
        own[0, 1] = 0.25
        return other @ y + table[y[0], y[1]] + sum(s for (i, j), s in own.items() if y[i] and y[j])

    oracle = Oracle(5, score)
    for graph in (g, pickle.loads(pickle.dumps(g))):
        assert graph.solve_exact().log_partition == pytest.approx(oracle.log_z)
        assert graph.solve_ad3(start=first, search="exact").value == pytest.approx(oracle.best)
    assert g.solve_ad3(start=g.solve_ad3()).iterations <= first.iterations


def test_convex_free_energy(rng):
    g, v, scores, pairs = loop(rng, 2.0)
    convex = g.solve_bp(free_energy="convex", tolerance=1e-6, max_iterations=10000)
    assert convex.status == "converged" and convex.log_partition > g.solve_exact().log_partition
    belief = g.factor_belief(convex, 0)
    np.testing.assert_allclose([belief[1].sum(), belief[:, 1].sum()], convex.marginals[:2], atol=1e-3)
    assert g.solve_bp(max_iterations=2, tolerance=1e-12, retry_damping=0.5).iterations == 4


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


def test_results_are_for_their_own_solver():
    g = FactorGraph()
    v = [g.add_variable(s) for s in (0.4, 0.3, -0.2)]
    for a, b in itertools.combinations(v, 2):
        g.add_pair(a, b, 0.5)
    bp, ad3 = g.solve_bp(), g.solve_ad3()
    assert g.solve_bp(start=bp).iterations == g.solve_bp(start=bp.messages).iterations < bp.iterations
    for call, name, given, expected in [
            (lambda: g.factor_belief(ad3, 0), "result", "MapResult", "BpResult"),
            (lambda: g.factor_posterior(bp, 0), "result", "BpResult", "MapResult"),
            (lambda: g.solve_ad3(start=bp), "start", "BpResult", "MapResult"),
            (lambda: g.solve_ad3(start=3), "start", "int", "MapResult"),
            (lambda: g.solve_bp(start=ad3), "start", "MapResult", "BpResult or messages")]:
        with pytest.raises(TypeError, match=f"{name} is a {given}, expected a {expected}"):
            call()


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
