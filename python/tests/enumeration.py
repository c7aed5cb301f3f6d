"""All trees of a small graph, by trying every sequence of heads: the oracle of the tests of frameworks."""

import functools
import itertools

import numpy as np


def _reaches_root(heads, node):
    for _ in range(len(heads) + 1):
        if node == 0:
            return True
        node = heads[node - 1]
    return False


@functools.lru_cache(maxsize=None)
def trees(words, root):
    """The heads of words 1..n of every tree, (trees, n)."""
    found = [heads for heads in itertools.product(range(words + 1), repeat=words)
             if (root == "multi" or heads.count(0) == 1) and all(_reaches_root(heads, d) for d in heads)]
    return np.array(found)


@functools.lru_cache(maxsize=None)
def incidence(size, words, root, labels=None):
    """A row for every tree of `words` words, 1 where it has an arc: (trees, size, size[, labels]), size > words."""
    rows = []
    for heads in trees(words, root):
        for chosen in itertools.product(range(labels or 1), repeat=words):
            row = np.zeros((size, size, labels or 1))
            row[heads, np.arange(1, words + 1), chosen] = 1.0
            rows.append(row if labels else row[..., 0])
    return np.array(rows)


def cumulants(scores, root, *directions):
    """log Z, marginals, and the marginals along one and two directions, of one graph, in long double precision."""
    tables = incidence(scores.shape[0], scores.shape[0] - 1, root).astype(np.longdouble)
    total = tables.reshape(len(tables), -1) @ scores.astype(np.longdouble).ravel()
    top = total.max()
    weights = np.exp(total - top)
    p = weights / weights.sum()
    marginals = np.tensordot(p, tables, 1)
    centred = tables - marginals
    found = [top + np.log(weights.sum()), marginals]
    for d in directions:
        p = p * np.tensordot(centred, d.astype(np.longdouble), 2)
        found.append(np.tensordot(p, centred, 1))
    return found


class Oracle:
    """All assignments of `variables` binary variables; `score` gives each one's score, -inf when forbidden."""

    def __init__(self, variables, score):
        self.y = np.array(list(itertools.product((0, 1), repeat=variables)))
        self.scores = np.array([score(y) for y in self.y])
        self.log_z = np.logaddexp.reduce(self.scores)
        self.p = np.exp(self.scores - self.log_z)
        self.marginals = self.p @ self.y
        self.best = self.scores.max()
