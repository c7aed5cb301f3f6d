"""Bibliography keys: what is cited as [Zmigrod21] is in docs/references.bib, and what is there is cited."""

import re

from .source_tree import line_of

KEY = r"[A-Z][A-Za-z]+\d\d(?:\d\d)?[a-z]?"
# A bracket that begins with a key, but not an index as in x[Key00]. It may go on over the end of a line.
CITATION = re.compile(rf"(?<![\w\])])\[({KEY}\b[^\[\]]{{0,200}})\]")
# A bracket with authors and a year instead, as in a letter. The text of a link is no citation.
WRITTEN_OUT = re.compile(r"(?<![\w\])])\[[A-Z][\w']+(?:,| et al\.| and| &|) [^\[\]\n]{0,60}"
                         r"\b(?:18|19|20)\d\d[^\[\]\n]{0,60}\](?!\()")
ENTRY = re.compile(r"^@\w+\{([^,\s]+),", re.MULTILINE)
READ = (".hpp", ".cpp", ".cu", ".h", ".py", ".md", ".sh", ".txt", ".cmake", ".ipynb")


def check(tree):
    """Yields keys without an entry, entries without a citation, and entries that are broken."""
    bibliography = tree.document("references.bib")
    if not bibliography:
        return
    text = tree.text(bibliography)
    entries = {}
    for found in ENTRY.finditer(text):
        line = line_of(text, found.start())
        if found[1] in entries:
            yield bibliography, line, f"{found[1]} is here twice; keep one entry"
        entries[found[1]] = line
        following = ENTRY.search(text, found.end())
        body = text[found.start():following.start() if following else len(text)]
        if body.count("{") != body.count("}"):
            yield bibliography, line, f"the braces of {found[1]} do not match; close the entry"

    cited = set()
    for path in tree.paths:
        if not (path.endswith(READ) or tree.is_hash_language(path)):
            continue
        content = tree.text(path)
        for found in CITATION.finditer(content):
            for key in re.finditer(rf"\b{KEY}\b", found[1]):
                cited.add(key[0])
                if key[0] not in entries:
                    yield (path, line_of(content, found.start()),
                           f"[{key[0]}] is not in {bibliography}; add the entry or correct the key")
        for found in WRITTEN_OUT.finditer(content):
            yield path, line_of(content, found.start()), f"{found[0]} is not a key; cite an entry of {bibliography}"
    for key in entries.keys() - cited:
        yield bibliography, entries[key], f"{key} is cited nowhere as [{key}]; cite it or take it out"
