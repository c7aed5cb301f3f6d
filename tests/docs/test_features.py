"""The table of features: every cell has a name or a reason, every name is there, and the page is made of the table."""

import functools
import importlib
import inspect
import re
import subprocess
import sys

import pytest

from pages import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "docs"))
import features  # noqa: E402

ROWS, REASONS = features.read(features.TABLE.read_text(encoding="utf-8"))
HEADERS = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include" / "kirchhoff").glob("*.hpp")))
FORMATS = (ROOT / "docs" / "reference" / "formats.md").read_text(encoding="utf-8")


def names(column):
    place = features.COLUMNS.index(column)
    return sorted({item for row in ROWS for item in row.cells[place] if not item.startswith("!")})


def test_the_page_is_made_of_the_table():
    assert features.PAGE.read_text(encoding="utf-8") == features.page(ROWS, REASONS), "run scripts/docs/features.py"


def test_cells_have_names_or_reasons():
    empty = [(row.section, row.quantity, column) for row in ROWS for column, cell in zip(features.COLUMNS, row.cells)
             if not cell]
    used = {item[1:] for row in ROWS for cell in row.cells for item in cell if item.startswith("!")}
    assert empty == [] and used == set(REASONS)
    assert len(ROWS) > 100 and len({(row.section, row.quantity, row.cells) for row in ROWS}) == len(ROWS)


def test_wrong_tables_are_refused():
    with pytest.raises(ValueError, match="cells"):
        features.read("## A\nlog Z | a | b | c | d\n")
    rows, _ = features.read("## A\nlog Z | a | | c | d | e\n")
    assert rows[0].cells[1] == ()


def test_names_in_cpp():
    assert [name for name in names("C++") if not re.search(rf"\b{name}\b", HEADERS)] == []


def found(module, name):
    """Whether a name is there, and an argument if one is named."""
    path, argument = re.fullmatch(r"([\w.]+)(?:\((\w+)=\))?", name).groups()
    value = importlib.import_module(module)
    for part in path.split("."):
        if not hasattr(value, part) and inspect.ismodule(value):
            try:
                importlib.import_module(f"{module}.{part}")
            except ImportError:
                pass
        if not hasattr(value, part):
            return False
        value = getattr(value, part)
    return argument is None or argument in inspect.signature(value).parameters


@pytest.mark.parametrize("column, module", [("Python", "kirchhoff"), ("PyTorch", "kirchhoff.torch"),
                                            ("JAX", "kirchhoff.jax")])
def test_names_in_python(column, module):
    pytest.importorskip(module, reason=f"{module} is not installed")
    assert [name for name in names(column) if not found(module, name)] == []
    assert not found(module, "no_such_name")


@functools.lru_cache(maxsize=None)
def help_of(verb):
    return subprocess.run(["kirchhoff", verb, "--help"], capture_output=True, text=True, check=True).stdout


def test_names_on_the_command_line():
    def there(name):
        verb, item = name.split(" ")
        if item.startswith("--"):
            return re.search(rf"{item}\b(?!-)", help_of(verb))
        # A want of its help, or a field of its input.
        return re.search(rf"^  {item}[= ]", help_of(verb), re.M) or re.search(rf"\|[^|\n]*`{item}`[^|\n]*\|", FORMATS)

    assert [name for name in names("command line") if not there(name)] == []


def test_everything_public_in_the_frameworks_is_named():
    """What kirchhoff.torch and kirchhoff.jax offer has a row."""
    for column, module in (("PyTorch", "kirchhoff.torch"), ("JAX", "kirchhoff.jax")):
        loaded = pytest.importorskip(module, reason=f"{module} is not installed")
        listed = {name.split("(")[0] for name in names(column)}
        assert sorted(set(loaded.__all__) - listed - {"wfsm", "from_supar", "from_torch_struct"}) == []
        assert sorted(f"wfsm.{name}" for name in loaded.wfsm.__all__ if f"wfsm.{name}" not in listed) == []
