"""Losses in PyTorch: those of trees against sums over all trees, those of factor graphs by PyTorch's own check."""

import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import kirchhoff  # noqa: E402
import kirchhoff.torch as kt  # noqa: E402
from enumeration import incidence  # noqa: E402
from torch.autograd import gradcheck  # noqa: E402

LENGTHS = [3, 2]
HEADS = torch.tensor([[-1, 2, 0, 2], [-1, 0, 1, -7]])
LABELS = torch.tensor([[0, 1, 0, 1], [5, 0, 1, -3]])
FAMILY = [dict(loss="crf"), dict(loss="softmax_margin"), dict(loss="svm"), dict(loss="perceptron"), dict(loss="risk"),
          dict(loss="crf", beta=2.0, gamma=0.5), dict(loss="svm", cost="hamming"),
          dict(loss="softmax_margin", cost="hamming", gamma=0.3)]
NUMBERS = {"crf": (1.0, 0.0), "softmax_margin": (1.0, 1.0), "svm": (np.inf, 1.0), "perceptron": (np.inf, 0.0)}


def by_enumeration(x, root, labels, *, loss, beta=None, gamma=None, cost="mistakes"):
    """The definition of the loss of each graph, as sums over all trees."""
    values = []
    for i, n in enumerate(LENGTHS):
        tables = torch.tensor(incidence(4, n, root, None if labels is None else 2), device=x.device)
        gold = torch.zeros(tables.shape[1:], dtype=torch.float64, device=x.device)
        for d in range(1, n + 1):
            gold[(HEADS[i, d], d) + (() if labels is None else (labels[i, d],))] = 1.0
        wrong = n - (tables * gold).flatten(1).sum(1)
        score = (tables * x[i]).flatten(1).sum(1)
        if loss == "risk":
            values.append((torch.softmax(score, 0) * wrong).sum())
            continue
        b, g = NUMBERS[loss]
        b, g = b if beta is None else beta, g if gamma is None else gamma
        worst = score - (gold * x[i]).sum() + g * (2.0 if cost == "hamming" else 1.0) * wrong
        values.append(worst.max() if np.isinf(b) else torch.logsumexp(b * worst, 0) / b)
    return torch.stack(values)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("labels", [None, LABELS], ids=["arcs", "labelled"])
@pytest.mark.parametrize("family", FAMILY, ids=lambda f: "-".join(map(str, f.values())))
def test_tree_losses(place, root, labels, family):
    x = place.scores(2, 4, 4, *(() if labels is None else (2,)), seed=1)
    heads, names = place.put(HEADS), None if labels is None else place.put(labels)
    found = kt.TreeCRF(root=root, reduction="none", **family)(x, heads, torch.tensor(LENGTHS), names)
    expected = by_enumeration(x, root, labels, **family)
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    weights = place.put(np.array([1.0, -0.7]))
    ours, = torch.autograd.grad((found * weights).sum(), x)
    theirs, = torch.autograd.grad((expected * weights).sum(), x)
    torch.testing.assert_close(ours, theirs, rtol=1e-8, atol=1e-9)
    assert ours.abs().sum() > 0.1


def test_tree_losses_have_dtypes_and_errors():
    x = torch.randn(2, 4, 4, requires_grad=True)
    for family in FAMILY:
        loss = kt.TreeCRF(root="single", **family)
        value = loss(x, HEADS, torch.tensor(LENGTHS))
        assert value.dtype == torch.float32 and value.shape == ()
        value.backward()
        with pytest.raises(ValueError):
            loss(x, torch.tensor([[-1, 2, 1, 2], [-1, 0, 1, 0]]), torch.tensor(LENGTHS))  # a cycle
    assert "beta=inf, gamma=2.0" in repr(kt.TreeCRF(root="single", loss="svm", cost="hamming"))
    for bad in [dict(loss="hinge"), dict(beta=0.0), dict(gamma=-1.0), dict(cost="twice"), dict(reduction="max")]:
        with pytest.raises(ValueError):
            kt.TreeCRF(root="single", **bad)


def chain():
    """A graph without loops: a colour, two switches, a table and a pair."""
    g = kirchhoff.FactorGraph()
    colour, a, b = g.add_values([0.0] * 3), g.add_variable(), g.add_variable()
    return g, g.add_table([colour, a], np.zeros((3, 2))), g.add_pair(a, ~b, 0.0)


def scores():
    torch.manual_seed(2)
    return [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in ((5,), (3, 2), ())]


@pytest.mark.parametrize("family", [{}, dict(gold=[0, 1, 0, 1, 0]), dict(gold=[1, 0, 0, 1, 1], loss="softmax_margin"),
                                    dict(gold=[1, 0, 0, 0, 1], beta=3.0, gamma=0.5),
                                    dict(gold=[0, 0, 1, 0, 1], loss="svm", method="lp")], ids=str)
def test_factor_graph(family):
    g, table, pair = chain()

    def value(v, t, p):
        return kt.factor_graph(g, v, {table: t, pair: p}, tolerance=1e-12, **family)

    given = scores()
    assert gradcheck(value, given, eps=1e-5)
    # The same with autograd through a list of all assignments.
    v, t, p = given
    total = []
    for y in itertools.product((0, 1), repeat=5):
        if sum(y[:3]) == 1:
            s = sum(v[i] for i in range(5) if y[i]) + t[y.index(1), y[3]] + p * (y[3] * (1 - y[4]))
            total.append((y, s))
    if "gold" not in family:
        expected = torch.logsumexp(torch.stack([s for _, s in total]), 0)
    else:
        gold = tuple(family["gold"])
        own = dict(total)[gold]
        beta, gamma = NUMBERS[family.get("loss", "crf")]
        beta, gamma = family.get("beta", beta), family.get("gamma", gamma)
        worst = torch.stack([s - own + gamma * (float(y[:3] != gold[:3]) + (y[3] != gold[3]) + (y[4] != gold[4]))
                             for y, s in total])
        expected = worst.max() if np.isinf(beta) else torch.logsumexp(beta * worst, 0) / beta
    torch.testing.assert_close(value(*given), expected, rtol=1e-8, atol=1e-8)


def test_factor_graph_takes_pairs_and_keeps_its_own_scores():
    rng = np.random.default_rng(5)
    arcs = rng.normal(size=(4, 4))
    pairs = kirchhoff.grandparent_pairs(arcs)
    own = rng.normal(size=len(pairs)) * 0.2
    d = kirchhoff.dependency_graph(arcs, root="single", pairs=(pairs, own))
    log_z = kt.factor_graph(d.graph)
    assert log_z.item() == pytest.approx(d.graph.solve_bp().log_partition)
    numbers = np.append(d.pair_factors, -1)
    given = torch.tensor(np.append(own, 3.0), requires_grad=True)
    same = kt.factor_graph(d.graph, torch.tensor(d.graph.scores), pairs=(numbers, given))
    assert same.item() == pytest.approx(log_z.item())
    same.backward()
    bp = d.graph.solve_bp()
    beliefs = [d.graph.factor_belief(bp, f)[1, 1] for f in d.pair_factors]
    np.testing.assert_allclose(given.grad.numpy(), [*beliefs, 0.0], atol=1e-8)
    single = torch.tensor(d.graph.scores, dtype=torch.float32, requires_grad=True)
    value = kt.factor_graph(d.graph, single, gold=d.assignment([-1, 2, 0, 2]), loss="svm")
    assert value.dtype == torch.float32
    value.backward()
    assert single.grad.dtype == torch.float32 and single.grad.abs().sum() > 0


@pytest.mark.parametrize("family", [{}, dict(gold=[[0, 1, 0, 1, 0], [1, 0, 0, 0, 0]], loss="softmax_margin"),
                                    dict(gold=[0, 0, 1, 0, 1], loss="svm", method="lp")], ids=str)
def test_factor_graph_of_a_batch(family):
    """Variables and a table are batches, and the pair is for all: its gradient is a sum."""
    g, table, pair = chain()
    torch.manual_seed(3)
    v, t, p = (torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in ((3, 2, 5), (2, 3, 2), ()))

    def value(v, t, p, **more):
        return kt.factor_graph(g, v, {table: t, pair: p}, tolerance=1e-12, **{**family, **more})

    assert value(v, t, p).shape == (3, 2) and gradcheck(value, (v, t, p), eps=1e-5)
    assert gradcheck(lambda p: kt.factor_graph(g, v.detach(), pairs=([pair, -1], p), **family), eps=1e-5,
                     inputs=torch.randn(2, 2, dtype=torch.float64, requires_grad=True))
    weights = torch.randn(3, 2, dtype=torch.float64)
    found = torch.autograd.grad((value(v, t, p) * weights).sum(), (v, t, p))
    one_by_one = 0.0
    for i, j in itertools.product(range(3), range(2)):
        gold = family.get("gold")
        own = {} if gold is None else dict(gold=gold[j] if isinstance(gold[0], list) else gold)
        one_by_one = one_by_one + weights[i, j] * value(v[i, j], t[j], p, **own)
    for ours, theirs in zip(found, torch.autograd.grad(one_by_one, (v, t, p))):
        torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)
    assert value(v[:0], t, p, **({} if "gold" not in family else dict(gold=[0, 0, 1, 0, 1]))).shape == (0, 2)


@pytest.mark.parametrize("options", [{"schedule": "residual"}, {"free_energy": "convex", "max_iterations": 20000},
                                     {"damping": 0.4, "retry_damping": 0.5}])
def test_factor_graph_passes_the_options_of_belief_propagation(options):
    g = kirchhoff.FactorGraph()
    v = [g.add_variable(s) for s in (0.5, -0.3, 0.2)]
    for a, b in ((0, 1), (1, 2), (0, 2)):
        g.add_pair(v[a], v[b], 0.7 - a)
    scores = torch.tensor(g.scores, requires_grad=True)
    expected = g.solve_bp(tolerance=1e-8, **options)
    value = kt.factor_graph(g, scores, tolerance=1e-8, **options)
    assert value.item() == pytest.approx(expected.log_partition, abs=1e-9)
    value.backward()
    np.testing.assert_allclose(scores.grad, expected.marginals, atol=1e-6)
    loss = kt.factor_graph(g, scores, gold=[1, 0, 1], tolerance=1e-8, **options)
    assert loss.item() == pytest.approx(expected.log_partition - g.score([1, 0, 1]), abs=1e-9)


def test_factor_graph_refuses():
    g, table, pair = chain()
    v, t, p = (x.detach() for x in scores())
    for bad in [lambda: kt.factor_graph(g, v[:3]), lambda: kt.factor_graph(g, v, {table: t[:2]}),
                lambda: kt.factor_graph(g, v, {0: p}), lambda: kt.factor_graph(g, v, {99: p}),
                lambda: kt.factor_graph(g, v, {pair: p}, pairs=([pair], p.reshape(1))),
                lambda: kt.factor_graph(g, v, pairs=([table], p.reshape(1))),
                lambda: kt.factor_graph(g, v, pairs=([pair], v)), lambda: kt.factor_graph(g, v, loss="svm"),
                lambda: kt.factor_graph(g, v > 0), lambda: kt.factor_graph(g, v, gold=[1, 1, 0, 0, 0])]:
        with pytest.raises(ValueError):
            bad()
    x = v.clone().requires_grad_()
    gradient, = torch.autograd.grad(kt.factor_graph(g, x), x, create_graph=True)
    with pytest.raises(NotImplementedError, match="one derivative"):
        gradient.sum().backward()
