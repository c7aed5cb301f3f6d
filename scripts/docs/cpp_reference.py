"""Makes one Markdown page of the C++ reference from each public header, out of its `///` comments.

A header opens with a `//` comment, which leads the page. A `///` comment belongs to the declarations that follow it up
to the next comment or blank line, so overloads share one text. Private members, inner namespaces and declarations that
only say "movable" or "not copyable" are left out.
"""

import re
from pathlib import Path

_SKIP = re.compile(r"#|using [\w:]+;|friend |static_assert|//(?!/)|(class|struct|enum class) [\w:<>]+;|template <>")
_BOILERPLATE = re.compile(
    r"^(virtual )?~|operator=\((const )?\w+&&?( \w+)?\)|^(explicit )?(?P<type>\w+)\((const )?(?P=type)&&?( \w+)?\)")
_KIND = re.compile(r"^(?:template\s*<.*?>\s*)?(enum class|class|struct)\s+([\w:]+(?:<[^>]*>)?)[^;({]*\{", re.S)


def _code(line):
    return re.sub(r"\s*//.*$", "", line).rstrip()  # without its trailing comment


def _statements(lines):
    """Yields (comment lines, source lines) of each declaration, and None at a blank line."""
    comment, source, depth = [], [], 0
    for line in lines:
        text = line.strip()
        if not source:
            if not text:
                comment = []
                yield None
                continue
            if text.startswith("///") and not text.startswith("///<"):
                comment.append(text[3:].removeprefix(" "))
                continue
            if text.startswith("//"):
                continue
        source.append(line)
        code = _code(line)
        depth += sum({"(": 1, "{": 1, ")": -1, "}": -1}.get(c, 0) for c in code)
        done = code.endswith((";", "}")) or text.startswith("#") or re.fullmatch(r"(public|private|protected):", text)
        if depth <= 0 and done:
            yield comment, source
            comment, source, depth = [], [], 0


def _groups(lines):
    """Yields (comment, [declarations]) where declarations without a comment join those before them."""
    comment, group = [], []
    for statement in [*_statements(lines), None]:
        if statement is None or statement[0]:
            if group:
                yield comment, group
            comment, group = [], []
        if statement:
            comment = statement[0] or comment
            group.append(statement[1])


def _dedent(source):
    margin = min((len(line) - len(line.lstrip()) for line in source if line.strip()), default=0)
    return [line[margin:] for line in source]


def _signature(source):
    """A declaration without body, initialisers of members and `///<` comments."""
    text = "\n".join(line for line in map(_code, _dedent(source)) if line.strip())
    if "(" in text and "= {" not in text and text.endswith("}"):
        at, depth = len(text) - 1, 1
        while depth:
            at -= 1
            depth += {"}": 1, "{": -1}.get(text[at], 0)
        text = re.sub(r"\)\s*:\s[^:].*$", ")", text[:at].rstrip(), flags=re.S) + ";"
    return text.replace(" = default;", ";")


def _prose(comment):
    """Markdown of a comment: indented lines are code, and signs that Markdown would take for markup are escaped."""
    out, fenced = [], False
    for line in comment:
        code = line.startswith("  ")
        if code != fenced and (code or line.strip()):
            out.append("```" if fenced else "\n```cpp")
            fenced = code
        out.append(line[2:] if code else line if fenced else re.sub(r"([*<](?=\S)|\b_\B|\B_\b|(?<=')_)", r"\\\1", line))
    return "\n".join(out + (["```"] if fenced else [])).strip()


def _trailing(lines, start):
    """The `///<` comment of a member, which may go on over the next lines, and the index after it."""
    words = [re.sub(r"^.*?///<\s*", "", lines[start]).strip()]
    while start + 1 < len(lines) and re.match(r"\s*//(/<|[^/])", lines[start + 1]):
        start += 1
        words.append(re.sub(r"^\s*//(/<)?\s*", "", lines[start]).strip())
    return " ".join(words), start + 1


def _fields(body):
    """Rows of a table of members, when the body is nothing but fields or enumerators; else None."""
    rows, lead, at = [], [], 0
    while at < len(body):
        text = body[at].strip()
        if not text or re.match(r"//(?!/)", text):
            lead = [] if not text else lead
            at += 1
        elif text.startswith("///") and not text.startswith("///<"):
            lead.append(text[3:].strip())
            at += 1
        elif re.search(r"[({]", re.sub(r"= {[^{}(]*}|{}", "", _code(text))) or not _code(text).endswith((";", ",")):
            if not re.fullmatch(r"[\w\s=,]+", _code(text)):
                return None
            rows.append((_code(text), " ".join(lead)))
            lead, at = [], at + 1
        else:
            what = _code(text).rstrip(";,")
            said, at = _trailing(body, at) if "///<" in text else ("", at + 1)
            rows.append((what, " ".join([*lead, said]).strip()))
            lead = []
    return rows


def _members(name, body, public):
    """The public members of a class: fields as a table, the others with their signature above the text."""
    out = []
    for comment, group in _groups(body):
        shown, fields = [], []
        for source in group:
            text = source[0].strip()
            if re.fullmatch(r"(public|private|protected):", text):
                public = text == "public:"
            elif public and not _SKIP.match(text) and not _BOILERPLATE.search(_signature(source)):
                nested = _KIND.match("\n".join(_dedent(source)))
                if nested:
                    out.append(_entity(comment, _dedent(source), nested, "####", f"{name}::"))
                elif "(" not in _code(text) and _code(text).endswith(";") and not text.startswith("using"):
                    fields += [(row[0], row[1] or " ".join(comment)) for row in _fields(source)]
                else:
                    shown.append(_signature(source))
                    comment = comment + [_trailing(source, i)[0] for i, line in enumerate(source) if "///<" in line]
        if fields:
            out.append(_table("field", fields))
        if shown:
            out.append("```cpp\n" + "\n".join(shown) + "\n```\n" + _prose(comment) + "\n")
    return "\n".join(out)


def _table(title, rows):
    cells = [(f"`{code.replace('|', chr(92) + '|')}`", said.replace("|", "\\|")) for code, said in rows]
    return "\n".join([f"| {title} | |", "|---|---|", *(f"| {a} | {b} |" for a, b in cells)]) + "\n"


def _entity(comment, source, kind, level, scope=""):
    """A class, struct or enum: heading, text, and a table of its fields or a list of its members."""
    what, name = kind.groups()
    text = "\n".join(source)
    body = text[text.index("{") + 1:text.rindex("}")].split("\n")
    rows = _fields(body) if what != "class" else None
    head = f"{level} `{scope}{name}`\n\n" + (_prose(comment) + "\n\n" if comment else "")
    table = "value" if what.startswith("enum") else "field"
    return head + (_members(scope + name, body, what == "struct") if rows is None else _table(table, rows))


def _name(signature):
    flat = re.sub(r"\s+", " ", re.sub(r"template\s*<.*?>\s*", "", signature))
    found = (re.match(r"using (\w+)|(?:inline )?(?:constexpr|const) [^(]*?(\w+)(?: = |\{)", flat)
             or re.search(r"(operator\W+|[\w:~]+(?:<\w+>)?)\s*\(", flat) or re.search(r"(\w+)\s*(?:=|\{|;|\[)", flat))
    return next(filter(None, found.groups())) if found else flat


def page(header):
    """The Markdown page of a header."""
    lines = Path(header).read_text(encoding="utf-8").split("\n")
    intro = [line[2:].removeprefix(" ") for line in lines[:next(i for i, x in enumerate(lines) if x[:2] != "//")]]
    start = next((i for i, line in enumerate(lines) if line.startswith("namespace kirchhoff")), len(lines) - 1)
    depth, body = False, []
    for line in lines[start + 1:]:  # namespaces inside, such as detail, are left out
        depth = depth or line.startswith("namespace ")
        if not depth and not line.startswith("}  // namespace"):
            body.append(line)
        depth = depth and not line.startswith("}")
    out = [f"# {Path(header).name}\n", _prose(intro), f"\n```cpp\n#include <kirchhoff/{Path(header).name}>\n```\n"]
    title = None
    for comment, group in _groups(body):
        plain = []
        for source in group:
            kind = _KIND.match("\n".join(source))
            if kind and not plain:
                out.append(_entity(comment, source, kind, "##"))
                comment = []
            elif not _SKIP.match(source[0].strip()):
                plain.append(_signature(source))
        if plain:
            before, title = title, f"## {', '.join(f'`{name}`' for name in dict.fromkeys(map(_name, plain)))}\n"
            out += [title] if title != before else []  # overloads with a comment each share one heading
            out.append("```cpp\n" + "\n".join(plain) + "\n```\n" + _prose(comment) + "\n")
    return "\n".join(out)


def summary(header):
    """The first sentence of the header's opening comment."""
    text = re.split(r"\n(?!//.)|\n//\n", Path(header).read_text(encoding="utf-8"))[0].replace("\n//", "")[2:]
    return re.split(r"(?<=[a-z)])\.\s", text.strip() + " ")[0].rstrip(". ") + "."
