"""Compares Python with C++ and with PyTorch: log Z and marginals, single root; on a CUDA device losses and gradients.

    bench/python.py [PATH OF python_peer]

Everything runs on one thread and is measured in CPU time, so that a busy machine gives the same ratios; both sides are
timed in turn, and every figure is the best of many. The baselines: the Matrix-Tree theorem with PyTorch's automatic
differentiation, and torch-struct's NonProjectiveDependencyCRF and LinearChainCRF, double precision as ours. `pip
install torch torch-struct`; what is not installed is left out. Times on a device are those of the clock, until it has
finished.
"""

import subprocess
import sys
import time

import numpy as np

import kirchhoff
from python_chains import chain_rows
from python_peers import by_autograd, jax_marginals, potentials_of, torch_struct_crf

BATCH = 64
DEVICE_BATCH = 4096
LIST = 2000
#: How many sentences of 3, 4, ..., 40 words there are in en_ewt's test set.
SENTENCES = [154, 99, 101, 116, 111, 125, 79, 90, 78, 62, 75, 60, 60, 52, 46, 43, 42, 33, 30, 31, 20, 29, 27, 26, 18, 17,
             21, 14, 13, 10, 8, 10, 9, 6, 7, 5, 3, 4]


def graphs(n, count):
    """The same numbers as in python_peer.cpp."""
    i, h, d = np.ogrid[:count, : n + 1, : n + 1]
    return 2.0 * np.sin(1.0 + 7.0 * h + 13.0 * d + 29.0 * i)


def best_times(*functions, runs=25):
    """Microseconds of CPU time of each, in turn; each run repeats a function for 30 ms or more: the clock itself takes
    time, and so do caches full of the other's data."""
    def seconds(f, repeats):
        began = time.thread_time()
        for _ in range(repeats):
            f()
        return time.thread_time() - began

    repeats = []
    for f in functions:
        count = 1
        while seconds(f, count) < 3e-2:
            count *= 2
        repeats.append(count)
    best = [float("inf")] * len(functions)
    for _ in range(runs):
        for i, f in enumerate(functions):
            best[i] = min(best[i], seconds(f, repeats[i]) / repeats[i])
    return [1e6 * seconds for seconds in best]


def best_of_peer(peer, arguments, *mine):
    """C++ and ours, in turn: what the machine is like changes from second to second."""
    cpp, python = [float("inf")] * 2, [float("inf")] * len(mine)
    for _ in range(6):
        theirs = subprocess.check_output([peer, *map(str, arguments)]).split()
        cpp = [min(a, float(b)) for a, b in zip(cpp, theirs)]
        python = [min(a, b) for a, b in zip(python, best_times(*mine, runs=25 // len(mine)))]
    return cpp, python


def ours(scores, **options):
    p = kirchhoff.TreeDistribution(scores, root="single", threads=1, **options)
    return p.log_partition(), p.marginals()


def row(text, value, bar, passed):
    print(f"  {text:<64}{value:>12}   {bar:<12}{'ok' if passed else 'MISSED'}")


def against_cpp(peer):
    for n in (5, 25):
        scores = graphs(n, 1)[0]
        (one, _), [call] = best_of_peer(peer, (n, 1), lambda: ours(scores))
        row(f"n = {n}: log Z and marginals {call:.2f} us; C++ {one:.2f} us", f"{call - one:+.2f} us", "<= 5 us",
            call - one <= 5.0)
    for n in (25, 50, 100):
        scores = graphs(n, BATCH)
        (_, each), [mine] = best_of_peer(peer, (n, BATCH), lambda: ours(scores))
        mine /= BATCH
        row(f"n = {n}: batch of {BATCH} {mine:.2f} us; C++ {each:.2f} us", f"{mine / each:.2f} x", "<= 1.10 x",
            mine <= 1.1 * each)


def list_rows(peer):
    """Graphs of the sizes of sentences: what Python adds to the time of C++ for each of them, and what padding costs."""
    lengths = np.random.default_rng(1).choice(np.arange(3, 41), LIST, p=np.array(SENTENCES) / sum(SENTENCES))
    listed = [graphs(n, i + 1)[i] for i, n in enumerate(lengths)]
    batch = np.zeros((LIST, max(lengths) + 1, max(lengths) + 1))
    for whole, graph in zip(batch, listed):
        whole[: len(graph), : len(graph)] = graph
    single = [g.astype(np.float32) for g in listed]
    strided = [np.asfortranarray(g) for g in listed]
    ways = {"list": lambda: ours(listed),
            "list of float32": lambda: ours(single),
            "list, not contiguous": lambda: ours(strided),
            "list, padded=True": lambda: ours(listed, padded=True),
            "padded array, lengths=": lambda: ours(batch, lengths=lengths)}
    (_, each), mine = best_of_peer(peer, (*lengths, 0), *ways.values())
    print(f"  TreeDistribution of {LIST} graphs of {min(lengths)} to {max(lengths)} words, {lengths.mean():.1f} on average:")
    for way, all_of_them in zip(ways, mine):
        over = all_of_them / LIST - each
        text = f"{way} {all_of_them / LIST:.2f} us; C++ {each:.2f} us"
        if way == "list":
            row(text, f"{over:+.2f} us", "<= 0.5 us", over <= 0.5)
        else:
            print(f"  {text:<64}{over:>+9.2f} us")


def autograd_row(torch):
    scores = graphs(25, 1)
    one = torch.tensor(scores)
    log_z, theirs = by_autograd(torch, one)
    z, marginals = ours(scores[0])
    assert np.allclose(log_z.item(), z) and np.allclose(theirs[0].numpy(), marginals, atol=1e-8)
    mine, them = best_times(lambda: ours(scores[0]), lambda: by_autograd(torch, one))
    row(f"n = 25: one graph {mine:.2f} us; PyTorch autograd {them:.1f} us", f"{them / mine:.1f} x", ">= 30 x",
        them >= 30.0 * mine)


def torch_struct_rows(torch):
    NonProjectiveDependencyCRF = torch_struct_crf()
    if NonProjectiveDependencyCRF is None:
        return

    def by_torch_struct(potentials):
        p = NonProjectiveDependencyCRF(potentials, multiroot=False)
        return p.partition, p.marginals

    for n in (25, 50, 100):
        scores = graphs(n, BATCH)
        potentials = potentials_of(torch, torch.tensor(scores))
        log_z, theirs = by_torch_struct(potentials)
        z, marginals = ours(scores)
        assert np.allclose(log_z.numpy(), z, rtol=1e-4)  # it adds 1e-5 to every weight
        assert np.allclose(theirs.numpy().diagonal(axis1=1, axis2=2), marginals[:, 0, 1:], atol=1e-3)
        mine, them = best_times(lambda: ours(scores), lambda: by_torch_struct(potentials))
        row(f"n = {n}: batch of {BATCH} {mine / BATCH:.2f} us; torch-struct {them / BATCH:.1f} us", f"{them / mine:.1f} x",
            ">= 6 x", them >= 6.0 * mine)


def device_times(torch, *functions):
    """Microseconds of each until the device has finished, in turn: the best of ten runs of 50 ms or more."""
    def seconds(f, repeats):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(repeats):
            f()
        torch.cuda.synchronize()
        return time.perf_counter() - began

    for f in functions:
        seconds(f, 3)  # the first calls load kernels and take memory
    repeats = [max(1, int(5e-2 / (seconds(f, 3) / 3))) for f in functions]
    best = [float("inf")] * len(functions)
    for _ in range(10):
        for i, f in enumerate(functions):
            best[i] = min(best[i], seconds(f, repeats[i]) / repeats[i])
    return [1e6 * each for each in best]


def device_losses(torch, n):
    """The functions that take a step's loss and gradient of DEVICE_BATCH graphs, ours and torch-struct's; each word's
    head is the word before it."""
    import kirchhoff.torch as kt

    crf, peer = kt.TreeCRF(root="single", reduction="sum"), torch_struct_crf()
    scores = torch.tensor(graphs(n, DEVICE_BATCH), device="cuda").requires_grad_()
    heads = torch.arange(-1, n, device="cuda").expand(DEVICE_BATCH, -1).contiguous()

    def mine():
        value = crf(scores, heads)
        return value, torch.autograd.grad(value, scores)[0]

    if peer is None:
        return mine, None
    potentials = potentials_of(torch, scores.detach()).requires_grad_()
    gold = torch.diag_embed(torch.ones(n - 1, dtype=torch.float64, device="cuda"), 1)
    gold[0, 0] = 1.0

    def theirs():
        value = (peer(potentials, multiroot=False).partition - (potentials * gold).sum((1, 2))).sum()
        return value, torch.autograd.grad(value, potentials)[0]

    assert abs(mine()[0].item() / theirs()[0].item() - 1.0) < 1e-4  # it adds 1e-5 to every weight
    return mine, theirs


def peers_on_device(torch):
    import kirchhoff.torch as kt

    jax = jax_marginals()
    for n in (10, 25, 50, 100):
        scores = torch.tensor(graphs(n, DEVICE_BATCH), device="cuda")
        functions = [lambda: kt.marginals(scores, root="single"), lambda: by_autograd(torch, scores),
                     *([] if jax is None else [jax(scores)])]
        each = [t / DEVICE_BATCH for t in device_times(torch, *functions)]
        text = f"n = {n}: marginals, batch of {DEVICE_BATCH} {each[0]:.4f} us; PyTorch {each[1]:.3f} us"
        if jax is not None:
            text += f", JAX {each[2]:.3f} us"
        row(text, f"{min(each[1:]) / each[0]:.1f} x", ">= 10 x", min(each[1:]) >= 10.0 * each[0])
        answers = kirchhoff.TreeDistribution(scores, root="single")
        (along,) = (t / DEVICE_BATCH for t in device_times(torch, answers.entropy_gradient))
        row(f"n = {n}: gradient of the entropy {along:.4f} us, against marginals", f"{along / each[0]:.1f} x", "<= 3 x",
            along <= 3.0 * each[0])
        trees = {"the best tree": answers.argmax, "10 samples": lambda: answers.sample(10)}
        for name, one in zip(trees, device_times(torch, *trees.values())):
            print(f"  {f'n = {n}: {name} of a graph, batch of {DEVICE_BATCH}':<64}{one / DEVICE_BATCH:>9.4f} us")


def beam_rows(torch):
    """Trees without replacement, n = 100; SynJax took 11.3 and 35.5 ms for the first two on an H200."""
    for batch, k, bar in ((1, 100, 1.1), (1, 1000, 3.5), (64, 100, 12.0)):
        scores = torch.tensor(graphs(100, batch), device="cuda")
        p = kirchhoff.TreeDistribution(scores, root="single")
        (us,) = device_times(torch, lambda: p.sample_without_replacement(k))
        row(f"n = 100: {k} trees without replacement, batch of {batch}", f"{us / 1000:.2f} ms", f"<= {bar} ms", us <= 1000 * bar)


def device_rows(torch):
    import kirchhoff.torch as kt

    print(f"  on {torch.cuda.get_device_name()}, PyTorch {torch.__version__}:")
    for n in (25, 50, 100):
        mine, theirs = device_losses(torch, n)
        text = f"n = {n}: TreeCRF's loss and gradient, batch of {DEVICE_BATCH}"
        if theirs is None:
            print(f"  {text:<64}{device_times(torch, mine)[0] / DEVICE_BATCH:>9.4f} us")
            continue
        ours_us, theirs_us = (t / DEVICE_BATCH for t in device_times(torch, mine, theirs))
        row(f"{text} {ours_us:.4f} us; torch-struct {theirs_us:.3f} us", f"{theirs_us / ours_us:.1f} x", ">= 20 x",
            theirs_us >= 20.0 * ours_us)
    peers_on_device(torch)
    beam_rows(torch)
    small = torch.tensor(graphs(25, BATCH), device="cuda")
    gold = torch.arange(-1, 25, device="cuda").expand(BATCH, -1).contiguous()
    wanted = small.clone().requires_grad_()
    calls = {"marginals": lambda: kt.marginals(small, root="single"),
             "TreeCRF's loss and gradient": lambda: kt.TreeCRF(root="single")(wanted, gold).backward()}
    for name, each in zip(calls, device_times(torch, *calls.values())):
        print(f"  {f'n = 25: a call, {name}, batch of {BATCH}':<64}{each:>9.1f} us")


def against_torch():
    try:
        import torch
    except ImportError:
        print("  torch is not installed: comparisons with it are left out")
        return
    torch.set_num_threads(1)
    autograd_row(torch)
    torch_struct_rows(torch)
    chain_rows(torch, best_times, row)
    if torch.cuda.is_available() and kirchhoff._core.cuda_available():
        device_rows(torch)


if __name__ == "__main__":
    print("Python: microseconds per graph")
    if len(sys.argv) > 1:
        against_cpp(sys.argv[1])
        list_rows(sys.argv[1])
    against_torch()
