"""Every link of every Markdown file leads to a file and a heading that exist, and pages and sources name each other rightly."""

import re

import pytest

from pages import ROOT, anchors, links, markdown_files

SOURCES = {".hpp", ".cpp", ".cu", ".h", ".py", ".txt", ".cmake", ".toml", ".yml"}


@pytest.mark.parametrize("page", markdown_files(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page):
    broken = []
    for target in links(page):
        path, _, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:"):
            continue
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (ROOT not in file.parents and file != ROOT):
            broken.append(f"{target}: there is no such file")
        elif anchor and (file.suffix != ".md" or anchor not in anchors(file)):
            broken.append(f"{target}: the page has no such heading")
    assert not broken


def test_sources_name_pages_that_exist():
    missing = []
    for folder in ("bench", "cli", "cmake", "examples", "include", "python", "scripts", "src", "tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and (path.suffix in SOURCES or not path.suffix):
                names = re.findall(r"\bdocs/[\w/]+\.md\b", path.read_text(encoding="utf-8", errors="replace"))
                missing += [f"{path.relative_to(ROOT)}: {name}" for name in names if not (ROOT / name).is_file()]
    assert not missing


def test_pages_name_sources_that_exist():
    missing = []
    for page in markdown_files():
        names = re.findall(r"(?<![\w/])(?:src|tests|bench|cli|include|examples)/[\w/]+\.(?:cpp|hpp|py)\b",
                           page.read_text(encoding="utf-8"))
        missing += [f"{page.relative_to(ROOT)}: {name}" for name in names if not (ROOT / name).is_file()]
    assert not missing
