"""SparseMAP from Python: the projection on all trees, which are listed, batches, and PyTorch's own checks."""

import numpy as np
import pytest

import kirchhoff
from enumeration import incidence

ROOTS = ("single", "multi")
LENGTHS = [3, 2, 4]


def gap(scores, u, words, root):
    """What the best of all trees is better than the mixture u, to first order: 0 for the projection."""
    table = incidence(scores.shape[-1], words, root).reshape(-1, scores.size)
    slopes = (scores - u).ravel()
    return (table @ slopes).max() - u.ravel() @ slopes


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("spread", [0.3, 1.0, 5.0])
def test_is_the_projection_on_all_trees(root, spread):
    scores = np.random.default_rng(1).normal(size=(3, 5, 5), scale=spread)
    p = kirchhoff.sparsemap(scores, root=root, lengths=LENGTHS)
    for i, n in enumerate(LENGTHS):
        assert gap(scores[i], p.marginals[i], n, root) < 1e-11
        mixed = np.zeros((5, 5))
        for heads, probability in zip(p.heads[i], p.probabilities[i]):
            for d in range(1, n + 1):
                if probability > 0:
                    mixed[heads[d], d] += probability
        np.testing.assert_allclose(mixed, p.marginals[i], atol=1e-13)
    assert p.converged.all() and (p.gap < 1e-11).all()
    assert ((p.heads >= 0).any(-1) == (p.probabilities > 0)).all()


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("spread", [0.3, 1.0, 5.0])
def test_labelled_is_the_projection_on_all_labelled_trees(root, spread):
    scores = np.random.default_rng(4).normal(size=(3, 4, 4, 2), scale=spread)
    lengths = [3, 2, 1]
    p = kirchhoff.sparsemap(scores, root=root, lengths=lengths, labelled=True)
    assert p.marginals.shape == scores.shape and p.labels.shape == p.heads.shape and p.converged.all()
    for i, n in enumerate(lengths):
        table = incidence(4, n, root, 2).reshape(-1, scores[i].size)
        slopes = (scores[i] - p.marginals[i]).ravel()
        assert (table @ slopes).max() - p.marginals[i].ravel() @ slopes < 1e-11
        mixed = np.zeros((4, 4, 2))
        for heads, labels, probability in zip(p.heads[i], p.labels[i], p.probabilities[i]):
            for d in range(1, n + 1):
                if probability > 0:
                    mixed[heads[d], d, labels[d]] += probability
        np.testing.assert_allclose(mixed, p.marginals[i], atol=1e-13)
    listed = [s[: n + 1, : n + 1] for s, n in zip(scores, lengths)]
    again = kirchhoff.sparsemap(listed, root=root, labelled=True, threads=1)
    np.testing.assert_array_equal(again.marginals, p.marginals)
    np.testing.assert_array_equal(again.labels, p.labels)
    assert kirchhoff.sparsemap(scores[0, ..., 0], root=root).labels is None


def test_batches_are_the_same_as_one_by_one():
    scores = np.random.default_rng(2).normal(size=(2, 3, 6, 6))
    lengths = [[5, 2, 3], [4, 5, 1]]
    batch = kirchhoff.sparsemap(scores, root="multi", lengths=lengths)
    assert batch.marginals.shape == scores.shape and batch.gap.shape == (2, 3)
    graphs = []
    for i in range(2):
        for j in range(3):
            n = lengths[i][j] + 1
            graphs.append(scores[i, j, :n, :n])
            one = kirchhoff.sparsemap(graphs[-1], root="multi")
            assert isinstance(one.gap, float) and one.converged is True
            np.testing.assert_array_equal(batch.marginals[i, j, :n, :n], one.marginals)
            assert batch.marginals[i, j].sum() == pytest.approx(n - 1)
            k = len(one.probabilities)
            np.testing.assert_array_equal(batch.heads[i, j, :k, :n], one.heads)
    listed = kirchhoff.sparsemap(graphs, root="multi", threads=1)
    np.testing.assert_array_equal(listed.marginals, batch.marginals.reshape(6, 6, 6))


def test_errors_name_the_graph():
    scores = np.zeros((3, 4, 4))
    scores[1, 0] = -np.inf
    with pytest.raises(kirchhoff.Infeasible, match="graph 1"):
        kirchhoff.sparsemap(scores, root="single")
    with pytest.raises(ValueError, match="root is 'both'"):
        kirchhoff.sparsemap(scores, root="both")
    with pytest.raises(ValueError, match="labels need labelled=True"):
        kirchhoff.sparsemap(np.zeros((3, 3, 2)), root="single")
    with pytest.raises(ValueError, match="tolerance"):
        kirchhoff.sparsemap(np.zeros((3, 3)), root="single", tolerance=-1)


def matching(n):
    """An n x n assignment: every row and every column has exactly one."""
    graph = kirchhoff.FactorGraph()
    cells = np.array([[graph.add_variable() for _ in range(n)] for _ in range(n)])
    for line in [*cells, *cells.T]:
        graph.add_xor(line.tolist())
    return graph


def test_matching_is_the_projection_on_doubly_stochastic_matrices():
    """Dykstra's alternating projections on rows and columns of sum 1, and on what is not negative."""
    scores = np.random.default_rng(3).normal(size=(4, 4))
    found = kirchhoff.lp_sparsemap(matching(4), scores.ravel())
    sets = [lambda x: x - (x.sum(1, keepdims=True) - 1) / 4, lambda x: x - (x.sum(0, keepdims=True) - 1) / 4,
            lambda x: np.maximum(x, 0.0)]
    x, corrections = scores.copy(), [np.zeros((4, 4)) for _ in sets]
    for _ in range(20000):
        for k, project in enumerate(sets):
            moved = x + corrections[k]
            x = project(moved)
            corrections[k] = moved - x
    assert found.status == "converged"
    np.testing.assert_allclose(found.marginals, x.ravel(), atol=1e-7)
    for inputs, probabilities in found.factors:
        assert (inputs.sum(1) == 1).all() and probabilities.sum() == pytest.approx(1.0)


torch = pytest.importorskip("torch")
import kirchhoff.torch as kt  # noqa: E402
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402


def random_scores(*shape, seed=0):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed)).requires_grad_()


@pytest.mark.parametrize("root", ROOTS)
def test_gradients_of_trees(root):
    scores = random_scores(3, 5, 5)

    def f(x):
        return kt.sparsemap(x, root=root, lengths=LENGTHS)

    assert gradcheck(f, scores) and gradgradcheck(f, scores)
    expected = kirchhoff.sparsemap(scores.detach().numpy(), root=root, lengths=LENGTHS)
    np.testing.assert_array_equal(f(scores).detach().numpy(), expected.marginals)


@pytest.mark.parametrize("root", ROOTS)
def test_gradients_of_labelled_trees(root):
    scores = random_scores(2, 4, 4, 3, seed=2)

    def f(x):
        return kt.sparsemap(x, root=root, lengths=[3, 2], labelled=True)

    assert gradcheck(f, scores) and gradgradcheck(f, scores)
    expected = kirchhoff.sparsemap(scores.detach().numpy(), root=root, lengths=[3, 2], labelled=True)
    np.testing.assert_array_equal(f(scores).detach().numpy(), expected.marginals)


def test_precision_and_shape_are_those_of_the_scores():
    scores = random_scores(2, 2, 4, 4).detach()
    u = kt.sparsemap(scores.float(), root="single")
    assert u.dtype == torch.float32 and u.shape == scores.shape
    assert kt.sparsemap(scores.half(), root="single").dtype == torch.float16
    assert kt.sparsemap(torch.zeros(3, 3, dtype=torch.int64), root="single").dtype == torch.get_default_dtype()
    with pytest.raises(ValueError, match="dtype"):
        kt.sparsemap(scores > 0, root="single")


def test_impossible_arcs_have_no_gradient():
    scores = 0.3 * random_scores(4, 4).detach()
    scores[1, 2] = -np.inf
    scores.requires_grad_()
    kt.sparsemap(scores, root="multi")[0, 1].backward()
    assert torch.isfinite(scores.grad).all() and scores.grad[1, 2] == 0 and scores.grad.abs().max() > 0.1


def test_gradients_of_factor_graphs():
    graph = matching(3)
    graph.add_pair(0, 4, 0.7)
    scores = random_scores(2, 9, seed=5)

    def f(x):
        return kt.lp_sparsemap(graph, x, tolerance=1e-12, max_iterations=100000)

    assert gradcheck(f, scores, eps=1e-5, atol=1e-5) and gradgradcheck(f, scores, eps=1e-5, atol=1e-5)


def test_gradients_by_pairs():
    """Pairs with scores to learn, one of them with a negation; -1 stands for none, and its score for nothing."""
    graph = matching(2)
    first = graph.add_pair(0, 3, 0.0)
    second = graph.add_pair(1, ~3, 0.0)
    scores, pairs = 0.2 * random_scores(3, 4, seed=6).detach(), torch.tensor([0.3, 9.0, -0.2], dtype=torch.float64)
    scores.requires_grad_(), pairs.requires_grad_()

    def f(x, w):
        return kt.lp_sparsemap(graph, x, pairs=([first, -1, second], w), tolerance=1e-12, max_iterations=100000)

    assert gradcheck(f, (scores, pairs), eps=1e-5, atol=1e-5)
    (by_pairs,) = torch.autograd.grad(f(scores, pairs)[:, 0].sum(), pairs)
    assert by_pairs[1] == 0 and by_pairs.abs().max() > 0.1
    scored = matching(2)
    scored.add_pair(0, 3, 0.3)
    scored.add_pair(1, ~3, -0.2)
    for i in range(3):
        expected = kirchhoff.lp_sparsemap(scored, scores[i].detach().numpy(), tolerance=1e-12).marginals
        np.testing.assert_allclose(f(scores, pairs)[i].detach().numpy(), expected, atol=1e-9)
    for wrong in ([0, -1, second], [first, first, second], [first, 99, second]):
        with pytest.raises(ValueError, match="a factor is"):
            kt.lp_sparsemap(graph, scores, pairs=(wrong, pairs))
    with pytest.raises(ValueError, match="2 factors"):
        kt.lp_sparsemap(graph, scores, pairs=([first, second], pairs))


def colours():
    """Three colours with a table for every two, one with a forbidden entry, a factor of one's own and a pair."""
    graph = kirchhoff.FactorGraph()
    values = [graph.add_values([0.0] * 3) for _ in range(3)]
    switch = graph.add_variable()
    tables = [graph.add_table([values[a], values[b]], np.zeros((3, 3))) for a, b in ((0, 1), (1, 2), (0, 2))]
    own = graph.add_factor([values[0][1], switch], lambda y: 0.0)
    return graph, tables, own, graph.add_pair(values[2][0], ~switch, 0.0)


def test_gradients_by_tables():
    """Every score is a tensor; batches are broadcast, so that what they share has the sum of the gradients."""
    graph, tables, own, pair = colours()
    scores = [(0.5 * random_scores(*shape, seed=k + 20)).detach() for k, shape in
              enumerate([(2, 1, 10), (3, 3), (4, 3, 3), (2, 1, 3, 3), (2, 2), (4,)])]
    scores[2][0, 1, 2] = -np.inf

    def f(x, a, b, c, d, w):
        return kt.lp_sparsemap(graph, x, {tables[0]: a, tables[1]: b, tables[2]: c, own: d, pair: w}, tolerance=1e-12,
                               max_iterations=100000)

    for x in scores:
        x.requires_grad_()
    u = f(*scores)
    assert u.shape == (2, 4, 10)
    weights = torch.randn(2, 4, 10, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    gradients = torch.autograd.grad((u * weights).sum(), scores)
    assert gradients[2][0, 1, 2] == 0 and all(g.abs().max() > 0.05 for g in gradients)
    finite = [x.detach().clone() for x in scores]
    finite[2][0, 1, 2] = -3.0
    for x in finite:
        x.requires_grad_()
    assert gradcheck(f, finite, eps=1e-5, atol=1e-5)
    # One by one, with the scores built in.
    for i, j in np.ndindex(2, 4):
        built = kirchhoff.FactorGraph()
        x, a, b, c, d, w = (s.detach().numpy() for s in scores)
        values = [built.add_values(x[i, 0, 3 * k:3 * k + 3]) for k in range(3)]
        switch = built.add_variable(x[i, 0, 9])
        for (k, m), table in zip(((0, 1), (1, 2), (0, 2)), (a, b[j], c[i, 0])):
            built.add_table([values[k], values[m]], table)
        built.add_factor([values[0][1], switch], lambda y: d[y])
        built.add_pair(values[2][0], ~switch, w[j])
        expected = kirchhoff.lp_sparsemap(built, tolerance=1e-12, max_iterations=100000)
        assert expected.status == "converged"
        np.testing.assert_allclose(u[i, j].detach().numpy(), expected.marginals, atol=1e-9)
    small = [x.detach().clone().requires_grad_() for x in (finite[0][:1, 0], finite[1], finite[4])]

    def g(x, a, d):
        return kt.lp_sparsemap(graph, x, {tables[0]: a, own: d}, tolerance=1e-12, max_iterations=100000)

    assert gradgradcheck(g, small, eps=1e-5, atol=1e-5)
    for bad, message in [({0: scores[1]}, "has no scores"), ({tables[0]: scores[1][:2]}, "shape"),
                         ({99: scores[1]}, "not in the graph")]:
        with pytest.raises(ValueError, match=message):
            kt.lp_sparsemap(graph, scores[0], bad)


def test_scores_may_change_before_the_backward_pass():
    graph, tables, _, _ = colours()
    x, table = (0.3 * random_scores(10, seed=8)).detach().requires_grad_(), random_scores(3, 3, seed=9)
    expected = torch.autograd.grad(kt.lp_sparsemap(graph, x, {tables[0]: table})[0], x)[0]
    u = kt.lp_sparsemap(graph, x, {tables[0]: table})
    with torch.no_grad():
        x.add_(100.0)
    torch.testing.assert_close(torch.autograd.grad(u[0], x)[0], expected)


def test_factor_graphs_without_a_solution():
    graph = kirchhoff.FactorGraph()
    a = graph.add_variable()
    graph.add_or([a])
    with pytest.raises(kirchhoff.Infeasible):
        kt.lp_sparsemap(graph, torch.tensor([-np.inf]))
    with pytest.raises(RuntimeError, match="not converged"):
        kt.lp_sparsemap(matching(3), random_scores(9), max_iterations=1)
    assert kirchhoff.lp_sparsemap(graph, [-np.inf]).status == "infeasible"
