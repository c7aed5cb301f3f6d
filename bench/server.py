#!/usr/bin/env python3
"""Measures `kirchhoff serve` with wrk on the loopback address: bench/server.py PROGRAM PARSE_RATE [SECONDS [MODEL]].

A 12-word sentence and a model of arcs of the bundled treebank. The library's own rate is that of parse_rate. Ratios of
rates are for all cores, which wrk and the server share; ratios of processor time leave wrk out.
"""

import os
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
TREEBANK = HERE.parent / "examples" / "treebank"
CORES = len(os.sched_getaffinity(0))
TICK = os.sysconf("SC_CLK_TCK")


def twelve_words():
    """The first sentence of twelve words of the held-out part."""
    for block in (TREEBANK / "dev.conllu").read_text().split("\n\n"):
        if len(re.findall(r"^\d+\t", block, re.M)) == 12:
            return block + "\n\n"
    raise SystemExit("no sentence of twelve words")


class Server:
    def __init__(self, program, model, *more):
        begin = time.monotonic()
        self.process = subprocess.Popen([program, "serve", "--model", model, "--port", "0", "--log", "events", *more],
                                        stderr=subprocess.PIPE, text=True)
        self.url = re.search(r'"(http://[^"]+)"', next(line for line in self.process.stderr if "started" in line))[1]
        urllib.request.urlopen(self.url + "/healthz").read()
        self.start = time.monotonic() - begin

    def processor_time(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def memory(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()


def wrk(folder, server, body, connections, seconds, pause=0):
    """Rate, 99th percentile in ms, errors, processor time a request."""
    script = folder / "post.lua"
    script.write_text('wrk.method = "POST"\nwrk.headers["Content-Type"] = "text/x-conllu"\n'
                      f"wrk.body = [==[\n{body}]==]\n" + (f"function delay() return {pause} end\n" if pause else ""))
    before = server.processor_time()
    threads = max(1, CORES // 4)  # Each asks for more than three cores can parse.
    done = subprocess.run(["wrk", "-t", str(threads), "-c", str(max(threads, connections)), "-d", f"{seconds}s", "--latency",
                           "-s", script, server.url + "/v1/parse"], capture_output=True, text=True, check=True).stdout
    used = server.processor_time() - before
    requests = int(re.search(r"(\d+) requests in", done)[1])
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", done).groups()
    errors = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)", done)
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done)[1])
    return rate, float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit], errors[0] if errors else "no errors", used / requests


def idle_connections(server, count):
    """Megabytes that so many open connections take, each after one request."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    host, port = server.url.removeprefix("http://").split(":")
    before, connections = server.memory(), []
    for _ in range(count):
        connection = socket.create_connection((host, int(port)))
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        connection.recv(1000)
        connections.append(connection)
    taken = server.memory() - before
    for connection in connections:
        connection.close()
    return taken


def row(what, value, aim, passes):
    print(f"| {what} | {value} | {aim} | {'yes' if passes else 'no'} |")


def main():
    program, parse_rate = sys.argv[1:3]
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    body = twelve_words()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "arcs.model"
        train = [program, "train", "--train", TREEBANK / "train.conllu", "--epochs", "5", "--quiet", "--model"]
        subprocess.run([*train, model], check=True)
        server = Server(program, model)
        # The library before and after, because other work on the machine changes what both have.
        own = []
        for part in range(2):
            done = subprocess.run([parse_rate, model, str(CORES), str(seconds)], input=body, text=True, check=True,
                                  capture_output=True).stdout
            own.append([float(x) for x in done.split()])
            if part == 0:
                rate, _, errors, cost = wrk(folder, server, body, 16 * CORES, seconds)
        own_rate, own_cost = max(x[0] for x in own), min(x[1] for x in own)
        # Clients that wait after each answer, so many that the load is half of what was reached.
        pause = 10
        half, p99, more_errors, _ = wrk(folder, server, body, max(1, round(rate / 2 * pause / 1e3)), seconds, pause)
        taken = idle_connections(server, 1000)
        server.stop()
        print("| | measured | aim | reached |\n|---|---|---|---|")
        row("requests a second, keep-alive, beside wrk", f"{rate:.0f}; the library parses {own_rate:.0f} sentences",
            ">= 60 %", rate >= 0.6 * own_rate)
        row("processor time a request", f"{cost * 1e6:.1f} us; the library takes {own_cost * 1e6:.1f} us", "<= 167 %",
            0.6 * cost <= own_cost)
        row(f"99th percentile at {half:.0f} requests a second", f"{p99:.2f} ms", "< 10 ms", p99 < 10)
        row("1000 open idle connections", f"{taken:.1f} MB", "< 100 MB", taken < 100)
        if len(sys.argv) > 4:
            large = Server(program, sys.argv[4])
            large.stop()
            size = os.path.getsize(sys.argv[4]) / 1e6
            row(f"start with a model of {size:.0f} MB", f"{large.start:.2f} s", "< 0.3 s", large.start < 0.3)
        print(f"\n{errors} at full load, {more_errors} at half load; {CORES} cores")


if __name__ == "__main__":
    main()
