"""TreeDistribution of arrays on a device answers as that of NumPy's arrays does, with arrays there."""

import pickle

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import kirchhoff  # noqa: E402
import kirchhoff.torch as kt  # noqa: E402
from kirchhoff import TreeDistribution  # noqa: E402
from kirchhoff._device_distribution import DeviceTreeDistribution  # noqa: E402
from random_graphs import batch, close  # noqa: E402


@pytest.mark.parametrize("root", ["single", "multi"])
def test_pairs_that_the_cpu_must_compare(kernel_place, root):
    """An arc that q forbids: one of p's trees, one that no tree has, and one of p's only when it underflows; large log Z."""
    x, _ = batch(4, graphs=3)
    masked, no_way, tiny = x.copy(), x.copy(), x.copy()
    no_way[:, 1:, 1] = -np.inf  # the first word hangs on the root
    no_way[:, 0, 2:] = -np.inf
    tiny[:, 1, 2] = -2000.0
    masked[:, 1, 2] = -np.inf
    blocked = no_way.copy()
    blocked[:, 2, 1] = -np.inf
    pairs = [(x, masked), (no_way, blocked), (tiny, masked), (1e4 * x, 1e4 * x + 1e4), (masked, masked), (x - 1e7, x + 1e7)]
    for s, t in pairs:
        p, q = TreeDistribution(s, root=root), TreeDistribution(t, root=root)
        a, b = (DeviceTreeDistribution(kernel_place.put(v), root=root) for v in (s, t))
        for name in ("kl", "cross_entropy"):
            expected = getattr(p, name)(q)
            close(kernel_place.get(getattr(a, name)(b)), expected, atol=1e-9)
            if np.isfinite(expected).all():
                for ours, exact in zip(getattr(a, name + "_gradient")(b), getattr(p, name + "_gradient")(q)):
                    close(kernel_place.get(ours), exact, atol=1e-8)
            else:
                with pytest.raises(ValueError, match="forbids"):
                    getattr(a, name + "_gradient")(b)
    same = kernel_place.put(x).requires_grad_()
    assert kt.kl(same, same.detach(), root=root).tolist() == [0.0] * 3
    p, q = (TreeDistribution(x, root=root, lengths=n) for n in (4, [4, 3, 4]))
    a, b = (DeviceTreeDistribution(kernel_place.put(x), root=root, lengths=n) for n in (4, [4, 3, 4]))
    for one, other in ((p, q), (a, b)):
        with pytest.raises(ValueError):
            one.kl(other)


@pytest.mark.parametrize("labels", [None, 2])
def test_a_distribution_of_tensors(kernel_place, labels):
    x, lengths = batch(6, 2, labels)
    y, _ = batch(6, 2, labels, seed=1)
    options = {"root": "single", "lengths": lengths, "labelled": labels is not None}
    p, q = TreeDistribution(x, **options), TreeDistribution(y, **options)
    a, b = TreeDistribution(kernel_place.put(x), **options), TreeDistribution(kernel_place.put(y), **options)
    assert isinstance(a, DeviceTreeDistribution) and repr(a) == repr(p) and a.methods == ["certified"] * 4
    assert (a.batch_shape, a.event_shape, a.labels, a.root) == (p.batch_shape, p.event_shape, p.labels, p.root)
    f = np.random.default_rng(3).normal(size=(3,) + x.shape[1:])
    r = np.random.default_rng(4).normal(size=x.shape)
    here = kernel_place.put
    best, walk = p.argmax(), "wilson_marginal"
    gold = (best.heads,) if labels is None else (best.heads, best.labels)
    answers = [
        lambda d, _: d.log_partition(), lambda d, _: d.marginals(), lambda d, _: d.log_marginals(), lambda d, _: d.entropy(),
        lambda d, put: d.marginals_along(put(r)), lambda d, put: d.marginals_along(put(r[0])), lambda d, _: d.lengths,
        lambda d, put: d.expectation(put(f)), lambda d, put: d.covariance(put(f), put(f)), lambda d, _: d.renyi(2.0),
        lambda d, put: d.covariance_gradient(put(r), put(r)), lambda d, put: d.cumulants(put(r), 3),
        lambda d, _: d.with_temperature(2.0).log_partition(), lambda d, _: d.entropy_gradient(), lambda d, _: d.scores,
        lambda d, _: d.kl(b if d is a else q), lambda d, _: d.cross_entropy_gradient(b if d is a else q)[1],
        lambda d, put: d.log_prob(*map(put, gold)), lambda d, put: d.risk(*map(put, gold)), lambda d, _: d.log_count(),
        lambda d, put: d.risk_gradient(*map(put, gold)), lambda d, _: d.argmax().heads, lambda d, _: d.mbr().log_prob,
        lambda d, _: d.k_best(3).heads, lambda d, _: d.mbr().heads, lambda d, _: d.sample((2, 3), seed=1, method=walk).heads,
        lambda d, _: d.sample(seed=2, method=walk).log_prob, lambda d, _: d.argmax().log_prob,
        lambda d, _: d.given(forbid=[[(0, 1)]] + [[]] * 3).marginals()]
    for answer in answers:
        ours, exact = answer(a, here), answer(p, np.asarray)
        close(kernel_place.get(ours), np.asarray(exact, dtype=float), atol=1e-12)
    again = pickle.loads(pickle.dumps(a))
    assert isinstance(again, DeviceTreeDistribution) and torch.equal(again.marginals(), a.marginals())
    single = TreeDistribution(here(x), dtype=np.float32, **options)
    for ours in (single.log_partition(), single.marginals(), single.entropy(), single.argmax().log_prob):
        assert ours.dtype == torch.float32
    one = TreeDistribution(here(x[0]), root="single", labelled=labels is not None)
    assert one.log_partition().shape == () and one.enumerate_support(10**6).heads.shape[1:] == (7,)


@pytest.fixture
def no_copy(monkeypatch):
    """Nobody asks the CPU about a copy of the scores."""
    def fails(_):
        raise AssertionError("this was for the kernels")

    monkeypatch.setattr(DeviceTreeDistribution, "_batch", property(fails))


@pytest.mark.parametrize("labels", [None, 3])
@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_trees_are_found_on_the_device(kernel_place, no_copy, root, labels, dtype):
    x, lengths = batch(9, labels=labels, graphs=6)
    x[1, 2, 3] = -np.inf
    x, lengths = x.reshape((2, 3) + x.shape[1:]).astype(np.float32), np.asarray(lengths).reshape(2, 3)
    options = {"root": root, "lengths": lengths, "labelled": labels is not None, "dtype": dtype}
    p, a = TreeDistribution(x, **options), TreeDistribution(kernel_place.put(x), **options)
    walk = "wilson" if root == "multi" else "wilson_marginal"
    trees = [lambda d: d.argmax(), lambda d: d.mbr(), lambda d: d.sample(method=walk), lambda d: d.sample((2, 5), seed=3, method=walk),
             lambda d: d.sample(300, seed=2**64 - 1, method=walk), lambda d: d.sample(0, method=walk),
             lambda d: d.sample(3, rng=np.random.default_rng(1), method=walk), lambda d: d.sample(3, seed=1, method="colbourn")]
    trees += [lambda d: d.sample(4, method="wilson_reject")] if root == "single" else []
    for find in trees:
        ours, exact = find(a), find(p)
        assert ours.heads.dtype == torch.int64 and (ours.labels is None) == (labels is None)
        assert ours.log_prob.dtype == (torch.float64 if dtype is np.float64 else torch.float32)
        assert np.array_equal(kernel_place.get(ours.heads), exact.heads)
        assert labels is None or np.array_equal(kernel_place.get(ours.labels), exact.labels)
        close(kernel_place.get(ours.log_prob), exact.log_prob, atol=1e-12 if dtype is np.float64 else 1e-5)
    drawn = a.sample(50)  # by a walk, whatever the CPU would take
    assert torch.equal(drawn.heads, a.sample(50, method=walk).heads)
    with pytest.raises(ValueError, match="root mode"):
        a.sample(method="wilson" if root == "single" else "wilson_reject")
    with pytest.raises(ValueError, match="negative"):
        a.sample(-1)
    one = TreeDistribution(kernel_place.put(x[0, 0, :5, :5]), root=root, labelled=labels is not None)
    assert one.argmax().heads.shape == (5,) and one.mbr().log_prob.shape == () and one.sample(2).heads.shape == (2, 5)


@pytest.mark.parametrize("root", ["single", "multi"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_distinct_trees_are_found_on_the_device(kernel_place, no_copy, root, dtype):
    x, lengths = batch(8, graphs=6)
    x, lengths = x.reshape((2, 3) + x.shape[1:]).astype(np.float32), np.asarray(lengths).reshape(2, 3)
    options = {"root": root, "lengths": lengths, "dtype": dtype}
    p, a = TreeDistribution(x, **options), TreeDistribution(kernel_place.put(x), **options)
    k, exact = 40, 1e-12 if dtype is np.float64 else 1e-4
    found = a.sample_without_replacement(k, seed=3)
    assert found.labels is None and found.heads.dtype == torch.int64
    heads, log_prob, perturbed, threshold = (kernel_place.get(found[i]) for i in (0, 2, 3, 4))
    assert heads.shape == (2, 3, k, 9) and threshold.shape == (2, 3)
    assert {x.dtype for x in found[2:]} == {torch.float64 if dtype is np.float64 else torch.float32}
    count = np.minimum(np.exp(p.log_count()).round(), k)
    heads = heads.astype(int)
    for g in np.ndindex(2, 3):
        there = int(count[g])
        trees = {tuple(tree) for tree in heads[g][:there].tolist()}
        assert len(trees) == there and (heads[g][there:] == -1).all() and (log_prob[g][there:] == -np.inf).all()
        assert (np.diff(perturbed[g][:there]) <= 0).all() and (perturbed[g][:there] >= threshold[g]).all()
        one = TreeDistribution(x[g][: lengths[g] + 1, : lengths[g] + 1], root=root)
        for tree, value in zip(heads[g][:there], log_prob[g]):
            close(value, one.log_prob(tree[: lengths[g] + 1]), atol=exact)
    again = a.sample_without_replacement(7, seed=3)
    assert np.array_equal(kernel_place.get(again.heads), heads[:, :, :7])
    with pytest.raises(ValueError, match="-1 trees"):
        a.sample_without_replacement(-1)
    single = TreeDistribution(kernel_place.put(x[0, 0, :5, :5]), root=root).sample_without_replacement(2)
    assert single.heads.shape == (2, 5) and single.threshold.shape == ()


def test_trees_of_graphs_that_have_none(kernel_place):
    x, _ = batch(4, graphs=3)
    x[1, :, 2] = -np.inf
    for find in (lambda d: d.argmax(), lambda d: d.mbr(), lambda d: d.sample(2), lambda d: d.sample_without_replacement(2)):
        with pytest.raises(kirchhoff.Infeasible, match="graph 1"):
            find(DeviceTreeDistribution.unsolved(kernel_place.put(x), root="single"))
    x[1, :, 2] = 2e9
    with pytest.raises(ValueError, match="1e9"):
        DeviceTreeDistribution.unsolved(kernel_place.put(x), root="single").argmax()
    empty = DeviceTreeDistribution(kernel_place.put(x[:0]), root="multi")
    assert empty.argmax().heads.shape == (0, 5) and empty.sample(3).log_prob.shape == (0, 3)
    assert empty.sample_without_replacement(3).perturbed.shape == (0, 3)


def test_arrays_with_numpy_s_functions():
    """CuPy's arrays take this way; NumPy's stand in for them, with kernels on the host."""
    x, lengths = batch(5, 2)
    y, _ = batch(5, 2, seed=1)
    p, q = (TreeDistribution(s, root="multi", lengths=lengths) for s in (x, y))
    a, b = (DeviceTreeDistribution(s, root="multi", lengths=lengths) for s in (x, y))
    best = p.argmax().heads
    for ours, exact in [(a.log_partition(), p.log_partition()), (a.marginals(), p.marginals()), (a.entropy(), p.entropy()),
                        (a.marginals_along(y[0]), p.marginals_along(y[0])), (a.kl(b), p.kl(q)), (a.argmax().heads, best),
                        (a.kl_gradient(b)[0], p.kl_gradient(q)[0]), (a.log_prob(best), p.log_prob(best)),
                        (a.risk(best), p.risk(best)), (a.expectation(y[:2]), p.expectation(y[:2])),
                        (a.mbr().heads, p.mbr().heads), (a.sample(3, method="wilson").heads, p.sample(3, method="wilson").heads)]:
        assert isinstance(ours, np.ndarray)
        close(ours, exact, atol=1e-12)
    assert DeviceTreeDistribution(x.astype(np.float32), root="multi", dtype=np.float32).marginals().dtype == np.float32
    assert DeviceTreeDistribution(np.zeros((3, 3), int), root="multi").log_partition().shape == ()
    with pytest.raises(ValueError, match="real number"):
        DeviceTreeDistribution(np.zeros((3, 3), complex), root="multi")
    with pytest.raises(kirchhoff.Infeasible):
        DeviceTreeDistribution(np.full((3, 3), -np.inf), root="multi")
