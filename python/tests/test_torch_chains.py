"""The functions of chains in kirchhoff.torch: values against the library's, derivatives against finite differences."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import kirchhoff  # noqa: E402
import kirchhoff.torch as kt  # noqa: E402
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

LENGTHS = [4, 2]


@pytest.fixture
def scores():
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(shape, generator=generator, dtype=torch.float64, requires_grad=True)
            for shape in ((2, 4, 3), (2, 3, 3, 3))]


def test_values(scores):
    p = kirchhoff.ChainDistribution(*(s.detach().numpy() for s in scores), lengths=LENGTHS)
    np.testing.assert_array_equal(kt.chain_log_partition(*scores, lengths=LENGTHS).detach(), p.log_partition())
    for actual, expected in zip(kt.chain_marginals(*scores, lengths=LENGTHS), p.marginals()):
        np.testing.assert_array_equal(actual.detach(), expected)
    np.testing.assert_array_equal(kt.chain_entropy(*scores, lengths=LENGTHS).detach(), p.entropy())
    tags = torch.tensor([[0, 2, 1, 1], [1, 2, -1, -1]])
    np.testing.assert_allclose(kt.chain_log_prob(*scores, tags, lengths=LENGTHS).detach(), p.log_prob(tags))
    np.testing.assert_allclose(kt.chain_score(*scores, tags, lengths=LENGTHS).detach() - p.log_partition(),
                               p.log_prob(tags))
    other = [torch.randn_like(s) for s in scores]
    q = kirchhoff.ChainDistribution(*(s.numpy() for s in other), lengths=LENGTHS)
    np.testing.assert_array_equal(kt.chain_kl(scores, other, lengths=LENGTHS).detach(), p.kl(q))


@pytest.mark.parametrize("function", [
    lambda *s: kt.chain_log_partition(*s, lengths=LENGTHS),
    lambda *s: kt.chain_marginals(*s, lengths=LENGTHS),
    lambda *s: kt.chain_entropy(*s, lengths=LENGTHS),
    lambda *s: kt.chain_log_prob(*s, torch.tensor([[0, 2, 1, 1], [1, 2, 0, 0]]), lengths=LENGTHS),
    lambda e, t: kt.chain_kl((e, t), (e * 0.5, t.flip(-1)), lengths=LENGTHS),
], ids=["log_partition", "marginals", "entropy", "log_prob", "kl"])
def test_two_derivatives(function, scores):
    assert gradcheck(function, scores)
    assert gradgradcheck(function, scores)


def test_third_derivative_and_no_fourth(scores):
    emissions, transitions = scores
    direction = torch.randn_like(emissions)

    def second(e):
        first, = torch.autograd.grad(kt.chain_log_partition(e, transitions).sum(), e, create_graph=True)
        return torch.autograd.grad((first * direction).sum(), e, create_graph=True)[0]

    assert gradcheck(second, [emissions])
    third, = torch.autograd.grad((second(emissions) ** 2).sum(), emissions, create_graph=True)
    with pytest.raises(NotImplementedError, match="one more"):
        torch.autograd.grad(third.sum(), emissions)


def test_shared_transitions(scores):
    emissions = scores[0]
    for shape in ((3, 3), (2, 3, 3)):
        matrix = torch.randn(shape, dtype=torch.float64, requires_grad=True)
        full = matrix.unsqueeze(-3).expand(2, 3, 3, 3)
        a, b = (torch.autograd.grad(kt.chain_log_partition(emissions, t).sum(), matrix)[0] for t in (matrix, full))
        torch.testing.assert_close(a, b)
        assert gradcheck(kt.chain_log_partition, [emissions, matrix])


def test_impossible_tags_and_dtypes(scores):
    emissions, transitions = (s.detach().float() for s in scores)
    emissions[0, 1, 2] = transitions[1, 0, 0, 1] = -float("inf")
    emissions.requires_grad_(), transitions.requires_grad_()
    value = kt.chain_entropy(emissions, transitions)
    assert value.dtype == torch.float32
    value.sum().backward()
    assert emissions.grad[0, 1, 2] == 0 and transitions.grad[1, 0, 0, 1] == 0
    assert torch.isfinite(emissions.grad).all() and torch.isfinite(transitions.grad).all()
    assert kt.chain_log_partition(torch.zeros(3, 2, dtype=torch.long), torch.zeros(2, 2)).dtype == torch.float32
    with pytest.raises(ValueError, match="dtype"):
        kt.chain_log_partition(torch.zeros(3, 2, dtype=torch.bool), torch.zeros(2, 2))
    with pytest.raises(ValueError, match="transitions: shape"):
        kt.chain_log_partition(torch.zeros(3, 2), torch.zeros(3, 3))
    with pytest.raises(ValueError, match="tag 5"):
        kt.chain_log_prob(torch.zeros(3, 2), torch.zeros(2, 2), torch.tensor([0, 1, 5]))


def test_against_torch_struct(scores):
    """torch-struct's potentials are [batch, t, next tag, tag]; the first emission goes with the first pair."""
    torch_struct = pytest.importorskip("torch_struct")
    emissions, transitions = (s.detach() for s in scores)
    potentials = transitions.transpose(-1, -2) + emissions[:, 1:].unsqueeze(-1)
    potentials[:, 0] += emissions[:, 0].unsqueeze(-2)
    crf = torch_struct.LinearChainCRF(potentials)
    torch.testing.assert_close(kt.chain_log_partition(emissions, transitions), crf.partition)
    torch.testing.assert_close(kt.chain_marginals(emissions, transitions)[1].transpose(-1, -2), crf.marginals)
    torch.testing.assert_close(kt.chain_entropy(emissions, transitions), crf.entropy)
