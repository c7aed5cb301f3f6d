"""Statistics of features, curvature and ranks through Python, against what TreeDistribution says of each sentence."""

import itertools
import math

import numpy as np
import pytest

import kirchhoff


@pytest.fixture(scope="module")
def parser(example_trees):
    return kirchhoff.Parser.train(example_trees[:100], example_trees[100:110], root="single", epochs=2)


@pytest.fixture(scope="module")
def few(example_trees):
    return [s for s in example_trees[110:170] if 3 <= len(s) <= 15][:6]


def arcs_of(scores):
    return [(h, d) for h, d in itertools.product(range(len(scores)), range(1, len(scores)))
            if h != d and np.isfinite(scores[h, d])]


def test_statistics_are_those_of_the_distributions(parser, few):
    found = parser.feature_statistics(few, "any | h.upos d.upos", most=10)
    place = {name: f for f, name in enumerate(found.names)}
    expectation, covariance = np.zeros(len(place)), np.zeros((len(place), len(place)))
    for s in few:
        scores, tags = parser.arc_scores(s), ["ROOT", *s.column("upos")]
        features = np.zeros((len(place), *scores.shape))
        for h, d in arcs_of(scores):
            name = f"h.upos={tags[h]} d.upos={tags[d]}"
            if name in place:
                features[place[name], h, d] = 1.0
        p = kirchhoff.TreeDistribution(scores, root="single")
        expectation += (p.marginals() * features).sum(axis=(1, 2))
        covariance += p.covariance(features, features)
    np.testing.assert_allclose(found.expectation, expectation, atol=1e-6)
    np.testing.assert_allclose(found.covariance, covariance, atol=1e-6)
    assert found.sentences == len(few) and found.observed is not None
    again = parser.feature_statistics(few, "any | h.upos d.upos", names=found.names[3:5], threads=1)
    assert again.names == found.names[3:5]
    np.testing.assert_allclose(again.covariance, found.covariance[3:5, 3:5], atol=1e-12)


def test_curvature_by_names_of_features(parser, few):
    names = ["h.upos=NOUN d.upos=DET dir=leftward", "h.upos=VERB d.upos=NOUN dir=rightward"]
    found = parser.feature_statistics(few, "dir | h.upos d.upos", direction={names[0]: 1.5, names[1]: -1.0})
    again = parser.feature_statistics(few, "dir | h.upos d.upos", names=names)
    place = [found.names.index(name) for name in names]
    scale = again.fisher[0] / again.covariance[0, 0]
    np.testing.assert_allclose(found.fisher, scale * np.diag(found.covariance))
    np.testing.assert_allclose(found.hessian_product[place], -scale * again.covariance @ [1.5, -1.0], atol=1e-9)
    assert again.hessian_product is None


def test_curvature(parser, few):
    weights = parser.weights()
    rng = np.random.default_rng(1)
    direction = rng.normal(size=weights.shape)
    s = few[0]
    scores = parser.arc_scores(s)
    used = {(h, d): parser.arc_weights(s, h, d) for h, d in arcs_of(scores)}
    h, d = next(iter(used))
    temperature = weights[used[h, d]].sum() / scores[h, d]
    along = np.zeros_like(scores)
    for (h, d), numbers in used.items():
        along[h, d] = direction[numbers].sum() / temperature

    def gradient(step):
        p = kirchhoff.TreeDistribution(scores + step * along, root="single")
        g = np.zeros_like(weights)
        for (h, d), numbers in used.items():
            g[numbers] -= p.marginals()[h, d] / temperature
        return g

    slope = (gradient(1e-4) - gradient(-1e-4)) / 2e-4
    np.testing.assert_allclose(parser.hessian_product([s], direction), slope, atol=1e-4 * np.abs(slope).max())
    np.testing.assert_allclose(parser.expected_counts([s]), -temperature * gradient(0.0), atol=1e-4)
    diagonal = parser.fisher_diagonal(few)
    largest = int(diagonal.argmax())
    unit = np.zeros_like(weights)
    unit[largest] = 1.0
    assert parser.hessian_product(few, unit)[largest] == pytest.approx(-diagonal[largest], rel=1e-6)


def test_ranks(parser, few):
    def distribution(s):
        return kirchhoff.TreeDistribution(parser.arc_scores(s), root="single")

    def margin(s):
        best = distribution(s).k_best(2)
        return best[0].log_prob - best[1].log_prob

    measures = {
        "entropy": lambda s: distribution(s).entropy() / len(s),
        "variance": lambda s: (len(s) - (distribution(s).marginals() ** 2).sum()) / len(s),
        "expected_gradient": lambda s: parser.fisher_diagonal([s]).sum() / len(s),
    }
    for by, measure in measures.items():
        ranked = parser.rank(few, by=by)
        assert sorted(item.number for item in ranked) == list(range(len(few)))
        for item in ranked:
            assert item.sentence is few[item.number]
            assert item.value == pytest.approx(measure(item.sentence), rel=1e-5)
        assert [item.value for item in ranked] == sorted((item.value for item in ranked), reverse=True)
    margins = [item.value for item in parser.rank(few, by="margin")]
    assert margins == sorted(margins) and all(math.isfinite(m) and m >= 0 for m in margins)
    assert parser.rank(few, top=2) == parser.rank(few)[:2]
    whole = {item.number: item.value for item in parser.rank(few, per="sentence")}
    assert all(whole[i.number] == pytest.approx(i.value * len(i.sentence)) for i in parser.rank(few))


def test_errors(parser, example_trees):
    data = example_trees
    with pytest.raises(ValueError, match="by is 'length', expected one of entropy, margin"):
        parser.rank(data[:2], by="length")
    with pytest.raises(ValueError, match="is no atom"):
        parser.feature_statistics(data[:2], "any | x.upos")
    with pytest.raises(ValueError, match="direction: 'any' is not finite"):
        parser.feature_statistics(data[:2], "any | d.upos", direction={"any": math.inf})
    with pytest.raises(ValueError, match="finite numbers, one for each weight"):
        parser.hessian_product(data[:2], np.zeros(3))
    parts = kirchhoff.Parser.train(data[:20], root="single", parts="next", epochs=1)
    assert len(parts.rank(data[:3])) == 3
    for call in (parts.weights, lambda: parts.rank(data[:3], by="expected_gradient"),
                 lambda: parts.feature_statistics(data[:3], "any | h.upos")):
        with pytest.raises(ValueError, match="covariances are exact for models of arcs only"):
            call()
