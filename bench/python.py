"""Python against C++ and against PyTorch: log Z and marginals, single root. bench/python.py [PATH OF python_peer]

Everything runs on one thread and is measured in CPU time, so that a busy machine gives the same ratios; every figure is
the best of many. The baselines are what one writes in PyTorch: the Matrix-Tree theorem with automatic differentiation,
and the batched inverse of torch-struct's NonProjectiveDependencyCRF [Koo et al. 2007], in single precision as there.
"""

import subprocess
import sys
import time

import numpy as np

import kirchhoff

BATCH = 64


def graphs(n, count):
    """The same numbers as in python_peer.cpp."""
    i, h, d = np.ogrid[:count, : n + 1, : n + 1]
    return 2.0 * np.sin(1.0 + 7.0 * h + 13.0 * d + 29.0 * i)


def best_time(f, runs=25):
    """Microseconds of CPU time; each run repeats f for a millisecond or more, because the clock itself takes time."""
    repeats, took = 1, 0.0
    while took < 1e-3:
        repeats *= 2
        began = time.thread_time()
        for _ in range(repeats):
            f()
        took = time.thread_time() - began
    best = took
    for _ in range(runs):
        began = time.thread_time()
        for _ in range(repeats):
            f()
        best = min(best, time.thread_time() - began)
    return 1e6 * best / repeats


def ours(scores):
    p = kirchhoff.TreeDistribution(scores, root="single", labelled=False, threads=1)
    return p.log_partition(), p.marginals()


def row(text, value, bar, passed):
    print(f"  {text:<64}{value:>12}   {bar:<12}{'ok' if passed else 'MISSED'}")


def against_cpp(peer):
    for n in (5, 25):
        one, _ = map(float, subprocess.check_output([peer, str(n), "1"]).split())
        scores = graphs(n, 1)[0]
        call = best_time(lambda: ours(scores))
        less = best_time(lambda: kirchhoff.TreeDistribution(scores, root="single", threads=1))
        row(f"n = {n}: one call {less:.2f} us, with log Z and marginals {call:.2f} us; C++ {one:.2f} us",
            f"{less - one:+.2f} us", "<= 5 us", less - one <= 5.0)
    for n in (25, 50, 100):
        _, each = map(float, subprocess.check_output([peer, str(n), str(BATCH)]).split())
        scores = graphs(n, BATCH)
        mine = best_time(lambda: ours(scores)) / BATCH
        row(f"n = {n}: batch of {BATCH} {mine:.2f} us; C++ {each:.2f} us", f"{mine / each:.2f} x", "<= 1.10 x",
            mine <= 1.1 * each)


def laplacian(torch, weights):
    """[Koo et al. 2007]: the words' Laplacian with its first row replaced by the root's weights."""
    words = weights[:, 1:, 1:]
    words = words * (1.0 - torch.eye(words.shape[-1], dtype=words.dtype))
    result = torch.diag_embed(words.sum(1)) - words
    return torch.cat([weights[:, 0, 1:].unsqueeze(1), result[:, 1:]], 1), words


def by_autograd(torch, scores):
    scores = scores.detach().requires_grad_()
    matrix, _ = laplacian(torch, scores.exp())
    log_z = torch.linalg.slogdet(matrix).logabsdet
    return log_z, torch.autograd.grad(log_z.sum(), scores)[0]


def by_inverse(torch, scores):
    weights = scores.exp()
    matrix, words = laplacian(torch, weights)
    inverse = torch.inverse(matrix)
    diagonal = inverse.diagonal(dim1=1, dim2=2).unsqueeze(1)
    first = torch.ones(words.shape[-1], dtype=words.dtype)
    first[0] = 0.0  # the first row holds root weights
    out = torch.zeros_like(weights)
    out[:, 1:, 1:] = words * (diagonal * first) - words * inverse.transpose(1, 2) * first.unsqueeze(1)
    out[:, 0, 1:] = weights[:, 0, 1:] * inverse[:, :, 0]
    return torch.logdet(matrix), out


def against_torch():
    try:
        import torch
    except ImportError:
        print("  torch is not installed: comparisons with it are left out")
        return
    torch.set_num_threads(1)
    for n in (25, 50, 100):
        scores = graphs(n, BATCH)
        z, marginals = ours(scores)
        single, double = torch.tensor(scores, dtype=torch.float32), torch.tensor(scores)
        for name, f in (("autograd", by_autograd), ("inverse", by_inverse)):
            log_z, theirs = f(torch, double)
            assert np.allclose(log_z.detach().numpy(), z) and np.allclose(theirs.numpy(), marginals, atol=1e-8), name
        if n == 25:
            one = double[:1].clone()
            them = best_time(lambda: by_autograd(torch, one))
            mine = best_time(lambda: ours(scores[0]))
            row(f"n = 25: one graph {mine:.2f} us; PyTorch autograd {them:.1f} us", f"{them / mine:.1f} x", ">= 30 x",
                them >= 30.0 * mine)
        mine = best_time(lambda: ours(scores)) / BATCH
        them = best_time(lambda: by_inverse(torch, single)) / BATCH
        row(f"n = {n}: batch of {BATCH} {mine:.2f} us; torch-struct's way {them:.1f} us", f"{them / mine:.1f} x", ">= 6 x",
            them >= 6.0 * mine)


if __name__ == "__main__":
    print("Python: microseconds per graph")
    if len(sys.argv) > 1:
        against_cpp(sys.argv[1])
    against_torch()
