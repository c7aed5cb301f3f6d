"""Every shell and Python block of README and docs/ runs, page by page and in order, and every C++ block compiles.

The blocks of a page share one scratch directory, which has the examples, and one Python namespace. The program
`kirchhoff` must be on PATH; C++ is compiled against $KIRCHHOFF_STAGE, where the library is installed. pages.py says how
a block is marked that cannot be run.
"""

import importlib.util
import json
import math
import os
import re
import shutil
import subprocess

import pytest

from pages import ROOT, blocks, pages

SHELL = {"sh", "shell", "bash"}
KNOWN_NOTES = {"no-run", "needs", "output", "given"}


def _agree(a, b):
    """Whether two JSON values are the same but for the last digits, which may depend on the processor."""
    if isinstance(a, dict) and isinstance(b, dict):
        return list(a) == list(b) and all(_agree(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_agree, a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12)
    return a == b


def _same_output(language, expected, actual):
    if language == "json":
        return _agree(*([json.loads(line) for line in text.splitlines()] for text in (expected, actual)))
    return expected.strip() == actual.strip()


def _shell(code, folder):
    done = subprocess.run(["sh", "-euc", code], cwd=folder, capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        raise AssertionError(f"exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def _python(block, page, namespace):
    source = "\n" * (block.line - 1) + block.code  # so that errors name the line of the page
    exec(compile(source, str(page.relative_to(ROOT)), "exec"), namespace)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page, tmp_path, monkeypatch):
    if shutil.which("kirchhoff") is None:
        pytest.skip("no program kirchhoff on PATH")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    namespace, printed, failed, missing = {"__name__": page.stem}, None, [], []
    for block in blocks(page):
        assert set(block.notes) <= KNOWN_NOTES, f"line {block.line}: notes {set(block.notes)}"
        if "no-run" in block.notes:
            assert block.notes["no-run"], f"line {block.line}: no-run without a reason"
            continue
        if "needs" in block.notes and importlib.util.find_spec(block.notes["needs"]) is None:
            missing.append(block.notes["needs"])
            continue
        try:
            if "output" in block.notes:
                if printed is not None and not _same_output(block.language, block.code, printed):
                    raise AssertionError(f"the block before it printed\n{printed}")
            elif block.language in SHELL:
                printed = None
                printed = _shell(block.code, tmp_path)
            elif block.language == "python":
                _python(block, page, namespace)
        except Exception as error:  # all failures of a page in one report
            failed.append(f"line {block.line}: {type(error).__name__}: {error}\n{block.code}")
    if failed:
        pytest.fail("\n".join(failed), pytrace=False)
    if missing:
        pytest.skip(f"a part of the page needs {' and '.join(missing)}")


def _fragment(number, page, block):
    """A function around a fragment, or the whole program under another name; includes go to the top of the file."""
    code = re.sub(r"^#include.*$", "", block.code, flags=re.M)
    place = f'#line {block.line} "{page.relative_to(ROOT)}"\n'
    if re.search(r"^int main", code, re.M):
        return f"#define main main_{number}\n{place}{code}\n#undef main\n"
    if re.search(r"^(class|struct|namespace|template|\w[\w:<>&* ]* \w+\([^;]*\) \{)", code, re.M):
        return f"namespace page_{number} {{\n{block.notes.get('given', '')}\n{place}{code}\n}}\n"
    return f"void page_{number}() {{\n{block.notes.get('given', '')}\n{place}{code}\n}}\n"


def test_cpp(tmp_path):
    stage, compiler = os.environ.get("KIRCHHOFF_STAGE"), shutil.which(os.environ.get("CXX", "g++"))
    if not stage or not compiler:
        pytest.skip("$KIRCHHOFF_STAGE is not set, or there is no compiler")
    found = [(page, block) for page in pages() for block in blocks(page)
             if block.language == "cpp" and "no-run" not in block.notes]
    includes = sorted({line for _, block in found for line in re.findall(r"^#include.*$", block.code, re.M)})
    common = [f"#include <{name}>" for name in ("kirchhoff/kirchhoff.hpp", "cmath", "fstream", "iostream")]
    text = "\n".join([*common, *includes, *(_fragment(i, *pair) for i, pair in enumerate(found))])
    source = tmp_path / "blocks.cpp"
    source.write_text(text, encoding="utf-8")
    eigen = subprocess.run(["pkg-config", "--cflags", "eigen3"], capture_output=True, text=True).stdout.split()
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wno-unused", f"-I{stage}/include", *eigen, source]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    if done.returncode != 0:
        pytest.fail(done.stderr, pytrace=False)
