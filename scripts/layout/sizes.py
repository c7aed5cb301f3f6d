"""The length of files: a header is at most 200 lines, a source or a script at most 300."""

from .source_tree import HEADER

HEADER_LINES = 200
SOURCE_LINES = 300


def check(tree):
    """Yields every file that is too long."""
    for path in tree.code():
        if path.endswith((".txt", ".cmake", "Makefile")):
            continue
        most = HEADER_LINES if path.endswith(HEADER) else SOURCE_LINES
        count = tree.text(path).count("\n")
        if count > most:
            yield path, most + 1, f"{count} lines where {most} are allowed; make two files of it"
