"""Score matrices and exact sums of kirchhoff.arrow against TreeDistribution, Fraction and Parser.feature_statistics."""

from fractions import Fraction

import numpy as np
import pytest

import kirchhoff

pa = pytest.importorskip("pyarrow")
from kirchhoff import arrow  # noqa: E402

TEMPLATES = "any | h.upos d.upos"


def random_scores(count, labels=0, seed=0):
    rng = np.random.default_rng(seed)
    tail = (labels,) if labels else ()
    sizes = rng.integers(2, 9, size=count)
    return [rng.normal(size=(n, n) + tail) * 3 for n in sizes]


def column_of(scores):
    return pa.table({"id": range(len(scores)), "s": [m.ravel().tolist() for m in scores]})


@pytest.mark.parametrize("labels", [0, 3])
@pytest.mark.parametrize("projective", [False, True])
def test_answers_are_those_of_each_distribution(labels, projective):
    scores = random_scores(40, labels)
    what = ["log_partition", "entropy", "marginals", "heads", "log_prob", "trees", "samples"] + ["labels"] * (labels > 0)
    ask = arrow.tree_batches(column="s", root="single", what=what, labels=labels, k_best=4, samples=3,
                             projective=projective)
    found = ask(column_of(scores))
    found.validate(full=True)
    assert found.schema == ask.schema(column_of(scores).schema)
    family = kirchhoff.ProjectiveTreeDistribution if projective else kirchhoff.TreeDistribution
    for row, matrix in zip(found.to_pylist(), scores, strict=True):
        p = family([matrix] * 2, root="single")  # a batch gives the same bits whatever other graphs there are
        assert row["error"] is None
        assert row["log_partition"] == p.log_partition()[0] and row["entropy"] == p.entropy()[0]
        p = p[0]
        best, trees = p.argmax(), p.k_best(4)
        assert row["log_partition"] == pytest.approx(p.log_partition(), rel=1e-14)
        np.testing.assert_allclose(row["marginals"], p.marginals().ravel(), atol=1e-13)
        assert row["heads"] == best.heads.tolist() and row["log_prob"] == pytest.approx(best.log_prob, abs=1e-13)
        there = np.isfinite(trees.log_prob)
        assert [t["heads"] for t in row["trees"]] == trees.heads[there].tolist()
        np.testing.assert_allclose([t["log_prob"] for t in row["trees"]], trees.log_prob[there], atol=1e-13)
        if labels:
            assert row["labels"] == best.labels[1:].tolist()
            assert [t["labels"] for t in row["trees"]] == trees.labels[there][:, 1:].tolist()
        else:
            assert all(t["labels"] is None for t in row["trees"])
        assert len(row["samples"]) == 3
        for tree in row["samples"]:
            chosen = np.array([-1, *tree["labels"]]) if labels else None
            assert tree["log_prob"] == pytest.approx(p.log_prob(np.array(tree["heads"]), chosen), abs=1e-13)


def test_samples_follow_the_distribution_and_not_the_partition():
    scores = [np.zeros((3, 3)), np.array([[0, 1, 0.5], [0, 0, 2.0], [0, 0.3, 0]])]
    draw = arrow.tree_batches(column="s", root="multi", samples=20000, what=["samples"], keep=[])
    found = draw(column_of(scores))
    p = kirchhoff.TreeDistribution(scores[1], root="multi")
    heads = np.array([t["heads"] for t in found["samples"][1].as_py()])
    trees = p.k_best(9).heads
    trees = trees[(trees[:, 1:] >= 0).all(axis=1)]
    counts = np.array([(heads == tree).all(axis=1).sum() for tree in trees])
    expected = 20000 * np.exp(p.log_prob(trees))
    assert counts.sum() == 20000
    assert ((counts - expected) ** 2 / expected).sum() < 18.4  # chi-square, 2 degrees of freedom: one in 10,000
    assert draw(column_of(scores).slice(1))["samples"].to_pylist() == found["samples"].to_pylist()[1:]
    other = arrow.tree_batches(column="s", root="multi", samples=20, seed=1, what=["samples"], keep=[])(column_of(scores))
    assert other["samples"].to_pylist()[1] != found["samples"].to_pylist()[1][:20]


def test_bad_matrices_are_errors_of_their_rows():
    good = random_scores(3)
    lists = [good[0].ravel().tolist(), [0.0] * 8, None, [float("nan")] * 9, good[1].ravel().tolist(), [-float("inf")] * 9,
             [], [0.0, None, 0.0, 0.0], good[2].ravel().tolist()]
    ask = arrow.tree_batches(column="s", root="single", what=["log_partition", "marginals", "heads"])
    found = ask(pa.table({"s": lists})).to_pylist()
    assert [i for i, row in enumerate(found) if row["error"] is None] == [0, 4, 8]
    for row, matrix in zip([found[0], found[4], found[8]], good):
        assert row["log_partition"] == kirchhoff.TreeDistribution([matrix] * 2, root="single").log_partition()[0]
    assert all(found[i]["log_partition"] is None and found[i]["heads"] is None for i in (1, 2, 3, 5, 6, 7))
    nothing = ask(pa.table({"s": [[0.0] * 5]})).to_pylist()
    assert nothing[0]["error"] and nothing[0]["marginals"] is None


def test_nested_and_fixed_lists_are_read():
    scores = [np.random.default_rng(i).normal(size=(4, 4)) for i in range(3)]
    expected = arrow.tree_batches(column="s", root="multi", keep=[])(column_of(scores))
    flat = pa.FixedSizeListArray.from_arrays(np.concatenate([s.ravel() for s in scores]), 16)
    fixed = pa.FixedSizeListArray.from_arrays(pa.FixedSizeListArray.from_arrays(flat.flatten(), 4), 4)
    for column in (flat, fixed, flat.slice(0), pa.array([s.tolist() for s in scores]),
                   pa.array([[0.0], *[s.ravel().tolist() for s in scores]]).slice(1)):
        assert arrow.tree_batches(column="s", root="multi", keep=[])(pa.table({"s": column})).equals(expected)
    with pytest.raises(ValueError, match="its numbers are"):
        arrow.tree_batches(column="s", root="multi")(pa.table({"s": [["a"]]}))


def test_bad_questions_about_trees_are_refused():
    for problem, arguments in [("root", dict(root="one")), ("what", dict(root="multi", what=["entropies"])),
                               ("labels", dict(root="multi", what=["labels"])), ("k_best", dict(root="multi", k_best=-1)),
                               ("samples", dict(root="multi", what=["samples"]))]:
        with pytest.raises(ValueError, match=problem):
            arrow.tree_batches(column="s", **arguments)


def exact(sums):
    """The sums as fractions, from their digits."""
    found = {}
    for row in sums.to_pylist():
        integer = int.from_bytes(row["digits"], "little", signed=True)
        found[row["quantity"], row["first"], row["second"]] = integer * Fraction(2) ** row["exponent"]
        assert row["value"] == float(found[row["quantity"], row["first"], row["second"]])
    return found


def partitions(table, parts, rng):
    """The rows in another order, in so many parts, some of them empty."""
    order = rng.permutation(table.num_rows)
    where = rng.integers(0, parts, size=table.num_rows)
    return [table.take(order[where == part]) for part in range(parts)]


def sums_are_the_same_bits(sums, table):
    whole, rng = sums(table), np.random.default_rng(3)
    for parts in (1, 2, 7, table.num_rows):
        pieces = [sums(piece) for piece in partitions(table, parts, rng)]
        assert arrow.merge_sums(pa.concat_tables(pieces)).equals(whole)
        left, right = arrow.merge_sums(pa.concat_tables(pieces[::2])), pieces[1::2]
        assert arrow.merge_sums(pa.concat_tables([left, *right])).equals(whole)
    return whole


def functions(n):
    return np.stack([np.abs(np.subtract.outer(np.arange(n + 1), np.arange(n + 1))), np.arange((n + 1) ** 2).reshape(n + 1, -1)])


def test_sums_over_matrices_are_exact():
    scores = random_scores(60, seed=5)
    table = column_of(scores).append_column("x", pa.array(range(60)))
    table = pa.concat_tables([table, pa.table({"id": [0], "s": [[0.0] * 5], "x": [1]})])
    sums = arrow.expectation_sums(column="s", root="single", names=["length", "place"], functions=functions)
    found = exact(sums_are_the_same_bits(sums, table))
    ps = [kirchhoff.TreeDistribution([m] * 2, root="single") for m in scores]
    fs = [functions(len(m) - 1) for m in scores]
    assert found["sentences", None, None] == 60 and found["errors", None, None] == 1
    assert found["words", None, None] == sum(len(m) - 1 for m in scores)
    assert found["entropy", None, None] == sum(map(Fraction, (p.entropy()[0] for p in ps)))
    for i, name in enumerate(["length", "place"]):
        assert found["expectation", name, None] == sum(Fraction(p.expectation([f] * 2)[0, i]) for p, f in zip(ps, fs))
    assert found["covariance", "length", "place"] == sum(Fraction(p.covariance([f] * 2, [f] * 2)[0, 0, 1]) for p, f in zip(ps, fs))


def test_sums_over_sentences_are_exact(example_trees, tmp_path):
    parser = kirchhoff.Parser.train(example_trees[:100], root="single", epochs=2)
    parser.save(tmp_path / "m.model")
    few = [s for s in example_trees[100:160] if len(s) <= 20][:25]
    names = parser.feature_statistics(few, TEMPLATES, most=4).names
    table = pa.table({"conllu": [*map(str, few), "1\tbroken\n"]})
    sums = arrow.expectation_sums(tmp_path / "m.model", column="conllu", templates=TEMPLATES, names=names)
    whole = sums_are_the_same_bits(sums, table)
    found = exact(whole)
    each = [parser.feature_statistics([s], TEMPLATES, names=names) for s in few]
    assert found["errors", None, None] == 1 and found["sentences", None, None] == len(few)
    assert found["entropy", None, None] == sum(Fraction(parser.parse(s, probabilities=True).entropy) for s in few)
    for i, a in enumerate(names):
        assert found["expectation", a, None] == sum(Fraction(e.expectation[i]) for e in each)
        for j, b in enumerate(names[i:], i):
            assert found["covariance", a, b] == sum(Fraction(e.covariance[i, j]) for e in each)
    together = parser.feature_statistics(few, TEMPLATES, names=names)
    np.testing.assert_allclose([float(found["expectation", a, None]) for a in names], together.expectation, rtol=1e-12)


def test_sums_of_other_tables_are_refused():
    with pytest.raises(ValueError, match="expected those of expectation_sums"):
        arrow.merge_sums(pa.table({"value": [1.0]}))
    for arguments in (dict(column="s"), dict(column="s", root="multi", names=["x"]), dict(column="s", root="multi", templates="any")):
        with pytest.raises(ValueError):
            arrow.expectation_sums(**arguments)
    with pytest.raises(ValueError, match="templates and names"):
        arrow.expectation_sums("x.model", column="s", templates="any")
    wrong = arrow.expectation_sums(column="s", root="multi", names=["x"], functions=lambda n: np.zeros((1, 2, 2)))
    with pytest.raises(ValueError, match="expected"):
        wrong(column_of(random_scores(3)))
