"""The code of docs/guides/migration.md: the same numbers as torch-struct and SuPar, where they are installed."""

import numpy as np
import pytest

import kirchhoff

torch = pytest.importorskip("torch", reason="torch is not installed: no other packages to compare with")
ROOTS = [("single", False), ("multi", True)]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("root, multiroot", ROOTS)
def test_torch_struct(root, multiroot):
    torch_struct = pytest.importorskip("torch_struct", reason="torch-struct is not installed: left out")
    torch.manual_seed(1)
    x, lengths = torch.randn(3, 5, 5, dtype=torch.float64), torch.tensor([5, 3, 4])
    theirs = torch_struct.NonProjectiveDependencyCRF(x, lengths, multiroot=multiroot)
    ours = kirchhoff.TreeDistribution(kirchhoff.from_torch_struct(x), root=root, lengths=lengths)
    marginals, words = theirs.marginals.numpy(), np.eye(5) == 0
    tolerance = 1e-3  # torch-struct adds 1e-5 to the weights between words, those of padding too
    np.testing.assert_allclose(ours.log_partition(), theirs.partition.numpy(), atol=tolerance)
    np.testing.assert_allclose(ours.marginals()[:, 1:, 1:], marginals * words, atol=tolerance)
    np.testing.assert_allclose(ours.marginals()[:, 0, 1:], np.diagonal(marginals, axis1=1, axis2=2), atol=tolerance)
    added = torch.where(torch.eye(5) == 0, (x.exp() + 1e-5).log(), x)  # with the same addition: the same digits
    ours = kirchhoff.TreeDistribution(kirchhoff.from_torch_struct(added), root=root)
    theirs = torch_struct.NonProjectiveDependencyCRF(x, multiroot=multiroot)
    np.testing.assert_allclose(ours.log_partition(), theirs.partition.numpy(), rtol=1e-12)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("root, multiroot", ROOTS)
def test_supar(root, multiroot):
    supar = pytest.importorskip("supar", reason="SuPar is not installed: left out", exc_type=ImportError)
    from kirchhoff.torch import TreeCRF, distribution

    torch.manual_seed(1)
    s, t, lens = torch.randn(2, 5, 5), torch.randn(2, 5, 5), torch.tensor([3, 4])
    arcs = torch.tensor([[0, 2, 0, 2, 0], [0, 3, 1, 0, 3]])
    heads = arcs.clone()
    heads[:, 0] = -1
    p, q = (supar.MatrixTree(scores.clone(), lens, multiroot=multiroot) for scores in (s, t))
    scores = s.transpose(-1, -2)
    ours, other = (distribution(x.transpose(-1, -2), root=root, lengths=lens) for x in (s, t))
    np.testing.assert_array_equal(kirchhoff.from_supar(s), ours.scores)

    def same(mine, theirs):
        np.testing.assert_allclose(mine, theirs.detach().numpy(), rtol=1e-5, atol=1e-6)

    same(ours.log_partition(), p.log_partition)
    same(ours.marginals(), p.marginals.transpose(-1, -2))
    same(ours.entropy(), p.entropy)
    same(ours.cross_entropy(other), p.cross_entropy(q))
    same(ours.kl(other), p.kl(q))
    same(TreeCRF(root=root)(scores, heads, lens), -p.log_prob(arcs).mean())
    np.testing.assert_array_equal(np.maximum(ours.argmax().heads, 0), p.argmax.numpy())
