"""Checks scripts/check_layout on a small tree: it passes as it is, and each rule finds the one thing that breaks it."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS))

from layout import architecture, rules, source_tree, tables  # noqa: E402

CITED = "[" + "Tutte84, section 2]"  # in pieces: to cite it here is not to cite it
OPENING = "// This file is here to be checked.\n"
CLEAN = {
    "include/kirchhoff/types.hpp": OPENING + '#include "kirchhoff/names.hpp"\n#include <vector>\n'
                                   'enum class Root { single, multi };\n'
                                   'template <> inline constexpr std::array<std::string_view, 2> kNames<Root> = {\n'
                                   '    "single", "multi"};\n',
    "include/kirchhoff/names.hpp": OPENING,
    "include/kirchhoff/tree.hpp": OPENING + '#include "kirchhoff/types.hpp"\n#include <Eigen/Core>\n',
    "include/kirchhoff/wfsm.hpp": OPENING + '#include "kirchhoff/types.hpp"\n',
    "src/CMakeLists.txt": "# The sources of the library are listed here.\nadd_library(kirchhoff base/check.cpp\n"
                          "  tree/state.cpp tree/kernels/inverse.cpp parser/inference/parse.cpp "
                          "parser/training/train.cpp)\n",
    "src/base/check.hpp": OPENING + '#include "kirchhoff/types.hpp"\n',
    "src/base/check.cpp": OPENING + '#include "base/check.hpp"\n#include <tbb/parallel_for.h>\n',
    "src/tree/state.hpp": OPENING + '#include "base/check.hpp"\n',
    "src/tree/state.cpp": OPENING + '#include "tree/state.hpp"\n#include "tree/kernels/inverse.hpp"\n',
    "src/tree/kernels/inverse.hpp": OPENING,
    "src/tree/kernels/inverse.cpp": OPENING + '#include <hwy/highway.h>\n',
    "src/parser/inference/parse.hpp": OPENING,
    "src/parser/inference/parse.cpp": OPENING + '#include "parser/inference/parse.hpp"\n#include "tree/state.hpp"\n',
    "src/parser/training/train.hpp": OPENING,
    "src/parser/training/train.cpp": OPENING + '#include "parser/inference/parse.hpp"\n',
    "cli/main.cpp": OPENING + '#include "io/files.hpp"\n#include <CLI/CLI.hpp>\n#include <kirchhoff/tree.hpp>\n',
    "cli/io/files.hpp": OPENING + "#include <unistd.h>\n",
    "tests/CMakeLists.txt": "# The tests of the library are listed here.\nadd_executable(t tree/state_test.cpp)\n",
    "tests/tree/state_test.cpp": OPENING + '#include "support/oracle.hpp"\n#include <gtest/gtest.h>\n',
    "tests/support/oracle.hpp": OPENING + '#include "kirchhoff/types.hpp"\n',
    "scripts/tool": "#!/bin/sh\n# This script does nothing at all.\n",
    "python/kirchhoff/trees.py": '"""Trees that follow ' + CITED + '\nand others."""\n',
    "docs/references.bib": "@book{Tutte84,\n  year = {1984}\n}\n",
    "docs/architecture.md": "# Architecture\n| folder | what |\n|---|---|\n"
                            "| `include/kirchhoff/` | `types`, `names`, `tree`, `wfsm` |\n| `src/base/` | checks |\n"
                            "| `src/tree/` | trees; `kernels/` |\n| `src/parser/` | `inference/`, `training/` |\n\n"
                            + architecture.direction_table() + "\n\n| " + "long table " * 20 + "|\n```\n"
                            + "long code " * 20 + "\n```\n[a link](" + "long" * 40 + ")\n",
}


def write(folder, files):
    """Writes the files of a small tree."""
    for name, text in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class CheckLayout(unittest.TestCase):
    def run_on(self, changes):
        """The findings for the clean tree with the changes, one text for each."""
        with tempfile.TemporaryDirectory() as folder:
            write(folder, {**CLEAN, **changes})
            tree = source_tree.SourceTree(folder)
            return [f"{path}:{line}: {text}" for check in rules.RULES.values() for path, line, text in check(tree)]

    def expect(self, place, message, changes):
        """One finding, at `place`, whose text has `message`."""
        findings = self.run_on(changes)
        self.assertEqual(len(findings), 1, findings)
        self.assertTrue(findings[0].startswith(place + ": "), findings)
        self.assertIn(message, findings[0])
        self.assertIn("; ", findings[0])

    def added(self, name, line):
        """A change that adds a line to a file of the clean tree."""
        return {name: CLEAN[name] + line + "\n"}

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.run_on({}), [])

    def test_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            for text, status, output in ((OPENING, 0, ""), ("int x;\n", 1, "cli/main.cpp:1: there is no opening")):
                write(folder, {**CLEAN, "cli/main.cpp": text})
                done = subprocess.run([sys.executable, SCRIPTS / "check_layout", "--root", folder], text=True,
                                      capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stdout[:len(output)]), (status, output), done.stderr)

    def test_folders(self):
        self.expect("src/base/check.cpp:4", "base may not include tree",
                    self.added("src/base/check.cpp", '#include "tree/state.hpp"'))
        self.expect("src/base/check.hpp:3", "base may not include kirchhoff/tree.hpp",
                    self.added("src/base/check.hpp", '#include "kirchhoff/tree.hpp"'))
        self.expect("src/tree/state.cpp:4", "the library does not know",
                    self.added("src/tree/state.cpp", '#include "io/files.hpp"'))

    def test_rooms(self):
        self.expect("src/parser/inference/parse.cpp:4", "parser/inference may not include parser/training",
                    self.added("src/parser/inference/parse.cpp", '#include "parser/training/train.hpp"'))

    def test_public_headers(self):
        self.expect("include/kirchhoff/wfsm.hpp:3", "wfsm.hpp may not include tree.hpp",
                    self.added("include/kirchhoff/wfsm.hpp", '#include "kirchhoff/tree.hpp"'))
        self.expect("include/kirchhoff/wfsm.hpp:3", "a public header includes src/base/check.hpp",
                    self.added("include/kirchhoff/wfsm.hpp", '#include "base/check.hpp"'))

    def test_the_tables_are_directions(self):
        for table in (tables.FOLDERS, tables.HEADERS, *tables.ROOMS.values()):
            source_tree.closure(table)
        with self.assertRaisesRegex(ValueError, "a cycle: a -> b -> a"):
            source_tree.closure({"a": "b", "b": "a"})
        with self.assertRaisesRegex(ValueError, "'c' is named by 'a'"):
            source_tree.closure({"a": "c"})

    def test_libraries(self):
        self.expect("src/tree/state.cpp:4", "hwy/highway.h is known to",
                    self.added("src/tree/state.cpp", "#include <hwy/highway.h>"))
        self.expect("cli/main.cpp:5", "of no known library", self.added("cli/main.cpp", "#include <curl/curl.h>"))

    def test_leaves(self):
        self.expect("cli/main.cpp:5", "a leaf includes src/tree/state.hpp",
                    self.added("cli/main.cpp", '#include "tree/state.hpp"'))

    def test_judges(self):
        self.expect("tests/support/oracle.hpp:3", "judges know types.hpp alone",
                    self.added("tests/support/oracle.hpp", '#include "kirchhoff/tree.hpp"'))
        self.expect("tests/support/oracle.hpp:3", "a judge must not share code",
                    self.added("tests/support/oracle.hpp", '#include "base/check.hpp"'))

    def test_sizes(self):
        self.expect("src/tree/state.hpp:201", "203 lines", self.added("src/tree/state.hpp", "\n" * 200))
        self.expect("scripts/tool:301", "303 lines", self.added("scripts/tool", "\n" * 300))
        self.assertEqual(self.run_on(self.added("src/tree/state.cpp", "\n" * 290)), [])

    def test_openings(self):
        for text, problem in (("int x;\n", "no opening comment"), ("// of a file that is here.\n", "capital letter"),
                              ("// Too short.\n", "four words"), ("// No full stop here\n//\n// End.\n", "full stop")):
            self.expect("cli/io/files.hpp:1", problem, {"cli/io/files.hpp": text})
        self.expect("python/kirchhoff/trees.py:1", "capital letter",
                    {"python/kirchhoff/trees.py": '"""trees that follow ' + CITED + '."""\n'})
        self.expect("scripts/tool:2", "no opening comment", {"scripts/tool": "#!/bin/sh\nexit 0\n"})

    def test_citations(self):
        self.expect("src/tree/state.cpp:4", "Nobody99] is not in",
                    self.added("src/tree/state.cpp", "// By [" + "Nobody99, eq. 1]."))
        self.expect("docs/references.bib:4", "Unread01 is cited nowhere",
                    self.added("docs/references.bib", "@book{Unread01,\n}"))
        self.expect("docs/references.bib:1", "do not match", {"docs/references.bib": "@book{Tutte84,\n"})
        self.expect("src/tree/state.cpp:4", "is not a key",
                    self.added("src/tree/state.cpp", "// By [" + "Koo et al. 2007]."))

    def test_prose(self):
        self.expect("docs/notation.md:2", "130 columns", {"docs/notation.md": "# Notes\n" + "x" * 130 + "\n"})
        for banner in ("// --- parts ----", "// ======", "/*********", "// parts ~~~~"):
            self.expect("src/tree/state.cpp:4", "banner", self.added("src/tree/state.cpp", banner))
        self.expect("scripts/tool:4", "banner", self.added("scripts/tool", "\n#### parts"))
        self.assertEqual(self.run_on(self.added("src/tree/state.cpp", "// The row |----|---| is a table's.")), [])
        self.expect("scripts/tool:3", "one machine", self.added("scripts/tool", "cp a " + "/" + "tmp/b"))

    def test_vocabulary(self):
        for line in ('const char* kRoots[] = {"single", "multi"};', 'f(root == x ? "single" : "multi");',
                     'if (root != "single" && root != "multi") return;',
                     'Table t = {{"single", Root::single}, {"multi", Root::multi}};'):
            self.expect("cli/main.cpp:5", "names of Root written again", self.added("cli/main.cpp", line))
        self.expect("cli/main.cpp:5", "members of Root beside their names", self.added(
            "cli/main.cpp", 'if (t == "single") return Root::single;\nif (t == "multi") return Root::multi;'))
        self.expect("cli/main.cpp:5", "a second kNames<Root>",
                    self.added("cli/main.cpp", 'inline constexpr std::array kNames<Root> = {"single"};'))
        for line in ('f("single", x, "multi");', '// "single", "multi"', 'g({"single", "multi", "double", "triple"});'):
            self.assertEqual(self.run_on(self.added("cli/main.cpp", line)), [])

    def test_architecture(self):
        document = CLEAN["docs/architecture.md"]
        for old, new, problem in (("| `src/base/` | checks |\n", "", "`src/base/` has no row"),
                                  ("`src/base/` |", "`src/base/`, `src/core/` |", "`src/core/` does not exist"),
                                  ("; `kernels/`", "", "does not name its room `kernels/`"),
                                  (", `wfsm`", "", "does not name `wfsm`"),
                                  ("| `tree` | `numeric` |\n", "", "is not the one enforced")):
            self.assertIn(old, document)
            findings = self.run_on({"docs/architecture.md": document.replace(old, new, 1)})
            self.assertEqual(len(findings), 1, findings)
            self.assertIn(problem, findings[0])
        self.assertIn("src/attic is not in FOLDERS", "\n".join(self.run_on({"src/attic/old.hpp": OPENING})))

    def test_build_lists(self):
        self.expect("src/base/lost.cpp:1", "no CMakeLists.txt lists", {"src/base/lost.cpp": OPENING})
        self.expect("tests/attic/old_test.cpp:1", "mirrors no folder", {
            "tests/attic/old_test.cpp": OPENING,
            "tests/CMakeLists.txt": CLEAN["tests/CMakeLists.txt"] + "add_executable(u attic/old_test.cpp)\n"})


if __name__ == "__main__":
    unittest.main()
