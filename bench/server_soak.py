#!/usr/bin/env python3
"""Sends `kirchhoff serve` requests of five kinds with wrk for a while: bench/server_soak.py PROGRAM [SECONDS].

Prints how many there were by their status, and the least and the most memory the program had. Fails when an answer was
no 200, or when the memory grew by a tenth after the first quarter.
"""

import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

from server import TREEBANK, Server

GRAPH = '{"scores":[[0,1,2,0.5],[0,0,1,2],[0,-1,0,1],[0,0.5,0.5,0]]}'
SCRIPT = """
local kinds = {
  {"POST", "/v1/parse?probabilities=true&k_best=3&samples=5", "text/plain", "The dog sees cats."},
  {"POST", "/process", "application/x-www-form-urlencoded", "data=Dogs+bark.&tokenizer=&tagger=&parser="},
  {"POST", "/v1/tree?root=single&want=marginals,entropy", "application/jsonl", '%(graph)s'},
  {"POST", "/v1/sample?root=single&count=5", "application/jsonl", '%(graph)s'},
  {"GET", "/healthz"}}
local requests, last = {}, 0
function init()
  for i, kind in ipairs(kinds) do
    requests[i] = wrk.format(kind[1], kind[2], {["Host"] = "127.0.0.1", ["Content-Type"] = kind[3]}, kind[4])
  end
end
function request()
  last = last %% #requests + 1
  return requests[last]
end
"""


def main():
    program, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with tempfile.TemporaryDirectory() as name:
        model, script = pathlib.Path(name) / "en.model", pathlib.Path(name) / "five.lua"
        subprocess.run([program, "train", "--pipeline", "--train", TREEBANK / "train.conllu", "--epochs", "1", "--quiet",
                        "--model", model], check=True)
        script.write_text(SCRIPT % {"graph": GRAPH})
        server = Server(program, model)
        load = subprocess.Popen(["wrk", "-t", "2", "-c", "64", "-d", f"{seconds}s", "-s", script, server.url],
                                stdout=subprocess.DEVNULL)
        memory = []
        while load.poll() is None:
            time.sleep(seconds / 40)
            memory.append(server.memory())
        lines = urllib.request.urlopen(server.url + "/metrics").read().decode().splitlines()
        server.stop()
    counts = [line.removeprefix("kirchhoff_requests_total") for line in lines if line.startswith("kirchhoff_requests_total{")]
    print("\n".join(counts))
    print(f"{sum(int(line.split()[-1]) for line in counts)} requests; {min(memory):.2f} to {max(memory):.2f} MB")
    settled = memory[len(memory) // 4:]
    if any('status="200"' not in line for line in counts) or max(settled) > 1.1 * settled[0]:
        sys.exit("an answer was no 200, or the memory grew")


if __name__ == "__main__":
    main()
