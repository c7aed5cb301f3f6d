"""The page of UDPipe 1: its parser and ours, trained on the same files with gold tokens and tags."""

import importlib.metadata
import json
import shutil
import sys
from pathlib import Path
from statistics import mean

from page import Marked
from pages.parts import score
from pages.turbo_trainings import TREEBANKS
from studies import Study

TITLE = "Beside UDPipe 1"
SOURCE = """UDPipe 1 is a program that many people parse with: a transition-based parser with a small neural network. Here
its parser and ours are trained on the same files and judged on the same gold tokens and tags. Straka and Straková
(2017), *Tokenizing, POS Tagging, Lemmatizing and Parsing UD 2.0 with UDPipe*."""

PACKAGE, VERSION = "ufal.udpipe", "1.4.0.1"
PEER = Path(__file__).resolve().parents[1] / "udpipe_peer.py"
METRICS = ("uas", "las")
OURS = ("--order", "2", "--epochs", "5", "--features", "complete")


def part(lab, treebank, which):
    path = lab.treebank(treebank, which)
    return lab.sample(path, 40 if which == "train" else 20) if lab.quick else path


def python(lab):
    """A Python that has the package: this one, or else one of its own, which needs a network the first time."""
    try:
        if importlib.metadata.version(PACKAGE) == VERSION:
            return Path(sys.executable)
    except importlib.metadata.PackageNotFoundError:
        pass
    own = lab.cache.parent / "udpipe" / "bin" / "python"
    if not own.exists():
        lab.call(sys.executable, "-m", "venv", own.parents[1])
        lab.call(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{PACKAGE}=={VERSION}")
    return own


class UdpipeStudy(Study):
    """A training of UDPipe, which does not depend on our sources. It cannot go on where it was stopped."""

    def question(self, lab):
        return lab.digest("udpipe", self.sources(lab), self.train, *self.options)

    def sources(self, lab):
        return f"{PACKAGE}=={VERSION}"

    def file(self, lab):
        return lab.cache / f"{self.question(lab)}.udpipe"

    def model(self, lab):
        kept, new = self.file(lab), self.file(lab).with_suffix(".new")
        if not kept.exists():
            print(f"training: UDPipe, {self.title()}\n", end="", file=sys.stderr, flush=True)
            dev, options = self.options
            seconds, ended = lab.work(python(lab), PEER, "train", self.train, dev, "none", "none", options, new,
                                      until=lab.deadline)
            if not ended:
                return None
            kept.with_suffix(".cost").write_text(json.dumps({"seconds": round(seconds, 2), "at_once": lab.jobs, "threads": 1}))
            shutil.move(new, kept)
        return kept


def their_parses(lab, model, data):
    """UDPipe's scores, and the processor time of its parsing."""
    parses = model.with_suffix(".conllu")
    seconds = float(lab.call(python(lab), PEER, "parse", model, data, parses))
    judged = lab.judged(parses, data)
    return {"seconds": seconds, **{metric: round(judged[metric], 4) for metric in METRICS}}


def our_parses(lab, model, data):
    """The same of our parser, on one thread."""
    seconds, _ = lab.work(lab.program, "parse", "--model", model, "--threads", 1, data)
    return {"seconds": round(seconds, 3), **score(lab, model, data)}


def studies(lab, treebank):
    """UDPipe's training and ours."""
    train, dev, test = (part(lab, treebank, which) for which in ("train", "dev", "test"))
    return (UdpipeStudy(train, (dev, "use_gold_tags=1" + lab.pick("", ";iterations=1")), {"test": (their_parses, test)}),
            Study(train, ("--dev", dev, *OURS), {"test": (our_parses, test)}))


def words(path):
    return sum(line.split("\t")[0].isdigit() for line in path.read_text(encoding="utf-8").splitlines())


def write(lab, page):
    treebanks = lab.pick(sorted(TREEBANKS, key=lambda name: name == "en_ewt"), ("hu_szeged",))
    python(lab)  # Made once, before trainings run side by side.
    pairs = {name: studies(lab, name) for name in treebanks}
    found = dict(zip(treebanks, zip(*[iter(page.studies.run(one for pair in pairs.values() for one in pair))] * 2)))
    rows, costs, gains = [], [], []
    for name in treebanks:
        cells = [Marked(f"{one.answers['test'][metric]:.2f}", page.studies.mark(one)) if one else None
                 for one in found[name] for metric in METRICS]
        theirs, ours = (one and one.answers["test"] for one in found[name])
        gain = [ours[metric] - theirs[metric] if theirs and ours else None for metric in METRICS]
        rows.append([name, *cells, *(None if g is None else f"{g:+.2f}" for g in gain)])
        gains += [gain] if theirs and ours else []
        tested = words(part(lab, name, "test"))
        times = [one and one.seconds for one in found[name]]
        times += [one and tested / one["seconds"] for one in (theirs, ours)]
        marks = [one and page.studies.mark(one) for one in found[name]] * 2
        costs.append([name, *map(Marked, times, marks)])
    page.heading("Accuracy")
    page.table("accuracy", ["treebank", *(f"{who} {metric.upper()}" for who in ("UDPipe", "ours,", "difference,") for metric in METRICS)],
               rows, f"All words of test. UDPipe: the package `{PACKAGE}=={VERSION}` with its default options for parsers (10 iterations, the "
               "projective transition system with a dynamic oracle, no word vectors from elsewhere, dev chooses the iteration); "
               f"ours: `kirchhoff train {' '.join(OURS)}`.")
    if gains:
        better = sum(min(gain) > 0 for gain in gains)
        page.text(f"Our parser is better in both scores on {better} of {len(gains)} treebanks, by {mean(g[0] for g in gains):.2f} UAS "
                  f"and {mean(g[1] for g in gains):.2f} LAS on average.")
    for who, index in (("UDPipe's", 0), ("our", 1)):
        if missing := [name for name in treebanks if found[name][index] is None]:
            page.text(f"A dash stands for {who} training on {', '.join(missing)}, which has not been run: a run with more `MINUTES` "
                      "does that.")
    page.heading("Cost")
    page.table("cost", ["treebank", "UDPipe trains, s", "ours trains, s", "UDPipe parses, words/s", "ours parses, words/s"], costs,
               "Seconds of processor time of trainings, under the conditions that the footer names; parsing on one thread, for "
               "UDPipe without reading and writing, for ours with all that the program does. Letters tell machines apart: times of "
               "two machines cannot be compared.")
