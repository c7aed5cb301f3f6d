"""The page of distributions names what there is: every name in its tables is in a public header or in the package."""

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
