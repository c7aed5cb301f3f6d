"""What kernels answer about tensors where they lie is what the library answers on the CPU, errors too.

The library's own answers are compared with sums over all trees elsewhere, and so are the kernels' (test_torch.py).
"""

import gc

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import kirchhoff  # noqa: E402
import kirchhoff.torch as kt  # noqa: E402
from kirchhoff import TreeDistribution  # noqa: E402
from kirchhoff._device_distribution import DeviceTreeDistribution  # noqa: E402
from random_graphs import batch, close  # noqa: E402

ROOTS = ("single", "multi")


@pytest.mark.parametrize("labels", [None, 3])
@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("words, size", [(1, 1), (2, 1), (7, 1), (7, 300), (20, 30), (33, 3), (45, 100), (70, 3), (130, 1)])
def test_equal_to_the_library(kernel_place, words, size, root, labels):
    x, lengths = batch(words, size, labels)
    y, _ = batch(words, size, labels, seed=1)
    options = {"root": root, "lengths": lengths, "labelled": labels is not None}
    p, q = TreeDistribution(x, **options), TreeDistribution(y, **options)
    a, b = (kernel_place.put(t).requires_grad_() for t in (x, y))
    get = kernel_place.get
    close(get(kt.log_partition(a, **options)), p.log_partition(), rtol=1e-13)
    close(get(kt.marginals(a, **options)), p.marginals())
    close(get(torch.autograd.grad(kt.log_partition(a, **options).sum(), a)[0]), p.marginals())
    direction = np.random.default_rng(2).normal(size=x.shape)
    along = torch.autograd.grad(kt.marginals(a, **options), a, kernel_place.put(direction))[0]
    close(get(along), p.marginals_along(direction), atol=1e-11)
    close(get(kt.entropy(a.detach(), **options)), p.entropy(), atol=1e-12 * words)
    value = kt.entropy(a, **options)
    close(get(value), p.entropy(), atol=1e-12 * words)
    close(get(torch.autograd.grad(value.sum(), a)[0]), p.entropy_gradient(), atol=1e-11 * size)
    for ours, value, gradient in [(kt.kl, p.kl, p.kl_gradient),
                                  (kt.cross_entropy, p.cross_entropy, p.cross_entropy_gradient)]:
        found = ours(a, b, **options)
        close(get(found), value(q), atol=1e-13 * words * size)
        for g, expected in zip(torch.autograd.grad(found.sum(), (a, b)), gradient(q)):
            close(get(g), expected, atol=1e-11 * size)
    best = p.argmax()
    gold = (best.heads,) if labels is None else (best.heads, best.labels)
    here = tuple(map(kernel_place.put, gold))
    for trees in (gold, here):
        close(get(kt.log_prob(a, *trees, root=root, lengths=lengths)), p.log_prob(*gold), atol=1e-13 * words * size)
        close(get(kt.risk(a, *trees, root=root, lengths=lengths)), p.risk(*gold))


@pytest.mark.parametrize("labels", [None, 2])
def test_single_precision_is_rounded_double_precision(kernel_place, labels):
    x, lengths = batch(9, 4, labels)
    x = x.astype(np.float32)
    options = {"root": "single", "lengths": lengths, "labelled": labels is not None}
    p = TreeDistribution(x, **options)
    a = kernel_place.put(x).requires_grad_()
    best = p.argmax()
    gold = (best.heads,) if labels is None else (best.heads, best.labels)
    for ours, exact in [(kt.log_partition(a, **options), p.log_partition()), (kt.marginals(a, **options), p.marginals()),
                        (kt.entropy(a, **options), p.entropy()), (kt.risk(a, *gold, root="single", lengths=lengths),
                                                                  p.risk(*gold))]:
        assert ours.dtype == torch.float32
        close(kernel_place.get(ours), exact.astype(np.float32), rtol=2e-7, atol=1e-38)
    loss = kt.log_prob(a, *map(kernel_place.put, gold), root="single", lengths=lengths)
    close(kernel_place.get(loss), p.log_prob(*gold), rtol=2e-7)  # not some digits of the score and of log Z
    (gradient,) = torch.autograd.grad(loss.sum(), a)
    chosen = np.zeros_like(x)
    for i, n in enumerate(lengths):
        for d in range(1, n + 1):
            chosen[(i, best.heads[i, d], d) + ((best.labels[i, d],) if labels else ())] = 1.0
    assert gradient.dtype == torch.float32
    close(kernel_place.get(gradient), chosen - p.marginals(), rtol=1e-6, atol=2e-7)


def test_arrays_of_any_shape_and_stride(kernel_place):
    x = np.random.default_rng(0).normal(size=(2, 3, 6, 6, 2))
    whole = kernel_place.put(x)
    for view, labelled in [(whole, True), (whole.transpose(-2, -3), True), (whole[..., 1], False),
                           (whole[..., 0].transpose(0, 1), False), (whole[0, 0, ..., 0], False), (whole[1, ::2], True),
                           (whole[:, :1, ..., 0].expand(2, 4, 6, 6), False), (whole.flip(2)[:, 0, :5, :5, 0], False)]:
        p = TreeDistribution(kernel_place.get(view), root="multi", labelled=labelled)
        options = {"root": "multi", "labelled": labelled}
        close(kernel_place.get(kt.log_partition(view, **options)), p.log_partition(), rtol=1e-13)
        close(kernel_place.get(kt.marginals(view, **options)), p.marginals())
        along = DeviceTreeDistribution(view, **options).marginals_along(view)
        close(kernel_place.get(along), p.marginals_along(kernel_place.get(view)), atol=1e-12)
    empty = kernel_place.put(np.zeros((0, 4, 4))).requires_grad_()
    value = kt.log_partition(empty, root="single")
    assert value.shape == (0,) and torch.autograd.grad(value.sum(), empty)[0].shape == (0, 4, 4)


def test_lengths_of_any_kind(kernel_place):
    x, lengths = batch(6)
    expected = TreeDistribution(x, root="multi", lengths=lengths).log_partition()
    a = kernel_place.put(x)
    for given in (lengths, lengths.tolist(), torch.tensor(lengths), kernel_place.put(lengths),
                  kernel_place.put(lengths).int(), torch.tensor(lengths).to(torch.uint8)):
        close(kernel_place.get(kt.log_partition(a, root="multi", lengths=given)), expected, rtol=1e-13)
    same = kt.log_partition(a, root="multi", lengths=torch.tensor(3))
    close(kernel_place.get(same), TreeDistribution(x, root="multi", lengths=3).log_partition(), rtol=1e-13)
    for bad in ([6, 6, 0, 6], [7, 6, 6, 6], kernel_place.put([6, 6, 9, 6]), [-1] * 4, 2.5, kernel_place.put([1.0] * 4),
                [1, 2], kernel_place.put([1, 2])):
        with pytest.raises(ValueError, match="lengths|words"):
            kt.log_prob(a, kernel_place.put([[-1] + [0] * 6] * 4), root="multi", lengths=bad)


def test_errors_are_the_library_s(kernel_place):
    """The same exception with the same message, which names the graph."""
    x, lengths = batch(6)
    no_tree, nan, infinite = x.copy(), x.copy(), x.copy()
    no_tree[2, :, 1] = -np.inf
    nan[1, 0, 1] = np.nan
    infinite[3, 1, 2 if lengths[3] > 1 else 1] = np.inf
    infinite[3, 0, 1] = np.inf
    functions = [kt.log_partition, kt.marginals, kt.entropy, lambda s, **o: kt.entropy(s.requires_grad_(), **o),
                 lambda s, **o: kt.kl(s, kernel_place.put(x), **o), lambda s, **o: kt.kl(kernel_place.put(x), s, **o),
                 kt.distribution, lambda s, **o: TreeDistribution(s, **o)]
    for bad in (no_tree, nan, infinite):
        with pytest.raises(ValueError) as expected:
            TreeDistribution(bad, root="single", lengths=lengths)
        for f in functions:
            with pytest.raises(ValueError) as found:
                f(kernel_place.put(bad), root="single", lengths=lengths)
            assert (found.type, str(found.value)) == (expected.type, str(expected.value))
    large = x.copy()
    large[1, 0, 1] = 1e10
    with pytest.raises(ValueError, match="graph 1: .*1e9"):
        kt.log_partition(kernel_place.put(large), root="single", lengths=lengths)
    for wrong in (x[0, :3], x[..., :0, :0]):
        with pytest.raises(ValueError, match="shape"):
            kt.log_partition(kernel_place.put(wrong), root="single")
    with pytest.raises(ValueError, match="root"):
        kt.log_partition(kernel_place.put(x), root="three")
    with pytest.raises(ValueError, match="direction"):
        DeviceTreeDistribution(kernel_place.put(x), root="single").marginals_along(np.zeros((5, 5)))


def test_results_belong_to_the_caller(kernel_place):
    """Writing to an answer changes no gradient, and the backward pass may be repeated."""
    x = kernel_place.scores(3, 5, 5)
    for f in (kt.marginals, kt.log_partition, kt.entropy):
        value = f(x, root="single")
        weights = kernel_place.scores(*value.shape, seed=1).detach()
        expected = torch.autograd.grad((value * weights).sum(), x, retain_graph=True)[0]
        with torch.no_grad():
            value.zero_()
        found = torch.autograd.grad(value, x, weights, retain_graph=True)[0]
        again = torch.autograd.grad(value, x, weights)[0]
        assert torch.equal(found, expected) and torch.equal(again, expected)


def test_memory_is_given_back_at_once(kernel_place):
    """Nothing waits for Python's garbage collection, which knows nothing of a device's memory."""
    def alive():
        return sum(type(thing) is DeviceTreeDistribution for thing in gc.get_objects())

    x, heads = kernel_place.scores(3, 5, 5), kernel_place.put([[-1, 2, 0, 2, 3]] * 3)
    gc.collect()
    gc.disable()
    try:
        before = alive()
        for f in (kt.log_prob, kt.risk):
            f(x, heads, root="single").sum().backward()
        for f in (kt.log_partition, kt.marginals, kt.entropy):
            f(x, root="single").sum().backward()
        kt.kl(x, x * 2, root="single").sum().backward()
        assert alive() == before
    finally:
        gc.enable()


def test_a_question_that_failed_fails_again(kernel_place):
    x, _ = batch(3)
    x[1, :, 1] = -np.inf
    p = DeviceTreeDistribution.unsolved(kernel_place.put(x), root="single")
    for _ in range(2):
        with pytest.raises(kirchhoff.Infeasible):
            p.log_partition()


def test_streams(kernel_place):
    """Answers wait for the scores' stream, and for nothing else; on the host there is none."""
    x = torch.zeros(512, 41, 41, dtype=torch.float64)
    expected = TreeDistribution(x.numpy()[0], root="single").log_partition()
    if kernel_place.device == "cpu":
        close(kt.log_partition(x[:2], root="single").numpy(), expected, rtol=1e-13)
        return
    streams = [torch.cuda.Stream() for _ in range(4)]
    found = []
    for stream in streams:
        with torch.cuda.stream(stream):
            busy = torch.full((4096, 4096), 1 / 4096, device="cuda")  # its own square
            for _ in range(20):
                busy = busy @ busy
            here = x.cuda(non_blocking=True) + busy.sum() * 0
            found.append(kt.log_partition(here, root="single"))
    torch.cuda.synchronize()
    for each in found:
        close(each.cpu().numpy(), expected, rtol=1e-13)
