"""Losses of factor graphs, dependency graphs and factors of one's own, against brute force in NumPy."""

import itertools
import pickle

import numpy as np
import pytest

import kirchhoff
from enumeration import trees
from kirchhoff import FactorGraph, TreeDistribution, structured_loss


def assignments(graph):
    return [np.array(y) for y in itertools.product((0, 1), repeat=graph.variables)]


def loss_by_enumeration(graph, gold, beta, gamma, cost):
    values = np.array([graph.score(y) - graph.score(gold) + gamma * cost(y) for y in assignments(graph)])
    return values.max() if np.isinf(beta) else np.logaddexp.reduce(beta * values) / beta


class Chain:
    """A colour, a switch and a lamp, without loops; `numbers` are all scores."""

    def __init__(self, numbers):
        self.graph = FactorGraph()
        self.colour = self.graph.add_values(numbers[:3])
        self.switch, self.lamp = self.graph.add_variable(numbers[3]), self.graph.add_variable(numbers[4])
        self.table = self.graph.add_table([self.colour, self.switch], numbers[5:11].reshape(3, 2))
        self.pair_score = numbers[11]
        self.pair = self.graph.add_pair(self.switch, ~self.lamp, self.pair_score)

    def gradient(self, at):
        return np.concatenate([at.variables, at.factors[self.table].ravel(), [at.factors[self.pair]]])


GOLD = [0, 1, 0, 1, 0]


def chain_cost(y):
    return float(tuple(y[:3]) != tuple(GOLD[:3])) + (y[3] != GOLD[3]) + (y[4] != GOLD[4])


@pytest.mark.parametrize("loss, beta, gamma", [("crf", 1, 0), ("softmax_margin", 1, 1), ("crf", 2.5, 0.5),
                                               ("svm", np.inf, 1), ("perceptron", np.inf, 0)])
def test_loss_and_gradient(loss, beta, gamma):
    numbers = np.random.default_rng(1).normal(size=12)

    def value(x):
        return loss_by_enumeration(Chain(x).graph, GOLD, beta, gamma, chain_cost)

    chain = Chain(numbers)
    given = {} if (loss, beta) != ("crf", 2.5) else {"beta": beta, "gamma": gamma}
    at = structured_loss(chain.graph, GOLD, loss, **given)
    assert at.status == "converged" and at.value == pytest.approx(value(numbers), abs=1e-6)
    assert at.factors[0] is None and at.factors[chain.table].shape == (3, 2)
    step = 1e-5
    for i, slope in enumerate(chain.gradient(at)):
        moved = np.eye(12)[i] * step
        assert slope == pytest.approx((value(numbers + moved) - value(numbers - moved)) / (2 * step), abs=1e-5)


def test_costs_and_maxima():
    numbers = np.random.default_rng(2).normal(size=12)
    graph = Chain(numbers).graph
    costs = np.array([1.0, 2.0, 3.0, 0.0, 0.5])
    for cost, share in [("mistakes", 0.5), ("hamming", 1.0)]:
        def cost_of(y):
            wrong = costs * (np.asarray(y) != GOLD)
            return share * wrong[:3].sum() + wrong[3:].sum()

        expected = loss_by_enumeration(graph, GOLD, np.inf, 1, cost_of)
        for method, maximum in [("ad3", "relaxed"), ("lp", "relaxed"), ("ilp", "rounded"), ("exact", "rounded")]:
            found = structured_loss(graph, GOLD, "svm", cost=cost, costs=costs, method=method, maximum=maximum)
            assert found.value == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("loss", ["crf", "softmax_margin", "svm"])
def test_batches_are_the_same_as_one_by_one(loss):
    """Scores of variables, of a table and gold are batches of different shapes; the pair keeps its score."""
    rng = np.random.default_rng(6)
    chain = Chain(rng.normal(size=12))
    variables, tables = rng.normal(size=(2, 1, 5)), rng.normal(size=(3, 3, 2))
    golds = np.array([[GOLD], [[1, 0, 0, 0, 1]]])
    found = structured_loss(chain.graph, golds, loss, variables=variables, factors={chain.table: tables})
    again = structured_loss(chain.graph, golds, loss, variables=variables, factors={chain.table: tables}, threads=1)
    assert found.value.shape == found.status.shape == (2, 3) and (found.status == "converged").all()
    assert found.variables.shape == (2, 3, 5) and found.factors[chain.table].shape == (2, 3, 3, 2)
    assert found.factors[0] is None and found.factors[chain.pair].shape == (2, 3)
    np.testing.assert_array_equal(found.value, again.value)
    own = chain.graph.scores
    for i, j in np.ndindex(2, 3):
        one = Chain(np.concatenate([variables[i, 0], tables[j].ravel(), [chain.pair_score]]))
        expected = structured_loss(one.graph, golds[i, 0], loss)
        assert isinstance(expected.value, float) and isinstance(expected.status, str)
        assert found.value[i, j] == pytest.approx(expected.value, abs=1e-12)
        np.testing.assert_allclose(found.variables[i, j], expected.variables, atol=1e-12)
        np.testing.assert_allclose(found.factors[chain.table][i, j], expected.factors[chain.table], atol=1e-12)
        np.testing.assert_allclose(found.factors[chain.pair][i, j], expected.factors[chain.pair], atol=1e-12)
    np.testing.assert_array_equal(chain.graph.scores, own)
    none = structured_loss(chain.graph, np.zeros((0, 5), dtype=int), loss)
    assert none.value.shape == (0,) and none.factors[chain.table].shape == (0, 3, 2)


def test_batches_refuse():
    chain = Chain(np.zeros(12))
    for bad, message in [(dict(variables=np.zeros(4)), "variables: shape"),
                         (dict(factors={chain.table: np.zeros((2, 3))}), "factors.*shape"),
                         (dict(factors={0: np.zeros(3)}), "has no scores"), (dict(factors={9: 1.0}), "not in the graph"),
                         (dict(variables=np.zeros((2, 5)), factors={chain.pair: np.zeros(3)}), "do not fit"),
                         (dict(variables=np.full((2, 5), np.nan)), "graph 0.*nan")]:
        with pytest.raises(ValueError, match=message):
            structured_loss(chain.graph, GOLD, **bad)
    with pytest.raises(ValueError, match="graph 1.*forbids"):
        structured_loss(chain.graph, [GOLD, [1, 1, 0, 0, 0]])


def test_loss_refuses():
    graph = Chain(np.zeros(12)).graph
    for bad, message in [(lambda: structured_loss(graph, [1, 1, 0, 0, 0]), "forbids"),
                         (lambda: structured_loss(graph, [1, 0]), "expected 5 numbers"),
                         (lambda: structured_loss(graph, [2, 0, 0, 0, 0]), "0 or 1"),
                         (lambda: structured_loss(graph, GOLD, "risk"), "expected cost"),
                         (lambda: structured_loss(graph, GOLD, "hinge"), "crf, svm"),
                         (lambda: structured_loss(graph, GOLD, beta=0.0), "beta"),
                         (lambda: structured_loss(graph, GOLD, "svm", method="bp"), "ad3, lp")]:
        with pytest.raises(ValueError, match=message):
            bad()


def test_a_factor_of_ones_own():
    scores = np.random.default_rng(3).normal(size=(2, 2, 2))
    scores[1, 0, 1] = -np.inf
    seen = []

    def own(y):
        seen.append(y)
        return scores[y]

    g, same = FactorGraph(), FactorGraph()
    for graph in (g, same):
        for s in (0.3, -0.2, 0.1):
            graph.add_variable(s)
    assert g.add_factor([0, ~1, 2], own) == 0
    assert seen == list(itertools.product((0, 1), repeat=3))
    for y in assignments(g):
        assert g.score(y) == np.dot([0.3, -0.2, 0.1], y) + scores[y[0], 1 - y[1], y[2]]
    exact, bp = g.solve_exact(), g.solve_bp()
    assert len(seen) == 8, "it is asked once"
    assert bp.log_partition == pytest.approx(exact.log_partition)
    assert pickle.loads(pickle.dumps(g)).solve_exact().value == exact.value
    assert structured_loss(g, [0, 0, 0]).factors[0].shape == (2, 2, 2)

    def broken(y):
        raise KeyError("no such thing")

    with pytest.raises(KeyError, match="no such thing"):
        same.add_factor([0, 1], broken)
    with pytest.raises(ValueError, match="at most 16"):
        same.add_factor(range(17), own)
    for wrong in (np.nan, np.inf):
        with pytest.raises(ValueError, match=rf"score\(\(1, 0\)\) is {wrong}"):
            same.add_factor([0, 1], lambda y, wrong=wrong: wrong if y == (1, 0) else 0.0)
    assert same.factors == 0


class Pairs:
    """All trees of four words with scores on pairs, by listing them."""

    def __init__(self, scores, root, pairs, pair_scores):
        self.heads = np.array([(-1, *heads) for heads in trees(len(scores) - 1, root)])
        words = np.arange(1, len(scores))
        self.values = []
        for heads in self.heads:
            has = {(h, d) for d, h in enumerate(heads) if d > 0}
            both = [s for (a, b), s in zip(pairs, pair_scores) if tuple(a) in has and tuple(b) in has]
            self.values.append(scores[heads[1:], words].sum() + sum(both))
        self.best = self.heads[np.argmax(self.values)]


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("form", ["factor", "flow"])
def test_dependency_graph(root, form):
    rng = np.random.default_rng(4)
    scores = rng.normal(size=(4, 4))
    pairs = np.concatenate([kirchhoff.sibling_pairs(scores), kirchhoff.grandparent_pairs(scores),
                            kirchhoff.head_bigram_pairs(scores)])
    pair_scores = rng.normal(size=len(pairs))
    d = kirchhoff.dependency_graph(scores, root=root, pairs=(pairs, pair_scores), form=form)
    oracle = Pairs(scores, root, pairs, pair_scores)
    best = d.graph.solve_ilp()
    assert best.value == pytest.approx(max(oracle.values))
    np.testing.assert_array_equal(d.heads(best.assignment), oracle.best)
    for heads, value in zip(oracle.heads, oracle.values):
        y = d.assignment(heads)
        assert d.graph.score(y) == pytest.approx(value)
        np.testing.assert_array_equal(d.heads(y), heads)
    assert (d.pair_factors >= 0).all() and len(set(d.pair_factors)) == len(pairs)
    copy = pickle.loads(pickle.dumps(d))
    assert copy.graph.score(d.assignment(oracle.best)) == d.graph.score(d.assignment(oracle.best))
    # The gradient of a pair is at its factor.
    gold = oracle.heads[0]
    at = structured_loss(d.graph, d.assignment(gold), "svm", gamma=0.0, method="ilp")
    has = [{(h, w) for w, h in enumerate(tree) if w > 0} for tree in (oracle.best, gold)]
    for (a, b), f in zip(pairs, d.pair_factors):
        in_best, in_gold = (tuple(a) in arcs and tuple(b) in arcs for arcs in has)
        assert at.factors[f] == float(in_best) - float(in_gold)


def test_dependency_graph_of_some_arcs():
    scores = np.zeros((4, 4))
    scores[2, 1] = -np.inf
    pairs = kirchhoff.sibling_pairs(np.zeros((4, 4)))
    left_out = [(2, 1) in map(tuple, pair) for pair in pairs]
    assert any(left_out) and len(kirchhoff.sibling_pairs(scores)) == len(pairs) - sum(left_out)
    d = kirchhoff.dependency_graph(scores, root="multi", pairs=(pairs, np.ones(len(pairs))))
    assert [f < 0 for f in d.pair_factors] == left_out
    plain = kirchhoff.dependency_graph(scores, root="multi")
    assert plain.graph.solve_bp().log_partition == pytest.approx(TreeDistribution(scores, root="multi").log_partition())
    siblings = (np.array([[[0, 1], [0, 3]]]), [5.0])
    more = kirchhoff.dependency_graph(scores, root="multi", consecutive_siblings=siblings,
                                      non_projective=(np.array([[1, 3]]), [2.0]))
    for heads, value in [((-1, 0, 1, 0), 5.0), ((-1, 0, 0, 0), 0.0), ((-1, 0, 0, 1), 2.0), ((-1, 0, 1, 1), 0.0)]:
        assert more.graph.score(more.assignment(heads)) == pytest.approx(value)
    for bad in [lambda: kirchhoff.dependency_graph(np.zeros((3, 4)), root="multi"),
                lambda: kirchhoff.dependency_graph(scores, root="multi", pairs=(pairs, [1.0])),
                lambda: kirchhoff.dependency_graph(scores, root="multi", pairs=([[[0, 1], [0, 9]]], [1.0])),
                lambda: kirchhoff.dependency_graph(scores, root="multi", form="list"),
                lambda: d.assignment([-1, 2, 0, 0]), lambda: d.assignment([-1, 0]),
                lambda: d.heads(np.zeros(d.graph.variables)), lambda: d.heads([0])]:
        with pytest.raises(ValueError):
            bad()


@pytest.mark.parametrize("kind", ["sequence", "rooted_tree", "head"])
@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0, np.inf])
def test_gradients_by_the_scores_of_parts(kind, beta):
    numbers, gold = np.random.default_rng(8).normal(size=20), np.array([0, 1, 0, 1, 1])

    def loss(x):
        g = FactorGraph()
        colour = g.add_values(x[:3])
        a, b = g.add_variable(x[3]), g.add_variable(x[4])
        if kind == "sequence":
            f = g.add_sequence([colour, a, ~b], x[5:15])
        elif kind == "head":
            f = g.add_head(colour, [a], [~b], left_siblings=x[5:8], right_siblings=x[8:11], grandparents=x[11:17])
        else:
            f = g.add_rooted_tree([colour, a, ~b], [-1, 0, 1], x[5:15], counted=[1, 1, 1], count_scores=x[15:19])
        return structured_loss(g, gold, beta=beta, gamma=0.5), f

    at, f = loss(numbers)
    assert at.status == "converged"
    found = np.concatenate([at.variables, at.factors[f]])
    for k, own in enumerate(found):
        step = np.where(np.arange(20) == k, 1e-5, 0.0)
        assert own == pytest.approx((loss(numbers + step)[0].value - loss(numbers - step)[0].value) / 2e-5, abs=1e-5)
    assert (np.abs(found) > 0.01).sum() > 3


def loop(scores):
    """Four variables and a pair of each two."""
    g = FactorGraph()
    v = [g.add_variable(s) for s in scores[:4]]
    for (a, b), s in zip(itertools.combinations(v, 2), scores[4:]):
        g.add_pair(a, b, s)
    return g


@pytest.mark.parametrize("options", [{"schedule": "flooding"}, {"schedule": "residual"}, {"damping": 0.3},
                                     {"free_energy": "convex", "max_iterations": 20000}])
def test_options_of_belief_propagation(options):
    scores = np.random.default_rng(12).normal(size=10)
    g, gold = loop(scores), [1, 0, 0, 1]
    bp = g.solve_bp(tolerance=1e-8, **options)
    at = structured_loss(g, gold, tolerance=1e-8, **options)
    assert (at.status, at.iterations) == (bp.status, bp.iterations) == ("converged", at.iterations)
    assert at.value == pytest.approx(bp.log_partition - g.score(gold), abs=1e-12)
    found = np.concatenate([at.variables, at.factors])
    for k, own in enumerate(found):
        step = np.where(np.arange(10) == k, 1e-4, 0.0)
        high, low = (structured_loss(loop(x), gold, tolerance=1e-10, **options).value for x in (scores + step, scores - step))
        assert own == pytest.approx((high - low) / 2e-4, abs=1e-5)
    if "free_energy" in options:
        assert at.value > g.solve_exact().log_partition - g.score(gold)


def test_a_second_try_with_damping():
    g, few = loop(np.random.default_rng(12).normal(size=10)), {"max_iterations": 2, "tolerance": 1e-12}
    assert structured_loss(g, [1, 0, 0, 1], **few).iterations == 2
    assert structured_loss(g, [1, 0, 0, 1], retry_damping=0.5, **few).iterations == 4
    for bad in ({"schedule": "x"}, {"free_energy": "x"}, {"retry_damping": 1.0}):
        with pytest.raises(ValueError):
            structured_loss(g, [1, 0, 0, 1], **bad)
