"""The opening of files: every source begins with a comment, or a docstring, whose first paragraph is a sentence.

A script can see that a sentence begins with a capital letter (or with code in backticks), that it has four words or
more, and that its paragraph ends as sentences do. The rest is up to the reader.
"""

import re

DOCSTRING = re.compile(r'[rR]?("""|\'\'\')(.*?)(\1|\Z)', re.DOTALL)


def check(tree):
    """Yields every source without such an opening."""
    for path in tree.code():
        line, paragraph = opening(tree, path)
        problem = fault(paragraph)
        if problem:
            yield path, line, f"{problem}; begin the file with a sentence that says what it does"


def opening(tree, path):
    """The line and the text of the first paragraph of the comment that a file begins with."""
    lines = tree.text(path).split("\n")
    first = next((k for k, line in enumerate(lines) if line.strip() and not line.startswith("#!")), None)
    if first is None:
        return 1, ""
    if path.endswith(".py") or "python" in lines[0]:
        found = DOCSTRING.match("\n".join(lines[first:]))
        if found:
            return first + 1, found[2].strip().split("\n\n")[0]
    marker = "#" if tree.is_hash_language(path) else "//"
    paragraph = []
    for line in lines[first:]:
        text = line.strip().removeprefix(marker).strip("/ ")
        if not line.strip().startswith(marker) or not text:
            break
        paragraph.append(text)
    return first + 1, " ".join(paragraph)


def fault(paragraph):
    """What keeps a paragraph from being a sentence, or None."""
    if not paragraph:
        return "there is no opening comment"
    if not (paragraph[0].isupper() or paragraph[0] in "`"):
        return "the opening comment does not start with a capital letter"
    if len(paragraph.split()) < 4:
        return "the opening comment has fewer than four words"
    if not paragraph.rstrip().endswith((".", ":", "?", ".)")):
        return "the first paragraph of the opening comment does not end with a full stop or a colon"
    return None
