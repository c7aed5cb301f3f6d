"""Hooks of the MkDocs site: generated pages, and links that also work when a page is read in the repository.

Pages link to files by their place in the repository. On the site a public header becomes its reference page, other
Markdown files outside docs/ become pages, and any other file outside docs/ is copied. Keys in brackets, such as
[Zmigrod21], lead to the list of references.
"""

import os
import re
import sys
from pathlib import Path

from mkdocs.structure.files import File

sys.path.insert(0, str(Path(__file__).parent))
import bibliography  # noqa: E402
import cpp_reference  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "kirchhoff"
OUTSIDE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
           "SECURITY.md": "security.md",
           "examples/treebank/README.md": "guides/treebank.md"}
KEYS = {key for key, _ in bibliography.entries(ROOT / "docs" / "references.bib")}
_LINK = re.compile(r"(\[[^\]]*\])\(([^)\s]+)\)")
_KEY = re.compile(r"\[(\w+)((?:, [^\]\[]*)?)\](?![(\[])")  # [A21], [A21, section 6.3], [A21, B22]
copied = {}


# The order in which a reader meets the headers; one that is not named here comes last.
ORDER = """types names accuracy parallel output_file tree tree_batch expectation decode sample unordered_set
head_sequence projective spanning
chain chain_batch chain_expectation chain_orders chain_paths
wfsm wfsm_derivatives wfsm_expectation wfsm_distinct wfsm_product wfsm_semiring wfsm_batch wfsm_text segment
factor factor_graph solve dependency_graph
conllu evaluate draw parser train""".split()


def _header_order():
    """The names of all public headers but the one that includes them all."""
    found = sorted(path.stem for path in HEADERS.glob("*.hpp") if path.name != "kirchhoff.hpp")
    found.sort(key=lambda stem: ORDER.index(stem) if stem in ORDER else len(ORDER))
    return [f"{stem}.hpp" for stem in found]


def _site_path(path):
    """Where a file of the repository is on the site; None for a file that is to be copied there."""
    if path in OUTSIDE:
        return OUTSIDE[path]
    if path.startswith("include/kirchhoff/") and path.endswith(".hpp"):
        return f"reference/cpp/{Path(path).stem}.md"
    if path == "docs/references.bib":
        return "references.md"
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def on_config(config):
    """The C++ reference has one entry for each header, whatever headers there are."""
    pages = [{name: f"reference/cpp/{Path(name).stem}.md"} for name in _header_order()]

    def replaced(nav):
        for entry in nav:
            for title, target in list(entry.items()) if isinstance(entry, dict) else []:
                if isinstance(target, list):
                    replaced(target)
                elif target == "reference/cpp.md":
                    entry[title] = ["reference/cpp.md", *pages]
    replaced(config.nav)
    return config


def on_files(files, config):
    """Adds what is not written by hand: the reference of each header, the references, pages from outside docs/."""
    rows = []
    for name in _header_order():
        stem = Path(name).stem
        files.append(File.generated(config, f"reference/cpp/{stem}.md", content=cpp_reference.page(HEADERS / name)))
        rows.append(f"| [{name}](cpp/{stem}.md) | {cpp_reference.summary(HEADERS / name)} |")
    index = (ROOT / "docs" / "reference" / "cpp.md").read_text(encoding="utf-8")
    files.remove(files.get_file_from_path("reference/cpp.md"))
    files.append(File.generated(config, "reference/cpp.md",
                                content=index + "\n| header | what it is |\n|---|---|\n" + "\n".join(rows) + "\n"))
    files.append(File.generated(config, "references.md", content=bibliography.page(ROOT / "docs" / "references.bib")))
    for source, target in OUTSIDE.items():
        files.append(File.generated(config, target, content=(ROOT / source).read_text(encoding="utf-8")))
    for path in (ROOT / "docs").rglob("*.md"):
        for target in re.findall(_LINK, path.read_text(encoding="utf-8")):
            _copy(target[1], path.relative_to(ROOT), files, config)
    for source in OUTSIDE:
        for target in re.findall(_LINK, (ROOT / source).read_text(encoding="utf-8")):
            _copy(target[1], Path(source), files, config)
    return files


def _copy(target, page, files, config):
    """Copies a linked file that is not a page of the site."""
    path = os.path.normpath(page.parent / target.split("#")[0])
    if "://" in target or target.startswith("#") or _site_path(path) or path in copied or not (ROOT / path).is_file():
        return
    # Sources are shown as text; a browser would offer to save a .cpp.
    name = f"files/{path}" + ("" if Path(path).suffix in {".svg", ".txt", ".json", ".html"} else ".txt")
    copied[path] = name
    files.append(File.generated(config, name, content=(ROOT / path).read_bytes()))


def _source_of(uri):
    """The path in the repository of a page of the site."""
    for source, target in OUTSIDE.items():
        if target == uri:
            return source
    return f"include/kirchhoff/{Path(uri).stem}.hpp" if uri.startswith("reference/cpp/") else f"docs/{uri}"


def on_page_markdown(markdown, page, config, files):
    """Turns links between files of the repository into links between pages of the site, outside code."""
    here = page.file.src_uri
    source = Path(_source_of(here))

    def link(match):
        text, target = match.groups()
        path, mark, anchor = target.partition("#")
        if "://" in target or not path or here.startswith("reference/cpp"):
            return match.group(0)
        full = os.path.normpath(source.parent / path)
        place = _site_path(full) or copied.get(full)
        return f"{text}({os.path.relpath(place, Path(here).parent)}{mark}{anchor})" if place else match.group(0)

    def key(match):
        if match[1] not in KEYS or here == "references.md":
            return match[0]
        place = os.path.relpath("references.md", Path(here).parent)
        parts = re.split(r",\s+", match[1] + match[2])
        return "\\[" + ", ".join(f"[{part}]({place}#{part})" if part in KEYS else part for part in parts) + "\\]"

    def mention(match):
        place = _site_path(match.group(0))
        if not (ROOT / match.group(0)).is_file():
            return match.group(0)
        return f"[{match.group(0)}]({os.path.relpath(place, Path(here).parent)})"

    parts = re.split(r"(^ *```.*?^ *```[^\n]*$|`[^`\n]*`)", markdown, flags=re.M | re.S)
    for i in range(0, len(parts), 2):  # the others are code
        parts[i] = _KEY.sub(key, _LINK.sub(link, parts[i]))
        if here.startswith("reference/cpp/"):
            parts[i] = re.sub(r"docs/[\w/]+\.md", mention, parts[i])
    # A link around code, [`name`](target), was split above.
    return re.sub(r"(\[`[^`\n]*`\])\(([^)\s]+)\)", link, "".join(parts))
