"""Linear chains for JAX.

Scores are emissions (..., length, tags) and transitions (..., length-1, tags, tags), or what ChainDistribution takes in
the place of these; `lengths` holds the positions of each chain of a padded batch. The work is done on the CPU.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from ._arrays import counted
from ._jax_families import Family
from ._jax_primitives import Kind, lengths_of_all, of_one_dtype, of_two
from ._jax_search import search, widened
from ._many import with_axes
from .chain import ChainDistribution
from .tag_sequences import TagSequences


def _chains_of(x, y, lengths) -> ChainDistribution:
    return ChainDistribution(x, y, lengths=lengths)


chains = Family(Kind("chain_", _chains_of, lambda _: (2, 3), 2))


def _arguments(emissions, transitions, lengths):
    """Returns scores of one dtype, transitions for every position, and lengths; says what is wrong with the shapes."""
    emissions, transitions = of_one_dtype(emissions, transitions)
    if emissions.ndim < 2 or 0 in emissions.shape:
        raise ValueError(f"emissions: shape {emissions.shape} is not (..., length, tags) with at least one of each")
    full = ChainDistribution._spread(np.broadcast_to(0.0, transitions.shape), emissions.shape).shape
    if transitions.ndim in (2, emissions.ndim) and transitions.ndim != len(full):
        transitions = transitions[..., None, :, :]
    lengths = lengths_of_all(lengths, emissions.shape[-2], emissions.shape[:-2])
    return emissions, jnp.broadcast_to(transitions, full), lengths


def chain_log_partition(emissions, transitions, *, lengths=None):
    """Returns log Z of each chain (...), with three derivatives, each in O(length tags^2).

    emissions are (..., length, tags) and transitions (..., length-1, tags, tags), or (tags, tags) for all positions, or
    (..., tags, tags); see ChainDistribution.

    >>> round(float(jnp.exp(kj.chain_log_partition(jnp.zeros((3, 2)), jnp.zeros((2, 2))))), 4)
    8.0
    """
    return chains.log_partition(*_arguments(emissions, transitions, lengths))


def chain_marginals(emissions, transitions, *, lengths=None):
    """Returns the probabilities of tags and of pairs of tags, with two derivatives, in O(length tags^2).

    >>> kj.chain_marginals(jnp.zeros((3, 2)), jnp.zeros((2, 2)))[0][0].tolist()
    [0.5, 0.5]
    """
    return tuple(chains.marginals(*_arguments(emissions, transitions, lengths)))


def chain_expectation(emissions, transitions, f, *, lengths=None):
    """Returns E[f] (..., features) of additive functions of the tags, with two derivatives, in O(values of f).

    f is a pair of arrays (..., features, length, tags) and (..., features, length-1, tags, tags). It is linear in f.

    >>> ones = jnp.ones((1, 3, 2)), jnp.zeros((1, 2, 2, 2))
    >>> kj.chain_expectation(jnp.zeros((3, 2)), jnp.zeros((2, 2)), ones).tolist()  # the number of positions
    [3.0]
    """
    if not isinstance(f, (tuple, list)) or len(f) != 2:
        raise ValueError("f: expected a pair (emissions, transitions), such as ChainArrays")
    return chains.expectation(*_arguments(emissions, transitions, lengths), f=f)


def chain_entropy(emissions, transitions, *, lengths=None):
    """Returns the entropy in nats, (...), with two derivatives, in O(length tags^2).

    >>> round(float(jnp.exp(kj.chain_entropy(jnp.zeros((3, 2)), jnp.zeros((2, 2))))), 4)
    8.0
    """
    return chains.information("entropy", *_arguments(emissions, transitions, lengths))


def chain_renyi(emissions, transitions, alpha: float, *, lengths=None):
    """Returns Renyi's entropy log(sum of p^alpha) / (1 - alpha), (...), with two derivatives, in O(length tags^2).

    alpha is a Python number: inside jit it is a part of the compiled function.

    >>> round(float(jnp.exp(kj.chain_renyi(jnp.zeros((3, 2)), jnp.zeros((2, 2)), 2.0))), 4)
    8.0
    """
    return chains.renyi(*_arguments(emissions, transitions, lengths), alpha=alpha)


def chain_kl(p_scores, q_scores, *, lengths=None):
    """Returns KL(p || q), (...), of pairs (emissions, transitions), with two derivatives by all, in O(length tags^2).

    It is inf where q forbids a sequence that p allows, and then has no gradient: an error.

    >>> scores = jnp.zeros((3, 2)), jnp.zeros((2, 2))
    >>> float(kj.chain_kl(scores, scores))
    0.0
    """
    return chains.information("kl", *of_two(_arguments, p_scores, q_scores, lengths, (2, 3)))


def chain_cross_entropy(p_scores, q_scores, *, lengths=None):
    """Returns E_p[-log q], (...), of pairs (emissions, transitions), with two derivatives by all.

    It takes O(length tags^2). For infinite values see chain_kl.

    >>> scores = jnp.zeros((3, 2)), jnp.zeros((2, 2))
    >>> round(float(jnp.exp(kj.chain_cross_entropy(scores, scores))), 4)
    8.0
    """
    return chains.information("cross_entropy", *of_two(_arguments, p_scores, q_scores, lengths, (2, 3)))


def _checked(emissions, tags, lengths):
    """Returns tags (..., length), 0 where they are not used, where they are, and which sequences have tags that exist."""
    tags = jnp.asarray(tags)
    if not jnp.issubdtype(tags.dtype, jnp.integer):
        raise ValueError(f"tags: dtype {tags.dtype} is not an integer type")
    if tags.shape[-1:] != emissions.shape[-2:-1]:
        raise ValueError(f"tags: shape {tags.shape} does not end in (length,) = {emissions.shape[-2:-1]}")
    inside = jnp.arange(emissions.shape[-2]) < lengths[..., None]
    tags = jnp.where(inside, jnp.broadcast_to(tags, emissions.shape[:-1]), 0)
    known = jnp.all((tags >= 0) & (tags < emissions.shape[-1]), axis=-1)
    return jnp.clip(tags, 0, emissions.shape[-1] - 1), inside, known


def _of_tags(emissions, tags, inside):
    """Returns the sum over positions of the numbers of a sequence's tags."""
    return jnp.where(inside, jnp.take_along_axis(emissions, tags[..., None], axis=-1)[..., 0], 0).sum(-1)


def _score(emissions, transitions, tags, inside):
    index = (tags[..., :-1] * emissions.shape[-1] + tags[..., 1:])[..., None]
    pairs = jnp.take_along_axis(transitions.reshape(transitions.shape[:-2] + (-1,)), index, axis=-1)[..., 0]
    return _of_tags(emissions, tags, inside) + jnp.where(inside[..., 1:], pairs, 0).sum(-1)


def chain_score(emissions, transitions, tags, *, lengths=None):
    """Returns the sum of the scores of a sequence's tags and pairs, (...), for integers (..., length), in O(length).

    A tag that does not exist makes the result NaN, as JAX cannot raise an error about values under jit.

    >>> float(kj.chain_score(jnp.eye(3), jnp.zeros((3, 3)), jnp.array([0, 1, 1])))
    2.0
    """
    return _scores(_arguments(emissions, transitions, lengths), tags)[0]


def _scores(operands, tags):
    """Returns the scores of the sequences of each chain, (..., *more), and `more`."""
    more = jnp.shape(tags)[operands[0].ndim - 2:-1]
    x, y, lengths = widened(operands[:2], (2, 3), operands[2], more)
    tags, inside, known = _checked(x, tags, lengths)
    return jnp.where(known, _score(x, y, tags, inside), jnp.nan), more


def chain_log_prob(emissions, transitions, tags, *, lengths=None):
    """Returns log p(tags), (...), for integers (..., length), with three derivatives, in O(length tags^2).

    With more axes after the batch's there are many sequences of each chain, as in ChainDistribution.log_prob, and so
    for chain_score and chain_risk. What comes after a chain's length is ignored. A tag that does not exist makes the result NaN, as JAX cannot raise an
    error about values under jit.

    >>> round(float(kj.chain_log_prob(jnp.zeros((3, 2)), jnp.zeros((2, 2)), jnp.array([0, 1, 1]))), 4)
    -2.0794
    """
    operands = _arguments(emissions, transitions, lengths)
    score, more = _scores(operands, tags)
    return score - with_axes(chains.log_partition(*operands), more)


def chain_risk(emissions, transitions, tags, *, lengths=None):
    """Returns the expected fraction of positions with the right tag, (...), with two derivatives, in O(length tags^2).

    tags are integers (..., length); one that does not exist makes the result NaN.

    >>> float(kj.chain_risk(jnp.zeros((3, 2)), jnp.zeros((2, 2)), jnp.array([0, 1, 1])))
    0.5
    """
    operands = _arguments(emissions, transitions, lengths)
    more = jnp.shape(tags)[operands[0].ndim - 2:-1]
    x, lengths = widened(chains.marginals(*operands)[:1], (2,), operands[2], more)
    tags, inside, known = _checked(x, tags, lengths)
    right = _of_tags(x, tags, inside)
    return jnp.where(known, right / jnp.asarray(lengths).astype(x.dtype), jnp.nan)


def _found(ask, operands, shape: tuple) -> TagSequences:
    """Returns the sequences ask(p) (..., count, length) as (..., *shape, length), with their log-probabilities."""
    x, y, lengths = operands
    count = int(np.prod(shape, dtype=np.int64))
    length, tags_count = x.shape[-2:]
    (tags,) = search(_chains_of, ask, [x.shape[:-2] + (count, length)], operands)
    at, inside = jnp.maximum(tags, 0), jnp.arange(length) < jnp.asarray(lengths)[..., None, None]
    own = (jnp.arange(length) * tags_count + at, x, inside)
    pairs = ((jnp.arange(length - 1) * tags_count + at[..., :-1]) * tags_count + at[..., 1:], y, inside[..., 1:])
    log_prob = jnp.broadcast_to(-chains.log_partition(x, y, lengths)[..., None], tags.shape[:-1])
    for index, scores, used in (own, pairs):
        if index.size:
            flat = scores.reshape(x.shape[:-2] + (-1,))
            gathered = jnp.take_along_axis(flat, index.reshape(x.shape[:-2] + (-1,)), axis=-1)
            log_prob = log_prob + jnp.where(used, gathered.reshape(index.shape), 0).sum(-1)
    full = x.shape[:-2] + shape
    return TagSequences(tags.reshape(full + (length,)), log_prob.reshape(full))


def chain_argmax(emissions, transitions, *, lengths=None) -> TagSequences:
    """Returns the most probable sequence: tags (..., length), and log_prob (...), which alone has derivatives.

    >>> kj.chain_argmax(jnp.eye(3), jnp.zeros((3, 3))).tags.tolist()
    [0, 1, 2]
    """
    return _found(lambda p: (p.argmax().tags[..., None, :],), _arguments(emissions, transitions, lengths), ())


def chain_mbr(emissions, transitions, *, lengths=None) -> TagSequences:
    """Returns the possible sequence with the most right tags, as expected, in the shapes of chain_argmax.

    >>> kj.chain_mbr(jnp.eye(3), jnp.zeros((3, 3))).tags.tolist()
    [0, 1, 2]
    """
    return _found(lambda p: (p.mbr().tags[..., None, :],), _arguments(emissions, transitions, lengths), ())


def chain_k_best(emissions, transitions, k: int, *, lengths=None) -> TagSequences:
    """Returns the k most probable sequences, best first: tags (..., k, length), and log_prob (..., k).

    log_prob has derivatives. Sequences that do not exist are -1, and their log_prob is -inf.

    >>> kj.chain_k_best(jnp.eye(2), jnp.zeros((2, 2)), 2).tags[0].tolist()
    [0, 1]
    """
    found = _found(lambda p: (p.k_best(k).tags,), _arguments(emissions, transitions, lengths), (k,))
    return found._replace(log_prob=jnp.where(found.tags[..., 0] < 0, -jnp.inf, found.log_prob))


def chain_sample(emissions, transitions, shape=(), *, seed: int = 0, lengths=None) -> TagSequences:
    """Draws independent sequences for each chain: tags (..., *shape, length), log_prob (..., *shape).

    The seed is a Python integer: inside jit it is a part of the compiled function. Chain i of a batch, and of what vmap
    makes one, has the seed `seed + i`.

    >>> kj.chain_sample(jnp.zeros((3, 2)), jnp.zeros((2, 2)), 4, seed=1).tags.shape
    (4, 3)
    """
    shape, count = counted(shape)
    return _found(lambda p: (p.sample(count, seed=seed).tags,), _arguments(emissions, transitions, lengths), shape)
