"""Models that take plain text, trained when they are first asked for, and what is read off their output and files."""

import atexit
import functools
import pathlib
import re
import struct
import tempfile

from support import EXAMPLES, run

TRAIN, DEV = (EXAMPLES / "treebank" / f"{name}.conllu" for name in ("train", "dev"))
ESCAPES = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
FOLDER = tempfile.TemporaryDirectory()
atexit.register(FOLDER.cleanup)


@functools.cache
def model(name="pipeline", *arguments):
    """The file of a model, which is trained when it is first asked for."""
    path = pathlib.Path(FOLDER.name) / f"{name}.model"
    done = run("train", "--train", TRAIN, "--model", path, "--quiet", *(arguments or ("--pipeline", "--epochs", 2)))
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return path


def only(part, *arguments):
    return model(part, "--only", part, *arguments)


def rows(conllu):
    return [line.split("\t") for line in conllu.split("\n") if line and not line.startswith("#")]


def unescaped(spaces):
    return re.sub(r"\\([stnrp\\])", lambda match: ESCAPES[match[1]], spaces)


def tokens(conllu):
    """(form, attributes of MISC) of the tokens: of words, and of multiword tokens in the place of theirs."""
    covered = 0
    for row in rows(conllu):
        first, _, last = row[0].partition("-")
        if last:
            covered = int(last)
        elif int(first) <= covered:
            covered = 0 if int(first) == covered else covered
            continue
        yield row[1], dict(item.split("=", 1) for item in row[9].split("|") if row[9] != "_")


def rebuilt(conllu):
    """The text that was read, from forms and MISC alone."""
    text = ""
    for form, misc in tokens(conllu):
        after = "" if misc.get("SpaceAfter") == "No" else " "
        text += unescaped(misc.get("SpacesBefore", "")) + form + unescaped(misc.get("SpacesAfter", after))
    return text


def sections(path):
    """The sections of a model file by name; all but the card must not depend on when and how it was made."""
    content = path.read_bytes()
    count = struct.unpack_from("<Q", content, 32)[0]
    table = [struct.unpack_from("<16sQQ", content, 40 + 32 * i) for i in range(count)]
    return {name.rstrip(b"\0").decode(): content[at:at + size] for name, at, size in table}
