"""The promises of docs/architecture.md: it names all folders of src/ and all public headers, and has the directions."""

import re

from . import tables

FOLDER = re.compile(r"`src/([\w/]+?)/?`")
HEADING = "| folder | may include |"


def direction_table():
    """The table of directions, as the document must have it."""
    rows = [HEADING, "|---|---|"]
    for folder, others in tables.FOLDERS.items():
        rows.append(f"| `{folder}` | {', '.join(f'`{other}`' for other in others.split()) or 'public headers only'} |")
    return "\n".join(rows)


def check(tree):
    """Yields the folders and headers that the document does not name, or names though they do not exist."""
    document = tree.document("architecture.md")
    if not document:
        yield "docs/architecture.md", 1, "is missing; describe the folders of src/ and the directions between them"
        return
    text = tree.text(document)
    rows = [(number, line) for number, line in tree.lines(document) if line.startswith("|")]
    named = {name: row for row in rows for name in FOLDER.findall(row[1].split("|")[1])}
    folders = {path.split("/")[1] for path in tree.paths if path.startswith("src/") and path.count("/") > 1}
    rooms = {tuple(path.split("/")[1:3]) for path in tree.paths if path.startswith("src/") and path.count("/") > 2}

    for folder in folders - named.keys():
        yield document, 1, f"`src/{folder}/` has no row in the table of folders; add one"
    for name, (number, _) in named.items():
        if name not in folders and tuple(name.split("/")) not in rooms:
            yield document, number, f"`src/{name}/` does not exist; take it out"
    for folder, room in rooms:
        if folder in named and not re.search(rf"`(?:src/)?(?:{folder}/)?{room}/?`", named[folder][1]):
            yield document, named[folder][0], f"the row of `src/{folder}/` does not name its room `{room}/`; add it"
    for folder in folders - tables.FOLDERS.keys():
        yield "scripts/layout/tables.py", 1, f"src/{folder} is not in FOLDERS; say what it may include"

    headers = next(((number, row) for number, row in rows if "`include/kirchhoff/`" in row), (1, ""))
    for path in tree.paths:
        if not path.startswith("include/kirchhoff/"):
            continue
        name = path.removeprefix("include/kirchhoff/").removesuffix(".hpp")
        if f"`{name}`" not in headers[1] and f"`{name}.hpp`" not in headers[1]:
            yield document, headers[0], f"the row of `include/kirchhoff/` does not name `{name}`; add it"
        if name not in ("kirchhoff", *tables.HEADERS):
            yield "scripts/layout/tables.py", 1, f"{name}.hpp is not in HEADERS; say what it may include"
    if direction_table() not in text:
        line = next((number for number, row in rows if row == HEADING), 1)
        yield document, line, "the table of directions is not the one enforced; paste `scripts/check_layout --table`"
