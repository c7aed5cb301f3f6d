"""Every want by enumerating all trees. Slow, short, and shares nothing with the program."""

import itertools
import math

INF = math.inf


def reaches_root(heads, word):
    for _ in heads:
        if word == 0:
            return True
        word = heads[word]
    return word == 0


def trees(n, root):
    """Head tuples with heads[0] = -1."""
    for heads in itertools.product(range(n + 1), repeat=n):
        heads = (-1, *heads)
        if root == "single" and heads[1:].count(0) != 1:
            continue
        if all(reaches_root(heads, d) for d in range(1, n + 1)):
            yield heads


def log_sum(values):
    top = max(values, default=-INF)
    return top if top == -INF else top + math.log(math.fsum(math.exp(v - top) for v in values))


def arcs_of(tree):
    """Of a tree of `decode` or `sample`."""
    labels = tree.get("labels", [0] * len(tree["heads"]))
    return frozenset((h, d + 1, labels[d]) for d, h in enumerate(tree["heads"]))


class Oracle:
    """A tree is a frozenset of arcs (head, dependent, label); the label is 0 in an unlabelled graph."""

    def __init__(self, scores, root, power=1.0):
        self.n = len(scores) - 1
        self.labelled = isinstance(scores[0][1], list)
        cell = scores[0][1]
        self.labels = len(cell) if self.labelled else 1
        self.theta = {}
        for h, d in itertools.product(range(self.n + 1), range(1, self.n + 1)):
            for y in range(self.labels):
                value = scores[h][d][y] if self.labelled else scores[h][d]
                if h != d and value is not None:
                    self.theta[h, d, y] = value
        self.logs = {}
        for heads in trees(self.n, root):
            for labels in itertools.product(range(self.labels), repeat=self.n):
                arcs = frozenset((heads[d], d, labels[d - 1]) for d in range(1, self.n + 1))
                if all(arc in self.theta for arc in arcs):
                    self.logs[arcs] = power * math.fsum(self.theta[arc] for arc in arcs)
        self.log_z = log_sum(self.logs.values())
        self.p = {arcs: math.exp(s - self.log_z) for arcs, s in self.logs.items()}

    def given(self, require=(), forbid=()):
        """Log-probabilities of the trees with all arcs [head, dependent] of the one list and none of the other."""
        require, forbid = set(map(tuple, require)), set(map(tuple, forbid))
        bare = {t: {(h, d) for h, d, _ in t} for t in self.logs}
        logs = {t: s for t, s in self.logs.items() if require <= bare[t] and not forbid & bare[t]}
        log_z = log_sum(logs.values())
        return {t: s - log_z for t, s in logs.items()}

    def mean(self, value):
        return math.fsum(p * value(arcs) for arcs, p in self.p.items())

    def covariance(self, r, s):
        mr, ms = self.mean(r), self.mean(s)
        return self.mean(lambda t: (r(t) - mr) * (s(t) - ms))

    def array(self, value):
        """value((h, d, y)) for all arcs in the shape of the scores; None for no arc at all."""
        def cell(h, d, y):
            return value((h, d, y)) if d != 0 and h != d else value(None)
        nodes = range(self.n + 1)
        if self.labelled:
            return [[[cell(h, d, y) for y in range(self.labels)] for d in nodes] for h in nodes]
        return [[cell(h, d, 0) for d in nodes] for h in nodes]

    def gradient(self, r):
        return self.array(lambda a: self.covariance(r, lambda t: float(a in t)))

    def marginal(self, arc):
        return self.mean(lambda t: float(arc in t))

    def marginals(self):
        return self.array(self.marginal)

    def log_marginals(self):
        return self.array(lambda a: log_sum([s for t, s in self.logs.items() if a in t]) - self.log_z)

    def pair_marginals(self):
        """Of unlabelled arcs."""
        nodes = range(self.n + 1)
        bare = {t: {(h, d) for h, d, _ in t} for t in self.p}
        return [[[[self.mean(lambda t: float((a, b) in bare[t] and (c, d) in bare[t])) for d in nodes] for c in nodes]
                 for b in nodes] for a in nodes]

    def score(self, arcs):
        return math.fsum(self.theta[arc] for arc in arcs)

    def entropy(self):
        return -self.mean(lambda t: self.logs[t] - self.log_z)

    def renyi(self, alpha):
        return log_sum([alpha * (s - self.log_z) for s in self.logs.values()]) / (1 - alpha)

    def norm(self, k):
        return math.fsum(p**k for p in self.p.values()) ** (1 / k)

    def cross_entropy(self, q):
        return INF if any(t not in q.logs for t in self.p) else -self.mean(lambda t: q.logs[t] - q.log_z)

    def gold(self, heads, labels):
        return frozenset((h, d + 1, labels[d] if labels else 0) for d, h in enumerate(heads))
