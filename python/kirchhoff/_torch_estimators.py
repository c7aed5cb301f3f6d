"""Trees that are drawn, and gradients through them, for PyTorch: estimators of expectations, and relaxations."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

import numpy as np
import torch
from torch.autograd import Function

from . import _core
from ._many import with_axes
from ._torch_functions import LogPartition, Marginals, tensor_of
from ._torch_numbers import distribution_of, like, numbers
from ._torch_trees import TreeArcs, gold_trees


def log_prob_of_many(scores: torch.Tensor, x: torch.Tensor, p: Any, heads, labels) -> torch.Tensor:
    """Returns log p of the trees of each graph, (..., *more), of prepared scores x, to which gradients flow."""
    arcs = TreeArcs(x.shape, gold_trees(p, heads, labels), torch.as_tensor(p.lengths))
    log_z = LogPartition.apply(p, x)
    return like(arcs.sum(x) - with_axes(log_z, arcs.more), scores)


def partial_log_prob(scores, heads, labels=None, *, root: str, lengths=None, labelled: bool = False,
                     projective: bool = False) -> torch.Tensor:
    """Returns log of the probability of all trees that agree with a partial tree, (...), with three derivatives.

    heads are integers (..., n+1), -1 for words whose heads are not known; labels are the same of labels, and None where
    none is known. Minus its mean is the loss of partially annotated trees. Takes O(n^3). Infeasible is raised when no
    tree agrees.

    >>> scores = torch.zeros(3, 3, dtype=torch.float64)
    >>> kt.partial_log_prob(scores, torch.tensor([-1, 0, -1]), root="multi").exp().round(decimals=6).item()
    0.666667
    """
    x = numbers(scores, host=projective)
    labelled = labelled or labels is not None
    arcs = x.shape[:-1] if labelled else x.shape
    given = _known(heads, arcs[:-1], arcs[-1] - 1, x, "heads")
    allowed = (given < 0).unsqueeze(-2) | (given.unsqueeze(-2) == torch.arange(arcs[-1], device=x.device).unsqueeze(-1))
    if labelled:
        names = given.new_full(given.shape, -1) if labels is None else _known(labels, arcs[:-1], x.shape[-1] - 1, x,
                                                                                 "labels")
        right = (names < 0).unsqueeze(-1) | (names.unsqueeze(-1) == torch.arange(x.shape[-1], device=x.device))
        allowed = allowed.unsqueeze(-1) & right.unsqueeze(-3)
    masked = x.masked_fill(~allowed, -float("inf"))

    def log_z(values):
        return LogPartition.apply(distribution_of(values, root, lengths, labelled, single=True, projective=projective),
                                  values)

    return like(log_z(masked) - log_z(x), scores)


def _known(values, shape: tuple, most: int, x: torch.Tensor, name: str) -> torch.Tensor:
    """Returns heads or labels (..., n+1), -1 where they are not known, and for the root."""
    values = torch.as_tensor(values).to(x.device)
    if values.is_floating_point() or values.is_complex() or values.dtype == torch.bool:
        raise ValueError(f"{name}: dtype {values.dtype} is not an integer type")
    if values.dim() == 0 or values.shape[-1] != shape[-1]:
        raise ValueError(f"{name}: shape {tuple(values.shape)} does not end in (n+1,) = {tuple(shape[-1:])}")
    values = values.long().expand(shape).clone()
    values[..., 0] = -1
    if (values > most).any():
        raise ValueError(f"{name}: {int(values.max())} is larger than {most}")
    return values


def _seed(seed: Optional[int]) -> int:
    """Returns the seed, or one from PyTorch's generator, so that torch.manual_seed makes it reproducible."""
    return int(torch.randint(2**62, ())) if seed is None else int(seed)


def expected_value(scores, f: Callable[..., Any], samples: int, *, root: str, lengths=None, labelled: bool = False,
                   projective: bool = False, replacement: bool = False, seed: Optional[int] = None) -> torch.Tensor:
    """Returns an unbiased estimate of E[f(tree)] of each graph, (...), with an unbiased derivative by the scores.

    f(heads), or f(heads, labels) of labelled graphs, is called once with integers (..., samples, n+1), -1 beyond a
    graph's words, and returns the values (..., samples) of these trees. If they have gradients, so has the result, to
    what f depends on. Trees are distinct, and weighed by the unordered set estimator [Kool20]; with `replacement` they
    are independent. In either case a baseline is built in: the gradient of a value's log-probability is multiplied with
    the value less what the other trees say of E[f]. Both are exact once all trees are drawn without replacement. One
    sample is REINFORCE without a baseline. Without a seed it is drawn from PyTorch's generator.

    >>> scores = torch.zeros(3, 3, dtype=torch.float64, requires_grad=True)
    >>> mean = kt.expected_value(scores, lambda heads: (heads[..., 1] == 0).double(), 3, root="multi")
    >>> mean.backward()
    >>> round(mean.item(), 6), [round(g, 6) for g in scores.grad[0].tolist()]  # all trees were drawn
    (0.666667, [0.0, 0.222222, -0.111111])
    """
    if samples < 1:
        raise ValueError(f"samples is {samples}, expected 1 or more")
    x = numbers(scores, host=projective)
    p = distribution_of(x, root, lengths, labelled, single=True, projective=projective)
    drawn = p.sample(samples, seed=_seed(seed)) if replacement else p.sample_without_replacement(samples,
                                                                                                  seed=_seed(seed))
    log_prob = tensor_of(drawn.log_prob).double()
    heads = _filled(torch.as_tensor(drawn.heads), log_prob)
    labels = None if drawn.labels is None else _filled(torch.as_tensor(drawn.labels), log_prob)
    values = torch.as_tensor(f(heads) if labels is None else f(heads, labels))
    if values.shape != log_prob.shape:
        raise ValueError(f"f: returned values of shape {tuple(values.shape)}, expected {tuple(log_prob.shape)}")
    values = values.to(x.device, torch.float64)
    fixed = values.detach()
    if replacement:
        weights = torch.full_like(fixed, 1.0 / samples)
        factors = (fixed - fixed.mean(-1, keepdim=True)) / (samples - 1) if samples > 1 else fixed
    else:
        weights, factors = _unordered(log_prob, fixed)
    log_p = log_prob_of_many(scores, x, p, heads, labels).to(torch.float64)
    surrogate = (factors * log_p).sum(-1)
    return like((weights * values).sum(-1) + (surrogate - surrogate.detach()), scores)


def _filled(trees: torch.Tensor, log_prob: torch.Tensor) -> torch.Tensor:
    """Returns trees (..., k, n+1) with the first one in the place of padding."""
    return torch.where((log_prob == -float("inf")).unsqueeze(-1), trees[..., :1, :], trees)


def _unordered(log_prob: torch.Tensor, values: torch.Tensor):
    rows = [t.reshape(-1, t.shape[-1]).cpu().numpy() for t in (log_prob, values)]
    found = _core.unordered_set_weights(rows[0]), _core.unordered_set_gradient(*rows)
    return [torch.as_tensor(np.asarray(t)).to(values.device).reshape(values.shape) for t in found]


class _Shifted:
    """Perturbed scores (..., *shape, n+1, n+1[, labels]) as one batch, and their lengths."""

    def __init__(self, scores, shape: Union[int, tuple], lengths, labelled: bool, projective: bool):
        self.x = numbers(scores, host=projective)
        more = (shape,) if isinstance(shape, int) else tuple(shape)
        axes = 3 if labelled else 2
        batch, core = tuple(self.x.shape[:-axes]), tuple(self.x.shape[-axes:])
        wide = self.x.reshape(batch + (1,) * len(more) + core)
        uniform = torch.rand(batch + more + core, dtype=torch.float64).clamp_min(1e-300)
        noise = -torch.log((-torch.log(uniform)).clamp_min(1e-300))
        self.scores = wide + noise.to(wide.device, wide.dtype)
        self.lengths = None
        if lengths is not None:
            self.lengths = with_axes(torch.as_tensor(lengths).expand(batch), more).expand(batch + more)


def relaxed_trees(scores, shape: Union[int, tuple] = (), *, temperature: float = 1.0, root: str, lengths=None,
                  labelled: bool = False, projective: bool = False) -> torch.Tensor:
    """Draws relaxed trees by perturb-and-marginals: (..., *shape, n+1, n+1[, labels]), with two derivatives.

    Gumbel noise is added to the scores, by PyTorch's generator, and the marginals at the `temperature` are taken: arcs
    in [0, 1], of which each word has 1 in all. At low temperatures they are nearly trees. Takes O(n^3) each.

    >>> kt.relaxed_trees(torch.zeros(3, 3), 5, temperature=0.1, root="single").sum(-2)[:, 1:].round().unique().tolist()
    [1.0]
    """
    if not temperature > 0.0:
        raise ValueError(f"temperature is {temperature}, expected a positive number")
    given = _Shifted(scores, shape, lengths, labelled, projective)
    y = given.scores / temperature
    p = distribution_of(y, root, given.lengths, labelled, single=True, projective=projective)
    return like(Marginals.apply(p, y), scores)


class _Imle(Function):
    """The best trees of scores as arrays of 0 and 1; backwards, how they move when the scores move against a gradient."""

    @staticmethod
    def forward(ctx, scores, best, step):
        found = best(scores)
        ctx.best, ctx.step = best, step
        ctx.save_for_backward(scores, found)
        return found

    @staticmethod
    def backward(ctx, grad):
        scores, found = ctx.saved_tensors
        return (found - ctx.best(scores - ctx.step * grad)) / ctx.step, None, None


def imle_trees(scores, shape: Union[int, tuple] = (), *, step: float = 10.0, root: str, lengths=None,
               labelled: bool = False, projective: bool = False) -> torch.Tensor:
    """Draws trees by perturb-and-MAP, as arrays of 0 and 1, (..., *shape, n+1, n+1[, labels]), with I-MLE's derivative.

    Gumbel noise is added to the scores, by PyTorch's generator, and the best tree is taken. Its derivative is that of
    [Niepert21]: for a gradient g by the arcs, the difference of the tree and of the best one of scores - step * g,
    divided by `step`. It is biased, and has one derivative. Takes O(n^2) each, twice with the derivative.

    >>> kt.imle_trees(torch.zeros(3, 3), 5, root="single").sum((-1, -2)).tolist()  # two arcs each
    [2.0, 2.0, 2.0, 2.0, 2.0]
    """
    if not step > 0.0:
        raise ValueError(f"step is {step}, expected a positive number")
    given = _Shifted(scores, shape, lengths, labelled, projective)

    def best(y):
        p = distribution_of(y, root, given.lengths, labelled, single=True, projective=projective)
        trees = p.argmax()
        gold = [None if t is None else torch.as_tensor(t).to(y.device) for t in (trees.heads, trees.labels)]
        arcs = TreeArcs(y.shape, gold, torch.as_tensor(p.lengths).to(y.device))
        return arcs.add_to(torch.zeros_like(y), torch.ones(y.shape[:-arcs.axes], dtype=y.dtype, device=y.device))

    return like(_Imle.apply(given.scores, best, step), scores)
