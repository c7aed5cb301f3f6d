"""Times log Z and marginals of projective trees in batches beside SuPar's and torch-struct's Eisner, on the CPU.

`make bench` runs it with an environment that has kirchhoff, PyTorch, supar and torch-struct (`make python` makes one):

    build/python/env/bin/python bench/projective.py [--threads N] [--words N,N,...] [--batch N]

Each line is a batch of sentences of one length with standard normal scores; times are for a sentence, the best of
several runs. Both packages get their gradient by PyTorch's backward pass; answers are compared before they are timed.
What is not installed is left out. The bar is a tenth of either's time.
"""

import argparse
import importlib.util
import platform
import time
import warnings

import numpy as np
import torch

import kirchhoff


def best_time(work, seconds=2.0):
    """The shortest time of a call, which is repeated for some seconds and at least three times."""
    work()
    times, begin = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def ours(scores):
    def work():
        p = kirchhoff.ProjectiveTreeDistribution(scores, root="single", threads=torch.get_num_threads())
        return p.log_partition(), p.marginals()

    return work


def by_supar(scores):
    """SuPar's DependencyCRF, whose arrays are [dependent, head]."""
    from supar import DependencyCRF

    x = torch.from_numpy(scores).transpose(-1, -2).contiguous()
    lengths = torch.full((len(scores),), scores.shape[1] - 1)

    def work():
        s = x.clone().requires_grad_()
        log_z = DependencyCRF(s, lengths, multiroot=False).log_partition
        (gradient,) = torch.autograd.grad(log_z.sum(), s)
        return log_z.detach().numpy(), gradient.transpose(-1, -2).numpy()

    return work


def by_torch_struct(scores):
    """torch-struct's DependencyCRF, which has the root's arcs on the diagonal of a matrix of words."""
    import torch_struct

    n = scores.shape[1] - 1
    x = torch.from_numpy(scores[:, 1:, 1:].copy())
    x.diagonal(dim1=-2, dim2=-1).copy_(torch.from_numpy(scores[:, 0, 1:]))

    def work():
        s = x.clone().requires_grad_()
        log_z = torch_struct.DependencyCRF(s, multiroot=False).partition
        (gradient,) = torch.autograd.grad(log_z.sum(), s)
        marginals = np.zeros((len(scores), n + 1, n + 1))
        marginals[:, 1:, 1:] = gradient.numpy()
        index = np.arange(1, n + 1)
        marginals[:, 0, 1:] = marginals[:, index, index]
        marginals[:, index, index] = 0.0
        return log_z.detach().numpy(), marginals

    return work


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()


def main():
    warnings.simplefilter("ignore")  # PyTorch has something to say about torch-struct in every call
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--words", default="10,20,30,50")
    options.add_argument("--batch", type=int, default=64)
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    print(f"{processor()}, {given.threads} threads, batches of {given.batch}, PyTorch {torch.__version__}")
    peers = {name: make for name, package, make in (("SuPar", "supar", by_supar),
                                                    ("torch-struct", "torch_struct", by_torch_struct))
             if importlib.util.find_spec(package)}
    if len(peers) < 2:
        print("SuPar or torch-struct is not installed: comparisons with it are left out")
    print(f"{'words':>6} {'ours, us':>10}" + "".join(f" {name + ', us':>17} {'times':>7}" for name in peers))
    rng = np.random.default_rng(1)
    for words in map(int, given.words.split(",")):
        scores = rng.normal(size=(given.batch, words + 1, words + 1))
        expected = ours(scores)()
        mine = best_time(ours(scores)) / given.batch * 1e6
        row, passed = f"{words:6} {mine:10.1f}", True
        for make in peers.values():
            found = make(scores)()
            np.testing.assert_allclose(found[0], expected[0], rtol=1e-5)
            np.testing.assert_allclose(found[1][:, :, 1:], expected[1][:, :, 1:], atol=1e-4)
            theirs = best_time(make(scores)) / given.batch * 1e6
            row += f" {theirs:17.1f} {theirs / mine:7.0f}"
            passed = passed and theirs >= 10.0 * mine
        print(f"{row}   >= 10 x  {'ok' if passed else 'MISSED'}" if peers else row, flush=True)


if __name__ == "__main__":
    main()
