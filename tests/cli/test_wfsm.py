"""Tests `kirchhoff wfsm` against enumeration, by hand and with OpenFst's tools, and what it says about bad input."""

import json
import math
import pathlib
import random
import re
import shlex
import subprocess
import tempfile

import support
from support import Case, run

LOOP = "0 0 1 1.0\n0 1 2 0.5\n1\n"


def wfsm(text, *options):
    return run("wfsm", "--quiet", *options, stdin=text)


def answer(text, want, *options):
    done = wfsm(text, "--want", want, *options)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


def random_machine(states, arcs, rng):
    """Weights below 1 / arcs: every sum is finite."""
    lines = [(0, rng.randrange(states), 1 + rng.randrange(2), round(math.log(arcs) + rng.random(), 3))]
    lines += [(rng.randrange(states), rng.randrange(states), rng.randrange(3), round(math.log(arcs) + rng.random(), 3))
              for _ in range(arcs - 1)]
    text = "".join("%d\t%d\t%d\t%r\n" % line for line in lines)
    used = sorted({s for line in lines for s in line[:2]})
    return lines, text + "".join("%d\t0.5\n" % s for s in used), used


def sums(lines, finals):
    """Z and expected counts by repeated multiplication: 60 steps are enough for rows that sum to less than 1/2."""
    state = {0: 1.0}
    z, visits = 0.0, {}
    for _ in range(400):
        for s, w in state.items():
            z += w * math.exp(-0.5) * (s in finals)
            visits[s] = visits.get(s, 0.0) + w
        following = {}
        for a, b, _, w in lines:
            following[b] = following.get(b, 0.0) + state.get(a, 0.0) * math.exp(-w)
        state = following
    return z, visits


class Answers(Case):
    def test_by_hand(self):
        w, v = math.exp(-1), math.exp(-0.5)
        z = v / (1 - w)
        found = answer(LOOP, 'log_partition,counts,entropy,expected_length,gradient,hessian,moments=2,cumulants=2,'
                             'paths=2,samples=3,string="1 1 2",dot')
        self.assertEqual(list(found), ["log_partition", "counts", "entropy", "expected_length", "gradient", "hessian",
                                       "moments", "cumulants", "paths", "samples", "string", "dot"])
        self.assert_same(found["log_partition"], math.log(z))
        self.assert_same(found["counts"], [w / (1 - w), 1.0])
        self.assert_same(found["expected_length"], 1 / (1 - w))
        self.assert_same(found["entropy"], -math.log(1 - w) - w / (1 - w) * math.log(w))
        self.assert_same(found["gradient"], [v / (1 - w) ** 2, 1 / (1 - w)])
        self.assert_same(found["hessian"], [[2 * v / (1 - w) ** 3, 1 / (1 - w) ** 2], [1 / (1 - w) ** 2, 0.0]])
        mean, variance = 1 / (1 - w), w / (1 - w) ** 2
        self.assert_same(found["moments"], [[mean, variance + mean ** 2]])
        self.assert_same(found["cumulants"], [[mean, variance]])
        self.assertEqual(found["paths"][1]["symbols"], [1, 2])
        self.assertEqual(found["paths"][1]["arcs"], [0, 1])
        self.assertEqual(found["paths"][1]["states"], [0, 0, 1])
        self.assert_same(found["paths"][1]["log_weight"], -1.5)
        self.assert_same(found["string"], {"symbols": [1, 1, 2], "log_weight": -2.5, "log_prob": -2.5 - math.log(z)})
        self.assertEqual(len(found["samples"]), 3)
        self.assertTrue(found["dot"].startswith("digraph"))

    def test_uses_by_hand(self):
        """The loop is taken n times with probability (1 - w) w^n."""
        w, v = math.exp(-1), math.exp(-0.5)
        found = answer(LOOP, 'derivative="0 1 0",derivatives=2,joint_count="0 0",contains="0",renyi=2,entropy_gradient')
        self.assert_same(found["derivative"], 2 / (1 - w) ** 3)
        self.assert_same(found["derivatives"], [2 * v / (1 - w) ** 3, 1 / (1 - w) ** 2, 1 / (1 - w) ** 2, 0.0])
        self.assert_same(found["joint_count"], w * (1 + w) / (1 - w) ** 2)
        self.assert_same(found["contains"], w)
        self.assert_same(found["renyi"], -math.log((1 - w) ** 2 / (1 - w * w)))
        self.assert_same(found["entropy_gradient"], [w / (1 - w) ** 2, 0.0])
        found = answer(LOOP, "renyi_gradient=2")  # of log(1 - w^2) - 2 log(1 - w) by log w
        self.assert_same(found["renyi_gradient"], [2 * w / (1 - w) - 2 * w * w / (1 - w * w), 0.0])

    def test_weights_of_zero(self):
        """A weight of 0 has derivatives, infinite ones where Z would be, which JSON has no number for."""
        found = answer("0 1 1 .5\n0 1 2 0\n1\n", 'gradient,derivatives=1,derivative="1"', "--weights", "real")
        self.assert_same(found, {"gradient": [1.0, 1.0], "derivatives": [1.0, 1.0], "derivative": 1.0})
        found = answer("0 1 1 0\n1 1 1 2\n1\n0\n", "gradient", "--weights", "real")
        self.assertEqual(found, {"gradient": [None, 0]})

    def test_defaults(self):
        self.assertEqual(list(json.loads(wfsm(LOOP).stdout)), ["log_partition", "counts"])

    def test_random_machines(self):
        rng = random.Random(1)
        for _ in range(10):
            lines, text, used = random_machine(4, 9, rng)
            done = wfsm(text, "--want", "log_partition,counts")
            found = json.loads(done.stdout)
            z, visits = sums(lines, used)
            self.assertAlmostEqual(found["log_partition"], math.log(z), 11)
            self.assertEqual(len(found["counts"]), len(lines))
            length = sum(found["counts"])
            self.assertAlmostEqual(length, answer(text, "expected_length")["expected_length"], 11)

    def test_features(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "f.tsv")
            path.write_text("0\t0\t2.0\n1\t1\t-1\n\n0 1 0.5\n")
            found = answer(LOOP, "expectation,second_order,covariance,moments=3", "--features", str(path))
            w = math.exp(-1)
            mean, variance = w / (1 - w), w / (1 - w) ** 2
            self.assert_same(found["expectation"], [2 * mean, 0.5 * mean - 1])
            self.assert_same(found["covariance"], [[4 * variance, variance], [variance, variance / 4]])
            self.assert_same(found["second_order"][0][1], variance + 2 * mean * (0.5 * mean - 1))
            self.assert_same(found["moments"][0][:2], [2 * mean, 4 * (variance + mean ** 2)])
            for line, problem in (("2 0 1", "arc 2 is not in 0..1"), ("0 0", "expected ARC FEATURE VALUE, three numbers"),
                                  ("0 -1 1", "feature -1 is not in 0..999999"),
                                  ("0 0 x", "expected ARC FEATURE VALUE, three numbers")):
                path.write_text("0 0 1\n" + line + "\n")
                done = wfsm(LOOP, "--want", "expectation", "--features", str(path))
                self.assertEqual((done.returncode, done.stderr), (1, f"kirchhoff: {path}:2: {problem}\n"))

    def test_features_of_states_and_two_sets(self):
        """f counts the loop and the start, g the end: the loop is taken n times with probability (1 - w) w^n."""
        with tempfile.TemporaryDirectory() as folder:
            f, g = pathlib.Path(folder, "f.tsv"), pathlib.Path(folder, "g.tsv")
            f.write_text("0 0 1\nstart 0 0 3\n")
            g.write_text("final 1 0 2\n0 1 1\n")
            found = answer(LOOP, "expectation,second_order,covariance,moments=1,cumulants=2", "--features", str(f),
                           "--second-features", str(g))
            w = math.exp(-1)
            mean, variance = w / (1 - w), w / (1 - w) ** 2
            self.assert_same(found["expectation"], [mean + 3])
            self.assert_same(found["covariance"], [[0.0, variance]])
            self.assert_same(found["second_order"], [[2 * (mean + 3), variance + mean * (mean + 3)]])
            self.assert_same(found["moments"], [[mean + 3]])
            self.assert_same(found["cumulants"], [[mean + 3, variance]])
            for line, problem in (("start 2 0 1", "state 2 is not in 0..1"),
                                  ("final 0 0", "expected ARC FEATURE VALUE, three numbers after 'start' or 'final', "
                                                "where ARC is a state")):
                f.write_text(line + "\n")
                done = wfsm(LOOP, "--want", "expectation", "--features", str(f))
                self.assertEqual((done.returncode, done.stderr), (1, f"kirchhoff: {f}:1: {problem}\n"))

    def test_other_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "q.txt")
            path.write_text("0 0 1 0.3\n0 1 2 2.5\n1\n")
            found = answer(LOOP, "kl,cross_entropy,entropy", "--other", str(path))
            w, v = math.exp(-1), math.exp(-0.3)
            kl = math.log((1 - w) / (1 - v)) + w / (1 - w) * math.log(w / v)
            self.assert_same(found["kl"], kl)
            self.assert_same(found["cross_entropy"], found["entropy"] + kl)
            gradients = answer(LOOP, "kl_gradient,cross_entropy_gradient", "--other", str(path))
            mean, variance, other = w / (1 - w), w / (1 - w) ** 2, v / (1 - v)
            self.assert_same(gradients["kl_gradient"], {"p": [math.log(w / v) * variance, 0.0], "q": [other - mean, 0.0]})
            self.assert_same(gradients["cross_entropy_gradient"],
                             {"p": [-math.log(v) * variance, 0.0], "q": [other - mean, 0.0]})
            path.write_text("0 0 1 Infinity\n0 1 2 2.5\n1\n")
            self.assertEqual(answer(LOOP, "kl,kl_gradient", "--other", str(path)), {"kl": None, "kl_gradient": None})
            done = wfsm(LOOP, "--want", "kl")
            self.assertEqual((done.returncode, done.stderr), (1, "kirchhoff: kl: needs --other\n"))
            path.write_text("0 1 2 2.5\n1\n")
            done = wfsm(LOOP, "--want", "kl", "--other", str(path))
            self.assertEqual(done.stderr, "kirchhoff: kl: the machines differ in more than weights\n")

    def test_symbols(self):
        with tempfile.TemporaryDirectory() as folder:
            table = pathlib.Path(folder, "s.txt")
            table.write_text("<eps> 0\na 1\nb 2\n")
            text = "0 0 a 1.0\n0 1 b 0.5\n1\n"
            found = answer(text, 'log_partition,string="a b",paths=1', "--isymbols", str(table))
            self.assert_same(found["log_partition"], answer(LOOP, "log_partition")["log_partition"])
            self.assertEqual(found["string"]["symbols"], ["a", "b"])
            self.assertEqual(found["paths"][0]["symbols"], ["b"])
            done = wfsm("0 1 c\n1\n", "--isymbols", str(table))
            self.assertEqual(done.stderr, "kirchhoff: standard input:1: symbol 'c' is not in the table of input symbols\n")
            done = wfsm(text, "--isymbols", str(table), "--want", "string=c")
            self.assertEqual(done.stderr, "kirchhoff: string: symbol 'c' is not in the table of symbols\n")

    def test_weights(self):
        values = [answer("0 0 1 %s\n0 1 2 %s\n1\n" % pair, "log_partition", "--weights", kind)["log_partition"]
                  for kind, pair in (("neglog", (1.0, 0.5)), ("log", (-1.0, -0.5)),
                                     ("real", (repr(math.exp(-1)), repr(math.exp(-0.5)))))]
        self.assertAlmostEqual(values[0], values[1], 14)
        self.assertAlmostEqual(values[0], values[2], 14)

class BadInput(Case):
    def test_file_and_line(self):
        for text, problem in (
                ("0 1 1\n5\n", ":2: state 5 is in no transition"),
                ("0 1 1 x\n1\n", ":1: weight 'x' is not a number"),
                ("", ": no start state: there is no line"),
                ("0 0 1 -0.5\n0\n", ":1: Z is infinite: the cycle 0 -> 0 has weight 1.64872127070013"),
                ("0 1 1\n", ": no trajectory leads from a start state to a final state"),
                ("0 1 one\n1\n", ":1: symbol 'one' is not a number >= 0, and there is no table of input symbols")):
            done = wfsm(text)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, f"kirchhoff: standard input{problem}\n")
        done = run("wfsm", "no/such/file")
        self.assertEqual(done.stderr, "kirchhoff: no/such/file: cannot open: No such file or directory\n")

    def test_useless_states_are_mentioned(self):
        done = run("wfsm", stdin="0 1 1\n0 2 1\n1\n")
        self.assertEqual(done.stderr, "kirchhoff: standard input: 1 of 3 states are on no trajectory\n")
        self.assertEqual(json.loads(done.stdout)["counts"], [1.0, 0.0])

    def test_usage(self):
        for want in ("derivatives=17", "renyi=-1", "nothing", "moments", "moments=31", "moments=0", "paths=-1", "paths=x", "entropy=2", "paths=1,paths=2", ""):
            done = wfsm(LOOP, "--want", want)
            self.assertEqual((done.returncode, done.stdout), (2, ""), want)
            self.assertRegex(done.stderr, r"^kirchhoff: --want.*see 'kirchhoff wfsm --help'\)\n$")
        self.assertEqual(wfsm(LOOP, "--want", "dot,dot").stdout, wfsm(LOOP, "--want", "dot").stdout)
        self.assertEqual(wfsm(LOOP, "--weights", "percent").returncode, 2)
        done = wfsm(LOOP, "--want", "covariance")
        self.assertEqual((done.returncode, done.stderr), (1, "kirchhoff: covariance: needs --features\n"))
        done = wfsm(LOOP, "--want", 'derivative="2"')
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("there is no transition 2", done.stderr)

    def test_lists_of_transitions_are_read_like_all_numbers(self):
        for want in ("derivative", "joint_count", "contains"):
            for text in ("", " ", "-1", "nan", "1.0", "1e2", "0x1", "+1", "99999999999999999999", "a"):
                for given in (f'0 {text}', text) if text.strip() else (text,):
                    done = wfsm(LOOP, "--want", f'{want}="{given}"')
                    self.assertEqual((done.returncode, done.stdout), (2, ""), (want, given))
                    self.assertIn(f"--want {want}: '{text}' is not the number of a transition", done.stderr)
            self.assertEqual(*(wfsm(LOOP, "--want", f'{want}="{text}"').stdout for text in ("0 1", " 00  1 ")))

    def test_help_has_an_example_that_works(self):
        text = run("wfsm", "--help").stdout
        self.assertEqual(text, run("help", "wfsm").stdout)
        command = re.search(r"Example.*?:\n(.*)", text, re.S).group(1)
        command = command.replace("kirchhoff ", shlex.quote(support.PROGRAM) + " ")
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout)["string"]["symbols"], [1, 1, 2])


class OpenFst(Case):
    """The same Z as OpenFst's tools, and files that go both ways."""

    def pipe(self, text, *commands):
        data = text.encode()
        for command in commands:
            data = subprocess.run(command, input=data, capture_output=True, check=True).stdout
        return data

    def test_same_partition(self):
        rng = random.Random(3)
        for _ in range(8):
            _, text, _ = random_machine(5, 12, rng)
            compiled = self.pipe(text, ["fstcompile", "--acceptor", "--arc_type=log64"])
            printed = subprocess.run(["fstprint", "--acceptor"], input=compiled, capture_output=True, check=True).stdout
            distances = subprocess.run(["fstshortestdistance", "--reverse", "--delta=1e-13"], input=compiled,
                                       capture_output=True, check=True).stdout.decode().split()
            theirs = -float(distances[1])
            self.assertAlmostEqual(answer(text, "log_partition")["log_partition"], theirs, 5)
            self.assertAlmostEqual(answer(printed.decode(), "log_partition")["log_partition"], theirs, 5)

    def test_transducer(self):
        text = "0 1 1 2 0.5\n1 1 2 1 1.5\n1 2 0 3 0.25\n2 0.125\n"
        printed = self.pipe(text, ["fstcompile", "--arc_type=log64"], ["fstprint"]).decode()
        self.assert_same(answer(printed, "log_partition"), answer(text, "log_partition"))
