"""Compares kirchhoff.torch.wfsm with forward algorithms in PyTorch: log Z of 64 machines of 200 arcs, and its gradient.

    bench/python_machines.py

Everything runs on one thread and is measured in CPU time, in turn, best of many (bench/python.py). The baselines are in
double precision as ours: the forward algorithm state by state, which takes any skeleton without cycles; layer by layer,
which needs one that is a lattice of full layers; and the solution of (I - W) e = final, which takes cycles as well. The
bar is a tenth of the first one's time.
"""

import numpy as np
import torch

import kirchhoff
import kirchhoff.torch
from python import best_times, row

BATCH, LAYERS, WIDTH = 64, 8, 5


def lattice():
    """Full layers: 8 times 5 x 5 arcs."""
    arcs = [(WIDTH * k + i, WIDTH * (k + 1) + j) for k in range(LAYERS) for i in range(WIDTH) for j in range(WIDTH)]
    return arcs, WIDTH * (LAYERS + 1), list(range(WIDTH)), list(range(WIDTH * LAYERS, WIDTH * (LAYERS + 1)))


def random_arcs(cyclic):
    """Forty states in a row, and arcs between others at random, all of them forward unless there shall be cycles."""
    rng, states = np.random.default_rng(0), 40
    arcs = [(i, i + 1) for i in range(states - 1)]
    while len(arcs) < LAYERS * WIDTH * WIDTH:
        i, j = rng.choice(states, 2, replace=False).tolist()
        arcs.append((i, j) if cyclic else (min(i, j), max(i, j)))
    return arcs, states, [0], [states - 1]


def by_state(x, arcs, states, start, final):
    into = [[(k, a) for k, (a, b) in enumerate(arcs) if b == s] for s in range(states)]
    numbers = [torch.tensor([k for k, _ in arcs_in], dtype=torch.long) for arcs_in in into]

    def log_z():
        total = [None] * states
        for s in range(states):
            if s in start:
                total[s] = torch.zeros(BATCH, dtype=torch.float64)
            else:
                before = torch.stack([total[a] for _, a in into[s]], -1)
                total[s] = torch.logsumexp(before + x[:, numbers[s]], -1)
        return torch.logsumexp(torch.stack([total[s] for s in final], -1), -1)

    return log_z


def by_layer(x):
    def log_z():
        weights = x.reshape(BATCH, LAYERS, WIDTH, WIDTH)
        total = torch.zeros(BATCH, WIDTH, dtype=torch.float64)
        for k in range(LAYERS):
            total = torch.logsumexp(total.unsqueeze(-1) + weights[:, k], 1)
        return torch.logsumexp(total, -1)

    return log_z


def by_matrix(x, arcs, states, start, final):
    sources, targets = (torch.tensor(ends) for ends in zip(*arcs))
    ends = torch.zeros(BATCH, states, 1, dtype=torch.float64)
    ends[:, final] = 1.0

    def log_z():
        matrix = torch.zeros(BATCH, states, states, dtype=torch.float64)
        matrix = matrix.index_put((torch.arange(BATCH)[:, None], sources, targets), x.exp(), accumulate=True)
        totals = torch.linalg.solve(torch.eye(states, dtype=torch.float64) - matrix, ends)
        return totals[:, start, 0].sum(-1).log()

    return log_z


def with_gradient(x, f):
    def run():
        x.grad = None
        f().sum().backward()
        return x.grad

    return run


def compare(name, skeleton, mean, **peers):
    arcs, states, start, final = skeleton
    machine = kirchhoff.Wfsm([(a, b, 1, -4.0) for a, b in arcs], start=dict.fromkeys(start, 0.0),
                             final=dict.fromkeys(final, 0.0), states=states)
    x = (torch.randn(BATCH, len(arcs), dtype=torch.float64) * 0.5 + mean).requires_grad_()
    ours = with_gradient(x, lambda: kirchhoff.torch.wfsm.log_partition(machine, x, threads=1))
    entropy = with_gradient(x, lambda: kirchhoff.torch.wfsm.entropy(machine, x, threads=1))
    theirs = {peer: with_gradient(x, make(x)) for peer, make in peers.items()}
    gradient = ours().clone()
    for peer, f in theirs.items():
        difference = float((f() - gradient).abs().max())
        if difference > 1e-9:
            raise SystemExit(f"{name}: {peer} is off by {difference}")
    times = best_times(ours, entropy, *theirs.values())
    print(f"{name}: log Z and gradient {times[0]:.0f} us, entropy and gradient {times[1]:.0f} us")
    for peer, t in zip(theirs, times[2:]):
        text, ratio = f"{peer.replace('_', ' ')} {t:.0f} us", f"{t / times[0]:.1f} x"
        if peer == "by_state":  # the forward algorithm of any skeleton without cycles
            row(text, ratio, ">= 10 x", t >= 10.0 * times[0])
        else:
            print(f"  {text:<64}{ratio:>12}")


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    layers, forward, cycles = lattice(), random_arcs(False), random_arcs(True)
    compare("lattice", layers, 0.0, by_state=lambda x: by_state(x, *layers), by_layer=by_layer,
            by_matrix=lambda x: by_matrix(x, *layers))
    compare("random, no cycles", forward, -2.0, by_state=lambda x: by_state(x, *forward),
            by_matrix=lambda x: by_matrix(x, *forward))
    compare("random, cycles", cycles, -4.0, by_matrix=lambda x: by_matrix(x, *cycles))


if __name__ == "__main__":
    main()
