"""What the pages of results work with: treebanks, models that are trained once, and the programs that measure.

Models and scores are kept in a cache whose keys are hashes of the library's sources, of the data and of the options, so
that a number on a page is never one of another program or of other data. Times are measured anew in every run."""

import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

# Runs a command and writes the processor time that it took into a file.
TIMED = """
import pathlib, resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
pathlib.Path(sys.argv[1]).write_text(f"{used.ru_utime + used.ru_stime:.2f}")
sys.exit(status)
"""

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "treebank"


def sources_hash():
    """The hash of all that decides what the program computes."""
    digest = hashlib.sha256()
    for folder in ("include", "src"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file():
                digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def processor():
    """The processor's name, as its maker writes it."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":", 1)[1].strip() for line in lines if line.startswith(("model name", "Model")))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"


class Laboratory:
    """One run of the experiments: quick ones on small samples, or those of the papers' size."""

    def __init__(self, build, work, quick, minutes=None):
        self.build, self.quick = pathlib.Path(build).resolve(), quick
        self.program = self.build / "cli" / "kirchhoff"
        self.cache = pathlib.Path(work).resolve() / "cache"
        self.cache.mkdir(parents=True, exist_ok=True)
        self.treebanks = pathlib.Path(os.environ.get("KIRCHHOFF_TREEBANKS", ROOT.parent / "shared" / "ud"))
        self.sources = sources_hash()
        self.deadline = None if minutes is None else time.monotonic() + 60 * minutes
        self.missing = set()  # Treebanks for which the example stood in.
        self._data_hashes = {}

    def newer_source(self):
        """A source file that was changed after the program was linked, if there is one: models of such a program would
        be kept under the key of sources that it was not made of. `make reproduce` builds first."""
        built = self.program.stat().st_mtime
        sources = (path for folder in ("include", "src") for path in sorted((ROOT / folder).rglob("*.?pp")))
        return next((path.relative_to(ROOT) for path in sources if path.stat().st_mtime > built), None)

    def pick(self, full, quick):
        """One of the two, by the size of this run."""
        return quick if self.quick else full

    def real(self, name, part="test"):
        """Whether a part of a treebank is there."""
        return (self.treebanks / f"{name}-ud-{part}.conllu").is_file()

    def treebank(self, name, part):
        """The file of a treebank's part; where it is missing, the example treebank stands in, and the page says so."""
        path = self.treebanks / f"{name}-ud-{part}.conllu"
        if path.is_file():
            return path
        self.missing.add(f"{name} {part}")
        return EXAMPLES / ("train.conllu" if part == "train" else "dev.conllu")

    def sample(self, path, sentences, skip=0):
        """A file with `sentences` sentences of another one, after its first `skip`."""
        blocks = [block for block in pathlib.Path(path).read_text(encoding="utf-8").split("\n\n") if block.strip()]
        text = "".join(block.strip("\n") + "\n\n" for block in blocks[skip:skip + sentences])
        kept = self.cache / f"sample-{hashlib.sha256(text.encode()).hexdigest()[:16]}.conllu"
        if not kept.exists():
            self.place(kept, lambda new: new.write_text(text, encoding="utf-8"))
        return kept

    def run(self, *arguments, timed=None):
        """What `kirchhoff` prints on standard output for these arguments; the file `timed` gets its processor time."""
        return self.call(self.program, *arguments, timed=timed)

    def measure(self, program, *arguments, environment=None):
        """The rows that a program of bench/ prints as CSV, each a dictionary by the names of the columns."""
        return list(csv.DictReader(self.call(self.build / "bench" / program, *arguments, environment=environment).splitlines()))

    def model(self, train, *options):
        """A model that was trained on a file with these options of `kirchhoff train`; options may be files."""
        return self._train(train, options, os.cpu_count())

    def affordable(self, train, *options):
        """The same, but None when the model is not there and the time for trainings is over: a dash on the page."""
        kept = self._model_file(train, options)
        return None if self.is_late() and not kept.exists() else self.model(train, *options)

    def train_all(self, trainings):
        """Trains what is not there yet of pairs (train, options), while there is time: as many at once as there are cores, on one
        thread each, which is faster than one after the other on all cores. Models do not depend on the number of threads."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in [pool.submit(lambda t: self.is_late() or self._train(*t, 1), training) for training in trainings]:
                done.result()

    def is_late(self):
        """Whether the time for trainings is over."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def _model_file(self, train, options):
        return self.cache / f"{self._key('train', train, *options)}.model"

    def _train(self, train, options, threads):
        kept = self._model_file(train, options)
        if not kept.exists():
            said = " ".join(["training:", pathlib.Path(train).name, *(str(getattr(o, "name", o)) for o in options)])
            print(said + "\n", end="", file=sys.stderr, flush=True)  # In one piece: trainings run side by side.
            seconds = kept.with_suffix(".seconds")
            self.place(kept, lambda new: self.run("train", "--train", train, "--model", new, *options, "--skip-bad",
                                                   "--threads", threads, "--quiet", timed=seconds))
        return kept

    def training_seconds(self, train, options):
        """The processor time that the training of a model took, which was done before."""
        return float(self._model_file(train, options).with_suffix(".seconds").read_text())

    def parsed(self, model, data, *options):
        """A file with a model's parses of the data."""
        kept = self.cache / f"{self._key('parse', model, data, *options)}.conllu"
        if not kept.exists():
            self.place(kept, lambda new: new.write_text(self.run("parse", "--model", model, *options, data), encoding="utf-8"))
        return kept

    def score(self, model, data, *options):
        """What `kirchhoff eval --json` says of a model's parses of the data."""
        return self.judged(self.parsed(model, data, *options), data)

    def judged(self, system, data):
        """What `kirchhoff eval --json` says of parses of the data."""
        kept = self.cache / f"{self._key('eval', system, data)}.json"
        if not kept.exists():
            self.place(kept, lambda new: new.write_text(self.run("eval", "--skip-bad", data, system, "--json"), encoding="utf-8"))
        return json.loads(kept.read_text(encoding="utf-8"))

    def _key(self, *parts):
        """A name for what follows from these parts: files count by their content, all else by its text."""
        digest = hashlib.sha256(self.sources.encode())
        for part in parts:
            digest.update((self._hash(part) if isinstance(part, pathlib.Path) else str(part)).encode() + b"\0")
        return digest.hexdigest()[:24]

    def _hash(self, path):
        """A file's hash. A model's name has the hash of all that it was made of; its bytes have the date, too."""
        if path.suffix == ".model" and path.parent == self.cache:
            return path.stem
        if path not in self._data_hashes:
            self._data_hashes[path] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self._data_hashes[path]

    def place(self, kept, write):
        """Writes a file beside its place and moves it there, so that none is ever half-written."""
        with tempfile.TemporaryDirectory(dir=self.cache) as folder:
            new = pathlib.Path(folder) / kept.name
            write(new)
            shutil.move(new, kept)

    def call(self, *command, environment=None, timed=None):
        """What a program prints on standard output; its failure ends the run. The file `timed` gets its processor time."""
        command = [*((sys.executable, "-c", TIMED, timed) if timed else ()), *command]
        result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **(environment or {})})
        if result.returncode != 0:
            raise SystemExit(f"reproduce: {' '.join(map(str, command))}: status {result.returncode}\n{result.stderr[-2000:]}")
        return result.stdout
