"""The part of bench/python.py about linear chains: log Z and marginals of a batch, beside PyTorch and torch-struct.

torch-struct multiplies matrices of tags in a tree, which takes tags^3; the loop over positions takes tags^2, as ours.
"""

import warnings

import numpy as np

import kirchhoff

BATCH = 64
LENGTH = 25


def torch_struct_chain():
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from torch_struct import LinearChainCRF
        return LinearChainCRF
    except ImportError:
        print("  torch-struct is not installed: comparisons with it are left out")
        return None


def chain_rows(torch, best_times, row):
    """Calls row(text, ratio, bar, passed) for 20 and 50 tags; best_times(*functions) are microseconds on one thread."""
    LinearChainCRF = torch_struct_chain()
    if LinearChainCRF is None:
        return
    import kirchhoff.torch as kt

    def mine(emissions, transitions):
        p = kirchhoff.ChainDistribution(emissions, transitions, threads=1)
        return p.log_partition(), p.marginals()

    def theirs(potentials):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p = LinearChainCRF(potentials)
        return p.partition.detach(), p.marginals.detach()

    def with_gradient(emissions, transitions):
        return torch.autograd.grad(kt.chain_log_partition(emissions, transitions).sum(), (emissions, transitions))

    def loop(emissions, transitions):
        row = emissions[:, 0]
        for t in range(1, LENGTH):
            row = torch.logsumexp(row.unsqueeze(-1) + transitions[:, t - 1], 1) + emissions[:, t]
        log_z = torch.logsumexp(row, 1)
        return log_z.detach(), torch.autograd.grad(log_z.sum(), (emissions, transitions))

    rng = np.random.default_rng(1)
    for tags in (20, 50):
        emissions = rng.normal(size=(BATCH, LENGTH, tags))
        transitions = rng.normal(size=(BATCH, LENGTH - 1, tags, tags))
        # torch-struct's pairs are [next tag, tag]; emissions go with the pairs, the first with the first.
        potentials = transitions.swapaxes(-1, -2) + emissions[:, 1:, :, None]
        potentials[:, 0] += emissions[:, 0, None]
        double = torch.tensor(potentials)
        (z, own), (log_z, other) = mine(emissions, transitions), theirs(double)
        assert np.allclose(z, log_z.numpy()) and np.allclose(own.transitions, other.numpy().swapaxes(-1, -2))
        tensors = [torch.tensor(x, requires_grad=True) for x in (emissions, transitions)]
        assert np.allclose(own.transitions, loop(*tensors)[1][1].numpy())
        single = double.float()
        times = best_times(lambda: mine(emissions, transitions), lambda: with_gradient(*tensors),
                           lambda: theirs(double), lambda: theirs(single), lambda: loop(*tensors), runs=5)
        a, b, c, d, e = (t / BATCH for t in times)
        row(f"chains, {tags} tags: batch of {BATCH} {a:.1f} us; torch-struct {c:.0f} us", f"{c / a:.1f} x", ">= 10 x",
            c >= 10.0 * a)
        row(f"chains, {tags} tags: the same; a loop in PyTorch {e:.0f} us", f"{e / a:.1f} x", ">= 10 x", e >= 10.0 * a)
        print(f"    kirchhoff.torch with the gradient {b:.1f} us, torch-struct in single precision {d:.0f} us")
