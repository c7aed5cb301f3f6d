"""Differentiable functions for PyTorch: of scores of arcs, chains, segmentations and factor graphs, and machines (`wfsm`).

Scores are tensors (..., n+1, n+1), or (..., n+1, n+1, labels) with labelled=True; `lengths` holds the words of each
graph of a padded batch. With projective=True only trees whose arcs do not cross count, and the work is done on the CPU.
Results have the scores' dtype and device, and PyTorch's default dtype where scores are integers. The work is done in
double precision and rounded once, also for half precision and under autocast. log_partition and log_prob have three
derivatives, SparseMAP any number, factor_graph one and all else two; asking for more raises NotImplementedError.

CUDA tensors stay on their device, where kernels answer on PyTorch's current stream, if this package was built with
CUDA. Only renyi, third derivatives of log Z (so second ones of entropies and marginals), decoding, sampling and
SparseMAP are computed on the CPU from a copy. Otherwise all tensors are copied there and back.

>>> import torch, kirchhoff.torch as kt
>>> scores = torch.zeros(4, 4, dtype=torch.float64, requires_grad=True)
>>> kt.log_partition(scores, root="single").backward()
>>> [round(x, 6) for x in scores.grad[0, 1:].tolist()]  # each word is the root's child in a third of the trees
[0.333333, 0.333333, 0.333333]
"""

from __future__ import annotations

from typing import Mapping, Optional, Tuple

import torch

from . import _core
from . import _torch_verbs as verbs
from . import _torch_wfsm as wfsm
from ._torch_estimators import expected_value, imle_trees, log_prob_of_many, partial_log_prob, relaxed_trees
from ._torch_chains import (chain_cross_entropy, chain_distribution, chain_entropy, chain_expectation, chain_kl,
                            chain_log_partition, chain_log_prob, chain_marginals, chain_renyi, chain_risk, chain_score)
from ._torch_functions import LogProb, Marginals, tensor_of
from ._many import with_axes
from ._torch_converters import from_supar, from_torch_struct
from ._torch_losses import graph_value, wrong_arcs
from ._torch_numbers import distribution_of, graphs, like, numbers
from ._torch_segments import (segment_cross_entropy, segment_distribution, segment_entropy, segment_expectation,
                              segment_kl, segment_log_partition, segment_log_prob, segment_marginals, segment_renyi,
                              segment_score)
from ._torch_sparsemap import lp_sparsemap, sparsemap
from ._torch_trees import TreeArcs, arcs_of, gold_trees, tree_score
from .distribution import TreeDistribution
from .factor_graph import FactorGraph

__all__ = ["TreeCRF", "chain_cross_entropy", "chain_distribution", "chain_entropy", "chain_expectation", "chain_kl",
           "chain_log_partition", "chain_log_prob", "chain_marginals", "chain_renyi", "chain_risk", "chain_score",
           "cross_entropy", "distribution", "entropy", "expectation", "expected_value", "factor_graph", "from_supar",
           "from_torch_struct", "imle_trees", "kl", "log_partition", "log_prob", "lp_sparsemap", "marginals",
           "partial_log_prob", "relaxed_trees", "renyi", "risk", "segment_cross_entropy", "segment_distribution",
           "segment_entropy", "segment_expectation", "segment_kl", "segment_log_partition", "segment_log_prob",
           "segment_marginals", "segment_renyi", "segment_score", "sparsemap", "tree_score", "wfsm"]

# PyTorch never releases what a graph that is alive at exit holds, and nanobind would take that for a mistake of ours.
_core.set_leak_warnings(False)


def distribution(scores: torch.Tensor, *, root: str, lengths=None, labelled: bool = False,
                 threads: int = 0, projective: bool = False) -> TreeDistribution:
    """Returns the distribution itself, without gradients, for decoding and sampling. Takes O(n^3) for each graph.

    Its answers are NumPy's arrays, and CUDA tensors for scores that stay on a device.

    >>> kt.distribution(torch.zeros(3, 3), root="single").argmax().heads.tolist()
    [-1, 0, 1]
    """
    p = distribution_of(numbers(scores, host=projective), root, lengths, labelled, threads, projective=projective)
    p.marginals()  # says what is wrong with the scores
    return p


def log_partition(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False) -> torch.Tensor:
    """Returns log Z of each graph (...), with three derivatives. Each of them takes O(n^3).

    >>> kt.log_partition(torch.zeros(4, 4, dtype=torch.float64), root="single").exp().round(decimals=6).item()
    9.0
    """
    return verbs.log_partition(graphs(scores, root, lengths, labelled, projective, single=True))


def marginals(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False) -> torch.Tensor:
    """Returns p(head -> dependent), the shape of the scores, with two derivatives, in O(n^3).

    >>> kt.marginals(torch.zeros(3, 3), root="single")[0].tolist()
    [0.0, 0.5, 0.5]
    """
    return verbs.marginals(graphs(scores, root, lengths, labelled, projective, single=True))[0]


def expectation(scores, f, *, root: str, lengths=None, labelled: bool = False,
                projective: bool = False) -> torch.Tensor:
    """Returns E[sum of f over the arcs], (..., features), for f (..., features, n+1, n+1[, labels]), in O(n^3).

    It has two derivatives in scores, and is linear in f.

    >>> kt.expectation(torch.zeros(3, 3), torch.ones(1, 3, 3), root="single").tolist()  # each tree has two arcs
    [2.0]
    """
    x = graphs(scores, root, lengths, labelled, projective)
    return verbs.expectation(x, (numbers(f, "f").to(x.scores[0].device),), (3 if labelled else 2,))


def entropy(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False) -> torch.Tensor:
    """Returns the entropy log Z - E[score] in nats, (...), with two derivatives, in O(n^3).

    >>> kt.entropy(torch.zeros(3, 3, dtype=torch.float64), root="single").exp().round(decimals=6).item()
    2.0
    """
    return verbs.information("entropy", graphs(scores, root, lengths, labelled, projective))


def renyi(scores, alpha: float, *, root: str, lengths=None, labelled: bool = False,
          projective: bool = False) -> torch.Tensor:
    """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha), (...), with two derivatives, in O(n^3).

    >>> kt.renyi(torch.zeros(3, 3, dtype=torch.float64), 2.0, root="single").exp().round(decimals=6).item()
    2.0
    """
    return verbs.renyi(graphs(scores, root, lengths, labelled, projective), alpha)


def kl(p_scores, q_scores, *, root: str, lengths=None, labelled: bool = False,
       projective: bool = False) -> torch.Tensor:
    """Returns KL(p || q) = E_p[log p - log q], (...), with two derivatives by both, in O(n^3).

    >>> kt.kl(torch.zeros(3, 3), torch.zeros(3, 3), root="single").item()
    0.0
    """
    x, y = (graphs(s, root, lengths, labelled, projective, name=name)
            for s, name in ((p_scores, "p_scores"), (q_scores, "q_scores")))
    return verbs.information("kl", x, y)


def cross_entropy(p_scores, q_scores, *, root: str, lengths=None, labelled: bool = False,
                  projective: bool = False) -> torch.Tensor:
    """Returns E_p[-log q], (...), with two derivatives by both, in O(n^3).

    >>> x = torch.zeros(3, 3, dtype=torch.float64)
    >>> kt.cross_entropy(x, x, root="single").exp().round(decimals=6).item()
    2.0
    """
    x, y = (graphs(s, root, lengths, labelled, projective, name=name)
            for s, name in ((p_scores, "p_scores"), (q_scores, "q_scores")))
    return verbs.information("cross_entropy", x, y)


def risk(scores, heads, labels=None, *, root: str, lengths=None, projective: bool = False) -> torch.Tensor:
    """Returns the expected fraction of words with the right head (and label), (...), with two derivatives.

    heads and labels are integers (..., n+1), or (..., *more, n+1) for many trees of each graph. Takes O(n^3).

    >>> kt.risk(torch.zeros(3, 3), torch.tensor([-1, 0, 1]), root="single").item()
    0.5
    """
    x = numbers(scores, host=projective)
    p = distribution_of(x, root, lengths, labels is not None, projective=projective)
    gold, n = gold_trees(p, heads, labels), torch.as_tensor(p.lengths)
    marginals = Marginals.apply(p, x)  # this says what is wrong with the scores, or the tree
    arcs = TreeArcs(x.shape, gold, n)
    return like(arcs.sum(marginals) / with_axes(n, arcs.more), scores)


def log_prob(scores, heads, labels=None, *, root: str, lengths=None, projective: bool = False) -> torch.Tensor:
    """Returns log p(tree) = score - log Z, (...), with three derivatives, in O(n^3); it is -inf for an impossible arc.

    heads and labels are integers (..., n+1), or (..., *more, n+1) for many trees of each graph, as p.sample(more) has
    them. ValueError says why heads are not a tree.

    >>> kt.log_prob(torch.zeros(3, 3, dtype=torch.float64), torch.tensor([-1, 0, 1]), root="single").exp().item()
    0.5
    """
    x = numbers(scores, host=projective)
    p = distribution_of(x, root, lengths, labels is not None, single=True, projective=projective)
    many = torch.as_tensor(heads).dim() > len(p.batch_shape) + 1
    value = log_prob_of_many(x, x, p, heads, labels) if many else LogProb.apply(x, arcs_of(p, heads, labels), p)
    if projective:  # arcs that are possible may cross
        gold = (torch.as_tensor(t).cpu().numpy() for t in ((heads,) if labels is None else (heads, labels)))
        value = value.masked_fill(torch.isinf(tensor_of(p.log_prob(*gold))), -float("inf"))
    return like(value, scores)


def factor_graph(graph: FactorGraph, variables: Optional[torch.Tensor] = None,
                 factors: Optional[Mapping[int, torch.Tensor]] = None, *, pairs: Optional[Tuple] = None, gold=None,
                 loss: str = "crf", beta: Optional[float] = None, gamma: Optional[float] = None,
                 cost: str = "mistakes", costs=None, method: str = "ad3", maximum: str = "relaxed",
                 damping: float = 0.0, max_iterations: Optional[int] = None, tolerance: Optional[float] = None,
                 threads: int = 0, schedule: str = "sequential", retry_damping: float = 0.0,
                 free_energy: str = "bethe") -> torch.Tensor:
    """Returns log Z of a factor graph, or with `gold` its loss as in kirchhoff.structured_loss, with a derivative.

    Scores in the place of the graph's own are those of its variables (..., variables), of the `factors` with these
    numbers, each in the shape of its table, and of `pairs`: the numbers of k factors, -1 for none, and scores (..., k).
    They and gold (..., variables) may be batches, which are broadcast against each other and answered by `threads`
    threads, 0 for all cores; the value is (...). log Z is Bethe's approximation, exact without loops, or with
    free_energy="convex" one that is never too low. schedule, damping and retry_damping are those of solve_bp. Takes what
    the solver takes.

    >>> g = kirchhoff.FactorGraph()
    >>> pair = g.add_pair(g.add_variable(), g.add_variable(), 0.0)
    >>> scores = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    >>> kt.factor_graph(g, scores, {pair: torch.tensor(1.0)}).exp().round(decimals=4).item()  # 3 + e
    5.7183
    >>> kt.factor_graph(g, scores, gold=[1, 1], loss="svm").backward()
    >>> scores.grad.tolist()  # the worst are both 0
    [-1.0, -1.0]
    """
    value = graph_value(graph, variables, factors, pairs, gold, (loss, beta, gamma, cost, costs, method, maximum),
                        ((schedule, damping, retry_damping, free_energy), max_iterations, tolerance, threads))
    return value if variables is None else like(value, variables)


class TreeCRF(torch.nn.Module):
    """The loss of each graph, by default -log p(gold tree); `reduction` is mean, sum or none. Takes O(n^3) a graph.

    `loss` is any of the family 1/beta log sum over trees y of exp beta[score(y) - score(gold) + gamma cost(y)]: crf,
    softmax_margin, svm, perceptron, or with other beta and gamma; beta = inf is a maximum. The cost is the number of
    words with a wrong head (or label), and cost="hamming" doubles it. loss="risk" is the expected cost. With
    projective=True trees are those whose arcs do not cross, and the loss of a gold tree whose arcs do is inf.

    >>> loss = kt.TreeCRF(root="single")
    >>> scores = torch.zeros(1, 3, 3, dtype=torch.float64)
    >>> loss(scores, torch.tensor([[-1, 0, 1]])).exp().round(decimals=6).item()  # one of two trees
    2.0
    >>> kt.TreeCRF(root="single", loss="svm")(scores, torch.tensor([[-1, 0, 1]])).item()  # two heads can be wrong
    2.0
    """

    def __init__(self, *, root: str, reduction: str = "mean", loss: str = "crf", beta: Optional[float] = None,
                 gamma: Optional[float] = None, cost: str = "mistakes", projective: bool = False):
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"reduction is {reduction!r}, expected 'mean', 'sum' or 'none'")
        self.root, self.reduction, self.loss, self.projective = root, reduction, loss, projective
        self.kind, self.beta, self.gamma = _core.named_loss(loss, beta, gamma, cost)
        if not self.beta > 0.0 or not 0.0 <= self.gamma < float("inf"):
            raise ValueError("beta must be above 0 and gamma finite and not negative")

    def forward(self, scores, heads, lengths=None, labels: Optional[torch.Tensor] = None) -> torch.Tensor:
        """Returns the loss of scores (batch, n+1, n+1[, labels]), heads and labels (batch, n+1), lengths (batch,).

        >>> gold = torch.tensor([[-1, 0, 1]])
        >>> kt.TreeCRF(root="single", reduction="none")(scores, gold, torch.tensor([2])).shape
        torch.Size([1])
        """
        loss = self._losses(scores, heads, lengths, labels)
        return loss if self.reduction == "none" else getattr(loss, self.reduction)()

    def _losses(self, scores, heads, lengths, labels) -> torch.Tensor:
        if self.kind == "expected_cost":
            words = scores.shape[1 - (2 if labels is None else 3)] - 1 if lengths is None else lengths
            right = risk(scores, heads, labels, root=self.root, lengths=lengths, projective=self.projective)
            return torch.as_tensor(words, device=right.device) * (1.0 - right)
        x = numbers(scores, host=self.projective)
        if self.gamma != 0.0:
            x = x + self.gamma * wrong_arcs(x, heads, labels)
        if self.beta != float("inf"):
            log_p = log_prob(self.beta * x, heads, labels, root=self.root, lengths=lengths, projective=self.projective)
            return like(-log_p / self.beta, scores)
        p = distribution_of(x, self.root, lengths, labels is not None, projective=self.projective)
        gold_trees(p, heads, labels)  # says why they are not trees
        best = p.argmax()
        return like(tree_score(x, best.heads, best.labels, lengths=lengths)
                    - tree_score(x, heads, labels, lengths=lengths), scores)

    def distribution(self, scores, lengths=None, labelled: bool = False) -> TreeDistribution:
        """Returns the distribution, for decoding, sampling and everything without a gradient.

        >>> loss.distribution(scores).argmax().heads.tolist()
        [[-1, 0, 1]]
        """
        return distribution(scores, root=self.root, lengths=lengths, labelled=labelled, projective=self.projective)

    def extra_repr(self) -> str:
        """Describes the loss when PyTorch prints modules.

        >>> kt.TreeCRF(root="multi", loss="softmax_margin")
        TreeCRF(root='multi', reduction='mean', beta=1.0, gamma=1.0)
        """
        numbers_of = f"beta={self.beta}, gamma={self.gamma}" if self.kind == "log_sum" else f"loss={self.loss!r}"
        return f"root={self.root!r}, reduction={self.reduction!r}, {numbers_of}" + ", projective=True" * self.projective
