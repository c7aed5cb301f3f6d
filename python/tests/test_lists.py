"""Lists of graphs of different sizes: the same answers as one by one, arrays of arcs as lists, errors that name one."""

import gc
import pickle

import numpy as np
import pytest

import kirchhoff
from kirchhoff import TreeDistribution, _arrays

LENGTHS = (5, 1, 12, 3, 40, 2, 3)


@pytest.fixture
def rng():
    return np.random.default_rng(11)


def graphs_of(rng, labels=0, lengths=LENGTHS):
    return [rng.normal(size=(n + 1, n + 1) + ((labels,) if labels else ())) for n in lengths]


def each(graphs, root, **options):
    return [TreeDistribution(g, root=root, labelled=g.ndim == 3, **options) for g in graphs]


def assert_arcs(listed, one_by_one, tolerance=1e-11):
    assert isinstance(listed, list) and len(listed) == len(one_by_one)
    for mine, expected in zip(listed, one_by_one):
        assert mine.shape == expected.shape and mine.dtype == expected.dtype
        np.testing.assert_allclose(mine, expected, rtol=1e-10, atol=tolerance)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("labels", [0, 3])
def test_arcs_are_those_of_one_by_one(rng, root, labels):
    graphs, others, directions = (graphs_of(rng, labels) for _ in range(3))
    p, q, ones, others_one = (TreeDistribution(graphs, root=root), TreeDistribution(others, root=root),
                              each(graphs, root), each(others, root))
    assert p.batch_shape == (7,) and p.event_shape == (41,) and p.labels == labels
    np.testing.assert_array_equal(p.lengths, LENGTHS)
    assert all(mine is given for mine, given in zip(p.scores, graphs))
    assert_arcs(p.marginals(), [o.marginals() for o in ones], 1e-13)
    assert_arcs(p.log_marginals(), [o.log_marginals() for o in ones])
    assert_arcs(p.marginals_along(directions), [o.marginals_along(d) for o, d in zip(ones, directions)])
    assert_arcs(p.covariance_gradient(directions, others),
                [o.covariance_gradient(d, f) for o, d, f in zip(ones, directions, others)])
    assert_arcs(p.entropy_gradient(), [o.entropy_gradient() for o in ones])
    assert_arcs(p.entropy_with_gradient()[1], [o.entropy_gradient() for o in ones])
    assert_arcs(p.renyi_gradient(0.5), [o.renyi_gradient(0.5) for o in ones])
    for name in ("kl_gradient", "cross_entropy_gradient"):
        both = [getattr(o, name)(other) for o, other in zip(ones, others_one)]
        for k in (0, 1):
            assert_arcs(getattr(p, name)(q)[k], [pair[k] for pair in both])
    best = p.argmax()
    golds = [o.argmax() for o in ones]
    gold = [(g.heads, g.labels) if labels else (g.heads,) for g in golds]
    arguments = (best.heads, best.labels) if labels else (best.heads,)
    assert_arcs(p.risk_gradient(*arguments), [o.risk_gradient(*g) for o, g in zip(ones, gold)])
    for mine, theirs in [(p.log_partition(), [o.log_partition() for o in ones]),
                         (p.entropy(), [o.entropy() for o in ones]), (p.renyi(2.0), [o.renyi(2.0) for o in ones]),
                         (p.kl(q), [o.kl(other) for o, other in zip(ones, others_one)]),
                         (p.risk(*arguments), [o.risk(*g) for o, g in zip(ones, gold)]),
                         (p.log_prob(*arguments), [g.log_prob for g in golds]),
                         (p.log_prob(*map(list, zip(*gold))), [g.log_prob for g in golds])]:  # rows without padding
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)
    functions = [rng.normal(size=(2,) + g.shape) for g in graphs]
    np.testing.assert_allclose(p.expectation(functions), [o.expectation(f) for o, f in zip(ones, functions)],
                               atol=1e-11)
    np.testing.assert_allclose(p.covariance(functions, functions),
                               [o.covariance(f, f) for o, f in zip(ones, functions)], atol=1e-10)
    np.testing.assert_allclose(p.cumulants(directions, 3), [o.cumulants(d, 3) for o, d in zip(ones, directions)],
                               rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(p.with_temperature(2.0).log_partition(),
                               [o.with_temperature(2.0).log_partition() for o in ones], rtol=1e-12)


@pytest.mark.parametrize("labels", [0, 2])
def test_trees_are_those_of_a_padded_batch(rng, labels):
    graphs = graphs_of(rng, labels)
    p, padded = TreeDistribution(graphs, root="single"), TreeDistribution(graphs, root="single", padded=True)
    assert padded.marginals().shape == (7, 41, 41) + ((labels,) if labels else ())
    for n, whole, part in zip(LENGTHS, padded.marginals(), p.marginals()):
        np.testing.assert_allclose(whole[: n + 1, : n + 1], part, rtol=1e-13)
        assert not whole[n + 1:].any() and not whole[:, n + 1:].any()
    for mine, theirs in [(p.argmax(), padded.argmax()), (p.mbr(), padded.mbr()), (p.k_best(3), padded.k_best(3)),
                         (p.sample((2, 3), seed=5), padded.sample((2, 3), seed=5)),
                         (p.sample_without_replacement(4, seed=5), padded.sample_without_replacement(4, seed=5)),
                         (kirchhoff.decode(graphs, root="single", k_best=2),
                          kirchhoff.decode(padded.scores, root="single", k_best=2, lengths=LENGTHS,
                                           labelled=labels > 0))]:
        for a, b in zip(mine, theirs):
            np.testing.assert_array_equal(a, b)
    assert padded.kl(p) == pytest.approx(np.zeros(7), abs=1e-13)  # the same graphs, laid out in two ways
    arcs = [[(0, 1)]] * 7
    given, ones = p.given(require=arcs), each(graphs, "single")
    assert_arcs(given.marginals(), [o.given(require=[(0, 1)]).marginals() for o in ones])
    assert [s.shape for s in given.scores] == [g.shape for g in graphs]
    assert "<svg" in kirchhoff.render(p).svg


def test_a_list_of_one_graph_is_a_batch(rng):
    scores = rng.normal(size=(6, 6))
    p, one = TreeDistribution([scores], root="multi"), TreeDistribution(scores, root="multi")
    assert p.batch_shape == (1,) and p.log_partition().shape == (1,)
    assert_arcs(p.marginals(), [one.marginals()], 0.0)
    assert_arcs(p.entropy_gradient(), [one.entropy_gradient()], 1e-15)


def test_types_and_strides(rng):
    graphs = graphs_of(rng)
    expected = TreeDistribution(graphs, root="single").marginals()
    records = np.zeros((41, 41), dtype=[("a", "i1"), ("score", "f8")])  # its doubles lie on any byte
    records["score"] = graphs[4]
    wide = np.zeros((13, 26))
    wide[:, ::2] = graphs[2]
    mixed = [graphs[0].tolist(), graphs[1].astype(">f8"), wide[:, ::2], np.asfortranarray(graphs[3]), records["score"],
             graphs[5][::-1].copy()[::-1], graphs[6].astype(np.longdouble)]
    before = [np.array(g) for g in mixed]
    for scores in (mixed, tuple(mixed)):
        for mine, theirs in zip(TreeDistribution(scores, root="single").marginals(), expected):
            np.testing.assert_array_equal(mine, theirs)
    for mine, theirs in zip(before, mixed):
        np.testing.assert_array_equal(mine, theirs)
    frozen = [g.copy() for g in graphs]
    for g in frozen:
        g.flags.writeable = False
    np.testing.assert_array_equal(TreeDistribution(frozen, root="single").log_partition(),
                                  TreeDistribution(graphs, root="single").log_partition())
    single = TreeDistribution([g.astype(np.float32) for g in graphs], root="single", dtype=np.float32)
    for mine, theirs in zip(single.marginals(), expected):
        assert mine.dtype == np.float32
        np.testing.assert_allclose(mine, theirs, rtol=1e-4, atol=1e-6)
    counts = TreeDistribution([np.zeros((3, 3), int), np.zeros((2, 2), np.uint8)], root="single")
    np.testing.assert_allclose(np.exp(counts.log_partition()), [2, 1])


def test_graphs_live_as_long_as_the_distribution(rng):
    graphs = graphs_of(rng)
    expected = [o.entropy() for o in each([g.copy() for g in graphs], "single")]
    p = TreeDistribution(graphs, root="single")
    p.scores.clear()  # a copy of the list
    graphs.clear()
    gc.collect()
    noise = [rng.normal(size=(n + 1, n + 1)) for n in LENGTHS * 20]  # where the graphs would have been
    np.testing.assert_allclose(p.entropy(), expected, rtol=1e-12)
    marginals = p.marginals()
    first = marginals[0].copy()
    del p, noise
    gc.collect()
    rng.normal(size=100_000)
    np.testing.assert_array_equal(marginals[0], first)


def test_results_are_parts_of_one_block(rng):
    p = TreeDistribution(graphs_of(rng), root="single")
    marginals, gradients = p.marginals(), p.entropy_gradient()
    for parts, writeable in [(marginals, False), (gradients, True)]:
        assert {id(a.base) for a in parts} == {id(parts[0].base)}
        assert all(a.flags.c_contiguous and a.flags.writeable == writeable for a in parts)
        assert all(b.ctypes.data == a.ctypes.data + a.nbytes for a, b in zip(parts, parts[1:]))


def test_blocks_larger_than_an_item_of_numpy(rng, monkeypatch):
    for labels in (0, 2):
        p = TreeDistribution(graphs_of(rng, labels), root="single")
        expected = p.marginals()
        monkeypatch.setattr(_arrays, "_LARGEST_ITEM", 100)
        assert_arcs(p.marginals(), expected, 0.0)
        monkeypatch.undo()


def test_pickle(rng):
    for labels in (0, 2):
        p = TreeDistribution(graphs_of(rng, labels), root="multi", dtype=np.float32)
        assert_arcs(pickle.loads(pickle.dumps(p)).marginals(), p.marginals(), 0.0)


def test_errors_name_the_graph(rng):
    square = np.zeros((3, 3))
    for scores, message in [
        ([], "scores: an empty list"),
        ((), "scores: an empty list"),
        ([square, np.zeros((3, 4))], r"scores\[1\]: shape \(3, 4\) is not \(n\+1, n\+1\)"),
        ([square, square, np.zeros((1, 1))], r"scores\[2\]: shape \(1, 1\) has no word"),
        ([square, np.zeros((3, 3, 2))], r"scores\[1\]: shape \(3, 3, 2\), where the first graph has 2 axes"),
        ([square, 1.0], r"scores\[1\]: shape \(\), where the first graph has 2 axes"),
        ([np.zeros((3, 3, 2)), np.zeros((2, 2, 3))], r"scores\[1\]: shape \(2, 2, 3\), where the first graph has 2 lab"),
        ([np.zeros((3, 3, 0))], r"scores\[0\]: shape \(3, 3, 0\) has no label"),
        ([np.zeros((2, 3, 3, 2))], r"scores\[0\]: shape \(2, 3, 3, 2\) is not \(n\+1, n\+1\[, labels\]\)"),
        ([square, square.astype(complex)], r"scores\[1\]: dtype complex128"),
        ([square, np.full((3, 3), np.nan)], "graph 1: .*nan"),
    ]:
        for make in (TreeDistribution, kirchhoff.decode):
            with pytest.raises(ValueError, match=message):
                make(scores, root="single")
    with pytest.raises(kirchhoff.Infeasible, match="graph 1"):
        TreeDistribution([square, np.full((4, 4), -np.inf)], root="single")
    with pytest.raises(ValueError, match="lengths: a list of graphs has its own"):
        TreeDistribution([square, square], root="single", lengths=[2, 2])
    p = TreeDistribution([square, np.zeros((4, 4))], root="single")
    for direction, message in [(square, "direction: expected a list of 2 arrays, one for each graph, not ndarray"),
                               ([square], "direction: expected a list of 2 arrays, one for each graph, not of 1"),
                               ([square, square], r"direction\[1\]: shape \(3, 3\) does not fit the scores' \(4, 4\)"),
                               ([square, np.zeros((4, 4), bool)], r"direction\[1\]: dtype bool")]:
        with pytest.raises(ValueError, match=message):
            p.marginals_along(direction)
    with pytest.raises(ValueError, match=r"f\[1\]: shape \(3, 4, 4\) is not \(2, 4, 4\)"):
        p.expectation([np.zeros((2, 3, 3)), np.zeros((3, 4, 4))])
    with pytest.raises(ValueError, match="q: .* does not fit"):
        p.kl(TreeDistribution([np.zeros((4, 4)), square], root="single"))
    for heads, message in [([[-1, 0, 1]], "heads: 1 rows for 2 graphs"),
                           ([[-1, 0, 1], [-1, 0]], r"heads\[1\]: shape \(2,\) is not \(n\+1,\) = \(4,\)"),
                           ([[-1, 0, 1], [-1.0, 0.0, 1.0, 1.0]], r"heads\[1\]: dtype float64")]:
        with pytest.raises(ValueError, match=message):
            p.log_prob(heads)
