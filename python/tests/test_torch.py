"""The gradients of kirchhoff.torch pass PyTorch's own checks."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import kirchhoff  # noqa: E402
import kirchhoff.torch as kt  # noqa: E402

ROOTS = ("single", "multi")


def scores(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator).requires_grad_()


@pytest.mark.parametrize("root", ROOTS)
def test_first_and_second_derivatives(root):
    x, lengths = scores(2, 4, 4), [3, 2]
    log_z = lambda s: kt.log_partition(s, root=root, lengths=lengths)
    assert torch.autograd.gradcheck(log_z, x) and torch.autograd.gradgradcheck(log_z, x)
    heads = torch.as_tensor(kt.distribution(x, root=root, lengths=lengths).argmax().heads)
    assert torch.autograd.gradcheck(lambda s: kt.log_prob(s, heads, root=root, lengths=lengths), x)
    for f in (kt.marginals, kt.entropy):
        assert torch.autograd.gradcheck(lambda s: f(s, root=root, lengths=lengths), x)
    assert torch.autograd.gradcheck(lambda s: kt.renyi(s, 0.5, root=root, lengths=lengths), x)
    assert torch.autograd.gradcheck(lambda s: kt.risk(s, heads, root=root, lengths=lengths), x)
    y = scores(2, 4, 4, seed=1)
    for f in (kt.kl, kt.cross_entropy):
        assert torch.autograd.gradcheck(lambda s, t: f(s, t, root=root, lengths=lengths), (x, y))
    features = scores(3, 4, 4, seed=2)
    assert torch.autograd.gradcheck(lambda s, f: kt.expectation(s, f, root=root, lengths=lengths), (x, features))


def test_labels():
    x = scores(4, 4, 2)
    assert torch.autograd.gradcheck(lambda s: kt.log_partition(s, root="single", labelled=True), x)
    best = kt.distribution(x, root="single", labelled=True).argmax()
    value = kt.log_prob(x, best.heads, best.labels, root="single")
    assert value.item() == pytest.approx(best.log_prob)


def test_crf_learns():
    x = torch.zeros(1, 5, 5, requires_grad=True)
    gold = torch.tensor([[-1, 2, 0, 2, 3]])
    loss, optimiser = kt.TreeCRF(root="single"), torch.optim.Adam([x], lr=0.3)
    first = loss(x, gold).item()
    for _ in range(50):
        optimiser.zero_grad()
        value = loss(x, gold)
        value.backward()
        optimiser.step()
    assert value.item() < 0.05 < first
    np.testing.assert_array_equal(loss.distribution(x).argmax().heads, gold.numpy())
    assert x.dtype == torch.float32 and value.dtype == torch.float32
