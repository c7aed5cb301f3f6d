#!/usr/bin/env python3
"""Makes docs/reference/features.md of scripts/docs/features.txt: what there is in C++, Python, PyTorch, JAX and the CLI.

With --check nothing is written, and the exit status says whether the page is as it should be.
"""

import re
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_suffix(".txt")
PAGE = ROOT / "docs" / "reference" / "features.md"
COLUMNS = ("C++", "command line", "Python", "PyTorch", "JAX")
INTRODUCTION = """# What there is, and where

Every quantity, and its name in C++ (after `kirchhoff::`), on the command line, in Python (after `kirchhoff.`), in
PyTorch (`kirchhoff.torch.`) and in JAX (`kirchhoff.jax.`). Where there is none, a number says why. This page is made of
`scripts/docs/features.txt`, and a test looks every name up. What the names mean is in
[distributions](../distributions.md), [one protocol](../guides/python.md#one-protocol) and the
[manual of the program](cli.md).
"""


class Row(NamedTuple):
    section: str
    quantity: str
    cells: tuple  #: for each column its items: names, and reasons that begin with "!"


def read(text):
    """Returns the rows and the reasons by their keys; ValueError names a line that is neither."""
    rows, reasons, section = [], {}, None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            section = line[3:]
        elif match := re.fullmatch(r"!(\w+): (.+)", line):
            reasons[match[1]] = match[2]
        elif line and not line.startswith("#"):
            quantity, *cells = (cell.strip() for cell in line.split("|"))
            if len(cells) != len(COLUMNS) or section is None:
                raise ValueError(f"{TABLE.name}:{number}: expected a quantity and {len(COLUMNS)} cells")
            rows.append(Row(section, quantity, tuple(tuple(item.strip() for item in c.split(",") if item.strip())
                                                     for c in cells)))
    return rows, reasons


def page(rows, reasons):
    """Returns the page as Markdown; reasons are numbered in the order in which they are met."""
    numbers = {}
    out = [INTRODUCTION]
    for section in dict.fromkeys(row.section for row in rows):
        out.append(f"## {section}\n| | {' | '.join(COLUMNS)} |\n|---{'|---' * len(COLUMNS)}|")
        for row in (row for row in rows if row.section == section):
            cells = []
            for items in row.cells:
                names = ", ".join(f"`{item}`" for item in items if not item.startswith("!"))
                keys = [item[1:] for item in items if item.startswith("!")]
                marks = " ".join(f"({numbers.setdefault(key, len(numbers) + 1)})" for key in keys)
                cells.append(" ".join(filter(None, (names, marks))))
            out.append(f"| {row.quantity} | {' | '.join(cells)} |")
        out.append("")
    out.append("## Why there is none")
    out += [textwrap.fill(f"{number}. {reasons[key]}", 120, subsequent_indent="    ", break_on_hyphens=False)
            for key, number in numbers.items()]
    return "\n".join(out) + "\n"


def main():
    text = page(*read(TABLE.read_text(encoding="utf-8")))
    if "--check" in sys.argv[1:]:
        return int(not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
