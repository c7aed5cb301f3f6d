"""Objectives of learning, sparse functions, lists of trees and sequences of heads, against all trees of small graphs."""

import itertools

import numpy as np
import pytest

import kirchhoff
from enumeration import incidence, trees

RNG = np.random.default_rng(11)
KINDS = {"all": kirchhoff.TreeDistribution, "projective": kirchhoff.ProjectiveTreeDistribution}


class Listed:
    """A distribution with all of its trees: rows of 0 and 1 for their arcs, and probabilities."""

    def __init__(self, kind="all", root="single", labels=None, words=3, seed=0):
        rng = np.random.default_rng(seed)
        self.scores = rng.normal(size=(words + 1,) * 2 + ((labels,) if labels else ()))
        self.options = {"root": root, "labelled": bool(labels)}
        self.kind = KINDS[kind]
        self.p = self.kind(self.scores, **self.options)
        rows = incidence(words + 1, words, root, labels)
        if kind == "projective":
            heads = (rows.sum(-1) if labels else rows).argmax(1)
            heads[:, 0] = -1
            rows = rows[[kirchhoff.is_projective(h) for h in heads.tolist()]]
        self.rows = rows
        total = np.exp(rows.reshape(len(rows), -1) @ self.scores.ravel())
        self.prob = total / total.sum()

    def with_scores(self, scores):
        return self.kind(scores, **self.options)

    def slopes(self, value):
        """The gradient of value(distribution) by central differences."""
        found, h = np.zeros(self.scores.shape), 1e-5
        for at in np.ndindex(*self.scores.shape):
            step = np.zeros(self.scores.shape)
            step[at] = h
            found[at] = (value(self.with_scores(self.scores + step)) - value(self.with_scores(self.scores - step))) / (2 * h)
        return found


CASES = list(itertools.product(KINDS, ["single", "multi"], [None, 2]))


@pytest.fixture(params=CASES, ids=lambda c: "-".join(map(str, c)))
def listed(request):
    return Listed(*request.param)


@pytest.mark.parametrize("loss, beta, gamma", [("crf", 1, 0), ("softmax_margin", 1, 1), ("svm", np.inf, 1), ("risk", 1, 0),
                                               ("softmax_margin", 2.5, 0.5)])
def test_losses(listed, loss, beta, gamma):
    labels = listed.scores.shape[2:]
    rows = listed.rows.reshape(len(listed.rows), -1)
    gold = rows[1]
    arcs = np.argwhere(gold.reshape(listed.scores.shape))
    heads, names = np.full(4, -1), np.zeros(4, dtype=int)
    heads[arcs[:, 1]] = arcs[:, 0]
    if labels:
        names[arcs[:, 1]] = arcs[:, 2]
    costs = 3 - rows @ gold
    options = dict(labels=names if labels else None, loss=loss)
    if (beta, gamma) == (2.5, 0.5):
        options.update(beta=beta, gamma=gamma)

    def value(p):
        values = (rows - gold) @ p.scores.ravel() + gamma * costs
        if loss == "risk":
            weights = np.exp(values - values.max())
            return weights @ costs / weights.sum()
        return values.max() if np.isinf(beta) else np.logaddexp.reduce(beta * values) / beta

    at = listed.p.structured_loss(heads, **options)
    assert at.value == pytest.approx(value(listed.p), abs=1e-9)
    np.testing.assert_allclose(at.gradient, listed.slopes(value), atol=1e-5)
    if loss == "svm":
        twice = listed.p.structured_loss(heads, cost="hamming", **options)
        assert twice.value == pytest.approx(max((rows - gold) @ listed.scores.ravel() + 2 * costs), abs=1e-9)
    batch = listed.with_scores(np.stack([listed.scores, listed.scores]))
    options["labels"] = np.stack([names, names]) if labels else None
    assert batch.structured_loss(np.stack([heads, heads]), **options).value.tolist() == [at.value, at.value]
    with pytest.raises(ValueError, match="loss is 'none', expected one of"):
        listed.p.structured_loss(heads, options["labels"] if not labels else names, "none")
    with pytest.raises(ValueError):
        listed.p.structured_loss([-1, 2, 1, 0], names if labels else None)


def test_norms(listed):
    for k in (0.5, 1.0, 2.0, 3.0):
        assert listed.p.norm(k) == pytest.approx((listed.prob**k).sum() ** (1 / k), rel=1e-11)
        np.testing.assert_allclose(listed.p.norm_gradient(k), listed.slopes(lambda p: p.norm(k)), rtol=1e-5, atol=1e-8)
    with pytest.raises(ValueError):
        listed.p.norm(0.0)


def test_pair_marginals(listed):
    arcs = listed.rows if listed.scores.ndim == 2 else listed.rows.sum(-1)
    exact = np.einsum("t,tab,tcd->abcd", listed.prob, arcs, arcs)
    np.testing.assert_allclose(listed.p.pair_marginals(), exact, rtol=1e-11, atol=1e-14)
    with pytest.raises(ValueError):
        listed.p.pair_marginals(max_words=2)


def test_pair_marginals_of_batches():
    graphs = [RNG.normal(size=(n, n)) for n in (3, 4)]
    one = [kirchhoff.TreeDistribution(g, root="multi").pair_marginals() for g in graphs]
    for found, exact in zip(kirchhoff.TreeDistribution(graphs, root="multi").pair_marginals(), one):
        np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-15)
    padded = kirchhoff.TreeDistribution(graphs, root="multi", padded=True).pair_marginals()
    assert padded.shape == (2, 4, 4, 4, 4) and not padded[0, 3].any() and not padded[0, :, :, 3].any()
    np.testing.assert_allclose(padded[0, :3, :3, :3, :3], one[0], rtol=1e-12, atol=1e-15)


def test_log_prob_gradient(listed):
    best = listed.p.argmax()
    tree = (best.heads,) if best.labels is None else (best.heads, best.labels)
    slopes = listed.slopes(lambda p: p.log_prob(*tree))
    np.testing.assert_allclose(listed.p.log_prob_gradient(*tree), slopes, rtol=1e-6, atol=1e-9)


def test_expectation_criteria(listed):
    f = RNG.normal(size=(2,) + listed.scores.shape)
    target = RNG.normal(size=2)
    mean = listed.prob @ (listed.rows.reshape(len(listed.rows), -1) @ f.reshape(2, -1).T)
    value = 0.5 * ((mean - target) ** 2).sum()
    assert listed.p.generalized_expectation(f, target) == pytest.approx(value, rel=1e-11)
    slopes = listed.slopes(lambda p: p.generalized_expectation(f, target))
    np.testing.assert_allclose(listed.p.generalized_expectation_gradient(f, target), slopes, rtol=1e-6, atol=1e-8)
    with pytest.raises(ValueError, match="target"):
        listed.p.generalized_expectation(f, [1.0, 2.0, 3.0])


def test_expectations_of_products(listed):
    log_q = RNG.normal(size=listed.scores.shape)
    products = np.exp(listed.rows.reshape(len(listed.rows), -1) @ log_q.ravel())
    value = np.log(listed.prob @ products)
    assert listed.p.log_multiplicative_expectation(log_q) == pytest.approx(value, rel=1e-11, abs=1e-12)
    by_p, by_q = listed.p.log_multiplicative_expectation_gradient(log_q)
    slopes = listed.slopes(lambda p: p.log_multiplicative_expectation(log_q))
    np.testing.assert_allclose(by_p, slopes, rtol=1e-6, atol=1e-8)
    weights = listed.prob * products / (listed.prob @ products)
    np.testing.assert_allclose(by_q, np.tensordot(weights, listed.rows, 1), rtol=1e-10, atol=1e-13)


def sparse(dense):
    index = np.stack(np.nonzero(dense))
    return kirchhoff.SparseFeatures(index, dense[tuple(index)], dense.shape)


def test_sparse_functions_are_the_dense_ones(listed):
    dense = [np.where(RNG.random((k,) + listed.scores.shape) < 0.3, RNG.normal(size=(k,) + listed.scores.shape), 0.0)
             for k in (2, 3)]
    thin = [sparse(f) for f in dense]
    p = listed.p
    np.testing.assert_allclose(p.expectation(thin[0]), p.expectation(dense[0]), rtol=1e-12, atol=1e-14)
    for verb in ("covariance", "second_order"):
        np.testing.assert_allclose(getattr(p, verb)(*thin), getattr(p, verb)(*dense), rtol=1e-11, atol=1e-13)
    target = np.ones(3)
    assert p.generalized_expectation(thin[1], target) == pytest.approx(p.generalized_expectation(dense[1], target))


def test_sparse_functions_of_batches():
    dense = np.where(RNG.random((2, 4, 4)) < 0.5, 1.0, 0.0)
    batch = kirchhoff.TreeDistribution(RNG.normal(size=(3, 4, 4)), root="multi", lengths=[3, 2, 1])
    np.testing.assert_allclose(batch.expectation(sparse(dense)), batch.expectation(dense), rtol=1e-12)
    each = [np.where(RNG.random((2, n, n)) < 0.5, 1.0, 0.0) for n in (4, 3)]
    lists = kirchhoff.TreeDistribution([RNG.normal(size=f.shape[1:]) for f in each], root="single")
    np.testing.assert_allclose(lists.expectation([sparse(f) for f in each]), lists.expectation(each), rtol=1e-12)
    twice = kirchhoff.SparseFeatures([[0, 0], [0, 0], [1, 1]], [1.0, 2.0], (1, 4, 4))  # entries add up
    assert batch[0].expectation(twice)[0] == pytest.approx(3.0 * batch[0].marginals()[0, 1])
    empty = kirchhoff.TreeDistribution(np.zeros((0, 4, 4)), root="multi")
    assert empty.expectation(sparse(dense)).shape == (0, 2)
    for wrong in [sparse(np.ones((1, 3, 3))), sparse(np.ones((1, 4, 4, 2))), [sparse(dense)] * 2]:
        with pytest.raises(ValueError):
            batch.expectation(wrong)
    for index, values, shape in [([[0]], [1.0], (1, 3, 3)), ([[0.5]] * 3, [1.0], (1, 3, 3)),
                                 ([[0]] * 3, [1.0], (1, 3, 4)), ([[0]] * 3, [1.0, 2.0], (1, 3, 3))]:
        with pytest.raises(ValueError):
            kirchhoff.SparseFeatures(index, values, shape)
    with pytest.raises(ValueError):
        batch.expectation(kirchhoff.SparseFeatures([[1], [0], [1]], [1.0], (1, 4, 4)))  # there is no feature 1


def test_lists_of_trees(listed):
    p = listed.p
    every = p.k_best(1000)
    found = list(p.iter_best())
    count = len(listed.prob)
    assert len(found) == count
    np.testing.assert_allclose([t.log_prob for t in found], every.log_prob[:count], rtol=1e-12)
    assert [t.heads.tolist() for t in found] == every.heads[:count].tolist()
    assert (found[0].labels is None) == (every.labels is None)
    some = p.sample_without_replacement(3, seed=4)
    trees = p.iter_distinct(seed=4)
    for i in range(3):
        tree = next(trees)
        assert tree.heads.tolist() == some.heads[i].tolist() and tree.log_prob == pytest.approx(some.log_prob[i])
        assert trees.perturbed == pytest.approx(some.perturbed[i])
    assert trees.threshold == pytest.approx(some.threshold) and trees.threshold == trees.threshold
    rest = list(trees)
    assert len(rest) == count - 3 and trees.threshold == -np.inf
    drawn = p.sample(20, seed=6)
    for i, tree in zip(range(20), p.iter_samples(seed=6)):
        assert tree.heads.tolist() == drawn.heads[i].tolist() and tree.log_prob == drawn.log_prob[i]
    with pytest.raises(ValueError, match="batch"):
        listed.with_scores(listed.scores[None]).iter_best()


def test_expected_draws():
    scores = RNG.normal(size=(6, 6))
    p = kirchhoff.TreeDistribution(scores, root="multi")
    weights = np.exp(scores)
    weights[np.arange(6), np.arange(6)] = 0.0
    total = weights[:, 1:].sum(0)
    # The walk from a word goes to a head by weight, until the root: the trace of its Green's function.
    steps = (weights[1:, 1:] / total).T
    assert p.expected_draws("wilson") == pytest.approx(np.trace(np.linalg.inv(np.eye(5) - steps)), rel=1e-10)
    batch = kirchhoff.TreeDistribution(RNG.normal(size=(2, 4, 4)), root="single")
    assert batch.expected_draws("colbourn").tolist() == [0.0, 0.0] and batch.expected_draws().shape == (2,)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("impossible", [0.0, 0.35])
def test_head_sequences(root, impossible):
    """Each conditional probability is the mass of the trees that agree, and of those that agree with the choice too."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(5, 5))
    scores[rng.random((5, 5)) < impossible] = -np.inf
    heads = np.concatenate([np.full((len(trees(4, root)), 1), -1), trees(4, root)], 1)
    prob = np.exp(scores[heads[:, 1:], np.arange(1, 5)].sum(1))
    prob /= prob.sum()

    def walk(sequence, agree):
        if sequence.done:
            assert sequence.word == -1 and sequence.step == sequence.words == 4
            assert sequence.log_prob == pytest.approx(np.log(prob[agree].sum()), rel=1e-10)
            with pytest.raises(ValueError, match="all heads"):
                sequence.log_probabilities()
            return 1
        choices = sequence.log_probabilities()
        visited = 0
        for option in range(5):
            if sequence.word == 0:
                chosen = agree & (heads[:, option] == 0) & (option > 0)
            else:
                chosen = agree & (heads[:, sequence.word] == option)
            if not prob[chosen].any():
                assert choices[option] == -np.inf
                with pytest.raises(ValueError, match="no tree is left"):
                    sequence.copy().choose(option)
                continue
            exact = np.log(prob[chosen].sum() / prob[agree].sum())
            assert choices[option] == pytest.approx(exact, rel=1e-9, abs=1e-10)
            other = sequence.copy()
            other.choose(option)
            visited += walk(other, chosen)
        return visited

    p = kirchhoff.TreeDistribution(scores, root=root)
    assert walk(kirchhoff.HeadSequence(p), np.ones(len(heads), bool)) == (prob > 0.0).sum() > 1


def test_head_sequences_are_of_one_graph():
    for p in (kirchhoff.TreeDistribution(np.zeros((2, 3, 3)), root="multi"),
              kirchhoff.ProjectiveTreeDistribution(np.zeros((3, 3)), root="multi")):
        with pytest.raises(ValueError, match="HeadSequence"):
            kirchhoff.HeadSequence(p)
    # Impossible by 900, and yet possible: the fast way cannot tell, and the exact one is taken.
    far = kirchhoff.HeadSequence(kirchhoff.TreeDistribution([[0, 0, 0], [0, 0, 900.0], [0, 0, 0]], root="multi"))
    while far.word != 2:
        far.choose(0)
    assert far.log_probabilities()[0] == pytest.approx(-900.0)


@pytest.mark.parametrize("call, said", [
    (lambda p: p.k_best("a"), "k: 'a'"), (lambda p: p.k_best(2.5), "k: 2.5"), (lambda p: p.renyi("a"), "alpha: 'a'"),
    (lambda p: p.norm([1]), "k: "), (lambda p: p.cumulants(np.zeros((4, 4)), None), "order: None"),
    (lambda p: p.sample_without_replacement("3"), "k: '3'"), (lambda p: p.pair_marginals(2.5), "max_words: 2.5"),
    (lambda p: kirchhoff.TreeDistribution(p.scores, root=3), "root: 3"),
    (lambda p: kirchhoff.TreeDistribution(p.scores, root="single", threads="all"), "threads: 'all'"),
    (lambda p: kirchhoff.ChainDistribution(np.zeros((3, 2)), np.zeros((2, 2))).k_best("a"), "k: 'a'")])
def test_errors_name_the_argument(call, said):
    """And not the types of the extension. A number with a fraction is a wrong value, what is no number a wrong type."""
    with pytest.raises(ValueError if said.endswith("2.5") else TypeError, match="^" + said):
        call(Listed().p)
