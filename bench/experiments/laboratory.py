"""What the pages of results work with: treebanks, models that are trained once, and the programs that measure.

Models and scores are kept in a cache whose keys are hashes of the sources that decide them (sources.py), of the data and of
the options, so that a number on a page is never one of another program or of other data. Times are measured anew in every
run. What long pages say of a model is kept for good, with the commit that made it: see studies.py."""

import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import sources

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "treebank"


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

    def __init__(self, build, work, quick, minutes=None, jobs=None):
        self.build, self.quick = pathlib.Path(build).resolve(), quick
        self.program = self.build / "cli" / "kirchhoff"
        self.cache = pathlib.Path(work).resolve() / "cache"
        self.cache.mkdir(parents=True, exist_ok=True)
        self.treebanks = pathlib.Path(os.environ.get("KIRCHHOFF_TREEBANKS", ROOT.parent / "shared" / "ud"))
        self.sources = sources.present()
        self.jobs = jobs or os.cpu_count()  # Trainings side by side; the cores are shared among them.
        self.deadline = None if minutes is None else time.monotonic() + 60 * minutes
        self.missing = set()  # Treebanks for which the example stood in.
        self._data_hashes = {}

    def newer_source(self):
        """A source file that was changed after the program was linked, if there is one: models of such a program would
        be kept under the key of sources that it was not made of. `make reproduce` builds first."""
        built = self.program.stat().st_mtime
        return next((path for path in sources.files() if (ROOT / path).stat().st_mtime > built), None)

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

    def run(self, *arguments):
        """What `kirchhoff` prints on standard output for these arguments."""
        return self.call(self.program, *arguments)

    def measure(self, program, *arguments, environment=None):
        """The rows that a program of bench/ prints as CSV, each a dictionary by the names of the columns."""
        return list(csv.DictReader(self.call(self.build / "bench" / program, *arguments, environment=environment).splitlines()))

    def model(self, train, *options):
        """A model that was trained on a file, or on no trees (None), with these options of `kirchhoff train`; options may be
        files."""
        return self._train(train, options, 1, None)

    def train_all(self, trainings):
        """Trains what is not there yet of pairs (train, options), while there is time, several side by side, which is faster than
        one after the other on all cores. Models do not depend on the number of threads."""
        self.side_by_side(lambda training: self.is_late() or self.train(*training), trainings)

    def side_by_side(self, work, items):
        """Calls `work` for every item, for several at once; the first error ends the run."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for done in [pool.submit(work, item) for item in items]:
                done.result()

    def train(self, train, options):
        """The model of one of several trainings side by side; None when the time was over before it ended: it goes on where it
        was stopped when it is asked for again."""
        return self._train(train, options, self.jobs, self.deadline)

    def is_late(self):
        """Whether the time for trainings is over."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def model_file(self, train, options):
        """Where the model of a training is, once it is there."""
        return self.cache / f"{self._key('train', train, *options)}.model"

    def cost(self, model):
        """The processor time of a training, how many ran side by side, and on how many threads each."""
        return json.loads(model.with_suffix(".cost").read_text())

    def _train(self, train, options, at_once, deadline):
        kept = self.model_file(train, options)
        if kept.exists():
            return kept
        name = "no trees" if train is None else pathlib.Path(train).name
        said = " ".join(["training:", name, *(str(getattr(o, "name", o)) for o in options)])
        print(said + "\n", end="", file=sys.stderr, flush=True)  # In one piece: trainings run side by side.
        threads = max(1, os.cpu_count() // at_once)
        folder = kept.with_suffix(".part")
        folder.mkdir(exist_ok=True)
        spent = folder / "seconds"  # Of the runs that were stopped.
        before = float(spent.read_text()) if spent.exists() else 0.0
        resume = ("--resume",) if (folder / "new.model.checkpoint").exists() else ()
        try:
            trees = () if train is None else ("--train", train)
            seconds, ended = self.work(self.program, "train", *trees, "--model", folder / "new.model", *options,
                                       "--skip-bad", "--threads", threads, "--quiet", *resume, until=deadline)
        except SystemExit:
            shutil.rmtree(folder)
            raise
        if not ended:
            spent.write_text(f"{before + seconds:.2f}")
            return None
        cost = {"seconds": round(before + seconds, 2), "at_once": at_once, "threads": threads}
        kept.with_suffix(".cost").write_text(json.dumps(cost))
        shutil.move(folder / "new.model", kept)
        shutil.rmtree(folder)
        return kept

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
        """The same for what follows from the sources, too."""
        return self.digest(self.sources, *parts)

    def digest(self, *parts):
        """A name for what follows from these parts: files count by their content, all else by its text."""
        digest = hashlib.sha256()
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

    def call(self, *command, environment=None):
        """What a program prints on standard output; its failure ends the run."""
        result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, **(environment or {})})
        if result.returncode != 0:
            fail(command, result.returncode, result.stderr)
        return result.stdout

    def work(self, *command, until=None):
        """Runs a program that may take long and prints nothing of worth: the processor time that it took, and whether it came to
        its end. When the time `until` is over it is asked to stop (SIGTERM)."""
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=said)
            bell = threading.Timer(max(0.0, until - time.monotonic()), process.terminate) if until is not None else None
            try:
                if bell:
                    bell.start()
                _, status, used = os.wait4(process.pid, 0)
            finally:
                if bell:
                    bell.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode in (-signal.SIGINT, 128 + signal.SIGINT):
                raise KeyboardInterrupt
            stopped = until is not None and process.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM)
            if process.returncode != 0 and not stopped:
                said.seek(0)
                fail(command, process.returncode, said.read().decode(errors="replace"))
        return used.ru_utime + used.ru_stime, not stopped


def fail(command, status, said):
    """Ends the run with what a program said."""
    raise SystemExit(f"reproduce: {' '.join(map(str, command))}: status {status}\n{said[-2000:]}")
