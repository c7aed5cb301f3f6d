"""Every link of every Markdown file leads to a file that exists, and to a heading that it has."""

import pytest

from pages import ROOT, anchors, links, markdown_files


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
