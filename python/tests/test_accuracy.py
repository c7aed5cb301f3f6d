"""The accuracy that a caller asks for, and which method answers."""

import pickle

import numpy as np
import pytest

import kirchhoff
from kirchhoff import TreeDistribution


def test_accuracy():
    rng = np.random.default_rng(7)
    scores = 8 * rng.normal(size=(11, 11))
    default = TreeDistribution(scores, root="single")
    for method in ("fast", "robust"):
        forced = TreeDistribution(scores, root="single", accuracy=kirchhoff.Accuracy(method=method))
        assert forced.methods == [method]
        np.testing.assert_allclose(forced.marginals(), default.marginals(), atol=1e-9)
        assert pickle.loads(pickle.dumps(forced)).methods == [method]
        assert forced.given(forbid=[(1, 2)]).methods == [method]
    loose = kirchhoff.Accuracy(tolerance=1e-6, floor=1)
    assert TreeDistribution(scores, root="single", accuracy=loose).methods == ["fast"]
    many = TreeDistribution([scores, scores[:4, :4]], root="single", accuracy=kirchhoff.Accuracy(method="robust"))
    assert many.methods == ["robust", "robust"]
    for wrong, message in ((kirchhoff.Accuracy(method="quick"), "accuracy.method"),
                           (kirchhoff.Accuracy(tolerance=0), "accuracy.tolerance"),
                           (kirchhoff.Accuracy(floor=float("nan")), "accuracy.floor")):
        with pytest.raises(ValueError, match=message):
            TreeDistribution(scores, root="single", accuracy=wrong)
    with pytest.raises(TypeError, match="kirchhoff.Accuracy"):
        TreeDistribution(scores, root="single", accuracy=1e-9)
