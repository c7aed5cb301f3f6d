"""Lets Schemathesis send what the server's own description allows and forbids: against_openapi.py PROGRAM ST.

That data of the right types may be refused is no failure: a string need not be CoNLL-U, a machine or a model's name.
"""

import pathlib
import subprocess
import sys

import pipelines
import support
from serving import Served


def main():
    # Absolute, because Schemathesis runs in a folder of its own; links stay, for st's environment is where its link is.
    support.PROGRAM, schemathesis = (str(pathlib.Path(path).absolute()) for path in sys.argv[1:])
    with Served("--model", f"en={pipelines.model()}", "--log", "events", "--request-time", 60) as server:
        done = subprocess.run([schemathesis, "run", f"{server.address.geturl()}/v1/openapi.json", "--phases",
                               "examples,coverage,fuzzing", "--max-examples", "10", "--seed", "1", "--no-color",
                               "--exclude-checks", "positive_data_acceptance"], cwd=pipelines.FOLDER.name)
        status = server.stop()
    sys.exit(done.returncode or status)


if __name__ == "__main__":
    main()
