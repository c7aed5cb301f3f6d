"""The page of UDPipe 1: its parser and ours, trained on the same files with gold tokens and tags."""

import concurrent.futures
import hashlib
import os
import pathlib
import sys
import tempfile
from statistics import mean

from pages.turbo_trainings import TREEBANKS

TITLE = "Beside UDPipe 1"
SOURCE = """UDPipe 1 is a program that many people parse with: a transition-based parser with a small neural network. Here
its parser and ours are trained on the same files and judged on the same gold tokens and tags. Straka and Straková
(2017), *Tokenizing, POS Tagging, Lemmatizing and Parsing UD 2.0 with UDPipe*."""

PACKAGE = "ufal.udpipe==1.4.0.1"
PEER = pathlib.Path(__file__).resolve().parents[1] / "udpipe_peer.py"
METRICS = ("uas", "las")
OURS = ("--order", "2", "--epochs", "5", "--features", "complete")


def part(lab, treebank, which):
    path = lab.treebank(treebank, which)
    return lab.sample(path, 40 if which == "train" else 20) if lab.quick else path


class Udpipe:
    """Models of UDPipe, kept by the content of their files and their options: they do not depend on our sources."""

    def __init__(self, lab):
        self.lab, self.python = lab, lab.cache.parent / "udpipe" / "bin" / "python"
        self.options = "use_gold_tags=1" + lab.pick("", ";iterations=1")
        if not self.python.exists():
            lab.call(sys.executable, "-m", "venv", self.python.parents[1])
            lab.call(self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE)

    def file(self, treebank):
        digest = hashlib.sha256(f"{PACKAGE} {self.options}".encode())
        for which in ("train", "dev"):
            digest.update(part(self.lab, treebank, which).read_bytes())
        return self.lab.cache / f"udpipe-{digest.hexdigest()[:24]}.udpipe"

    def train(self, treebank):
        """Trains what is not there yet, if there is time."""
        kept = self.file(treebank)
        if not kept.exists() and not self.lab.is_late():
            print(f"training: {treebank}, UDPipe\n", end="", file=sys.stderr, flush=True)
            files = [part(self.lab, treebank, which) for which in ("train", "dev")]
            self.lab.place(kept, lambda new: self.lab.call(self.python, PEER, "train", *files, self.options, new,
                                                           timed=kept.with_suffix(".seconds")))

    def score(self, treebank):
        """Scores of UDPipe's parses of test, the seconds of its training and of parsing; None if it was not trained."""
        model, parses = self.file(treebank), self.file(treebank).with_suffix(".conllu")
        if not model.exists():
            return None
        test = part(self.lab, treebank, "test")
        seconds = float(self.lab.call(self.python, PEER, "parse", model, test, parses))
        return self.lab.judged(parses, test), float(model.with_suffix(".seconds").read_text()), seconds


def our_score(lab, treebank):
    """The same of our parser."""
    train, test = part(lab, treebank, "train"), part(lab, treebank, "test")
    options = ("--dev", part(lab, treebank, "dev"), *OURS)
    model = lab.affordable(train, *options)
    if not model:
        return None
    with tempfile.TemporaryDirectory() as folder:
        seconds = pathlib.Path(folder) / "seconds"
        lab.run("parse", "--model", model, "--threads", "1", test, timed=seconds)
        return lab.score(model, test), lab.training_seconds(train, options), float(seconds.read_text())


def words(path):
    return sum(line.split("\t")[0].isdigit() for line in path.read_text(encoding="utf-8").splitlines())


def write(lab, page):
    udpipe = Udpipe(lab)
    treebanks = lab.pick(sorted(TREEBANKS, key=lambda name: name == "en_ewt"), ("hu_szeged",))
    lab.train_all([(part(lab, name, "train"), ("--dev", part(lab, name, "dev"), *OURS)) for name in treebanks])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(udpipe.train, treebanks))
    rows, costs, gains = [], [], []
    for name in treebanks:
        theirs, ours = udpipe.score(name), our_score(lab, name)
        cells = [f"{s[0][metric]:.2f}" if s else None for s in (theirs, ours) for metric in METRICS]
        gain = [ours[0][metric] - theirs[0][metric] if theirs and ours else None for metric in METRICS]
        rows.append([name, *cells, *(None if g is None else f"{g:+.2f}" for g in gain)])
        gains += [gain] if theirs and ours else []
        tested = words(part(lab, name, "test"))
        costs.append([name, *(s[1] if s else None for s in (theirs, ours)), *(tested / s[2] if s else None for s in (theirs, ours))])
    page.heading("Accuracy")
    page.table("accuracy", ["treebank", *(f"{who} {metric.upper()}" for who in ("UDPipe", "ours,", "difference,") for metric in METRICS)],
               rows, f"All words of test. UDPipe: the package `{PACKAGE}` with its default options for parsers (10 iterations, the "
               "projective transition system with a dynamic oracle, no word vectors from elsewhere, dev chooses the iteration); "
               f"ours: `kirchhoff train {' '.join(OURS)}`.")
    if gains:
        better = sum(min(gain) > 0 for gain in gains)
        page.text(f"Our parser is better in both scores on {better} of {len(gains)} treebanks, by {mean(g[0] for g in gains):.2f} UAS "
                  f"and {mean(g[1] for g in gains):.2f} LAS on average.")
    if len(gains) < len(treebanks):
        page.text("A dash stands for a training that has not been run; a run with more `MINUTES` goes on with them.")
    page.heading("Cost")
    page.table("cost", ["treebank", "UDPipe trains, s", "ours trains, s", "UDPipe parses, words/s", "ours parses, words/s"], costs,
               "Seconds of processor time of trainings, two side by side; parsing on one thread, for UDPipe without reading and "
               "writing, for ours with all that the program does.")
