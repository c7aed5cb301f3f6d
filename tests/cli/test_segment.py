"""Tests `segment`: every want against sums over all segmentations, and what lines may hold."""

import json
import math
import random

from support import Case, json_lines, run

NAMES = ("log_partition,log_prob,marginals,log_count,best,mbr,entropy,entropy_gradient,cross_entropy,kl,kl_gradient,"
         "cross_entropy_gradient,expectation,second_order,covariance")
INF = math.inf


def ask(lines, want=None, *options):
    return run("segment", *(["--want", want] if want else []), *options, stdin=json_lines(lines))


def answer(line, want, *options):
    done = ask([line], want, *options)
    if done.returncode != 0:
        raise AssertionError(done.stderr or done.stdout)
    return json.loads(done.stdout)


def random_line(positions, longest, tags, seed):
    """A line with every field; some segments and pairs are impossible, but none of length 1 with tag 0."""
    rng = random.Random(seed)

    def tables(number):
        return {"segments": [[[number(d == k == 0) for k in range(tags)] for d in range(longest)] for _ in range(positions)],
                "transitions": [[number(i == j == 0) for j in range(tags)] for i in range(tags)]}

    finite = lambda _: round(rng.gauss(0, 1), 3)
    line = {"id": seed, **tables(lambda sure: finite(0) if sure or rng.random() < 0.8 else None),
            "gold": [[t, 1, 0] for t in range(positions)], "other": tables(finite),
            "features": [tables(finite), tables(finite)]}
    del line["features"][1]["transitions"]  # it looks at segments alone
    return line


class Oracle:
    def __init__(self, line):
        self.positions, self.longest = len(line["segments"]), len(line["segments"][0])
        self.tags = len(line["segments"][0][0])
        values = {y: self.value(line, y) for y in self.all(0)}
        self.logs = {y: x for y, x in values.items() if x > -INF}
        self.log_z = math.log(math.fsum(map(math.exp, self.logs.values())))

    def all(self, begin):
        if begin == self.positions:
            yield ()
        for length in range(1, min(self.longest, self.positions - begin) + 1):
            for rest in self.all(begin + length):
                for tag in range(self.tags):
                    yield ((begin, length, tag), *rest)

    def value(self, tables, y):
        """The sum of a function given by tables over a segmentation."""
        number = lambda x: -INF if x is None else x
        pairs = tables.get("transitions")
        return (sum(number(tables["segments"][b][n - 1][k]) for b, n, k in y)
                + sum(number(pairs[s[2]][t[2]]) for s, t in zip(y, y[1:]) if pairs))

    def p(self, y):
        return math.exp(self.logs[y] - self.log_z)

    def mean(self, f):
        return math.fsum(self.p(y) * f(y) for y in self.logs)

    def covariance(self, f, g):
        mf, mg = self.mean(f), self.mean(g)
        return self.mean(lambda y: (f(y) - mf) * (g(y) - mg))

    def tables(self, number):
        """number(count) for every segment and pair, where count(segmentation) says how many there are."""
        tags = range(self.tags)
        inside = lambda b, n: b + n <= self.positions
        return {"segments": [[[number(lambda y: float((b, n, k) in y)) if inside(b, n) else 0.0 for k in tags]
                              for n in range(1, self.longest + 1)] for b in range(self.positions)],
                "transitions": [[number(lambda y: float(sum((s[2], t[2]) == (i, j) for s, t in zip(y, y[1:]))))
                                 for j in tags] for i in tags]}


def expected(line):
    p, q = Oracle(line), Oracle(line["other"])
    f = [lambda y, f=f: p.value(f, y) for f in line["features"]]
    means = [p.mean(x) for x in f]
    cov = [[p.covariance(x, y) for y in f] for x in f]
    right = {y: sum(p.mean(lambda z: float(s in z)) for s in y) for y in p.logs}
    found = lambda y: {"segments": list(map(list, y)), "score": p.logs[y], "log_prob": p.logs[y] - p.log_z}
    gap = lambda y: p.logs[y] - q.logs[y]
    cross = q.log_z - p.mean(lambda y: q.logs[y])
    entropy = p.log_z - p.mean(p.logs.get)
    return {
        "log_partition": p.log_z,
        "log_prob": p.logs[tuple(map(tuple, line["gold"]))] - p.log_z,
        "marginals": p.tables(p.mean),
        "log_count": math.log(len(p.logs)),
        "best": found(max(p.logs, key=p.logs.get)),
        "mbr": found(max(right, key=right.get)),
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
        for positions, longest, tags in ((1, 2, 2), (2, 2, 2), (4, 2, 2), (4, 3, 1), (3, 1, 3)):
            for seed in range(2):
                for method in ("fast", "robust"):
                    with self.subTest(positions=positions, longest=longest, tags=tags, seed=seed, method=method):
                        line = random_line(positions, longest, tags, seed)
                        found = answer(line, f"{NAMES},renyi=2,renyi_gradient=2,cumulants=3", "--method", method)
                        self.assert_same(found, {"id": seed, "length": positions, "method": method, **expected(line)})

    def test_all(self):
        line = random_line(3, 2, 2, 1)
        self.assertEqual(list(answer(line, "all")), ["id", "length", "method", *NAMES.split(",")])
        bare = {key: line[key] for key in ("segments", "transitions")}
        self.assertEqual(list(answer(bare, None)), ["id", "length", "method", "log_partition", "marginals"])

    def test_lists(self):
        line = random_line(4, 2, 2, 7)
        p = Oracle(line)
        of = lambda found: [tuple(map(tuple, one["segments"])) for one in found]
        best = answer(line, "k_best=1000")["k_best"]
        self.assertEqual(set(of(best)), set(p.logs))
        self.assert_same([s["log_prob"] for s in best], sorted((x - p.log_z for x in p.logs.values()), reverse=True))
        some = answer(line, "distinct=1000")["distinct"]
        self.assertEqual(sorted(of(some["segmentations"])), sorted(p.logs))
        self.assertIsNone(some["threshold"])
        drawn = of(answer(line, "samples=4000", "--seed", 1)["samples"])
        for y in p.logs:
            self.assertLess(abs(drawn.count(y) / len(drawn) - p.p(y)), 0.05)  # 6 standard deviations
        lines = [json.loads(x) for x in ask([line] * 3, "samples=5", "--seed", 8).stdout.splitlines()]
        self.assertEqual(lines[2]["samples"], answer(line, "samples=5", "--seed", 10)["samples"])

    def test_constraints(self):
        line = random_line(4, 2, 2, 2)
        p = Oracle(line)
        found = answer(dict(line, forbid=[[0, 2, 0]], require=[[2, 1, 0]]), "log_partition,k_best=99")
        left = [y for y in p.logs if (0, 2, 0) not in y and (2, 1, 0) in y]
        self.assert_same(found["log_partition"], math.log(sum(math.exp(p.logs[y]) for y in left)))
        self.assertEqual({tuple(map(tuple, s["segments"])) for s in found["k_best"]}, set(left))


TWO = {"segments": [[[0, 1], [2, 3]], [[0, 1], [None, None]]], "transitions": [[0, 1], [1, 0]]}


class Lines(Case):
    def test_errors(self):
        for fields, problem in [
                ({"segments": []}, "segments: empty, expected for each position a list of rows, one for each length"),
                ({"segments": [[0, 1]]}, "segments: 1x2, expected for each position a list of rows, one for each length"),
                ({"segments": [[[0, 1], [2, 3]], [[0, 1]]]}, "segments[1]: 1 rows, where the first matrix has 2"),
                ({"segments": [[0, [1]]]}, "segments[0][1]: a list has either numbers or rows"),
                ({"segments": [[[0, 1]], [[0]]]}, "segments[1][0]: 1 numbers, where the first row has 2"),
                ({"transitions": [[0, 1]]}, "transitions: 1x2, expected 2x2"),
                ({"transitions": [[[0, 1], [1, 0]]]}, "transitions: a matrix with 2x2 numbers in all, expected 2x2"),
                ({"gold": [[0, 1, 0]]}, "gold: ends at 1, not at 2"),
                ({"gold": [[0, 1, 0], [0, 2, 0]]}, "gold[1]: begins at 0, where the one before it ends at 1"),
                ({"gold": [[0, 3, 0]]},
                 "gold[0]: [0, 3, 0] is not a segment of 1 to 2 of the 2 positions with a tag below 2"),
                ({"require": [[0, 1]]}, "require[0]: 2 numbers; expected [begin, length, tag]"),
                ({"forbid": [[1, 2, 0]]},
                 "forbid[0]: [1, 2, 0] is not a segment of 1 to 2 of the 2 positions with a tag below 2"),
                ({"other": [1]}, "other: expected an object, found a list"),
                ({"other": {"segments": [[[0, 1]]]}},
                 "other.segments: a matrix with 1x2 numbers in all, expected 2 matrices of 2x2"),
                ({"features": [{"transitions": [[0]]}]}, "features[0].transitions: 1x1, expected 2x2"),
                ({"golds": []}, "golds: unknown field; the nearest known one is 'gold' (--allow-unknown lets notes pass)")]:
            with self.subTest(fields=fields):
                done = ask([TWO, {**TWO, **fields}])
                self.assertEqual((done.returncode, done.stderr), (1, f"kirchhoff: standard input:2: {problem}\n"))
                self.assertEqual(len(done.stdout.splitlines()), 1, "the lines before it are answered")
        for field in TWO:
            done = ask([{key: TWO[key] for key in TWO if key != field}])
            self.assertEqual(done.stderr, f"kirchhoff: standard input:1: {field}: missing\n")
        for want, field in (("log_prob", "gold"), ("kl", "other"), ("cumulants=2", "features")):
            self.assertEqual(ask([TWO], want).stderr,
                             f"kirchhoff: standard input:1: {field}: missing; {want.split('=')[0]} needs it\n")
        large = dict(TWO, segments=[[[0, 1e10], [2, 3]], [[0, 1], [0, 0]]])
        self.assertRegex(json.loads(ask([large]).stdout)["error"], "^segments: .*1e9")

    def test_one_position(self):
        for transitions in ({}, {"transitions": []}, {"transitions": [[0, 1], [1, 0]]}):
            found = answer({"segments": [[[0, 0]]], **transitions}, "log_count,marginals")
            self.assert_same(found["log_count"], math.log(2))
            self.assertEqual(found["marginals"], {"segments": [[[0.5, 0.5]]], "transitions": [[0, 0], [0, 0]]})

    def test_no_segmentation(self):
        never = dict(TWO, id="x", segments=[[[None, None]] * 2] * 2)
        done = ask([TWO, never])
        self.assertEqual((done.returncode, done.stderr),
                         (1, "kirchhoff: standard input: 1 of 2 lines without any segmentation\n"))
        line = json.loads(done.stdout.splitlines()[1])
        self.assertEqual((line["id"], line["length"]), ("x", 2))
        self.assertRegex(line["error"], "^infeasible: ")
        narrow = {"segments": [[[0, None], [1, 1]], [[0, 1], [0, 0]]]}
        found = answer(dict(TWO, other=narrow), "kl,kl_gradient")
        self.assertEqual((found["kl"], found["kl_gradient"]), (None, None))

    def test_threads_change_nothing(self):
        lines = [random_line(4, 2, 2, seed) for seed in range(100)]
        self.assertEqual(len({ask(lines, "marginals,samples=3,distinct=2", "--threads", n).stdout for n in (1, 2, 5)}), 1)
