"""Starts `kirchhoff serve` on a port that the system chooses, and sends it requests, good ones and raw bytes."""

import http.client
import json
import signal
import socket
import subprocess
import threading
import urllib.parse

import pipelines
import support

TEXT = "She saw the man with the telescope. He waved.\n\nThe big dog sees red cats.\n"
ENDING = 60  # seconds: long after any answer, so that a hang is a failure


class Served:
    """A running server: `with Served("--model", path) as server`."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([support.PROGRAM, "serve", "--port", "0", *map(str, arguments)],
                                        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.log = []
        self.noted = threading.Condition()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        try:
            self.address = urllib.parse.urlsplit(self.wait_for("started")["message"])
        except AssertionError:
            self.process.kill()
            raise

    def _read(self):
        for line in self.process.stderr:
            with self.noted:
                self.log.append(json.loads(line) if line.startswith("{") else line)
                self.noted.notify_all()
        with self.noted:
            self.log.append(None)
            self.noted.notify_all()

    def events(self, name):
        return [entry for entry in self.log if isinstance(entry, dict) and entry["event"] == name]

    def wait_for(self, name, count=1):
        """The log's entry of this event, when there are so many."""
        with self.noted:
            found = self.noted.wait_for(lambda: len(self.events(name)) >= count or None in self.log, ENDING)
            if not found or len(self.events(name)) < count:
                raise AssertionError(f"no event {name}: {self.log}")
            return self.events(name)[count - 1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Ends the server as systemd does; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(ENDING)
        self.reader.join(ENDING)
        self.process.stdout.close()
        self.process.stderr.close()
        return status

    def connect(self):
        return socket.create_connection((self.address.hostname, self.address.port), timeout=ENDING)

    def connection(self):
        return http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=ENDING)

    def request(self, method, path, body=None, kind=None, headers=None):
        """(status, headers, body) of one request on a connection of its own."""
        connection = self.connection()
        try:
            return exchange(connection, method, path, body, kind, headers)
        finally:
            connection.close()

    def get(self, path, **more):
        return self.request("GET", path, **more)

    def post(self, path, body, kind="application/json", **more):
        body = body if isinstance(body, (str, bytes)) else json.dumps(body)
        return self.request("POST", path, body, kind, **more)

    def parse(self, **fields):
        """The sentences of /v1/parse."""
        status, _, body = self.post("/v1/parse", fields)
        if status != 200:
            raise AssertionError((status, body))
        return json.loads(body)["sentences"]

    def raw(self, data, then_close=False):
        """What is answered to these bytes until the server ends the connection."""
        with self.connect() as connection:
            connection.sendall(data)
            if then_close:
                connection.shutdown(socket.SHUT_WR)
            answer = b""
            while True:
                try:
                    piece = connection.recv(65536)
                except ConnectionResetError:
                    return answer
                if not piece:
                    return answer
                answer += piece


def exchange(connection, method, path, body=None, kind=None, headers=None):
    headers = dict(headers or {}, **({"Content-Type": kind} if kind else {}))
    connection.request(method, path, body.encode() if isinstance(body, str) else body, headers)
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read().decode()


def message(answer):
    """The message of an error."""
    return json.loads(answer[2])["error"]["message"]


class Serve(support.Case):
    """Tests of a server with two models, which are one and the same."""

    @classmethod
    def setUpClass(cls):
        cls.model = pipelines.model()
        cls.server = Served("--model", f"en={cls.model}", "--model", f"other={cls.model}", "--log", "events")

    @classmethod
    def tearDownClass(cls):
        status = cls.server.stop()
        assert status == 0, status

    def cli(self, *arguments, stdin=TEXT):
        done = support.run("parse", "--model", self.model, *arguments, stdin=stdin)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout
