"""What goes in and out of kirchhoff.torch: dtypes, scores that change, heads that are no tree, and the exit."""

import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")
import kirchhoff  # noqa: E402
import kirchhoff.torch as kt  # noqa: E402

ROOTS = ("single", "multi")
LENGTHS = [3, 2]


def test_scores_changed_between_forward_and_backward(place):
    heads = [-1, 0, 1]
    functions = [kt.log_partition, kt.marginals, kt.entropy, lambda s, root: kt.renyi(s, 2.0, root=root),
                 lambda s, root: kt.kl(s, s, root=root), lambda s, root: kt.risk(s, heads, root=root),
                 lambda s, root: kt.log_prob(s, heads, root=root),
                 lambda s, root: kt.expectation(s, place.put(torch.ones(1, 3, 3)), root=root)]
    for f in functions:
        for create_graph in (False, True):
            x = place.scores(3, 3)
            moved = x * 1.0
            value = f(moved, root="single").sum()
            with torch.no_grad():
                moved += 1.0
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                torch.autograd.grad(value, x, create_graph=create_graph)
    # These are converted, so the gradient is that of the forward pass. Kernels read floats where they lie.
    x = place.scores(3, 3, dtype=torch.float16 if place.kernels else torch.float32)
    value = kt.marginals(x * 1.0, root="single")[0, 1]
    expected = torch.autograd.grad(value, x)[0]
    moved = x * 1.0
    value = kt.marginals(moved, root="single")[0, 1]
    with torch.no_grad():
        moved += place.put(torch.randn(3, 3))
    np.testing.assert_array_equal(place.get(torch.autograd.grad(value, x)[0]), place.get(expected))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_dtypes(place, dtype):
    """All precisions compute in doubles, and round what the NumPy API gives once."""
    x, y = place.scores(2, 4, 4, dtype=dtype), place.scores(2, 4, 4, seed=1, dtype=dtype)
    options = {"root": "single", "lengths": LENGTHS}
    p, q = (kirchhoff.TreeDistribution(place.get(t), **options) for t in (x, y))
    heads = p.argmax().heads
    f = place.put(torch.ones(1, 4, 4, dtype=dtype))
    for ours, numpy in [(kt.log_partition(x, **options), p.log_partition()), (kt.marginals(x, **options), p.marginals()),
                        (kt.entropy(x, **options), p.entropy()), (kt.renyi(x, 2.0, **options), p.renyi(2.0)),
                        (kt.kl(x, y, **options), p.kl(q)), (kt.cross_entropy(x, y, **options), p.cross_entropy(q)),
                        (kt.risk(x, heads, **options), p.risk(heads)),
                        (kt.log_prob(x, heads, **options), p.log_prob(heads)),
                        (kt.expectation(x, f, **options), p.expectation(np.ones((1, 4, 4))))]:
        assert ours.dtype == dtype
        np.testing.assert_allclose(place.get(ours), torch.as_tensor(np.array(numpy)).to(dtype).double(),
                                   rtol=1e-14 if dtype == torch.float64 else torch.finfo(dtype).eps)
        (gradient,) = torch.autograd.grad(ours.float().sum(), x, retain_graph=True)
        assert gradient.dtype == dtype and bool(gradient.isfinite().all())
    gradient = torch.autograd.grad(kt.log_partition(x, **options).sum(), x)[0]
    np.testing.assert_allclose(place.get(gradient), torch.as_tensor(p.marginals().copy()).to(dtype).double(),
                               rtol=0 if not place.kernels else 1e-14 if dtype == torch.float64 else torch.finfo(dtype).eps)


def test_mixed_precision_trains(place):
    torch.manual_seed(0)
    head, dependent = (torch.nn.Linear(6, 8).to(place.device) for _ in range(2))
    words, gold = place.put(torch.randn(3, 5, 6)), place.put([[-1, 2, 0, 2, 3]] * 3)
    optimiser = torch.optim.Adam([*head.parameters(), *dependent.parameters()], lr=0.05)
    losses = []
    for _ in range(60):
        with torch.autocast(place.device, dtype=torch.bfloat16):
            x = head(words) @ dependent(words).transpose(1, 2)
            assert x.dtype == torch.bfloat16
            loss = kt.TreeCRF(root="single")(x, gold)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]


def test_integers_are_numbers(place):
    x = place.put([[0, 2, 1], [0, 0, 3], [0, 1, 0]])
    for root in ROOTS:
        value = kt.log_partition(x, root=root)
        assert value.dtype == torch.float32 and value.item() == pytest.approx(
            kirchhoff.TreeDistribution(place.get(x), root=root).log_partition())
        assert kt.marginals(x, root=root).dtype == torch.float32
    for bad in (torch.zeros(3, 3, dtype=torch.bool), torch.zeros(3, 3, dtype=torch.complex64)):
        with pytest.raises(ValueError, match="not a real number type"):
            kt.log_partition(place.put(bad), root="single")
        for loss in ("crf", "svm", "softmax_margin", "perceptron", "risk"):
            with pytest.raises(ValueError, match="not a real number type"):
                kt.TreeCRF(root="single", loss=loss)(place.put(bad)[None], place.put([[-1, 0, 1]]))


@pytest.mark.parametrize("heads, why", [([-1, 2, 1, 0], "cycle"), ([-1, -1, 0, 0], "head"), ([-1, 0, 0, 1], "root"),
                                        ([-1, 9, 0, 1], "head")])
def test_heads_that_are_no_tree(place, heads, why):
    x = place.scores(2, 4, 4)
    for batch in (torch.tensor([[-1, 0, 1, 1], heads]), place.put([[-1, 0, 1, 1], heads])):
        for f in (kt.log_prob, kt.risk):
            with pytest.raises(ValueError, match=f"graph 1: .*{why}"):
                f(x, batch, root="single")
    with pytest.raises(ValueError, match=why):
        kt.distribution(x[0].detach(), root="single").log_prob(heads)


def test_labels_and_heads_out_of_range(place):
    x, heads = place.scores(3, 3, 2), place.put([-1, 0, 1])
    for labels in ([-1, 0, 2], [-1, -1, 0]):
        for given in (labels, place.put(labels)):
            with pytest.raises(ValueError, match="labels"):
                kt.log_prob(x, heads, given, root="single")
        with pytest.raises(ValueError, match="labels"):
            kt.tree_score(x, heads, labels)
    for bad in ([-1, 0, -1], [-1, 0, 3], [-1.0, 0.0, 1.0]):
        with pytest.raises(ValueError, match="heads"):
            kt.tree_score(x[..., 0], bad)
    assert kt.tree_score(x[..., 0], [-1, 0, -1], lengths=1).item() == x[0, 1, 0].item()
    with pytest.raises(ValueError, match="lengths"):
        kt.log_partition(x[..., 0], root="single", lengths=torch.tensor(1.5))


def test_impossible_arcs(place):
    x = place.scores(2, 4, 4)
    mask = place.put(torch.zeros(2, 4, 4, dtype=torch.float64))
    mask[:, 2, 3] = -np.inf
    for f in (kt.log_partition, kt.entropy, lambda s, root: kt.renyi(s, 2.0, root=root)):
        gradients = [torch.autograd.grad(f(x + m, root="single").sum(), x, create_graph=True)[0] for m in (mask, mask - 5)]
        second = [torch.autograd.grad((g**2).sum(), x)[0] for g in gradients]
        for a, b in (gradients, second):  # scores of all arcs into a word may be moved
            assert bool(a.isfinite().all()) and not a[:, 2, 3].any()
            np.testing.assert_allclose(place.get(a), place.get(b), atol=1e-12)
    assert kt.log_prob(x + mask, [-1, 0, 1, 2], root="single")[0].item() == -np.inf
    q = x + mask
    value = kt.kl(x, q, root="single").sum()
    assert value.item() == np.inf
    for create_graph in (False, True):
        with pytest.raises(ValueError, match="forbids"):
            torch.autograd.grad(value, x, create_graph=create_graph, retain_graph=True)


def test_crf_learns(place):
    x = place.put(torch.zeros(1, 5, 5)).requires_grad_()
    gold = place.put([[-1, 2, 0, 2, 3]])
    loss, optimiser = kt.TreeCRF(root="single"), torch.optim.Adam([x], lr=0.3)
    first = loss(x, gold).item()
    for _ in range(50):
        optimiser.zero_grad()
        value = loss(x, gold)
        value.backward()
        optimiser.step()
    assert value.item() < 0.05 < first
    assert loss.distribution(x).argmax().heads.tolist() == gold.tolist()
    assert x.dtype == torch.float32 and value.dtype == torch.float32


def test_nothing_is_reported_at_exit():
    """PyTorch keeps what graphs that are alive at exit hold; that is no leak of ours, and other leaks would be seen."""
    with_torch = """
import torch, kirchhoff.torch as kt
x = torch.zeros(2, 4, 4, dtype=torch.float64, requires_grad=True)
kept = [kt.entropy(x, root="single"), kt.log_partition(x, root="multi"), kt.marginals(x, root="single")]
"""
    without = """
import numpy as np, kirchhoff
p = kirchhoff.TreeDistribution(np.zeros((2, 4, 4)), root="single")
kept = [p, p.marginals(), p.sample(3).heads, kirchhoff.Wfsm([(0, 1, 1, 0.0)], start={0: 0.0}, final={1: 0.0})]
try:
    p.log_prob([-1, 2, 1, 0])
except ValueError as error:
    kept.append(error)
"""
    for code in (with_torch, without):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
