"""Tests how `kirchhoff serve` starts, loads models again and ends, what it logs, and that its memory stays flat."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading

import pipelines
import support
from serving import ENDING, Served, exchange
from support import Case, run


def resident(process):
    """The memory of a process in bytes."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) * 1024


class Start(Case):
    def test_what_is_wrong_is_said(self):
        model = pipelines.model()
        for arguments, status, part in [
                ([], 2, "--model is required"), (["--model", "nothing.model"], 1, "nothing.model"),
                (["--model", model, "--model", model], 2, "two models have the name"), (["--model", "=x"], 2, "NAME=FILE"),
                (["--model", model, "--host", "example.org"], 1, "'example.org' is no address"),
                (["--model", model, "--port", 70000], 2, "'70000' is not a whole number"),
                (["--model", model, "--token-file", self.file("empty", "\n")], 1, "a token is one line"),
                (["--model", model, "--token-file", self.file("two", "a b")], 1, "a token is one line"),
                (["--model", model, "--request-time", 0], 2, "above 0"), (["--model", model, "--log", "all"], 2, "requests, events, none")]:
            done = run("serve", *arguments)
            with self.subTest(arguments=arguments):
                self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
                self.assertIn(part, done.stderr)

    def test_a_port_that_is_taken(self):
        with Served("--model", pipelines.model()) as server:
            done = run("serve", "--model", pipelines.model(), "--port", server.address.port)
            self.assertEqual(done.returncode, 1)
            self.assertIn("Address already in use", done.stderr)

    def test_other_machines_are_warned_of(self):
        with Served("--model", pipelines.model(), "--host", "0.0.0.0") as server:
            self.assertIn("--token-file", server.wait_for("warning")["message"])
        with Served("--model", pipelines.model()) as server:
            self.assertEqual(server.events("warning"), [])


class Log(Case):
    def test_lines_are_json_without_text_of_users(self):
        with Served("--model", pipelines.model()) as server:
            server.post("/v1/parse", {"text": "Secret dogs bark."})
            server.get("/secret?secret=Secret")
            first, second = server.wait_for("request"), server.wait_for("request", 2)
        self.assertEqual([first[key] for key in ("method", "path", "status", "words", "peer")],
                         ["POST", "/v1/parse", 200, 4, "127.0.0.1"])
        self.assertEqual([second[key] for key in ("method", "path", "status")], ["-", "-", 404])
        self.assertGreater(first["milliseconds"], 0)
        self.assertNotIn("ecret", json.dumps(server.log))
        with Served("--model", pipelines.model(), "--log", "events") as server:
            server.get("/healthz")
        self.assertEqual([entry["event"] for entry in server.log if isinstance(entry, dict)], ["started", "ended"])


class Load:
    """Clients that send one request after the other until they are told to stop, and keep what was answered."""

    def __init__(self, server, clients=4):
        self.server, self.ended, self.answers, self.errors = server, threading.Event(), set(), []
        self.threads = [threading.Thread(target=self._run) for _ in range(clients)]

    def _run(self):
        connection = self.server.connection()
        try:
            while not self.ended.is_set():
                self.answers.add(exchange(connection, "POST", "/v1/parse?probabilities=true", "The dog sees cats.", "text/plain")[::2])
        except OSError as error:
            self.errors.append(error)
        finally:
            connection.close()

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        for thread in self.threads:
            thread.join(ENDING)


class Reload(Case):
    def test_models_are_exchanged_under_load(self):
        """SIGHUP gives the file's new model to new requests, no request fails, and a bad file changes nothing."""
        one, two = pipelines.model(), pipelines.model("other", "--pipeline", "--epochs", 1, "--order", 2)
        path = self.folder / "en.model"
        shutil.copyfile(one, path)
        with Served("--model", path, "--log", "events") as server:
            def order():
                return json.loads(server.get("/v1/models")[2])["models"][0]["order"]
            self.assertEqual(order(), 1)
            with Load(server) as load:
                for i in range(4):
                    shutil.copyfile((two, one)[i % 2], self.folder / "new.model")
                    os.replace(self.folder / "new.model", path)
                    server.process.send_signal(signal.SIGHUP)
                    server.wait_for("reloaded", i + 1)
                    self.assertEqual(order(), (2, 1)[i % 2])
            self.assertEqual(load.errors, [])
            self.assertEqual({status for status, _ in load.answers}, {200})
            self.assertEqual(len(load.answers), 2, "the answer of the one model, and that of the other")
            path.write_bytes(b"no model")
            server.process.send_signal(signal.SIGHUP)
            self.assertIn("en.model", server.wait_for("not_reloaded")["message"])
            self.assertEqual(order(), 1)


class Memories(Case):
    def test_models_are_shared_or_copied(self):
        """A mapped model is in its file's pages, a copied one is not: it outlives what is done to the file."""
        for memory in ("mapped", "own"):
            path = self.folder / f"{memory}.model"
            shutil.copyfile(pipelines.model(), path)
            arguments = ["--model", path, "--log", "events"] + (["--model-memory", "own"] if memory == "own" else [])
            with self.subTest(memory=memory), Served(*arguments) as server:
                before = server.post("/v1/parse", {"text": "The dog sees cats.", "probabilities": True})
                maps = pathlib.Path(f"/proc/{server.process.pid}/maps").read_text()
                self.assertEqual(str(path) in maps, memory == "mapped")
                os.truncate(path, 0)
                if memory == "own":
                    self.assertEqual(server.post("/v1/parse", {"text": "The dog sees cats.", "probabilities": True})[::2], before[::2])
                    continue
                with self.assertRaises(OSError):
                    server.post("/v1/parse", {"text": "The dog sees cats.", "probabilities": True})
                self.assertIn("replace files by renaming", server.wait_for("error")["message"])
                self.assertEqual(server.process.wait(ENDING), -signal.SIGBUS)

    def test_two_versions_of_a_model(self):
        """They stand side by side, and one of them is exchanged without the other."""
        one, two = pipelines.model(), pipelines.model("other", "--pipeline", "--epochs", 1, "--order", 2)
        paths = [self.folder / name for name in ("en-1.model", "en-2.model")]
        for path in paths:
            shutil.copyfile(one, path)
        with Served("--model", f"en={paths[0]}", "--model", f"en@2={paths[1]}", "--log", "events") as server:
            def answers():
                texts = [json.loads(server.post("/v1/parse", {"text": "The dog sees cats.", "probabilities": True, **more})[2])
                         for more in ({}, {"model": "en"}, {"model": "en@2"})]
                self.assertEqual([text["model"] for text in texts], ["en", "en", "en@2"])
                return [text["sentences"] for text in texts]
            first = answers()
            self.assertEqual(first[1:], first[:2])
            shutil.copyfile(two, self.folder / "new.model")
            os.replace(self.folder / "new.model", paths[1])
            self.assertEqual(answers(), first, "nothing changes before SIGHUP")
            server.process.send_signal(signal.SIGHUP)
            server.wait_for("reloaded")
            second = answers()
            self.assertEqual(second[:2], first[:2])
            self.assertNotEqual(second[2], first[2])
            names = json.loads(server.get("/models")[2])["models"]
            self.assertEqual(list(names), ["en", "en@2"])


class End(Case):
    def test_what_runs_is_answered(self):
        with Served("--model", pipelines.model(), "--threads", 1) as server:
            idle, busy = server.connect(), server.connection()
            text = "The big dog sees red cats with the telescope of the man. " * 20
            found = []
            asking = threading.Thread(target=lambda: found.append(
                exchange(busy, "POST", "/v1/parse?samples=3000", text, "text/plain")))
            asking.start()
            while "kirchhoff_requests_running 1" not in server.get("/metrics")[2] and not found:
                pass
            self.assertEqual(server.stop(), 0)
            asking.join(ENDING)
            self.assertEqual(found[0][0], 200)
            self.assertEqual(idle.recv(10), b"", "an idle connection is closed")
            idle.close()
            busy.close()
            self.assertEqual(server.log[-2]["event"], "ended")
            with self.assertRaises(OSError):
                server.get("/healthz")

    def test_interrupt_ends_it_too(self):
        with Served("--model", pipelines.model()) as server:
            server.process.send_signal(signal.SIGINT)
            self.assertEqual(server.process.wait(ENDING), 0)


class Memory(Case):
    def test_idle_connections_take_little(self):
        with Served("--model", pipelines.model(), "--log", "events") as server:
            server.get("/healthz")
            before = resident(server.process)
            threads = len(list(pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()))
            connections = [server.connection() for _ in range(400)]
            for connection in connections:
                self.assertEqual(exchange(connection, "GET", "/healthz")[0], 200)
            self.assertLess(resident(server.process) - before, 40_000_000 * (4 if support.sanitized() else 1))
            # Crews may start meanwhile, but no connection has a thread of its own.
            self.assertLess(len(list(pathlib.Path(f"/proc/{server.process.pid}/task").iterdir())), threads + 10)
            for connection in connections:
                connection.close()

    def test_a_soak(self):
        """Requests of all kinds, good ones and bad ones; after the first rounds memory grows no more. A million of them is
        bench/server_soak.py."""
        bodies = [("/v1/parse?probabilities=true&k_best=3&samples=20", "The dog sees cats.", "text/plain"),
                  ("/v1/parse", '{"text":"Dogs bark.","wat":1}', "application/json"),
                  ("/v1/tree?root=single&want=all", support.json_lines([support.THREE]), "application/jsonl"),
                  ("/process", "data=Dogs+bark.&tokenizer=&tagger=&parser=", "application/x-www-form-urlencoded"),
                  ("/v1/sample?root=single&count=20", support.json_lines([support.THREE]), "application/jsonl")]
        rounds = 60 if support.sanitized() else 400
        with Served("--model", pipelines.model(), "--log", "events", "--threads", 2) as server:
            connection = server.connection()

            def soak():
                for path, body, kind in bodies * rounds:
                    self.assertEqual(exchange(connection, "POST", path, body, kind)[0], 400 if "wat" in body else 200)
            soak()
            before = resident(server.process)
            soak()
            self.assertLess(resident(server.process) - before, 4_000_000 * (10 if support.sanitized() else 1))
            connection.close()
