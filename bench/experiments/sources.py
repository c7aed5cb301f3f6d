"""Which sources decide what a training computes, their hash, and the commits that have sources of a given hash.

Training, parsing and scoring rest on some folders of the library only (scripts/layout/tables.py says on which), so that work
on machines or drawings leaves their results valid. Files count by git's name for their content: the same hash is made
of a working tree, where there may be no git, and of a commit."""

import functools
import hashlib
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from layout import tables  # noqa: E402

# What `kirchhoff train`, `parse` and `eval` do with their options.
PROGRAM = ("cli/*.[ch]pp", "cli/io/*", "cli/verbs/train.cpp", "cli/verbs/train_unannotated.*", "cli/verbs/parse.cpp",
           "cli/verbs/eval.cpp", "cli/verbs/model.cpp", "cli/answers/eval_report.*")


def folders(start="parser"):
    """The folders of src/ that one of them may use, with itself."""
    found, new = set(), {start}
    while new:
        found |= new
        new = {name for folder in new for name in tables.FOLDERS[folder].split()} - found
    return found


def decides(path):
    """Whether a file of the repository decides what a training computes. Files that no table knows do."""
    room, _, rest = path.partition("/")
    others = set(tables.FOLDERS) - folders()
    if room == "src":
        return rest.split("/")[0] not in others
    if path.startswith("include/kirchhoff/"):
        headers = {name for folder in others for name in tables.IMPLEMENTS.get(folder, "").split()}
        return pathlib.PurePath(path).stem not in headers | {"kirchhoff"}
    return any(pathlib.PurePath(path).match(pattern) for pattern in PROGRAM)


def digest(blobs):
    """The hash of pairs (path, git's name of the content), of those that decide."""
    lines = sorted(f"{path} {blob}\n" for path, blob in blobs if decides(path))
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:16]


def files():
    """The files of the working tree that decide."""
    paths = (path for room in ("include", "src", "cli") for path in (ROOT / room).rglob("*") if path.is_file())
    return sorted(filter(decides, (path.relative_to(ROOT).as_posix() for path in paths)))


def blob(content):
    """Git's name for a content."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def present():
    """The hash of the working tree."""
    return digest((path, blob((ROOT / path).read_bytes())) for path in files())


def git(*arguments):
    """What git says, or nothing: where there is no git, or no repository."""
    try:
        return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


@functools.cache
def of_commit(commit):
    """The hash of a commit's sources; None for what git does not know."""
    listing = git("ls-tree", "-r", commit, "--", "include", "src", "cli").splitlines()
    return digest((line.split("\t")[1], line.split()[2]) for line in listing) if listing else None


@functools.cache
def commit_of(sources, most=1000):
    """The short name of the first commit that has sources of this hash, or None."""
    found = None
    for line in git("log", "--format=%H %h", f"--max-count={most}", "--", "include", "src", "cli").splitlines():
        commit, short = line.split()
        if of_commit(commit) == sources:
            found = short
        elif found:
            break
    return found
