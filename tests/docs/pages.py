"""Reads the Markdown files of the repository: their code blocks with what is said about them, links and headings."""

import re
import subprocess
import unicodedata
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"(?P<notes>(?:^ *<!--(?:(?!-->).)*-->\n)*)^(?P<margin> *)```(?P<language>\w*)[^\n]*\n"
                    r"(?P<code>.*?)^(?P=margin)```", re.M | re.S)
_NOTE = re.compile(r"<!-- *([\w-]+)(?:: *((?:(?!-->).)*?))? *-->", re.S)
_LINK = re.compile(r"(?<!\\)\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced code block. Notes are the HTML comments directly above it, `<!-- name: text -->`:

    no-run  why the block is not run;
    needs   a Python package without which it is skipped;
    output  the block is what the block before it prints;
    given   C++ that declares what a fragment uses.
    """

    language: str
    code: str
    line: int
    notes: dict


def markdown_files():
    """All Markdown files of the repository, whether or not they are committed yet."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "*.md"]
    try:
        names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
        return sorted(ROOT / name for name in set(names) if name and (ROOT / name).is_file())
    except (OSError, subprocess.CalledProcessError):  # no git, or no clone
        pass
    return sorted(path for path in ROOT.rglob("*.md") if not {"build", ".cache"} & set(path.relative_to(ROOT).parts))


def pages():
    """The pages whose code is checked: README and docs/."""
    return [path for path in markdown_files() if path == ROOT / "README.md" or (ROOT / "docs") in path.parents]


def blocks(page):
    """The code blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _BLOCK.finditer(text):
        margin = len(match["margin"])
        code = "".join(line[margin:] if line.strip() else line for line in match["code"].splitlines(keepends=True))
        notes = {name: said or "" for name, said in _NOTE.findall(match["notes"])}
        found.append(Block(match["language"], code, text.count("\n", 0, match.start("code")) + 1, notes))
    return found


def _without_code(text):
    return re.sub(r"`[^`\n]*`", "`code`", _BLOCK.sub("", text))


def links(page):
    """The targets of all links and pictures of a page, outside code."""
    return _LINK.findall(_without_code(page.read_text(encoding="utf-8")))


def anchors(page):
    """The anchors of a page's headings, by the rule that MkDocs and GitHub share for plain letters."""
    found = set()
    for title in re.findall(r"^#+ +(.*?) *$", _BLOCK.sub("", page.read_text(encoding="utf-8")), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)|`", r"\1", title)
        letters = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
        found.add(re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", letters).strip().lower()))
    return found
