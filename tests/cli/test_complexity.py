"""Tests that work grows with the input as documented: four times the size takes 4^e times as long, and never a power
more. Seconds are not judged but their ratio, in processor time and with a margin that only a wrong exponent exceeds."""

import json
import resource

from support import Case, run

GROWTH = 4
MARGIN = 2.5  # A wrong exponent is off by a factor of 4.
LEAST = 0.03  # Seconds of processor time; what takes less is mostly the start of the program.


def row(i, form="w", head=0, relation="dep", misc="_"):
    return f"{i}\t{form}\t_\tX\t_\t_\t{head}\t{relation}\t_\t{misc}\n"


def chain(n, form="w"):
    return "".join(row(i, form, i - 1) for i in range(1, n + 1)) + "\n"


def graph(n, labels=0, **fields):
    cell = [0] * labels if labels else 0
    return json.dumps({"scores": [[cell] * (n + 1)] * (n + 1), **fields}) + "\n"


def factors(variables, *items):
    return json.dumps({"scores": [0.1] * variables, "factors": items}) + "\n"


def pairs(n):
    return factors(n, *({"type": "pair", "vars": [i, i + 1], "score": 0.3} for i in range(n - 1)))


def hub(n):
    return factors(n, *({"type": "pair", "vars": [0, i], "score": 0.01} for i in range(1, n)))


def uai_pairs(n):
    scopes = "".join(f"2 {i} {i + 1}\n" for i in range(n - 1))
    return f"MARKOV\n{n}\n{'2 ' * n}\n{n - 1}\n{scopes}" + "4 1 2 3 4\n" * (n - 1)


def machine(n):
    return "".join(f"{i} {i + 1} 1 0.5\n{i} {i + 1} 2 0.9\n" for i in range(n)) + f"{n}\n"


class Growth(Case):
    def processor_time(self, arguments, stdin):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = run(*arguments, stdin=stdin, cwd=self.folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertEqual(done.returncode, 0, done.stderr[:300])
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def assert_grows(self, arguments, text, size, exponent=1):
        """`text` makes the input of a size. A ratio that is too large is measured again, as a machine may be busy."""
        inputs = [text(size), text(GROWTH * size)]
        self.assert_times_grow(lambda i: self.processor_time(arguments, inputs[i]), exponent, f"{arguments}, {size}")

    def assert_times_grow(self, time_of, exponent, what):
        limit = MARGIN * GROWTH**exponent
        ratios = []
        while len(ratios) < 3 and (not ratios or ratios[-1] > limit):
            ratios.append(time_of(1) / max(time_of(0), LEAST))
        self.assertLess(min(ratios), limit, what)

    def test_sentences(self):
        files = ["--html", "p.html", "--svg", "p.svg"]
        for form in ("json", "displacy", "conllx"):
            self.assert_grows(["convert", "--to", form], lambda n: chain(1, "x y" * n), 600_000)
            self.assert_grows(["convert", "--to", form], chain, 20_000)
        self.assert_grows(["convert", "--to", "json"], lambda n: chain(4) * n, 5_000)
        self.assert_grows(["convert", "--to", "json"], lambda n: "# a = b\n" * n + chain(1), 80_000)
        self.assert_grows(["render", *files], lambda n: chain(2, "\u00e9" * n), 200_000)
        self.assert_grows(["render", *files], lambda n: chain(4) * n, 1_000)
        self.assert_grows(["render", *files], chain, 1_000, exponent=2)
        self.assert_grows(["render"], lambda n: row(1, misc="|".join(["a=b"] * n)) + "\n", 400_000)

    def test_eval(self):
        def tree_of_relations(n):
            return "".join(row(i, "w", i - 1, f"r{i}") for i in range(1, n + 1)) + "\n"

        def multiword(n):
            return "".join(f"{i}-{i + 1}\tab\t_\t_\t_\t_\t_\t_\t_\t_\n" + row(i, "a", i - 1) + row(i + 1, "b", i)
                           for i in range(1, 2 * n, 2)) + "\n"

        def one_token(n):
            return f"1-{n}\t{'w' * n}\t_\t_\t_\t_\t_\t_\t_\t_\n" + chain(n)

        for text, size, exponent in ((chain, 20_000, 1), (lambda n: chain(4) * n, 4_000, 1), (tree_of_relations, 10_000, 1),
                                     (multiword, 10_000, 1), (lambda n: chain(1, "x" * n), 1_000_000, 1), (one_token, 1_500, 2)):
            paths = [self.file(f"{n}.conllu", text(n)) for n in (size, GROWTH * size)]
            self.assert_times_grow(
                lambda i: self.processor_time(["eval", paths[i], paths[i], "--samples", 0, "--by", "deprel"], ""),
                exponent, f"eval, {size}")

    def test_graphs(self):
        for verb in (["tree"], ["decode"], ["sample", "--count", 3]):
            arguments = [*verb, "--root", "single"]
            self.assert_grows(arguments, lambda n: graph(3, labels=n), 6_000)
            self.assert_grows(arguments, lambda n: graph(2, id="\u00e9" * n), 600_000)
            self.assert_grows(arguments, lambda n: graph(2, id=1) * n, 4_000)
        tree = ["tree", "--root", "single"]
        self.assert_grows(tree, graph, 100, exponent=3)
        self.assert_grows([*tree, "--allow-unknown"], lambda n: graph(1, **{f"k{i}": i for i in range(n)}), 60_000)
        self.assert_grows([*tree, "--want", "expectation"],
                          lambda n: graph(3, num_features=n, features=[[0, 1, i, 1] for i in range(n)]), 40_000)
        self.assert_grows(["decode", "--root", "multi"], lambda n: graph(3, forbid=[[1, 2]] * n), 100_000)
        pictures = ["draw", "--root", "multi", "--html", "p.html", "--svg", "p.svg"]
        self.assert_grows(pictures, lambda n: graph(2, words=["x" * n, "y"]), 300_000)

    def test_chains(self):
        def chains(length, tags=2, **fields):
            matrix = [[0] * tags] * tags
            return json.dumps({"emissions": [[0] * tags] * length, "transitions": matrix, **fields}) + "\n"

        wants = "log_partition,best,mbr,entropy,samples=2,distinct=2"
        self.assert_grows(["chain", "--want", wants], chains, 20_000)
        self.assert_grows(["chain"], lambda n: chains(3, n), 150, exponent=2)
        self.assert_grows(["chain"], lambda n: chains(2) * n, 4_000)
        self.assert_grows(["chain"], lambda n: chains(2, forbid=[[0, 1]] * n), 100_000)

    def test_segments(self):
        def segments(length, longest=2, tags=2, **fields):
            table = {"segments": [[[0] * tags] * longest] * length, "transitions": [[0] * tags] * tags}
            return json.dumps({**table, **fields}) + "\n"

        wants = "log_partition,best,mbr,entropy,samples=2,distinct=2"
        self.assert_grows(["segment", "--want", wants], segments, 4_000)
        self.assert_grows(["segment"], lambda n: segments(3, tags=n), 150, exponent=2)
        self.assert_grows(["segment"], lambda n: segments(40, n), 2_000)
        self.assert_grows(["segment"], lambda n: segments(2) * n, 2_000)
        self.assert_grows(["segment"], lambda n: segments(2, forbid=[[0, 2, 1]] * n), 100_000)

    def test_factor_graphs(self):
        for method in (["bp"], ["bp", "--schedule", "flooding"], ["bp", "--schedule", "residual"], ["max_product"], ["ad3"]):
            arguments = ["solve", "--method", *method, "--max-iterations", 10]
            self.assert_grows(arguments, pairs, 3_000)
            # With the residual schedule a message to the hub changes the place of all others in the queue.
            self.assert_grows(arguments, hub, 2_000, exponent=2 if "residual" in method else 1)
            for kind in ("xor", "or", "nand", "or_out"):
                self.assert_grows(arguments, lambda n: factors(n, {"type": kind, "vars": list(range(n))}), 15_000)
        self.assert_grows(["solve", "--method", "bp", "--max-iterations", 5, "--format", "uai"], uai_pairs, 10_000)

    def test_factors_of_large_scores(self):
        """Beyond log-ratios of 1e4, log Z comes from the probability of one assignment."""
        def large(n, signs, **factor):
            scores = [signs[i % len(signs)] * (15_000 + i) for i in range(n)]
            return json.dumps({"scores": scores, "factors": [{"vars": list(range(n)), **factor}]}) + "\n"

        for signs, size, factor in [((-1, 1), 2_000, {"type": "or"}), ((-1, 1), 2_000, {"type": "or_out"}),
                                    ((-1,), 2_000, {"type": "or_out"}), ((-1,), 4_000, {"type": "at_most_one"}),
                                    ((-1,), 500, {"type": "budget", "budget": 5}),
                                    ((-1, -1, 1), 500, {"type": "nand"})]:
            self.assert_grows(["solve", "--method", "bp"], lambda n: large(n, signs, **factor), size)

        def hub_of_large_messages(n):
            pairs = [{"type": "pair", "vars": [0, i], "score": (-1) ** i * 300_000} for i in range(1, n)]
            return json.dumps({"scores": [i % 3 * 200_000 for i in range(n)], "factors": pairs}) + "\n"

        self.assert_grows(["solve", "--method", "bp", "--max-iterations", 10], hub_of_large_messages, 5_000)

    def test_machines(self):
        wants = "log_partition,counts,entropy,gradient,paths=2,samples=5"
        self.assert_grows(["wfsm", "--want", wants], machine, 5_000)
        self.assert_grows(["wfsm", "--want", wants], lambda n: "0 1 1 0.5\n" * n + "1\n", 30_000)
        self.assert_grows(["wfsm"], lambda n: machine(1) + "".join(f"{i} {i + 1} 1 1\n" for i in range(5, n)), 30_000)
