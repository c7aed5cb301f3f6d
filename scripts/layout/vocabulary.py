r"""The words for enums: each public enum has one table of names, kNames<Enum>, and no other list of them exists.

Two signs betray a second table in src/, cli/ or python/src. Both need two of the enum's values, because one alone may
well be another word that happens to be spelt alike.

1. A list of its names: literals such as "single", "multi" with nothing between them but the punctuation of a list, of
   `a ? b : c`, or of a chain of comparisons, and members of the enum itself. Other enums share some words, so two
   thirds of the words in the list must be names of this one. Only for enums that have a table.
2. Names beside their members: "single" and Root::single in the same statement, for two members in one file. This
   finds `if (name == "single") return Root::single;` and `case`, and bindings such as .value("single", Root::single).

A kNames table itself never counts, but a second one for the same enum does. Comments are not looked at.
"""

import re

from .source_tree import CPP, line_of
from .tables import OTHER_WORDS

TABLE = re.compile(r"kNames<\s*([\w:]+)\s*>\s*(?:=\s*)?\{([^;]*)\};")
ENUM = re.compile(r"enum class (\w+)[^{;]*\{([^}]*)\}")
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')
COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
COMPARISON = re.compile(r"(?:&&|\|\|)\s*[\w.\->]+\s*[=!]=")


def check(tree):
    """Yields the places where the names of a public enum are written a second time."""
    enums, tables = {}, {}
    sources = [path for folder in ("include/", "src/", "cli/", "python/src/")
               for path in tree.paths if path.startswith(folder) and path.endswith(CPP)]
    texts = {path: without_comments(tree.text(path)) for path in sources}
    for path in sources:
        for found in TABLE.finditer(texts[path]):
            enum, line = found[1].split("::")[-1], line_of(texts[path], found.start())
            if found[1] in tables:
                yield path, line, f"a second kNames<{found[1]}>; keep the one in {tables[found[1]]}"
            tables[found[1]] = path
            if path.startswith("include/"):
                enums[enum] = (LITERAL.findall(found[2]), True)
    for path in sources:
        if path.startswith("include/"):
            for found in ENUM.finditer(texts[path]):
                enums.setdefault(found[1], (re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", found[2].strip()), False))
    for path in sources:
        if '"' in texts[path]:
            for enum, (names, has_table) in enums.items():
                if (path.rsplit("/", 1)[-1], enum) not in OTHER_WORDS:
                    yield from second_tables(path, texts[path], enum, names, has_table)


def without_comments(text):
    """The text with comments blanked out, so that lines keep their numbers."""
    return COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)


def second_tables(path, text, enum, names, has_table):
    """Yields the statements with a list of the enum's names, and the first of its members that stand beside theirs."""
    values = {name.replace("-", "_") for name in names if len(name) > 1}
    beside, start = {}, 0
    for statement in text.split(";"):
        literals = [(found, found[1].replace("-", "_")) for found in LITERAL.finditer(statement)]
        own = [(found, word) for found, word in literals if word in values]
        if own and "kNames<" not in statement:
            if has_table and has_list(statement, enum, values):
                yield (path, line_of(text, start + own[0][0].start()),
                       f"the names of {enum} written again; use kNames<{enum}>, to_string or parse_name")
            else:
                for found, word in own:
                    if re.search(rf"\b{enum}::{word}\b", statement):
                        beside.setdefault(word, line_of(text, start + found.start()))
        start += len(statement) + 1
    if len(beside) > 1:
        yield path, min(beside.values()), f"members of {enum} beside their names; use to_string or parse_name<{enum}>"


def has_list(statement, enum, values):
    """Tells whether a list in the statement is one of the enum's names: two at least, and two thirds of its words."""
    last, run = None, []
    for found in [*LITERAL.finditer(statement), None]:
        if found and " " in found[1]:
            continue
        if found and last:
            between = re.sub(rf'"[^"]*"|(?:\w+::)*\b{enum}::\w+', "", statement[last.end():found.start()])
        if not found or last and not re.fullmatch(r"[\s,{}():?]*", COMPARISON.sub("", between)):
            own = values.intersection(run)
            if len(own) > 1 and 3 * len(own) >= 2 * len(set(run)):
                return True
            run = []
        last = found
        if found:
            run.append(found[1].replace("-", "_"))
    return False
