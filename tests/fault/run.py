"""Runs every verb with system and library calls that fail: python3 run.py PROGRAM SHIM [--all] [--only NAME] [--jobs N].

Each run must give the answer, or a clear error; never a crash, a hang, a wrong answer, half a file or a file left over.
With --all every call fails once and again with all that follow it; without, a sample of the calls does."""

import argparse
import collections
import errno
import os
import pathlib
import queue
import signal
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cli"))

import every_verb  # noqa: E402
import support  # noqa: E402

KINDS = ("malloc", "open", "read", "write", "sync", "rename", "mmap", "thread", "close", "stat")
MODES = ("once", "onward")
HARMLESS = {"short": 0, "interrupted": errno.EINTR, "not ready": errno.EAGAIN}  # after which reading and writing go on
SAMPLE = 12  # how many calls of a kind fail in turn without --all
DENSE = {"parse": 450}  # the same where memory is kept from sentence to sentence: a fault must not spoil the next one
OLD = b"what was there before\n"
UNCLEAR = (b"std::", b"vector::", b"basic_string", b"terminate", b"Assertion", b"unknown error", b"map::")

Fault = collections.namedtuple("Fault", "command kind at mode")


class Server:
    """A program that runs its main function as often as it is asked to, each time with another fault: see shim.cpp."""

    def __init__(self, shim, command, folder):
        folder.mkdir()
        self.folder = folder
        (folder / "stdin").write_bytes(command.stdin or b"")
        take, self.requests = os.pipe()
        self.answers, give = os.pipe()
        env = dict(os.environ, LD_PRELOAD=str(shim), FAULT_FOLDER=str(folder), FAULT_REQUESTS=str(take),
                   FAULT_ANSWERS=str(give))
        self.process = subprocess.Popen(command.line(), pass_fds=(take, give), env=env)
        os.close(take)
        os.close(give)

    def run(self, kind="none", at=0, onward=False, error=-1):
        """The exit status, or minus the signal that ended the run; its standard output and error."""
        os.write(self.requests, f"{kind} {at} {int(onward)} {error}\n".encode())
        status = int(os.read(self.answers, 100))
        return status, (self.folder / "stdout").read_bytes(), (self.folder / "stderr").read_bytes()

    def counts(self):
        """How many calls of each kind the last run made."""
        lines = (self.folder / "calls").read_text().splitlines()
        return {kind: int(count) for kind, count in (line.split() for line in lines)}

    def close(self):
        os.close(self.requests)
        os.close(self.answers)
        self.process.wait()


class Worker:
    """A folder with the inputs of all commands, in which one command runs at a time."""

    def __init__(self, shim, folder):
        self.folder = folder / "work"
        self.folder.mkdir()
        self.commands = every_verb.commands(self.folder)
        self.inputs = set(self.folder.iterdir())
        self.servers = {name: Server(shim, command, folder / name) for name, command in self.commands.items()}
        self.expected, self.counts, self.statuses = {}, {}, collections.Counter()
        for name, command in self.commands.items():
            status, stdout, stderr = self.run(name)
            assert status == 0, (name, stderr)
            self.expected[name] = (stdout, self.outputs(command))
            self.counts[name] = self.servers[name].counts()
            self.clean()

    def run(self, name, *fault):
        """Runs a command whose files are there already, with other content."""
        for path in self.commands[name].outputs:
            path.write_bytes(OLD)
        return self.servers[name].run(*fault)

    def outputs(self, command):
        return [path.read_bytes() if path.exists() else None for path in command.outputs]

    def clean(self):
        for path in set(self.folder.iterdir()) - self.inputs:
            path.unlink()

    def problem(self, fault):
        """What a run with a fault did wrong, or None."""
        result = self.run(fault.command, fault.kind, fault.at, fault.mode == "onward", HARMLESS.get(fault.mode, -1))
        self.statuses[result[0]] += 1
        problem = self.judged(fault, self.commands[fault.command], *result)
        self.clean()
        return problem

    def judged(self, fault, command, status, stdout, stderr):
        if status == -signal.SIGALRM:
            return "it hangs"
        if status not in (0, 1):
            return f"status {status}: {stderr[-300:]}"
        if status == 1:
            lines = stderr.splitlines()
            if fault.mode in HARMLESS:
                return f"it should go on: {stderr[-300:]}"
            if not lines or not lines[-1].startswith(b"kirchhoff: ") or any(text in lines[-1] for text in UNCLEAR):
                return f"no clear error: {stderr[-300:]}"
        right, files = self.expected[fault.command]
        if status == 0 and stdout != right:
            return "it takes a wrong or partial answer for success"
        for path, found, whole in zip(command.outputs, self.outputs(command), files):
            if found != whole and (found != OLD or status == 0) and not self.is_good_model(path):
                return f"{path.name} is {'missing' if found is None else 'half-written or wrong'}"
        kept = ("", ".checkpoint", ".checkpoint.parts")
        expected_files = {path.with_name(path.name + end) for path in command.outputs for end in kept}
        left = set(self.folder.iterdir()) - self.inputs - expected_files
        return f"files are left over: {sorted(path.name for path in left)}" if left else None

    def is_good_model(self, path):
        """Models differ in their card's date, so what counts is that they can be read."""
        return path.suffix == ".model" and path.exists() and support.run("model", "info", path).returncode == 0


def chosen(first, count, sample):
    """The calls that fail, `sample` of those from `first` to `count`."""
    total = count - first + 1
    if total <= sample:
        return range(first, count + 1)
    return sorted({first + i * (total - 1) // (sample - 1) for i in range(sample)})


def planned(worker, only, everything):
    """All faults to try. What all verbs do to read the command line fails only in the first command."""
    names = [name for name in worker.commands if not only or name in only]
    common = worker.counts["version"]
    for name in names:
        counts = worker.counts[name]
        for kind in KINDS:
            first = 1 if name == "version" or kind != "malloc" else common[kind]
            sample = counts[kind] if everything else DENSE.get(name, SAMPLE)
            for at in chosen(first, counts[kind], sample):
                yield from (Fault(name, kind, at, mode) for mode in MODES)
                if kind in ("read", "write"):
                    yield from (Fault(name, kind, at, mode) for mode in HARMLESS)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("shim")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", action="append")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    support.PROGRAM = str(pathlib.Path(options.program).resolve())
    shim = pathlib.Path(options.shim).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        workers = []
        for job in range(options.jobs):
            folder = pathlib.Path(scratch) / str(job)
            folder.mkdir()
            workers.append(Worker(shim, folder))
        faults = queue.SimpleQueue()
        for fault in planned(workers[0], options.only, options.all):
            faults.put(fault)
        total, problems = faults.qsize(), []
        print(f"{total} runs", flush=True)

        def work(worker):
            while True:
                try:
                    fault = faults.get_nowait()
                except queue.Empty:
                    return
                problem = worker.problem(fault)
                if problem:
                    problems.append((fault, problem))
                    print(f"{fault.command}: {fault.kind} {fault.at} {fault.mode}: {problem}", flush=True)

        threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for worker in workers:
            for server in worker.servers.values():
                server.close()
    statuses = sum((worker.statuses for worker in workers), collections.Counter())
    print(f"{total} runs with a fault: {statuses[0]} succeeded, {statuses[1]} ended with an error, {len(problems)} bad")
    sys.exit(1 if problems or total == 0 else 0)


if __name__ == "__main__":
    main()
