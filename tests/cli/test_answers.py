"""Tests every want of `tree`: by hand for two words, by enumeration for three, labelled and not, for both roots."""

import json
import math
import random

from oracle import INF, Oracle
from support import Case, answer, tree

TWO = {"id": "two", "scores": [[None, 0.5, 1.25], [None, None, 2.0], [None, -0.75, None]]}
ALL = ("log_partition,log_prob,log_prob_gradient,marginals,log_marginals,pair_marginals,log_count,entropy,"
       "entropy_gradient,renyi=0.5,renyi_gradient=0.5,norm=3,norm_gradient=3,cross_entropy,cross_entropy_gradient,kl,"
       "kl_gradient,log_multiplicative,log_multiplicative_gradient,expectation,second_order,covariance,cumulants=4,"
       "risk,risk_gradient,ge,ge_gradient")


class ByHand(Case):
    def test_single_root(self):
        # Two trees: 0->1->2 with score 2.5 and 0->2->1 with score 0.5.
        p = 1 / (1 + math.exp(-2))
        found = answer(TWO, "log_partition,marginals,entropy,log_count")
        self.assertEqual(list(found), ["id", "n", "method", "log_partition", "marginals", "entropy", "log_count"])
        self.assert_same(found["log_partition"], 2.5 + math.log1p(math.exp(-2)))
        self.assert_same(found["marginals"], [[0, p, 1 - p], [0, 0, p], [0, 1 - p, 0]])
        self.assert_same(found["entropy"], -p * math.log(p) - (1 - p) * math.log(1 - p))
        self.assert_same(found["log_count"], math.log(2))

    def test_multi_root(self):
        # A third tree, 0->1 and 0->2, with score 1.75.
        weights = [math.exp(2.5), math.exp(0.5), math.exp(1.75)]
        z = sum(weights)
        a, b, c = (w / z for w in weights)
        found = answer(TWO, "log_partition,marginals,log_count", "multi")
        self.assert_same(found["log_partition"], math.log(z))
        self.assert_same(found["marginals"], [[0, a + c, b + c], [0, 0, a], [0, b, 0]])
        self.assert_same(found["log_count"], math.log(3))

    def test_required_and_forbidden_arcs(self):
        # They decide which trees there are, in `tree` as in `decode`: of the three trees 0->2->1 is left.
        for fields in [{"forbid": [[0, 1]]}, {"require": [[2, 1]]}]:
            found = answer({**TWO, **fields, "gold": [0, 1]}, "log_partition,marginals,log_prob", "multi")
            self.assert_same(found["log_partition"], 0.5)
            self.assert_same(found["marginals"], [[0, 0, 1], [0, 0, 0], [0, 1, 0]])
            self.assertIsNone(found["log_prob"])

    def test_one_word(self):
        found = answer({"scores": [[0, -3.5], [0, 0]]}, None)
        self.assertEqual((found["id"], found["n"], found["log_partition"]), (None, 1, -3.5))
        self.assertEqual(found["marginals"], [[0, 1], [0, 0]])

    def test_column_0_and_diagonal_are_ignored(self):
        noisy = json.loads(json.dumps(TWO))
        for i in range(3):
            noisy["scores"][i][0] = 1e6
            noisy["scores"][i][i] = -77
        self.assertEqual(answer(noisy, ALL_BARE), answer(TWO, ALL_BARE))

    def test_method_is_reported(self):
        for method in ("fast", "robust"):
            self.assertEqual(answer(TWO, "entropy", "single", "--method", method)["method"], method)
        # Two words that prefer each other far more than the root does.
        hard = {"scores": [[None, -40, -40], [None, None, 40], [None, 40, None]]}
        self.assertEqual(answer(hard, "marginals")["marginals"][1][2], 0.5)

    def test_impossible_gold_is_null(self):
        graph = {"scores": [[None, 0, 0], [None, None, None], [None, 0, None]], "gold": [0, 1]}
        found = answer(graph, "log_prob,log_prob_gradient")
        self.assertEqual((found["log_prob"], found["log_prob_gradient"]), (None, None))

    def test_infinite_kl_is_null(self):
        graph = dict(TWO, other=[[None, 0, None], [None, None, 0], [None, 0, None]])
        found = answer(graph, "kl,cross_entropy,kl_gradient,cross_entropy_gradient")
        self.assertEqual({found[name] for name in list(found)[3:]}, {None})


ALL_BARE = "log_partition,marginals,log_marginals,pair_marginals,log_count,entropy,entropy_gradient,renyi=2,norm=2"


def graph_of(n, labels, seed):
    """A graph with every field, some arcs impossible but none of 0->1->2->3."""
    rng = random.Random(seed)

    def cell(h, d):
        number = lambda: round(rng.gauss(0, 1.5), 3)
        values = [number() if h == d - 1 or rng.random() < 0.85 else None for _ in range(labels or 1)]
        return values if labels else values[0]

    def scores():
        return [[cell(h, d) for d in range(n + 1)] for h in range(n + 1)]

    p = scores()
    q = [[([None if a is None else rng.gauss(0, 1) for a in x] if labels else None if x is None else rng.gauss(0, 1))
          for x in row] for row in p]
    graph = {"id": seed, "scores": p, "other": q, "gold": list(range(n)), "target": [0.5, -1.0, 2.0]}
    graph |= {"features": [], "num_features": 3}
    for h in range(n + 1):
        for d in range(1, n + 1):
            if h != d and rng.random() < 0.7:
                entry = [h, d, rng.randrange(3), round(rng.gauss(0, 1), 3)]
                graph["features"].append(entry + [rng.randrange(labels)] if labels and rng.random() < 0.5 else entry)
    if labels:
        graph["gold_labels"] = [rng.randrange(labels) for _ in range(n)]
        for d, y in enumerate(graph["gold_labels"]):
            p[d][d + 1][y], q[d][d + 1][y] = 0.25, 0.5
    return graph


def feature_sums(graph):
    """tree -> three numbers."""
    table = [{}, {}, {}]
    labels = len(graph["scores"][0][1]) if "gold_labels" in graph else 1
    for h, d, k, value, *label in graph["features"]:
        for y in label or range(labels):
            table[k][h, d, y] = table[k].get((h, d, y), 0) + value
    return [lambda t, f=f: math.fsum(f.get(arc, 0.0) for arc in t) for f in table]


def cumulants(p, x):
    """The first four."""
    mean = p.mean(x)
    second, third, fourth = (p.mean(lambda t: (x(t) - mean) ** k) for k in (2, 3, 4))
    return [mean, second, third, fourth - 3 * second * second]


def expected(graph, root):
    p, q = Oracle(graph["scores"], root), Oracle(graph["other"], root)
    f = feature_sums(graph)
    gold = p.gold(graph["gold"], graph.get("gold_labels"))
    right = lambda t: len(t & gold) / p.n
    means = [p.mean(x) for x in f]
    gap = [m - t for m, t in zip(means, graph["target"])]
    cov = [[p.covariance(x, y) for y in f] for x in f]
    ratio = lambda t: p.score(t) - q.score(t)

    def powered(k, factor):
        """factor * (marginals of p^k - marginals of p)."""
        power = Oracle(graph["scores"], root, k)
        return p.array(lambda a: factor * (power.marginal(a) - p.marginal(a)))

    product = p.mean(lambda t: math.exp(q.score(t)))
    weighted = lambda a: p.mean(lambda t: math.exp(q.score(t)) * (a in t)) / product
    return {
        "log_partition": p.log_z,
        "log_prob": p.logs.get(gold, -INF) - p.log_z,
        "log_prob_gradient": p.array(lambda a: (a in gold) - p.marginal(a)),
        "marginals": p.marginals(),
        "log_marginals": p.log_marginals(),
        "pair_marginals": p.pair_marginals(),
        "log_count": math.log(len(p.logs)),
        "entropy": p.entropy(),
        "entropy_gradient": p.gradient(lambda t: -p.score(t)),
        "renyi": p.renyi(0.5),
        "renyi_gradient": powered(0.5, 0.5 / (1 - 0.5)),
        "norm": p.norm(3),
        "norm_gradient": powered(3, p.norm(3)),
        "cross_entropy": p.cross_entropy(q),
        "cross_entropy_gradient": {"p": p.gradient(lambda t: -q.score(t)),
                                   "q": p.array(lambda a: q.marginal(a) - p.marginal(a))},
        "kl": p.cross_entropy(q) - p.entropy(),
        "kl_gradient": {"p": p.gradient(ratio), "q": p.array(lambda a: q.marginal(a) - p.marginal(a))},
        "log_multiplicative": math.log(product),
        "log_multiplicative_gradient": {"p": p.array(lambda a: weighted(a) - p.marginal(a)), "q": p.array(weighted)},
        "expectation": means,
        "second_order": [[cov[i][j] + means[i] * means[j] for j in range(3)] for i in range(3)],
        "covariance": cov,
        "cumulants": [cumulants(p, x) for x in f],
        "risk": p.mean(right),
        "risk_gradient": p.gradient(right),
        "ge": sum(g * g for g in gap) / 2,
        "ge_gradient": p.gradient(lambda t: sum(g * x(t) for g, x in zip(gap, f))),
    }


class ByEnumeration(Case):
    def check(self, n, labels):
        for seed in range(4):
            graph = graph_of(n, labels, seed)
            for root in ("single", "multi"):
                for method in ("fast", "robust"):
                    with self.subTest(seed=seed, root=root, method=method):
                        found = answer(graph, ALL, root, "--method", method)
                        # Where the fast method breaks down (a zero pivot) the robust one answers, and says so.
                        head = {"id": seed, "n": n, "method": "robust" if method == "robust" else found["method"]}
                        self.assert_same(found, {**head, **expected(graph, root)})

    def test_unlabelled(self):
        self.check(3, 0)

    def test_labelled(self):
        self.check(2, 3)

    def test_all(self):
        names = [item.split("=")[0] for item in ALL.split(",")]
        arguments = ("renyi", "renyi_gradient", "norm", "norm_gradient", "cumulants")
        implied = [name for name in names if name not in (*arguments, "pair_marginals")]
        found = answer(graph_of(3, 0, 1), "all")
        self.assertEqual(list(found), ["id", "n", "method", *implied])
        self.assertNotIn("risk", answer(TWO, "all"))

    def test_dense_features_equal_sparse_ones(self):
        want = "expectation,second_order,covariance,ge,ge_gradient"
        for labels in (0, 2):
            sparse = graph_of(3, labels, 5)
            sparse["features"] = [entry[:4] for entry in sparse["features"]]
            dense = dict(sparse, features=[[[0.0] * 4 for _ in range(4)] for _ in range(3)])
            del dense["num_features"]
            for h, d, k, value in sparse["features"]:
                dense["features"][k][h][d] += value
            for k in range(3):
                dense["features"][k][2][2] = None
                dense["features"][k][1][0] = 9.0
            self.assert_same(answer(dense, want), answer(sparse, want))

    def test_labelled_dense_features(self):
        graph = {"scores": [[None, [0.0, 1.0]], [None, None]], "features": [[[None, [2.0, 5.0]], [None, None]]]}
        e = math.e
        self.assert_same(answer(graph, "expectation")["expectation"], [(2 + 5 * e) / (1 + e)])


class Accuracy(Case):
    def test_an_absolute_error_is_enough_for_the_fast_method(self):
        # Peaked scores: the fast method has few digits of improbable arcs, and all that an absolute error needs.
        rng = random.Random(2)
        graph = {"scores": [[rng.gauss(0, 8) for _ in range(11)] for _ in range(11)]}
        found = [answer(graph, "marginals", "single", *options) for options in ((), ("--floor", 1))]
        self.assertEqual([line["method"] for line in found], ["robust", "fast"])
        self.assert_same(found[1]["marginals"], found[0]["marginals"], tolerance=1e-12)


class Numbers(Case):
    def test_numbers_are_shortest_and_read_back(self):
        graphs = [graph_of(3, labels, seed) for labels in (0, 2) for seed in range(5)]
        seen = []
        parse = lambda text: seen.append(text) or float(text)
        for line in tree(graphs, "all").stdout.splitlines():
            json.loads(line, parse_float=parse, parse_constant=lambda name: self.fail(name))
        self.assertGreater(len(seen), 100)
        for text in seen:
            self.assertNotEqual(text.lstrip("-").strip("0."), "", f"zero written as {text}")
            self.assertLessEqual(len(text.lstrip("-").split("e")[0].replace(".", "").strip("0")), 17)
            digits = repr(float(text)).split("e")[0].replace(".", "").strip("-0")
            self.assertEqual(text.split("e")[0].replace(".", "").strip("-0"), digits)

    def test_long_numbers_are_read_right(self):
        for text in ("0.12345678901234567890123", "0.3000000000000000444089209850062616169452667236328125",
                     "1234567890123456789012", "1E+2", "-0.0", "1e-320", "1e-999"):
            line = '{"scores":[[0,%s],[0,0]]}' % text
            self.assert_same(json.loads(tree(line, "log_partition").stdout)["log_partition"], float(text), text, 1e-14)
