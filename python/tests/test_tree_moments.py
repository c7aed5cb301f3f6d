"""Moments, cumulants and temperatures of trees against sums over all of them."""

import numpy as np
import pytest

from enumeration import incidence
from kirchhoff import TreeDistribution


@pytest.mark.parametrize("labels", [None, 2])
@pytest.mark.parametrize("root", ["single", "multi"])
def test_against_all_trees(root, labels):
    rng = np.random.default_rng(3)
    shape = (4, 4) + ((labels,) if labels else ())
    tables = incidence(4, 3, root, labels).reshape(-1, int(np.prod(shape)))
    scores, functions = rng.normal(size=shape), rng.normal(size=(3,) + shape)
    p = TreeDistribution(scores, root=root, labelled=bool(labels))
    weights = np.exp(tables @ scores.ravel())
    probability, values = weights / weights.sum(), tables @ functions.reshape(3, -1).T
    np.testing.assert_allclose(p.second_order(functions, functions[:2]),
                               (probability * values.T) @ values[:, :2], atol=1e-12)
    for f, value in zip(functions, values.T):
        mean = probability @ value
        second, third, fourth = (probability @ (value - mean)**k for k in (2, 3, 4))
        np.testing.assert_allclose(p.cumulants(f, 4), [0.0, mean, second, third, fourth - 3 * second**2], atol=1e-11)
        assert p.cumulants(f, 1).shape == (2,)
    cold = p.with_temperature(0.5)
    assert cold.log_partition() == pytest.approx(np.log((weights**2).sum()))
    assert (cold.root, cold.labels) == (root, labels or 0)


def test_batches_and_errors():
    rng = np.random.default_rng(4)
    scores, f, lengths = rng.normal(size=(2, 3, 5, 5)), rng.normal(size=(5, 5)), [[4, 2, 1], [3, 4, 2]]
    batch = TreeDistribution(scores, root="multi", lengths=lengths)
    kappa, cold = batch.cumulants(f, 5), batch.with_temperature(2.0)
    assert kappa.shape == (2, 3, 6) and cold.batch_shape == (2, 3)
    for i in np.ndindex(2, 3):
        size = lengths[i[0]][i[1]] + 1
        one = TreeDistribution(scores[i][:size, :size], root="multi")
        np.testing.assert_allclose(kappa[i], one.cumulants(f[:size, :size], 5), rtol=1e-9, atol=1e-12)
        assert cold.log_partition()[i] == pytest.approx(one.with_temperature(2.0).log_partition())
    narrow = TreeDistribution(scores, root="multi", lengths=lengths, dtype=np.float32)
    assert narrow.cumulants(f, 2).dtype == np.float32
    for order in (0, 31):
        with pytest.raises(ValueError, match="order"):
            batch.cumulants(f, order)
    with pytest.raises(ValueError, match="shape"):
        batch.cumulants(f[:4], 2)
    with pytest.raises(ValueError, match="temperature"):
        batch.with_temperature(0.0)
