"""Sends `kirchhoff serve` requests that are malformed, huge, slow, cut off, pipelined and too many."""

import json
import re
import socket
import threading
import time

import pipelines
from serving import ENDING, Served, exchange, message
from support import Case

POST = b"POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n"


def statuses(answer):
    return [int(code) for code in re.findall(rb"^HTTP/1\.[01] (\d+) ", answer, re.M)]


class Requests(Case):
    LIMITS = ["--max-body-mb", 0.05, "--client-time", 0.5, "--request-time", 5, "--max-words", 300,
              "--max-sentence-words", 40, "--max-trees", 2000, "--log", "events"]

    @classmethod
    def setUpClass(cls):
        cls.server = Served("--model", f"en={pipelines.model()}", *cls.LIMITS)

    @classmethod
    def tearDownClass(cls):
        status = cls.server.stop()
        assert status == 0, status

    def tearDown(self):
        self.assertEqual(self.server.get("/healthz")[0], 200)

    def test_what_is_no_http(self):
        for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"x" * 100, b"GET\r\n\r\n", b"GET / HTTP/3.0\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: x\r\nbad header\r\n\r\n", b"G\x00T / HTTP/1.1\r\n\r\n",
                     POST + b"Content-Length: -1\r\n\r\n", POST + b"Content-Length: 1e3\r\n\r\n",
                     POST + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
                     POST + b"Content-Length: 99999999999999999999999\r\n\r\n",
                     POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", b"GET / HTTP/1.1\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"):
            with self.subTest(data=data):
                answer = self.server.raw(data, then_close=True)
                self.assertEqual(statuses(answer), [400], answer)
                self.assertTrue(json.loads(answer.split(b"\r\n\r\n", 1)[1])["error"]["message"])

    def test_sizes(self):
        answer = self.server.post("/v1/parse", "x" * 60_000, "text/plain")
        self.assertEqual(answer[0], 413)
        self.assertIn("several requests", message(answer))
        chunk = b"%x\r\n%s\r\n" % (30_000, b"x" * 30_000)
        answer = self.server.raw(POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 3)
        self.assertEqual(statuses(answer), [413])
        answer = self.server.raw(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 20_000 + b"\r\n\r\n")
        self.assertEqual(statuses(answer), [431])
        answer = self.server.raw(b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(statuses(answer), [431])

    def test_words(self):
        answer = self.server.post("/v1/parse", "a " * 60, "text/plain")
        self.assertEqual(answer[0], 413)
        self.assertIn("sentence 1 has 60 words", message(answer))
        answer = self.server.post("/v1/parse", "Dogs bark.\n\n" * 150, "text/plain")
        self.assertEqual(answer[0], 413)
        self.assertIn("300 are allowed", message(answer))

    def test_depth(self):
        for depth in (100, 5_000):
            for body in ("[" * depth + "]" * depth, '{"text":' + "[" * depth + "]" * depth + "}",
                         '{"constraints":' + "[" * depth + "]" * depth + "}",
                         '{"x":' * depth + "1" + "}" * depth):
                answer = self.server.post("/v1/parse", body)
                self.assertEqual(answer[0], 400)
                answer = self.server.post("/v1/tree?root=single&allow_unknown=true", body)
                self.assertEqual(answer[0], 400)

    def test_slow_clients(self):
        with self.server.connect() as connection:
            begun = time.monotonic()
            connection.sendall(POST + b"Content-Length: 10\r\n\r\nab")
            answer = connection.makefile("rb").read()
            self.assertEqual(statuses(answer), [408])
            self.assertLess(time.monotonic() - begun, ENDING)
        with self.server.connect() as connection:  # A byte now and then does not help.
            answer = b""
            try:
                for byte in (b"GET / HTTP/1.1\r\nHost: " + b"x" * 1000):
                    connection.sendall(bytes([byte]))
                    time.sleep(0.02)
            except (BrokenPipeError, ConnectionResetError):
                pass
            try:
                answer = connection.recv(65536)
            except ConnectionResetError:
                pass
            self.assertIn(statuses(answer), ([408], []))

    def test_answers_that_nobody_takes(self):
        """Such a client is given up, and costs nobody else anything."""
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect((self.server.address.hostname, self.server.address.port))
            request = json.dumps({"text": "The dog sees cats. " * 40, "probabilities": True, "k_best": 300}).encode()
            head = b"POST /v1/parse HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            connection.settimeout(ENDING)
            try:
                for _ in range(200):
                    connection.sendall(head % len(request) + request)
            except (ConnectionResetError, BrokenPipeError):
                pass
            self.assertEqual(self.server.get("/healthz")[0], 200)

    def test_cut_off(self):
        whole = POST + b"Content-Length: 10\r\n\r\nDogs bark."
        for end in range(0, len(whole), 7):
            self.assertIn(statuses(self.server.raw(whole[:end], then_close=True)), ([], [400]), whole[:end])
        for _ in range(50):  # Clients that go before the answer.
            with self.server.connect() as connection:
                connection.sendall(whole)

    def test_pipelined(self):
        one = POST + b"Content-Length: 10\r\n\r\nDogs bark."
        last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        answer = self.server.raw(one * 50 + last)
        self.assertEqual(statuses(answer), [200] * 51)
        bodies = re.findall(rb'\{"model".*\}\n', answer)
        self.assertEqual((len(bodies), len(set(bodies))), (50, 1))
        answer = self.server.raw(one + b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n" + one + last)
        self.assertEqual(statuses(answer), [200, 404, 200, 200])

    def test_chunked_and_continued(self):
        body = b"4\r\nDogs\r\n6;x=y\r\n bark.\r\n0\r\n\r\n"
        answer = self.server.raw(POST + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        self.assertEqual(statuses(answer), [200])
        with self.server.connect() as connection:
            connection.sendall(POST + b"Connection: close\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n")
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 100 Continue\r\n\r\n"))
            connection.sendall(b"Dogs bark.")
            self.assertEqual(statuses(connection.makefile("rb").read()), [200])
        answer = self.server.raw(POST + b"Expect: 100-continue\r\nContent-Length: 90000\r\n\r\n", then_close=True)
        self.assertEqual(statuses(answer), [413])

    def test_methods_and_paths(self):
        status, headers, body = self.server.request("HEAD", "/healthz")
        self.assertEqual((status, headers["Content-Length"], body), (200, "3", ""))
        status, headers, _ = self.server.request("OPTIONS", "/v1/parse")
        self.assertEqual((status, headers["Allow"]), (204, "POST, OPTIONS"))
        self.assertIsNone(headers["Access-Control-Allow-Origin"])
        for method, path, status in [("GET", "/v1/parse", 405), ("DELETE", "/v1/models", 405), ("POST", "/", 405),
                                     ("GET", "/../../etc/passwd", 404), ("GET", "/%2e%2e/etc/passwd", 404),
                                     ("GET", "/index.html/..", 404), ("GET", "//", 404), ("POST", "/nothing", 404),
                                     ("BREW", "/nothing", 404), ("GET", "http://127.0.0.1/healthz", 404)]:
            answer = self.server.request(method, path)
            with self.subTest(method=method, path=path):
                self.assertEqual(answer[0], status)
                message(answer)
        self.assertEqual(self.server.post("/v1/parse", "x", "text/plain", headers={"Content-Encoding": "gzip"})[0], 415)
        self.assertEqual(statuses(self.server.raw(POST + b"Connection: close\r\n\r\n")), [411])
        self.assertEqual(statuses(self.server.raw(b"GET /healthz HTTP/1.0\r\n\r\n")), [200])

    def test_the_page(self):
        status, headers, body = self.server.get("/")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("script-src 'self'", headers["Content-Security-Policy"])
        self.assertNotRegex(body, r"https?://(?!www\.w3\.org)", "nothing from elsewhere")
        for name in re.findall(r'(?:src|href)="/?([\w.-]+\.(?:js|css|svg))"', body):
            self.assertEqual(self.server.get("/" + name)[0], 200, name)

    def test_openapi_lists_every_path(self):
        document = json.loads(self.server.get("/v1/openapi.json")[2])
        for path, methods in document["paths"].items():
            for method in methods:
                self.assertNotIn(self.server.request(method.upper(), path)[0], (404, 405), path)
        listed = set(document["paths"])
        for path in ("/v1/parse", "/v1/tree", "/v1/decode", "/v1/sample", "/v1/solve", "/v1/wfsm", "/v1/models", "/process",
                     "/models", "/healthz", "/metrics", "/v1/openapi.json"):
            self.assertIn(path, listed)

    def test_metrics(self):
        def value(name):
            text = self.server.get("/metrics")[2]
            found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.M)
            return float(found[1]) if found else 0.0
        label = 'method="POST",path="/v1/parse"'
        names = [f'kirchhoff_requests_total{{{label},status="200"}}', "kirchhoff_words_total",
                 f'kirchhoff_request_seconds_bucket{{{label},le="+Inf"}}', f'kirchhoff_requests_total{{{label},status="413"}}']
        before = [value(name) for name in names]
        self.server.post("/v1/parse", "Dogs bark.", "text/plain")
        self.server.post("/v1/parse", "a " * 60, "text/plain")
        after = [value(name) for name in names]
        self.assertEqual([b - a for a, b in zip(before, after)], [1, 3, 2, 1])
        for line in self.server.get("/metrics")[2].splitlines():
            self.assertRegex(line, r'^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? [-+0-9.e]+)$')


class Busy(Case):
    def test_the_queue_and_the_time_of_a_request(self):
        """One thread and a queue of one: of many slow requests some are answered 200, the others 429 or 503, and what
        takes no computing is answered at once."""
        slow = {"text": "The big dog sees red cats with the telescope of the man. " * 60, "samples": 10000}
        with Served("--model", pipelines.model(), "--threads", 1, "--max-queue", 1, "--request-time", 0.3) as server:
            found = []

            def ask():
                answer = server.post("/v1/parse", slow)
                found.append((answer[0], answer[1]["Retry-After"]))
            threads = [threading.Thread(target=ask) for _ in range(8)]
            for thread in threads:
                thread.start()
            for _ in range(5):
                self.assertEqual(server.get("/healthz")[0], 200)
            for thread in threads:
                thread.join()
            self.assertLessEqual({status for status, _ in found}, {200, 429, 503})
            self.assertIn(429, {status for status, _ in found})
            self.assertIn((503, "1"), found)
            self.assertTrue(all(after == "1" for status, after in found if status != 200))
            self.assertEqual(server.post("/v1/parse", {"text": "Dogs bark."})[0], 200)


class Tokens(Case):
    def test_token_and_origins(self):
        token = self.file("token", "s3cret\n")
        with Served("--model", pipelines.model(), "--token-file", token, "--cors", "https://example.org") as server:
            for headers, status in [({}, 401), ({"Authorization": "Bearer wrong!"}, 401), ({"Authorization": "Bearer "}, 401),
                                    ({"Authorization": "Basic s3cret"}, 401), ({"Authorization": "Bearer s3cret"}, 200)]:
                for path in ("/v1/models", "/metrics", "/models"):
                    answer = server.get(path, headers=headers)
                    self.assertEqual(answer[0], status, path)
                self.assertEqual(answer[1]["WWW-Authenticate"], "Bearer" if status == 401 else None)
            self.assertEqual([server.get(path)[0] for path in ("/healthz", "/", "/nothing")], [200, 200, 401])
            answer = server.get("/healthz", headers={"Origin": "https://example.org"})
            self.assertEqual(answer[1]["Access-Control-Allow-Origin"], "https://example.org")
            answer = server.get("/healthz", headers={"Origin": "https://example.com"})
            self.assertIsNone(answer[1]["Access-Control-Allow-Origin"])

    def test_connections_of_one_client(self):
        with Served("--model", pipelines.model(), "--max-connections", 2) as server:
            first, second = server.connection(), server.connection()
            self.assertEqual([exchange(c, "GET", "/healthz")[0] for c in (first, second)], [200, 200])
            waiting = server.connect()
            waiting.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            waiting.settimeout(0.3)
            with self.assertRaises(TimeoutError):
                waiting.recv(10)
            first.close()
            waiting.settimeout(ENDING)
            self.assertTrue(waiting.recv(100).startswith(b"HTTP/1.1 200 OK"))
            second.close()
            waiting.close()
