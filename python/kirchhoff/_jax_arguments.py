"""What kirchhoff.jax's functions of trees share: their arguments, sums over trees' arcs, and trees that are found."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from . import _core
from ._arrays import has_labels, lengths_of
from ._jax_families import trees
from ._jax_trees import Search, find
from ._many import spread
from .distribution import TreeDistribution
from .trees import Trees


def is_traced(value) -> bool:
    return isinstance(value, jax.core.Tracer)


def arguments(scores, lengths, root: str, labelled: bool, projective: bool):
    """Returns scores, lengths and the static arguments of a primitive; what can be wrong before values are known is."""
    TreeDistribution(np.zeros((2, 2)), root=root)  # says what is wrong with root
    scores = jnp.asarray(scores)
    if jnp.issubdtype(scores.dtype, jnp.integer):
        scores = scores.astype(jnp.result_type(float))
    if not jnp.issubdtype(scores.dtype, jnp.floating):
        raise ValueError(f"scores: dtype {scores.dtype} is not a real number type")
    arcs = 3 if has_labels(scores.shape, labelled) else 2
    static = {"root": root, "arcs": arcs, "projective": bool(projective)}
    shape, words = scores.shape[:-arcs], scores.shape[-arcs] - 1
    if not is_traced(lengths):
        lengths = lengths_of(words if lengths is None else lengths, shape)
        if ((lengths < 1) | (lengths > words)).any():
            raise ValueError(f"lengths: {lengths.tolist()} has numbers beyond 1 to {words} words")
        return scores, lengths.astype(np.int32), static
    if not jnp.issubdtype(lengths.dtype, jnp.integer):
        raise ValueError(f"lengths: dtype {lengths.dtype} is not an integer type")
    return scores, jnp.broadcast_to(lengths, shape), static


def _integers(values, batch: tuple, event: tuple, name: str):
    """Returns heads or labels (..., *more, n+1), and `more`."""
    values = values if is_traced(values) else np.asarray(values)
    if not jnp.issubdtype(values.dtype, jnp.integer):
        raise ValueError(f"{name}: dtype {values.dtype} is not an integer type")
    shape, more = spread(np.broadcast_to(0, values.shape), batch, event, name)
    return (jnp if is_traced(values) else np).broadcast_to(values, shape.shape), more


def _checked(heads, labels, lengths, root: str, label_count: int):
    """Returns the heads; the error that says why they are not trees comes now if they are known, else when it runs."""
    def check(heads, labels, lengths):
        rows = [np.asarray(x, np.int64).reshape(-1, heads.shape[-1]) for x in (heads, labels)]
        _core.check_trees(rows[0], rows[1], root, np.asarray(lengths, np.int64).reshape(-1), label_count)
        return np.asarray(heads)

    if any(map(is_traced, (heads, labels, lengths))):
        return jax.pure_callback(check, jax.ShapeDtypeStruct(heads.shape, heads.dtype), heads, labels, lengths,
                                 vmap_method="broadcast_all")
    return check(heads, labels, lengths)


def of_trees(array, heads, labels, lengths, root: str):
    """Returns the sums of an array's numbers of trees' arcs, (..., *more), and the heads, once they are checked."""
    x = array if labels is not None else array[..., None]
    batch = x.shape[:-3]
    heads, more = _integers(heads, batch, x.shape[-2:-1], "heads")
    labels, as_many = (np.zeros(heads.shape, np.int32), more) if labels is None else _integers(
        labels, batch, x.shape[-2:-1], "labels")
    if as_many != more:
        raise ValueError(f"labels: {as_many} trees of each graph, and heads are of {more}")
    rows = batch + (int(np.prod(more, dtype=np.int64)), x.shape[-2])
    lengths_of_each = jnp.broadcast_to(jnp.asarray(lengths)[..., None], rows[:-1]) if more else lengths
    flat = (heads.reshape(rows), labels.reshape(rows)) if more else (heads, labels)
    heads = _checked(*flat, lengths_of_each, root, x.shape[-1])
    score = _score(x, heads.reshape(rows), flat[1].reshape(rows), lengths)
    return score.reshape(batch + more), heads.reshape(batch + more + x.shape[-2:-1])


def agrees(scores, heads, labels, labelled: bool):
    """Returns which arcs agree with heads and labels, -1 or None where these are not known, like the scores."""
    shape = scores.shape[:-1] if labelled else scores.shape
    words = jnp.arange(shape[-1])
    known, more = _integers(heads, shape[:-2], shape[-1:], "heads")
    if more:
        raise ValueError(f"heads: {more} partial trees of each graph, where one is expected")
    known = jnp.where(words > 0, known, -1)[..., None, :]
    allowed = (known < 0) | (known == words[:, None])
    if not labelled:
        return allowed
    if labels is None:
        return jnp.broadcast_to(allowed[..., None], scores.shape)
    names = jnp.where(words > 0, _integers(labels, shape[:-2], shape[-1:], "labels")[0], -1)[..., None]
    return allowed[..., None] & ((names < 0) | (names == jnp.arange(scores.shape[-1])))[..., None, :, :]


def crosses(heads, lengths):
    """Returns which trees (..., n+1) have two arcs that cross."""
    words = jnp.arange(1, heads.shape[-1])
    used = words <= jnp.asarray(lengths)[..., None]
    low, high = jnp.minimum(words, heads[..., 1:]), jnp.maximum(words, heads[..., 1:])
    a, b = (jnp.where(used, x, 0)[..., :, None] for x in (low, high))
    x, y = (jnp.where(used, x, 0)[..., None, :] for x in (low, high))
    return ((a < x) & (x < b) & (b < y)).any((-1, -2))


def _score(x, heads, labels, lengths):
    """Returns the scores (..., trees) of trees (..., trees, n+1) in an array (..., n+1, n+1, labels)."""
    size = x.shape[-2]
    words = jnp.arange(1, size)
    index = (jnp.maximum(heads[..., 1:], 0) * size + words) * x.shape[-1] + jnp.maximum(labels[..., 1:], 0)
    flat = jnp.take_along_axis(x.reshape(x.shape[:-3] + (-1,)), index.reshape(index.shape[:-2] + (-1,)), axis=-1)
    return jnp.where(words <= lengths[..., None, None], flat.reshape(index.shape), 0).sum(-1)


def trees_found(scores, searched, lengths, search: Search, static) -> Trees:
    """Returns the trees that are found in `searched`, with their log-probabilities by `scores`, (..., trees)."""
    heads, labels = find(searched, lengths, search, **static)
    return described(scores, lengths, heads, labels, static)


def described(scores, lengths, heads, labels, static) -> Trees:
    """Returns trees with their log-probabilities, -inf for those that do not exist."""
    x = scores if static["arcs"] == 3 else scores[..., None]
    score = _score(x, heads, jnp.zeros_like(heads) if labels is None else labels, lengths)
    log_prob = score - trees.log_partition(scores, lengths, **static)[..., None]
    return Trees(heads, labels, jnp.where(heads[..., 1] < 0, -jnp.inf, log_prob))


def first_of(trees: Trees) -> Trees:
    return Trees(trees.heads[..., 0, :], None if trees.labels is None else trees.labels[..., 0, :],
                 trees.log_prob[..., 0])
