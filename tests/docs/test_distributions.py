"""The page of distributions names what there is: every name in its tables is in a public header or in the package."""

import importlib.util
import re

from pages import ROOT

PAGE = (ROOT / "docs" / "distributions.md").read_text(encoding="utf-8")
SOURCES = "\n".join(path.read_text(encoding="utf-8") for folder, pattern in
                    (("include/kirchhoff", "*.hpp"), ("python/kirchhoff", "*.py"), ("cli/verbs", "*.cpp"))
                    for path in sorted((ROOT / folder).glob(pattern)))


def test_names_exist():
    rows = [line for line in PAGE.splitlines() if line.startswith("|")]
    codes = [code for row in rows for code in re.findall(r"`([^`]+)`", row)]
    names = {word for code in codes for word in re.findall(r"[A-Za-z_]\w+", code)}
    assert len(names) > 60
    assert sorted(name for name in names if not re.search(rf"\b{name}\b", SOURCES)) == []


def test_dashes_have_reasons():
    """Every dash has the number of a reason, and every reason is used."""
    numbers = "¹²³⁴⁵⁶⁷⁸⁹"
    listed = re.findall(r"^(\d)\. ", PAGE, re.MULTILINE)
    cells = [cell.strip() for line in PAGE.splitlines() if line.startswith("|") and not line.startswith("|---")
             for cell in line.strip("|").split("|")]
    used = {number for cell in cells for number in cell if number in numbers}
    assert used == set(numbers[:len(listed)])
    assert "—" not in cells


def verbs():
    """The table that kirchhoff.torch and kirchhoff.jax are made from, which needs neither of them."""
    spec = importlib.util.spec_from_file_location("verbs", ROOT / "python" / "kirchhoff" / "_verbs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_functions_of_torch_and_jax():
    """The table of both has a row for each verb, with its derivatives and the names that it has for each structure."""
    table = verbs()
    lines = PAGE[PAGE.index("| PyTorch and JAX |"):].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    listed = [[int(derivatives)] + [(re.findall(r"`(\w+)`", cell) or [None])[0] for cell in cells]
              for _, derivatives, *cells in rows]
    named = lambda structure, verb: (table.name_of(structure, verb) or "").removeprefix("wfsm.") or None
    expected = [[made.derivatives] + [named(structure, verb) for structure in table.STRUCTURES]
                for verb, made in table.VERBS.items()]
    found = [[table.VERBS["log_prob"].derivatives] +
             [table.STRUCTURES[structure].format(verb) for structure in ("tree", "chain", "segment")] + [None]
             for verb in table.SEARCHES]
    assert listed == expected + found
