"""Tests `chain`: every want against sums over all sequences, and what lines may hold."""

import itertools
import json
import math
import random

from support import Case, json_lines, run

NAMES = ("log_partition,log_prob,marginals,log_marginals,log_count,best,mbr,entropy,entropy_gradient,cross_entropy,kl,"
         "kl_gradient,cross_entropy_gradient,expectation,second_order,covariance")
INF = math.inf


def chain(graphs, want=None, *options):
    return run("chain", *(["--want", want] if want else []), *options, stdin=json_lines(graphs))


def answer(graph, want, *options):
    done = chain([graph], want, *options)
    if done.returncode != 0:
        raise AssertionError(done.stderr or done.stdout)
    return json.loads(done.stdout)


def random_chain(length, tags, seed, shared=False):
    """A chain with every field, some tags and pairs impossible but none of 0, 0, 0, ..."""
    rng = random.Random(seed)

    def number(zero):
        return round(rng.gauss(0, 1.5), 3) if zero or rng.random() < 0.8 else None

    def matrix():
        return [[number(i == j == 0) for j in range(tags)] for i in range(tags)]

    def values():
        return {"emissions": [[round(rng.gauss(0, 1), 3) for _ in range(tags)] for _ in range(length)],
                "transitions": [[[round(rng.gauss(0, 1), 3) for _ in range(tags)] for _ in range(tags)]
                                for _ in range(length - 1)]}

    emissions = [[number(j == 0) for j in range(tags)] for _ in range(length)]
    graph = {"id": seed, "emissions": emissions,
             "transitions": matrix() if shared else [matrix() for _ in range(length - 1)],
             "gold": [0] * length, "other": values(), "features": [values(), values()]}
    del graph["features"][1]["transitions"]  # it looks at tags alone
    return graph


class Oracle:
    def __init__(self, graph, length=None):
        self.length, self.tags = len(graph["emissions"]), len(graph["emissions"][0])
        self.logs = {}
        for tags in itertools.product(range(self.tags), repeat=self.length):
            score = self.value(graph, tags)
            if score > -INF:
                self.logs[tags] = score
        top = max(self.logs.values())
        self.log_z = top + math.log(math.fsum(math.exp(x - top) for x in self.logs.values()))

    def value(self, tables, tags):
        """The sum of a function given by tables over a sequence."""
        number = lambda x: -INF if x is None else x
        total = sum(number(tables["emissions"][t][j]) for t, j in enumerate(tags))
        pairs = tables.get("transitions")
        for t in range(1, self.length) if pairs else ():
            matrix = pairs[t - 1] if isinstance(pairs[0][0], list) else pairs
            total += number(matrix[tags[t - 1]][tags[t]])
        return total

    def p(self, tags):
        return math.exp(self.logs[tags] - self.log_z)

    def mean(self, f):
        return math.fsum(self.p(tags) * f(tags) for tags in self.logs)

    def covariance(self, f, g):
        mf, mg = self.mean(f), self.mean(g)
        return self.mean(lambda y: (f(y) - mf) * (g(y) - mg))

    def tables(self, number):
        """number(has) for every tag and pair, where has(sequence) says whether it is there."""
        n = range(self.tags)
        return {"emissions": [[number(lambda y: float(y[t] == j)) for j in n] for t in range(self.length)],
                "transitions": [[[number(lambda y: float(y[t - 1:t + 1] == (i, j))) for j in n] for i in n]
                                for t in range(1, self.length)]}


def expected(graph):
    p, q = Oracle(graph), Oracle(graph["other"])
    f = [lambda y, f=f: p.value(f, y) for f in graph["features"]]
    means = [p.mean(x) for x in f]
    cov = [[p.covariance(x, y) for y in f] for x in f]
    log = lambda x: math.log(x) if x > 0 else -INF
    best = max(p.logs, key=p.logs.get)
    right = {y: sum(p.mean(lambda z: float(z[t] == j)) for t, j in enumerate(y)) for y in p.logs}
    sequence = lambda y: {"tags": list(y), "score": p.logs[y], "log_prob": p.logs[y] - p.log_z}
    gap = lambda y: p.logs[y] - q.logs[y]
    cross = q.log_z - p.mean(lambda y: q.logs[y])
    entropy = p.log_z - p.mean(p.logs.get)
    return {
        "log_partition": p.log_z,
        "log_prob": p.logs[tuple(graph["gold"])] - p.log_z,
        "marginals": p.tables(p.mean),
        "log_marginals": p.tables(lambda has: log(p.mean(has))),
        "log_count": math.log(len(p.logs)),
        "best": sequence(best),
        "mbr": sequence(max(right, key=right.get)),
        "entropy": entropy,
        "entropy_gradient": p.tables(lambda has: -p.covariance(p.logs.get, has)),
        "cross_entropy": cross,
        "kl": cross - entropy,
        "kl_gradient": {"p": p.tables(lambda has: p.covariance(gap, has)),
                        "q": p.tables(lambda has: q.mean(has) - p.mean(has))},
        "cross_entropy_gradient": {"p": p.tables(lambda has: -p.covariance(q.logs.get, has)),
                                   "q": p.tables(lambda has: q.mean(has) - p.mean(has))},
        "expectation": means,
        "second_order": [[cov[i][j] + means[i] * means[j] for j in range(2)] for i in range(2)],
        "covariance": cov,
        "renyi": -math.log(p.mean(p.p)),
        "renyi_gradient": p.tables(lambda has: 2 * (p.mean(has) - p.mean(lambda y: p.p(y) * has(y)) / p.mean(p.p))),
        "cumulants": [[m, p.covariance(x, x), p.mean(lambda y: (x(y) - m)**3)] for x, m in zip(f, means)],
    }


class ByEnumeration(Case):
    def test_every_want(self):
        for length, tags, shared in ((1, 3, False), (2, 2, True), (4, 2, False), (4, 2, True), (3, 3, False)):
            for seed in range(3):
                for method in ("fast", "robust"):
                    with self.subTest(length=length, tags=tags, seed=seed, method=method):
                        graph = random_chain(length, tags, seed, shared)
                        found = answer(graph, f"{NAMES},renyi=2,renyi_gradient=2,cumulants=3", "--method", method)
                        head = {"id": seed, "length": length, "method": method}
                        self.assert_same(found, {**head, **expected(graph)})

    def test_all(self):
        graph = random_chain(3, 2, 1)
        self.assertEqual(list(answer(graph, "all")), ["id", "length", "method", *NAMES.split(",")])
        bare = {key: graph[key] for key in ("emissions", "transitions")}
        self.assertEqual(list(answer(bare, None)), ["id", "length", "method", "log_partition", "marginals"])
        self.assertNotIn("kl", answer(bare, "all"))

    def test_sequences_in_order(self):
        graph = random_chain(4, 2, 7)
        p = Oracle(graph)
        best = answer(graph, "k_best=100")["k_best"]
        self.assertEqual({tuple(s["tags"]) for s in best}, set(p.logs))
        self.assert_same([s["log_prob"] for s in best], sorted((x - p.log_z for x in p.logs.values()), reverse=True))
        some = answer(graph, "distinct=100")["distinct"]
        self.assertEqual({tuple(s["tags"]) for s in some["sequences"]}, set(p.logs))
        self.assertIsNone(some["threshold"])
        self.assertEqual(answer(graph, "distinct=2", "--seed", 3)["distinct"]["sequences"],
                         answer(graph, "distinct=3", "--seed", 3)["distinct"]["sequences"][:2])

    def test_samples(self):
        graph = random_chain(3, 2, 5)
        p = Oracle(graph)
        drawn = answer(graph, "samples=4000", "--seed", 1)["samples"]
        for tags in p.logs:
            share = sum(tuple(s["tags"]) == tags for s in drawn) / len(drawn)
            self.assertLess(abs(share - p.p(tags)), 0.05)  # 6 standard deviations
        lines = [json.loads(x) for x in chain([graph] * 3, "samples=5", "--seed", 8).stdout.splitlines()]
        self.assertEqual(lines[2]["samples"], answer(graph, "samples=5", "--seed", 10)["samples"])

    def test_constraints(self):
        graph = random_chain(3, 2, 2)
        p = Oracle(graph)
        found = answer(dict(graph, forbid=[[1, 1]], require=[[2, 0]]), "log_partition,k_best=99")
        left = [y for y in p.logs if y[1] != 1 and y[2] == 0]
        self.assert_same(found["log_partition"], math.log(sum(math.exp(p.logs[y]) for y in left)))
        self.assertEqual({tuple(s["tags"]) for s in found["k_best"]}, set(left))


TWO = {"emissions": [[0, 1], [1, 2]], "transitions": [[0, 1], [1, 0]]}


class Lines(Case):
    def test_errors(self):
        hint = "; use null for what is impossible"
        for fields, problem in [
                ({"emissions": None}, "emissions: expected a list, found 'null'"),
                ({"emissions": []}, "emissions: empty; expected a list of numbers for each position"),
                ({"emissions": [[0, 1], [1]]}, "emissions[1]: 1 numbers, where the first row has 2"),
                ({"emissions": [[0, 1e101], [1, 2]]},
                 "emissions[0][1]: 1e+101 is not a log-weight, which is a number up to 1e100 in size" + hint),
                ({"transitions": []}, "transitions: empty, expected 2x2 or a list of 1 of them"),
                ({"transitions": [[0, 1]]}, "transitions: 1x2, expected 2x2 or a list of 1 of them"),
                ({"transitions": [[[0, 1], [1, 0]]] * 2},
                 "transitions: 2 matrices with 4x2 numbers in all, expected 2x2 or a list of 1 of them"),
                ({"transitions": [[0, 1], [[1, 0]]]}, "transitions[1]: a list has either rows or matrices"),
                ({"transitions": [[0, [1]], [1, 0]]}, "transitions[0][1]: a list has either numbers or rows"),
                ({"emissions": [[0, 1]] * 3, "transitions": [[[0, 1], [1, 0], [2, 2]], [[1, 0]]]},
                 "transitions[1]: 1 rows, where the first matrix has 3"),
                ({"transitions": [[0, "x"], [1, 0]]}, 'transitions[0][1]: expected a number, found the string "x"'),
                ({"gold": [0]}, "gold: 1 tags for 2 positions"), ({"gold": [0, 2]}, "gold[1]: tag 2 is not below 2"),
                ({"gold": [0, -1]}, "gold[1]: -1 is below 0"),
                ({"require": [[0]]}, "require[0]: 1 numbers; expected [position, tag]"),
                ({"forbid": [[2, 0]]}, "forbid[0]: [2, 0] is not a position below 2 and a tag below 2"),
                ({"other": [1]}, "other: expected an object, found a list"),
                ({"other": {"emissions": [[0, 1]]}}, "other.emissions: 1x2, expected 2x2"),
                ({"features": [{"transitions": [[0]]}]},
                 "features[0].transitions: 1x1, expected 2x2 or a list of 1 of them"),
                ({"features": [{"emissions": [[0, None], [0, 0]]}]},
                 "features[0].emissions[0][1]: expected a number, found 'null'"),
                ({"golds": [0, 1]},
                 "golds: unknown field; the nearest known one is 'gold' (--allow-unknown lets notes pass)"),
                ({"other": {"emission": []}}, "other.emission: unknown field; the nearest known one is 'emissions' "
                                              "(--allow-unknown lets notes pass)")]:
            with self.subTest(fields=fields):
                done = chain([TWO, {**TWO, **fields}])
                self.assertEqual((done.returncode, done.stderr), (1, f"kirchhoff: standard input:2: {problem}\n"))
                self.assertEqual(len(done.stdout.splitlines()), 1, "the lines before it are answered")
        for field in TWO:
            done = chain([{key: TWO[key] for key in TWO if key != field}])
            self.assertEqual(done.stderr, f"kirchhoff: standard input:1: {field}: missing\n")
        for want, field in (("log_prob", "gold"), ("kl", "other"), ("cumulants=2", "features")):
            done = chain([TWO], want)
            name = want.split("=")[0]
            self.assertEqual(done.stderr, f"kirchhoff: standard input:1: {field}: missing; {name} needs it\n")

    def test_notes_may_pass(self):
        noted = dict(TWO, note={"a": [1]}, other=dict(TWO, note=1))
        self.assertEqual(answer(noted, "kl", "--allow-unknown")["kl"], 0)

    def test_one_position(self):
        for transitions in ({}, {"transitions": []}, {"transitions": [[0, 1], [1, 0]]}):
            found = answer({"emissions": [[0, 0]], **transitions}, "log_count,marginals")
            self.assert_same(found["log_count"], math.log(2))
            self.assertEqual(found["marginals"], {"emissions": [[0.5, 0.5]], "transitions": []})

    def test_no_sequence(self):
        never = dict(TWO, id="x", transitions=[[None, None], [None, None]])
        done = chain([TWO, never])
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "kirchhoff: standard input: 1 of 2 chains without any sequence\n")
        line = json.loads(done.stdout.splitlines()[1])
        self.assertEqual((line["id"], line["length"]), ("x", 2))
        self.assertRegex(line["error"], "^infeasible: ")
        self.assertRegex(json.loads(chain([dict(TWO, other=never | {"id": 0})], "kl", "--allow-unknown").stdout)["error"],
                         "^infeasible: other: ")
        self.assertRegex(chain([never], None, "--strict").stderr, "^kirchhoff: standard input:1: infeasible: ")

    def test_infinite_divergences_are_null(self):
        narrow = dict(TWO, emissions=[[0, None], [1, 2]])
        found = answer(dict(TWO, other=narrow), "kl,cross_entropy,kl_gradient,cross_entropy_gradient")
        self.assertEqual([found[name] for name in ("kl", "cross_entropy", "kl_gradient", "cross_entropy_gradient")], [None] * 4)

    def test_bad_usage(self):
        for arguments, message in [(["--seed", "1"], "--seed"), (["--want", "tags"], "--want: unknown 'tags'"),
                                   (["--want", "k_best"], "--want k_best needs k_best=K"),
                                   (["--want", "cumulants=31"], "--want cumulants: '31' is not a whole number")]:
            done = run("chain", *arguments, stdin=json_lines([TWO]))
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_threads_change_nothing(self):
        graphs = [random_chain(4, 3, seed) for seed in range(200)]
        outputs = {chain(graphs, "marginals,samples=3,distinct=2", "--threads", n).stdout for n in (1, 2, 5)}
        self.assertEqual(len(outputs), 1)
