"""Tests that a single long sentence, matrix or machine does not keep `kirchhoff serve` longer than a request may take."""

import json
import pathlib
import random

import pipelines
import support
from serving import Served, message
from support import Case


def processor_time(process):
    """The seconds that a process has computed for."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def sentence(words):
    """A sentence of so many words as CoNLL-U."""
    forms = random.Random(words).choices(["dog", "cat", "sees", "the", "man", "with", "telescope"], k=words)
    return "".join(f"{i}\t{form}\t_\tNOUN" + 6 * "\t_" + "\n" for i, form in enumerate(forms, 1)) + "\n"


def matrix(words, spread):
    """Scores of all arcs as a line of JSON."""
    draw = random.Random(words)
    return json.dumps({"scores": [[None if head == word or word == 0 else round(draw.uniform(-spread, spread), 2)
                                   for word in range(words + 1)] for head in range(words + 1)]}) + "\n"


def machine(states):
    """A machine with arcs between all states."""
    return "".join(f"{a} {b} 1 7.{abs(a - b):03}\n" for a in range(states) for b in range(states)) + "0\n"


def pairs(variables):
    """A factor graph with a score for each pair of its variables, whose relaxation is far from whole."""
    draw = random.Random(variables)
    factors = [{"type": "pair", "vars": [a, b], "score": draw.gauss(0, 2)} for a in range(variables) for b in range(a)]
    return json.dumps({"scores": [draw.gauss(0, 1) for _ in range(variables)], "factors": factors}) + "\n"


class Times(Case):
    LIMITS = ["--request-time", 0.2, "--max-sentence-words", 20000, "--max-words", 20000, "--max-body-mb", 50]
    # Each of these takes seconds or minutes when nobody stops it (the last one to write), and ends some milliseconds
    # after its time.
    MOST = 2 * (20 if support.sanitized() else 1)

    def test_one_long_piece_of_work_is_stopped(self):
        conllu, lines, text = "text/x-conllu", "application/jsonl", "text/plain"
        with Served("--model", pipelines.model(), "--log", "events", *self.LIMITS) as server:
            for path, body, kind in [
                    ("/v1/parse?probabilities=true&projective=true", sentence(3000), conllu),
                    ("/v1/parse?samples=10000", sentence(3000), conllu), ("/v1/parse?k_best=10000", sentence(3000), conllu),
                    ("/v1/tree?root=single&want=log_marginals&method=robust", matrix(2000, 300), lines),
                    ("/v1/sample?root=single&count=10000&method=colbourn", matrix(600, 3), lines),
                    ("/v1/wfsm?want=log_partition&method=robust", machine(700), text),
                    ("/v1/solve?method=ilp", pairs(60), lines), ("/v1/wfsm?want=hessian", machine(80), text)]:
                before = processor_time(server.process)
                answer = server.post(path, body, kind)
                with self.subTest(path=path):
                    self.assertEqual((answer[0], answer[1]["Retry-After"]), (503, "1"), answer[2][:200])
                    self.assertIn("no answer within 0.2 seconds", message(answer))
                    self.assertLess(processor_time(server.process) - before, self.MOST)
            # Nothing that the threads share was harmed.
            with Served("--model", pipelines.model(), "--log", "events") as fresh:
                for path, body, kind in [("/v1/parse?probabilities=true&samples=3", sentence(30), conllu),
                                         ("/v1/tree?root=single&want=all", matrix(5, 3), lines),
                                         ("/v1/wfsm?want=counts", machine(5), text)]:
                    answers = [one.post(path, body, kind)[::2] for one in (server, fresh)]
                    self.assertEqual(answers[0], answers[1])
                    self.assertEqual(answers[0][0], 200)
