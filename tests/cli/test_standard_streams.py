"""Tests every verb with standard streams that are closed, full, broken, or not ready."""

import fcntl
import os
import pathlib
import subprocess
import tempfile
import threading
import time

import every_verb
import support
from support import Case, run


def in_shell(command, redirections, stdin):
    """Runs a command with redirections as a shell writes them."""
    line = 'exec "$@" ' + redirections
    return subprocess.run(["sh", "-c", line, "sh", *command.line()], input=stdin, capture_output=True, timeout=120)


class StandardStreams(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.commands = every_verb.commands(pathlib.Path(folder.name))
        cls.expected = {name: run(*c.arguments, stdin=c.stdin or b"", raw=True) for name, c in cls.commands.items()}
        cls.files = {name: [path.read_bytes() for path in c.outputs] for name, c in cls.commands.items()}

    def setUp(self):
        super().setUp()
        self.clean()

    def clean(self):
        for command in self.commands.values():
            for path in command.outputs:
                path.unlink(missing_ok=True)

    def test_every_command_succeeds(self):
        for name, done in self.expected.items():
            self.assertEqual(done.returncode, 0, (name, done.stderr))

    def test_standard_error_that_cannot_be_written_changes_nothing(self):
        for redirection in ("2>&-", "2>/dev/full", "2</dev/null"):
            for name, command in self.commands.items():
                with self.subTest(command=name, redirection=redirection):
                    done = in_shell(command, redirection, command.stdin)
                    self.assertEqual((done.returncode, done.stderr), (0, b""))
                    self.assertEqual(done.stdout, self.expected[name].stdout)
                    found = [path.read_bytes() for path in command.outputs]
                    if command.arguments[0] != "train":  # whose card has the date
                        self.assertEqual(found, self.files[name])
                    self.clean()

    def test_a_closed_pipe_does_not_end_a_training(self):
        command = self.commands["train"]
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(command.line(), stdout=write, stderr=write, timeout=120)
        os.close(write)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(run("model", "info", command.outputs[0]).returncode, 0)

    def test_standard_output_that_cannot_be_written(self):
        for redirection, reason in ((">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")):
            for name, command in self.commands.items():
                with self.subTest(command=name, redirection=redirection):
                    done = in_shell(command, redirection, command.stdin)
                    if not command.writes_stdout:
                        self.assertEqual(done.returncode, 0, done.stderr)
                        continue
                    message = f"kirchhoff: standard output: cannot write: {reason}\n"
                    self.assertEqual((done.returncode, done.stderr.decode()), (1, message))

    def test_standard_input_that_cannot_be_read(self):
        for redirection, reason in (("<&-", "Bad file descriptor"), ("</", "Is a directory")):
            for name, command in self.commands.items():
                with self.subTest(command=name, redirection=redirection):
                    done = in_shell(command, redirection, None)
                    if command.stdin is None:
                        self.assertEqual((done.returncode, done.stdout), (0, self.expected[name].stdout))
                        continue
                    message = f"kirchhoff: standard input: cannot read: {reason}\n"
                    self.assertEqual((done.returncode, done.stderr.decode()), (1, message))
                    self.assertEqual([path for path in command.outputs if path.exists()], [])

    def test_everything_closed(self):
        for name, command in self.commands.items():
            with self.subTest(command=name):
                done = in_shell(command, "<&- >&- 2>&-", None)
                self.assertEqual(done.returncode, 1 if command.writes_stdout else 0)
                self.clean()

    def test_bare_program_and_usage_errors_without_standard_error(self):
        for arguments in ([], ["tree"], ["tree", "--root", "none"], ["nonsense"]):
            done = in_shell(every_verb.Command(arguments), "2>&-", b"")
            self.assertEqual((done.returncode, done.stdout), (2, b""))


def set_nonblocking(descriptor):
    fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_NONBLOCK)


class NotReady(Case):
    """Streams that another program has set to non-blocking."""

    def talk(self, command):
        """Sends the input in two halves and reads the output late; both ends that the program holds do not block."""
        process = subprocess.Popen(command.line(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: [set_nonblocking(d) for d in (0, 1, 2)])

        def send():
            half = len(command.stdin) // 2
            for part in (command.stdin[:half], command.stdin[half:]):
                time.sleep(0.2)
                process.stdin.write(part)
                process.stdin.flush()
            process.stdin.close()

        sender = threading.Thread(target=send)
        sender.start()
        time.sleep(0.6)
        out = process.stdout.read()
        error = process.stderr.read()
        sender.join()
        process.stdout.close()
        process.stderr.close()
        return process.wait(timeout=120), out, error.decode()

    def test_all_input_is_read_and_all_output_is_written(self):
        commands = every_verb.commands(self.folder)
        for name in ("tree", "wfsm", "convert", "parse", "render"):
            command = commands[name]
            repeat = 1 if name == "wfsm" else 40  # more than a pipe holds
            command.stdin *= repeat
            with self.subTest(command=name):
                expected = run(*command.arguments, stdin=command.stdin, raw=True)
                self.assertEqual(self.talk(command), (0, expected.stdout, expected.stderr.decode()))
