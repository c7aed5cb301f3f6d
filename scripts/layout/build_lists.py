"""The lists of the build: every source of src/ and every test is in a CMakeLists.txt, and tests/ mirrors src/."""

import re

from . import tables


def check(tree):
    """Yields sources that nothing compiles, and tests in folders that mirror nothing."""
    listed = set()
    for path in tree.paths:
        if path.endswith(("CMakeLists.txt", ".cmake")):
            folder = path.rpartition("/")[0]
            for name in re.findall(r"[\w./-]+\.(?:cpp|cu)\b", re.sub(r"#[^\n]*", "", tree.text(path))):
                listed.add(f"{folder}/{name}".lstrip("/"))
    modules = {path.split("/")[1] for path in tree.paths if path.startswith("src/") and path.count("/") > 1}
    for path in tree.paths:
        is_test = path.startswith("tests/") and path.endswith("_test.cpp")
        if (is_test or path.startswith("src/") and path.endswith((".cpp", ".cu"))) and path not in listed:
            yield path, 1, "no CMakeLists.txt lists this file; list it, or nothing will compile it"
        if is_test and path.split("/")[1] not in modules.union(tables.TEST_FOLDERS):
            yield path, 1, f"tests/{path.split('/')[1]} mirrors no folder of src/; move the test beside its module's"
