"""The look of text: prose of at most 120 columns, no section banners, and no paths of somebody's machine."""

import re

from .source_tree import line_of

COLUMNS = 120
LINK_ONLY = re.compile(r"\s*(?:[-*+]\s+|\d+\.\s+)?"  # the mark of a list
                       r"(?:!?\[[^\]]*\](?:\([^)]*\)|:\s*\S+)[\s.,;]*|<[^>]*>|https?://\S+)+\s*$")
FENCE = re.compile(r"\s*(```|~~~)")
# Four equal signs; of hash signs three, after the one that begins a comment in Python.
RUN = r"(?:-{4,}|={4,}|\*{4,}|#{3,}|~{4,}|[─━═]{4,})"
BANNER = re.compile(rf"\s*{RUN}|.*{RUN}[\s/*#]*$")
# Test programs ask the system for a temporary folder, and documents use relative paths, so there is no exception.
MACHINE_PATH = re.compile(r"(?<![\w.~$})/-])/(?:work|root|tmp)/")


def check(tree):
    """Yields long lines of Markdown, banners in comments, and absolute paths that only one machine has."""
    for path in tree.paths:
        if path.endswith(".md"):
            yield from long_lines(tree, path)
        for found in MACHINE_PATH.finditer(tree.text(path)):
            yield (path, line_of(tree.text(path), found.start()),
                   f"{found[0]} is a folder of one machine; use a relative or a temporary path")
    for path in tree.code():
        for number, comment in tree.comments(path):
            if BANNER.match(comment):
                yield path, number, "a section banner; make it a sentence, or the section a file of its own"


def long_lines(tree, path):
    """Yields the lines of prose that are too long; tables, code blocks and lines that are only links may be."""
    in_code = False
    for number, line in tree.lines(path):
        if FENCE.match(line):
            in_code = not in_code
        elif len(line) > COLUMNS and not in_code and not line.lstrip().startswith("|") and not LINK_ONLY.match(line):
            yield path, number, f"{len(line)} columns of prose where {COLUMNS} are allowed; break the line"
