"""Tests `kirchhoff train`, `parse` and `model`: a small treebank from end to end, interrupted, killed and damaged."""

import json
import os
import random
import re
import signal
import subprocess
import time

import support
from support import Case, run


def toy_sentence(rng):
    """Noun phrases, a verb, and a prepositional phrase that attaches by its preposition."""
    words = []

    def noun_phrase(head, relation):
        first = len(words) + 1
        adjectives = rng.randrange(2)
        noun = first + 1 + adjectives
        words.append(["the", "DET", noun, "det"])
        for _ in range(adjectives):
            words.append([rng.choice(["big", "red"]), "ADJ", noun, "amod"])
        words.append([rng.choice(["cat", "dog", "man"]), "NOUN", head, relation])
        return noun

    subject = noun_phrase(0, "nsubj")
    verb = len(words) + 1
    words[subject - 1][2] = verb
    words.append([rng.choice(["sees", "likes"]), "VERB", 0, "root"])
    noun = noun_phrase(verb, "obj")
    if rng.random() < 0.5:
        with_ = rng.random() < 0.5
        place = len(words)
        words.append(["with" if with_ else "of", "ADP", 0, "case"])
        words[place][2] = noun_phrase(verb if with_ else noun, "obl" if with_ else "nmod")
    words.append([".", "PUNCT", verb, "punct"])
    lines = [f"{i}\t{w}\t{w}\t{tag}\t_\t_\t{head}\t{relation}\t_\t_"
             for i, (w, tag, head, relation) in enumerate(words, 1)]
    return "\n".join(lines) + "\n\n"


def toy_treebank(seed, count):
    rng = random.Random(seed)
    return "".join(toy_sentence(rng) for _ in range(count))


class ToyCase(Case):
    """A treebank of toy sentences, and a model that is trained on it."""

    def setUp(self):
        super().setUp()
        self.train = self.file("train.conllu", toy_treebank(1, 60))
        self.dev = self.file("dev.conllu", toy_treebank(2, 20))
        self.model = self.folder / "toy.model"

    def arguments(self, *more):
        return ["train", "--train", self.train, "--dev", self.dev, "--model", self.model, "--epochs", "3", *more]

    def trained(self, *more):
        done = run(*self.arguments(*more))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done


class ParserTest(ToyCase):
    def test_from_end_to_end(self):
        done = self.trained("--licence", "CC0")
        self.assertRegex(done.stderr, r"pruner: .* heads per word, recall on train")
        self.assertRegex(done.stderr, r"epoch 3: loss [\d.]+, .* dev UAS [\d.]+ LAS [\d.]+ calibration error [\d.]+ %")
        self.assertFalse(os.path.exists(f"{self.model}.checkpoint"))
        parsed = run("parse", "--model", self.model, self.dev)
        self.assertEqual(parsed.returncode, 0, parsed.stderr)
        system = self.file("system.conllu", parsed.stdout)
        scores = run("eval", self.dev, system)
        self.assertEqual(scores.returncode, 0, scores.stderr)
        gold, found = self.dev.read_text().splitlines(), parsed.stdout.splitlines()
        words = [(g.split("\t"), f.split("\t")) for g, f in zip(gold, found, strict=True) if g]
        right = sum(g[6:8] == f[6:8] for g, f in words)
        self.assertGreater(right / len(words), 0.95)
        self.assertTrue(all(g[:6] == f[:6] and g[8:] == f[8:] for g, f in words))
        info = run("model", "info", self.model)
        for line in ["train: ", "command: ", "licence: CC0", "epoch 1: loss", "date: ", "relations: "]:
            self.assertIn(line, info.stdout)

    def test_probabilities_best_trees_and_samples(self):
        self.trained()
        text = run("parse", "--model", self.model, "--probabilities", self.dev).stdout
        self.assertEqual(len(re.findall(r"^# log_prob = -?[\d.]+$", text, re.M)), 20)
        self.assertEqual(len(re.findall(r"^# entropy = -?[\d.]+$", text, re.M)), 20)
        probabilities = [float(p) for p in re.findall(r"ArcProb=([\d.]+)\|LabelProb=[\d.]+$", text, re.M)]
        self.assertEqual(len(probabilities), sum(line != "" for line in self.dev.read_text().splitlines()))
        self.assertTrue(all(0 < p <= 1 for p in probabilities))
        best = run("parse", "--model", self.model, "--k-best", 3, self.dev).stdout
        self.assertEqual(best.count("# rank = 1\n"), 20)
        self.assertGreater(best.count("# rank = 3\n"), 15)
        samples = run("parse", "--model", self.model, "--samples", 2, "--seed", 5, self.dev).stdout
        self.assertEqual(samples.count("# sample = 2\n"), 20)
        self.assertEqual(samples, run("parse", "--model", self.model, "--samples", 2, "--seed", 5, "--threads", 1,
                                      self.dev).stdout)

    def test_threads_and_streams_give_the_same(self):
        self.trained()
        plain = run("parse", "--model", self.model, self.dev).stdout
        self.assertEqual(run("parse", "--model", self.model, "--threads", 3, stdin=self.dev.read_text()).stdout, plain)
        json_lines = run("parse", "--model", self.model, "--format", "json", self.dev).stdout.splitlines()
        self.assertEqual(len(json_lines), 20)
        heads = [int(line.split("\t")[6]) for line in plain.splitlines() if line]
        self.assertEqual([head for line in json_lines for head in json.loads(line)["heads"]], heads)
        drawings = run("parse", "--model", self.model, "--format", "displacy", self.dev).stdout.splitlines()
        self.assertEqual([len(json.loads(line)["words"]) for line in drawings],
                         [len(json.loads(line)["words"]) for line in json_lines])

    def test_keep_heads(self):
        self.trained()
        text = "1\tthe\tthe\tDET\t_\t_\t4\t_\t_\t_\n2\tcat\tcat\tNOUN\t_\t_\t_\t_\t_\t_\n" \
               "3\tsees\tsees\tVERB\t_\t_\t_\t_\t_\t_\n4\t.\t.\tPUNCT\t_\t_\t_\t_\t_\t_\n\n"
        rows = run("parse", "--model", self.model, "--keep-heads", stdin=text).stdout.splitlines()
        self.assertEqual(rows[0].split("\t")[6], "4")
        cycle = "# sent_id = loop\n" + text.replace("\t_\t_\t4", "\t_\t_\t2").replace("NOUN\t_\t_\t_", "NOUN\t_\t_\t1")
        done = run("parse", "--model", self.model, "--keep-heads", stdin=cycle)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^kirchhoff: standard input:1: sentence 'loop': .*cycle.*\n$")
        done = run("parse", "--model", self.model, "--keep-heads", "--skip-bad", stdin=cycle + text)
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 5))
        self.assertIn("(skipped)", done.stderr)

    def test_a_head_that_does_not_exist_cannot_be_kept(self):
        self.trained()
        good = "1\ta\t_\tDET\t_\t_\t_\t_\t_\t_\n2\tcat\t_\tNOUN\t_\t_\t0\t_\t_\t_\n\n"
        for head in ("3", "2000000000", "1"):
            bad = "# sent_id = far\n" + good.replace("DET\t_\t_\t_", f"DET\t_\t_\t{head}")
            done = run("parse", "--model", self.model, "--keep-heads", stdin=good + bad)
            problem = f"word 1: its head {head} is not another of the 2 words or the root, and so cannot be kept"
            message = f"kirchhoff: standard input:4: sentence 'far': {problem}"
            self.assertEqual((done.returncode, done.stderr), (1, f"{message}\n"))
            self.assertEqual(done.stdout.count("\n"), 3, "what stands before it is written")
            done = run("parse", "--model", self.model, "--keep-heads", "--skip-bad", stdin=good + bad + good)
            self.assertEqual((done.returncode, done.stderr), (0, f"{message} (skipped)\n"))
            self.assertEqual(done.stdout.count("\n"), 6)

    def test_a_blank_form_in_dev_is_found_before_training(self):
        good = self.dev.read_text()
        line = good.count("\n") + 2
        self.dev.write_text(good + "1\ta\ta\tDET\t_\t_\t0\troot\t_\t_\n2\t\u00a0 \tb\tNOUN\t_\t_\t1\tdet\t_\t_\n\n")
        message = f"kirchhoff: {self.dev}:{line}: the form has blanks only, so it cannot be scored"
        done = run(*self.arguments())
        self.assertEqual((done.returncode, done.stderr), (1, f"{message}\n"))
        self.assertFalse(self.model.exists())
        self.assertIn(f"{message} (skipped)\n", self.trained("--skip-bad").stderr)

    def test_what_stands_before_an_error_is_written(self):
        self.trained()
        good = toy_treebank(3, 5)
        parsed = run("parse", "--model", self.model, stdin=good).stdout
        loop = "1\ta\t_\t_\t_\t_\t2\t_\t_\t_\n2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n\n"
        free = re.sub(r"\t\d+\t[a-z]+\t_\t_$", "\t_\t_\t_\t_", good, flags=re.M)
        for bad, arguments in [("1\tno columns\n\n", []), (loop, ["--keep-heads"])]:
            done = run("parse", "--model", self.model, *arguments, stdin=free + bad + free)
            self.assertEqual((done.returncode, done.stdout), (1, parsed), done.stderr)

    def test_losses_by_name_and_by_numbers(self):
        # The card has the command in it; the losses of the epochs tell whether the same was learnt.
        for name, beta, gamma in [("svm", "inf", "1"), ("softmax_margin", "1", "1")]:
            by_name = re.findall(r"loss [\d.]+", self.trained("--loss", name).stderr)
            by_numbers = re.findall(r"loss [\d.]+", self.trained("--beta", beta, "--gamma", gamma).stderr)
            self.assertEqual(by_name, by_numbers)
            self.assertGreaterEqual(len(by_name), 3)
        hamming = self.trained("--loss", "svm", "--cost", "hamming", "--gamma", "1.5")
        doubled = self.trained("--loss", "svm", "--gamma", "3")
        self.assertEqual(*(re.findall(r"loss [\d.]+", done.stderr) for done in (hamming, doubled)))
        for wrong in ["nan", "0", "-1"]:
            done = run(*self.arguments("--beta", wrong))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("beta", done.stderr)

    def test_parts(self):
        for parts in ("siblings=all,grandparents", "all,bigrams,nonprojective"):
            self.trained("--parts", parts, "--loss", "svm")
            done = run("parse", "--model", self.model, "--stats", self.dev)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"belief propagation converged on [\d.]+ %.*% of the trees certified")
            comments = re.findall(r"^# inference = (.*)$", done.stdout, flags=re.M)
            self.assertEqual(len(comments), done.stdout.count("\n\n"))
            for comment in comments:
                self.assertRegex(comment, r"bp .* iterations, residual [\d.e+-]+; tree .*, gap [\d.e+-]+, \w+ relaxation")
            exact = run("parse", "--model", self.model, "--solver", "exact", self.dev)
            self.assertEqual(exact.returncode, 0, exact.stderr)
        self.assertIn("parts: all,bigrams,nonprojective\n", run("model", "info", self.model).stdout)
        for wrong in ("", "some", "next,all"):
            done = run(*self.arguments("--parts", wrong))
            self.assertEqual(done.returncode, 2)
            self.assertIn("--parts", done.stderr)
        self.assertEqual(run(*self.arguments("--parts", "all", "--order", 2)).returncode, 2)
        for more in ([], ["--loss", "svm", "--beta", 3], ["--loss", "risk"]):
            done = run(*self.arguments("--parts", "nonprojective", *more))
            message = "kirchhoff: --parts: nonprojective needs --loss svm, or another with --beta inf (see 'kirchhoff train --help')\n"
            self.assertEqual((done.returncode, done.stderr), (2, message))
        self.trained("--parts", "next,nonprojective", "--loss", "perceptron", "--relaxed")
        losses = re.findall(r"loss ([\d.]+)", self.trained("--order", "2", "--loss", "risk").stderr)
        self.assertLess(float(losses[-1]), 0.8 * float(losses[0]))

    def test_root(self):
        self.trained()
        text = "".join(f"{i}\tcat\tcat\tNOUN\t_\t_\t{0 if i < 3 else '_'}\t_\t_\t_\n" for i in range(1, 4)) + "\n"
        done = run("parse", "--model", self.model, "--keep-heads", "--root", "multi", stdin=text)
        self.assertEqual([line.split("\t")[6] for line in done.stdout.splitlines()[:2]], ["0", "0"])
        self.assertEqual(run("parse", "--model", self.model, "--keep-heads", stdin=text).returncode, 1)

    def test_interrupted_and_resumed(self):
        self.trained("--quiet")
        whole = run("parse", "--model", self.model, "--probabilities", self.dev).stdout
        self.model.unlink()
        for attempt in range(40):
            resume = ["--resume"] if os.path.exists(f"{self.model}.checkpoint") else []
            process = subprocess.Popen([support.PROGRAM, *map(str, self.arguments("--quiet", *resume))],
                                       stderr=subprocess.PIPE)
            time.sleep(0.05 * (attempt + 1))
            process.send_signal(signal.SIGINT)
            error = process.communicate()[1].decode()
            if process.returncode == 0:
                break
            if process.returncode == 130:  # else it was stopped before it could listen
                self.assertIn("--resume", error)
        self.assertEqual(run("parse", "--model", self.model, "--probabilities", self.dev).stdout, whole)

    def test_killed_at_any_moment(self):
        rng = random.Random(3)
        start = time.monotonic()
        self.trained("--quiet")
        whole = time.monotonic() - start
        for _ in range(20):
            resume = ["--resume"] if os.path.exists(f"{self.model}.checkpoint") else []
            process = subprocess.Popen([support.PROGRAM, *map(str, self.arguments("--quiet", *resume))],
                                       stderr=subprocess.PIPE)
            time.sleep(rng.random() * whole)
            process.kill()
            error = process.communicate()[1].decode()
            self.assertIn(process.returncode, (0, -signal.SIGKILL), error)
            if self.model.exists():
                self.assertEqual(run("model", "info", self.model).returncode, 0)
        done = run(*self.arguments("--quiet", *(["--resume"] if os.path.exists(f"{self.model}.checkpoint") else [])))
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_bad_files(self):
        for content in [b"", b"hello", b"KIRCHHOF" + bytes(100)]:
            bad = self.file("bad.model", content)
            for arguments in [["model", "info", bad], ["parse", "--model", bad, self.dev]]:
                done = run(*arguments)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, r"^kirchhoff: .*bad\.model: .*\n$")
        done = run("parse", "--model", self.folder / "none", self.dev)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        done = run("train", "--train", self.file("empty", ""), "--model", self.model)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no sentences", done.stderr)
