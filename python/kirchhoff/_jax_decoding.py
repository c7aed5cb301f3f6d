"""Trees that kirchhoff.jax finds: best ones and samples. They work under jit and vmap; log_prob alone has derivatives."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from ._arrays import counted, seed_of
from ._jax_arguments import arguments, described, first_of, trees_found
from ._jax_families import trees
from ._jax_trees import Search, find_by_key
from .distribution import TreeDistribution
from .trees import Trees


def argmax(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False) -> Trees:
    """Returns the most probable tree: heads and labels (..., n+1), and log_prob (...), which alone has derivatives.

    >>> kj.argmax(jnp.array([[0.0, 1, 0], [0, 0, 2], [0, 0, 0]]), root="single").heads.tolist()
    [-1, 0, 1]
    """
    scores, lengths, static = arguments(scores, lengths, root, labelled, projective)
    return first_of(trees_found(scores, scores, lengths, Search(), static))


def mbr(scores, *, root: str, lengths=None, labelled: bool = False, projective: bool = False) -> Trees:
    """Returns the tree whose marginals have the highest sum, in the shapes of argmax.

    >>> kj.mbr(jnp.array([[0.0, 1, 0], [0, 0, 2], [0, 0, 0]]), root="single").heads.tolist()
    [-1, 0, 1]
    """
    scores, lengths, static = arguments(scores, lengths, root, labelled, projective)
    gains = jnp.where(scores == -jnp.inf, -jnp.inf, trees.marginals(jax.lax.stop_gradient(scores), lengths, **static)[0])
    return first_of(trees_found(scores, gains, lengths, Search(), static))


def k_best(scores, k: int, *, root: str, lengths=None, labelled: bool = False, projective: bool = False) -> Trees:
    """Returns the k most probable trees, best first: heads and labels (..., k, n+1), and log_prob (..., k).

    log_prob has derivatives. Trees that do not exist are -1, and their log_prob is -inf. The work is done on the CPU.

    >>> kj.k_best(jnp.array([[0.0, 1, 0], [0, 0, 2], [0, 0, 0]]), 2, root="single").heads.tolist()
    [[-1, 0, 1], [-1, 2, 0]]
    """
    if k < 0:
        raise ValueError(f"k is {k}, expected 0 or more")
    scores, lengths, static = arguments(scores, lengths, root, labelled, projective)
    return trees_found(scores, scores, lengths, Search(trees=int(k), list=True), static)


def sample(scores, shape=(), *, root: str, seed=0, method: str = "automatic", lengths=None,
           labelled: bool = False, projective: bool = False) -> Trees:
    """Draws independent trees for each graph: heads and labels (..., *shape, n+1), log_prob (..., *shape).

    The seed is a Python integer, which inside jit is a part of the compiled function; or one of JAX's keys, of
    `jax.random.key` or of `PRNGKey`, or an array of one integer, which is not: then trees are found on the CPU. Graph i of a batch, and of what vmap makes one, has the
    seed `seed + i`, and with keys one made of all keys. seed=None is another integer each time that this is called or
    compiled. See TreeDistribution.sample for the methods.

    >>> kj.sample(jnp.zeros((3, 3)), 4, root="single", seed=1).heads.shape
    (4, 3)
    >>> import jax
    >>> draw = jax.jit(lambda key: kj.sample(jnp.zeros((3, 3)), root="single", seed=key).heads)
    >>> draw(jax.random.key(0)).shape
    (3,)
    """
    scores, lengths, static = arguments(scores, lengths, root, labelled, projective)
    shape, count = counted(shape)
    TreeDistribution(np.zeros((2, 2)), root=root).sample(0, method=method)  # says what is wrong with method
    if isinstance(seed, jax.Array):
        heads, labels = find_by_key(scores, lengths, seed, count, method, static)
        found = described(scores, lengths, heads, labels, static)
    else:
        found = trees_found(scores, scores, lengths, Search(True, count, seed_of(seed, None), method), static)
    full = found.log_prob.shape[:-1] + shape
    rows = full + found.heads.shape[-1:]
    return Trees(found.heads.reshape(rows), None if found.labels is None else found.labels.reshape(rows),
                 found.log_prob.reshape(full))
