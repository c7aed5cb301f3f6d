"""The direction of includes: between folders, rooms and public headers, towards libraries, and from leaves."""

import fnmatch
import os.path
import re

from . import tables
from .source_tree import closure

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
STANDARD = re.compile(r"[a-z_0-9]+$|(sys|netinet|arpa)/|(unistd|fcntl|signal|pthread|sched|dlfcn|poll|errno|time|execinfo)\.h$")


def check(tree):
    """Yields every include that a table does not allow, and every table that contradicts itself."""
    try:
        allowed = Allowed()
    except ValueError as problem:
        yield "scripts/layout/tables.py", 1, f"{problem}; make the table a direction"
        return
    known = set(tree.paths)
    for path in tree.cpp():
        for number, line in tree.lines(path):
            found = INCLUDE.match(line)
            if found:
                message = judge(allowed, path, resolve(known, path, found[2]), found[2])
                if message:
                    yield path, number, message


class Allowed:
    """The tables with what may be reached through several steps."""

    def __init__(self):
        self.folders = closure(tables.FOLDERS)
        self.headers = closure(tables.HEADERS)
        self.rooms = {folder: closure(rooms) for folder, rooms in tables.ROOMS.items()}
        self.owner = {header: folder for folder, headers in tables.IMPLEMENTS.items() for header in headers.split()}


def resolve(known, path, included):
    """The path of an included file in the tree, or None for a file of a library or one that the build makes."""
    top = path.split("/")[0]
    for folder in (os.path.dirname(path), top, top + "/src", "include", "src", "cli"):
        candidate = os.path.normpath(f"{folder}/{included}")
        if candidate in known:
            return candidate
    return None


def judge(allowed, path, target, included):
    """What is wrong with an include of `included` (the file `target` of the tree, or None) by `path`, or None."""
    if included.startswith("kirchhoff/"):
        return public(allowed, path, included.removeprefix("kirchhoff/").removesuffix(".hpp"))
    if target is None:
        return library(path, included)
    if path.startswith("include/"):
        return f"a public header includes {target}; public headers include public headers only"
    leaf = next((leaf + "/" for leaf in tables.LEAVES if path.startswith(leaf + "/")), None)
    if leaf and not target.startswith((leaf, *(part for part, served in tables.SERVES_LEAF.items() if served == leaf))):
        return f"a leaf includes {target}; use a public header, or add what is missing to one"
    if path.startswith("tests/support/") and not target.startswith("tests/support/"):
        return f"tests/support includes {target}; a judge must not share code with what it judges"
    if path.startswith("src/"):
        return between_folders(allowed, path, target)
    return None


def between_folders(allowed, path, target):
    """What is wrong with an include of one file of src/ by another, or None."""
    if not target.startswith("src/"):
        return f"src/ includes {target}; the library does not know what is built on it"
    source, goal = path.split("/")[1:], target.split("/")[1:]
    if source[0] not in allowed.folders or goal[0] not in allowed.folders:
        return None  # rule "architecture" says once that the folder is not in the table
    if source[0] != goal[0]:
        if goal[0] not in allowed.folders[source[0]]:
            return f"{source[0]} may not include {goal[0]}; see FOLDERS in scripts/layout/tables.py"
        return None
    rooms = allowed.rooms.get(source[0], {})
    if source[1] != goal[1] and source[1] in rooms and goal[1] in rooms and goal[1] not in rooms[source[1]]:
        return (f"{source[0]}/{source[1]} may not include {goal[0]}/{goal[1]}; "
                "see ROOMS in scripts/layout/tables.py")
    return None


def public(allowed, path, header):
    """What is wrong with an include of a public header, or None."""
    if path.startswith("tests/support/"):
        extra, _ = tables.SUPPORT.get(path.removeprefix("tests/support/"), ("", ""))
        if header not in ("types", *extra.split()):
            return (f"tests/support includes kirchhoff/{header}.hpp; judges know types.hpp alone, "
                    "and helpers what SUPPORT in scripts/layout/tables.py grants them")
    inside = path.startswith(("include/", "src/")) and path != "include/kirchhoff/kirchhoff.hpp"
    if not inside or header == "version":
        return None
    if header == "kirchhoff":
        return "the library includes kirchhoff.hpp, which is for its users; include the headers that are needed"
    if header not in allowed.headers:
        return None  # said once by rule "architecture", as for a folder
    if path.startswith("include/"):
        name = path.removeprefix("include/kirchhoff/").removesuffix(".hpp")
        if name in allowed.headers and header not in allowed.headers[name]:
            return f"{name}.hpp may not include {header}.hpp; see HEADERS in scripts/layout/tables.py"
        return None
    folder, owner = path.split("/")[1], allowed.owner.get(header)
    if folder in allowed.folders and owner != folder and owner not in allowed.folders[folder]:
        return f"{folder} may not include kirchhoff/{header}.hpp, which is {owner}'s; see IMPLEMENTS and FOLDERS"
    return None


def library(path, included):
    """What is wrong with an include of a library's header, or None."""
    for start, folders in tables.LIBRARIES.items():
        if included.startswith(start):
            folder = os.path.dirname(path)
            may = any(fnmatch.fnmatch(folder, f) or fnmatch.fnmatch(folder, f + "/*") for f in folders.split())
            return None if may or path.startswith("tests/") else (
                f"{included} is known to {folders} only; ask them, or change LIBRARIES in scripts/layout/tables.py")
    if STANDARD.match(included) or path.startswith("tests/"):
        return None
    return f"{included} is no file of the tree and of no known library; name it in LIBRARIES in tables.py"
