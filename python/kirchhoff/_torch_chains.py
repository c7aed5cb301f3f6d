"""Linear chains for PyTorch.

Scores are emissions (..., length, tags) and transitions (..., length-1, tags, tags), or what ChainDistribution takes in
the place of these; `lengths` holds the positions of each chain of a padded batch. The work is done on the CPU.
"""

from __future__ import annotations

from typing import Tuple

import torch

from . import _torch_verbs as verbs
from ._many import with_axes
from ._torch_functions import LogPartition, Marginals, Scored, widened
from ._torch_numbers import doubles, like
from .chain import ChainDistribution

_AXES = (2, 3)  # of the scores of one chain


def _chain_of(x: torch.Tensor, y: torch.Tensor, lengths) -> ChainDistribution:
    """Returns what answers about prepared scores."""
    if lengths is not None:
        lengths = torch.as_tensor(lengths).cpu().numpy()
    return ChainDistribution(x.detach().numpy(), y.detach().numpy(), lengths=lengths)


def _chains(emissions: torch.Tensor, transitions: torch.Tensor, lengths) -> Scored:
    """Returns scores as doubles, transitions for every position; gradients flow back to the caller's."""
    x, y = doubles(emissions, "emissions"), doubles(transitions, "transitions")
    full = ChainDistribution._spread(y.detach().numpy(), tuple(x.shape)).shape if x.dim() > 1 else y.shape
    if y.dim() in (2, x.dim()) and y.shape[-2:] == full[-2:] and y.dim() != len(full):
        y = y.unsqueeze(-3)
    return Scored((x, y.expand(full)), lambda e, t: _chain_of(e, t, lengths), emissions, _AXES)


def _pair(p_scores, q_scores, lengths) -> Tuple[Scored, Scored]:
    (e, t), (f, u) = p_scores, q_scores
    return _chains(e, t, lengths), _chains(f, u, lengths)


def chain_distribution(emissions, transitions, *, lengths=None) -> ChainDistribution:
    """Returns the distribution itself, without gradients, for decoding and sampling; its answers are NumPy's arrays.

    >>> kt.chain_distribution(torch.eye(3), torch.zeros(3, 3)).argmax().tags.tolist()
    [0, 1, 2]
    """
    x = _chains(emissions, transitions, lengths)
    return x.make(*x.scores)


def chain_log_partition(emissions, transitions, *, lengths=None) -> torch.Tensor:
    """Returns log Z of each chain (...), with three derivatives, each in O(length tags^2).

    emissions are (..., length, tags) and transitions (..., length-1, tags, tags), or (tags, tags) for all positions, or
    (..., tags, tags); see ChainDistribution.

    >>> kt.chain_log_partition(torch.zeros(3, 2), torch.zeros(2, 2)).exp().round(decimals=4).item()
    8.0
    """
    return verbs.log_partition(_chains(emissions, transitions, lengths))


def chain_marginals(emissions, transitions, *, lengths=None) -> Tuple[torch.Tensor, ...]:
    """Returns the probabilities of tags and of pairs of tags, with two derivatives, in O(length tags^2).

    >>> tags, pairs = kt.chain_marginals(torch.zeros(3, 2), torch.zeros(2, 2))
    >>> tags[0].tolist(), pairs.shape
    ([0.5, 0.5], torch.Size([2, 2, 2]))
    """
    return verbs.marginals(_chains(emissions, transitions, lengths))


def chain_expectation(emissions, transitions, f, *, lengths=None) -> torch.Tensor:
    """Returns E[f] (..., features) of additive functions of the tags, with two derivatives, in O(values of f).

    f is a pair of tensors (..., features, length, tags) and (..., features, length-1, tags, tags). It is linear in f.

    >>> ones = torch.ones(1, 3, 2), torch.zeros(1, 2, 2, 2)
    >>> kt.chain_expectation(torch.zeros(3, 2), torch.zeros(2, 2), ones).tolist()  # the number of positions
    [3.0]
    """
    x = _chains(emissions, transitions, lengths)
    if not isinstance(f, (tuple, list)) or len(f) != 2:
        raise ValueError("f: expected a pair (emissions, transitions), such as ChainArrays")
    return verbs.expectation(x, tuple(doubles(torch.as_tensor(part), "f") for part in f), _AXES)


def chain_score(emissions, transitions, tags, *, lengths=None) -> torch.Tensor:
    """Returns the sum of the scores of a sequence's tags and pairs, (...), for integers (..., length), in O(length).

    >>> kt.chain_score(torch.eye(3), torch.zeros(3, 3), torch.tensor([0, 1, 1])).item()
    2.0
    """
    x = _chains(emissions, transitions, lengths)
    return like(_score(x, x.make(*x.scores), tags), emissions)


def _checked(p: ChainDistribution, tags) -> Tuple[torch.Tensor, torch.Tensor, tuple]:
    """Returns tags (..., *more, length), 0 beyond a chain's length, where that is, and the shape of a chain's many.

    ValueError says what is wrong.
    """
    tags = torch.as_tensor(tags).cpu()
    p.log_prob(tags.numpy())
    more = tuple(tags.shape[len(p.batch_shape):-1])
    beyond = torch.arange(p.event_shape[0]) >= with_axes(torch.as_tensor(p.lengths), more).unsqueeze(-1)
    return tags.long().expand(p.batch_shape + more + p.event_shape).masked_fill(beyond, 0), beyond, more


def _of_tags(emissions: torch.Tensor, tags: torch.Tensor, beyond: torch.Tensor) -> torch.Tensor:
    """Returns the sum over positions of the numbers of a sequence's tags."""
    return emissions.gather(-1, tags.unsqueeze(-1)).squeeze(-1).masked_fill(beyond, 0.0).sum(-1)


def _score(x: Scored, p: ChainDistribution, tags) -> torch.Tensor:
    tags, beyond, more = _checked(p, tags)
    emissions, transitions = widened(x.scores, _AXES, more)
    index = (tags[..., :-1] * p.tags + tags[..., 1:]).unsqueeze(-1)
    pairs = transitions.flatten(-2).gather(-1, index).squeeze(-1).masked_fill(beyond[..., 1:], 0.0)
    return _of_tags(emissions, tags, beyond) + pairs.sum(-1)


def chain_log_prob(emissions, transitions, tags, *, lengths=None) -> torch.Tensor:
    """Returns log p(tags), (...), for integers (..., length), with three derivatives, in O(length tags^2).

    With more axes after the batch's there are many sequences of each chain, as in ChainDistribution.log_prob, and so
    for chain_score and chain_risk. What comes after a chain's length is ignored. Minus its mean is the loss of a linear-chain CRF.

    >>> kt.chain_log_prob(torch.zeros(3, 2), torch.zeros(2, 2), torch.tensor([0, 1, 1])).exp().item()
    0.125
    """
    x = _chains(emissions, transitions, lengths)
    p = x.make(*x.scores)
    score = _score(x, p, tags)
    log_z = LogPartition.apply(p, *x.scores)
    return like(score - log_z.reshape(log_z.shape + (1,) * (score.dim() - log_z.dim())), emissions)


def chain_risk(emissions, transitions, tags, *, lengths=None) -> torch.Tensor:
    """Returns the expected fraction of positions with the right tag, (...), with two derivatives, in O(length tags^2).

    tags are integers (..., length).

    >>> kt.chain_risk(torch.zeros(3, 2), torch.zeros(2, 2), torch.tensor([0, 1, 1])).item()
    0.5
    """
    x = _chains(emissions, transitions, lengths)
    p = x.make(*x.scores)
    tags, beyond, more = _checked(p, tags)
    (marginals,) = widened(Marginals.apply(p, *x.scores)[:1], _AXES[:1], more)
    return like(_of_tags(marginals, tags, beyond) / with_axes(torch.as_tensor(p.lengths), more), emissions)


def chain_entropy(emissions, transitions, *, lengths=None) -> torch.Tensor:
    """Returns the entropy in nats, (...), with two derivatives, in O(length tags^2).

    >>> kt.chain_entropy(torch.zeros(3, 2), torch.zeros(2, 2)).exp().round(decimals=4).item()
    8.0
    """
    return verbs.information("entropy", _chains(emissions, transitions, lengths))


def chain_renyi(emissions, transitions, alpha: float, *, lengths=None) -> torch.Tensor:
    """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha), (...), with two derivatives, in O(length tags^2).

    >>> kt.chain_renyi(torch.zeros(3, 2), torch.zeros(2, 2), 2.0).exp().round(decimals=4).item()
    8.0
    """
    return verbs.renyi(_chains(emissions, transitions, lengths), alpha)


def chain_kl(p_scores, q_scores, *, lengths=None) -> torch.Tensor:
    """Returns KL(p || q), (...), of pairs (emissions, transitions), with two derivatives by all, in O(length tags^2).

    >>> scores = torch.zeros(3, 2), torch.zeros(2, 2)
    >>> kt.chain_kl(scores, scores).item()
    0.0
    """
    return verbs.information("kl", *_pair(p_scores, q_scores, lengths))


def chain_cross_entropy(p_scores, q_scores, *, lengths=None) -> torch.Tensor:
    """Returns E_p[-log q], (...), of pairs (emissions, transitions), with two derivatives by all.

    It takes O(length tags^2).

    >>> scores = torch.zeros(3, 2), torch.zeros(2, 2)
    >>> kt.chain_cross_entropy(scores, scores).exp().round(decimals=4).item()
    8.0
    """
    return verbs.information("cross_entropy", *_pair(p_scores, q_scores, lengths))
