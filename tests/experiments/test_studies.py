"""Studies: a page is made from the runs of several days and machines, and each figure says which sources made it."""

import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "experiments"))

import sources  # noqa: E402
from page import Marked, Page  # noqa: E402
from studies import Studies, Study  # noqa: E402
from test_laboratory import Counting  # noqa: E402


def uas(lab, model, data):
    lab.asked += 1
    return 80.0


def las(lab, model, data, *more):
    lab.asked += 1
    return 70.0


class Lab(Counting):
    """A laboratory that pretends to train, in a machine and with sources of its own."""

    def __init__(self, work, own="a" * 16):
        super().__init__(work)
        self.sources, self.asked, self.jobs = own, 0, 2


class StudiesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.data = self.work / "data.conllu"
        self.data.write_text("1\ta\n\n")
        self.file = self.work / "trainings.jsonl"

    def study(self, epochs, **asks):
        asks = asks or {"test": (uas, self.data)}
        return Study(self.data, ("--epochs", epochs), asks)

    def lab(self, name, own="a" * 16):
        """A laboratory on a machine that has trained nothing."""
        return Lab(self.work / name, own)

    def test_what_one_machine_found_another_one_need_not_train(self):
        one, other = self.lab("one"), self.lab("other")
        Studies(one, self.file).run([self.study(1)])
        found, = Studies(other, self.file).run([self.study(1)])
        self.assertEqual((found.answers, found.seconds), ({"test": 80.0}, 1.5))
        self.assertEqual((one.calls, other.calls, other.asked), (1, 0, 0))

    def test_lines_of_several_machines_make_one_page(self):
        logs = []
        for name, epochs in (("one", 1), ("other", 2)):
            logs.append(self.work / f"{name}.log")
            Studies(self.lab(name), self.work / f"{name}.jsonl", log=logs[-1]).run([self.study(epochs)])
        self.file.write_text("".join(log.read_text() for log in logs))
        lab = self.lab("third")
        self.assertTrue(all(Studies(lab, self.file).run([self.study(1), self.study(2)])))
        self.assertEqual(lab.calls, 0)

    def test_other_data_or_options_are_another_training(self):
        lab = self.lab("one")
        Studies(lab, self.file).run([self.study(1)])
        again = Studies(lab, self.file)
        self.assertIsNone(again.known(self.study(2)))
        self.data.write_text("1\tb\n\n")
        self.assertIsNone(Studies(self.lab("two"), self.file).known(self.study(1)))

    def test_results_of_other_sources_only_count_when_named(self):
        Studies(self.lab("one", "b" * 16), self.file).run([self.study(1)])
        self.assertIsNone(Studies(self.lab("two"), self.file).known(self.study(1)))
        self.assertIsNone(Studies(self.lab("two"), self.file, keep=["c" * 16]).known(self.study(1)))
        for keep in (["all"], ["b" * 16]):
            found = Studies(self.lab("two"), self.file, keep=keep).known(self.study(1))
            self.assertEqual(found.origin.sources, "b" * 16)

    def test_present_sources_come_first(self):
        for own in ("a" * 16, "b" * 16):
            Studies(self.lab(own, own), self.file).run([self.study(1)])
        self.assertEqual(len(self.file.read_text().splitlines()), 2)
        for own in ("a" * 16, "b" * 16):
            found = Studies(self.lab("third", own), self.file, keep=["all"]).known(self.study(1))
            self.assertEqual(found.origin.sources, own)

    def test_each_figure_says_where_it_is_from(self):
        Studies(self.lab("one", "b" * 16), self.file).run([self.study(1), self.study(2)])
        page = Studies(self.lab("two"), self.file, keep=["all"])
        old, _, new = page.run([self.study(1), self.study(2), self.study(3)])
        self.assertEqual([page.mark(old), page.mark(new)], ["ᵃ", "ᵇ"])
        self.assertRegex(page.legend(), f"ᵃ sources {'b' * 16}, which are no commit's on .*; ᵇ sources {'a' * 16}, ")
        self.assertIn("2 side by side", page.legend())
        alone = Studies(self.lab("two"), self.file)
        finding, = alone.run([self.study(3)])
        self.assertEqual(alone.mark(finding), "")
        self.assertNotIn("ᵃ", alone.legend())

    def test_further_questions_need_the_model(self):
        lab, both = self.lab("one"), {"test": (uas, self.data), "more": (las, self.data)}
        Studies(lab, self.file).run([self.study(1)])
        found, = Studies(lab, self.file).run([self.study(1, more=(las, self.data))])
        self.assertEqual((found.answers, lab.calls), ({"more": 70.0}, 1))
        other = self.lab("other")
        self.assertEqual(Studies(other, self.file).known(self.study(1, **both)).answers, {"test": 80.0, "more": 70.0})
        self.assertEqual(other.calls, 0)
        Studies(other, self.file).run([self.study(1, third=(las, self.data, "more"))])
        self.assertEqual(other.calls, 1)

    def test_without_time_nothing_begins(self):
        lab = self.lab("one")
        lab.deadline = 0.0
        self.assertEqual(Studies(lab, self.file).run([self.study(1)]), [None])
        self.assertEqual(lab.calls, 0)
        self.assertFalse(self.file.exists())

    def test_a_training_that_was_stopped_leaves_no_line(self):
        lab = self.lab("one")
        lab.ends = False
        self.assertEqual(Studies(lab, self.file).run([self.study(1)]), [None])
        lab.ends = True
        found, = Studies(lab, self.file).run([self.study(1)])
        self.assertEqual(found.seconds, 3.0)  # of both runs
        self.assertIn("--resume", lab.last)

    def test_the_file_forgets_what_the_page_has_better(self):
        for own in ("b" * 16, "a" * 16):
            Studies(self.lab(own, own), self.file).run([self.study(1)])
        Studies(self.lab("c", "c" * 16), self.file).run([self.study(2)])
        page = Studies(self.lab("third"), self.file)
        page.run([self.study(1)])
        page.write()
        lines = [json.loads(line) for line in self.file.read_text().splitlines()]
        self.assertEqual(sorted(line["sources"][0] for line in lines), ["a", "c"])


class SourcesTest(unittest.TestCase):
    def test_what_decides(self):
        for path in ("src/parser/model.cpp", "src/factor/ad3/x.cpp", "src/new/x.cpp", "src/CMakeLists.txt",
                     "include/kirchhoff/learn.hpp", "cli/verbs/train.cpp", "cli/options.cpp"):
            self.assertTrue(sources.decides(path), path)
        for path in ("src/wfsm/machine/wfsm.cpp", "src/cuda/x.cu", "include/kirchhoff/chain.hpp",
                     "include/kirchhoff/kirchhoff.hpp", "cli/verbs/wfsm.cpp", "docs/architecture.md", "tests/x.cpp"):
            self.assertFalse(sources.decides(path), path)
        self.assertIn("src/parser/training/train.cpp", sources.files())

    def test_the_hash_follows_names_and_contents_that_decide(self):
        blobs = [("src/parser/a.cpp", "1"), ("src/wfsm/b.cpp", "2")]
        same = sources.digest(reversed(blobs))
        self.assertEqual(sources.digest(blobs), same)
        self.assertEqual(sources.digest([blobs[0], ("src/wfsm/b.cpp", "3")]), same)
        self.assertNotEqual(sources.digest([("src/parser/a.cpp", "3"), blobs[1]]), same)
        self.assertNotEqual(sources.digest([("src/parser/b.cpp", "1"), blobs[1]]), same)

    def test_blobs_have_the_names_that_git_gives_them(self):
        self.assertEqual(sources.blob(b"hello\n"), "ce013625030ba8dba906f756967f9e9ca394464a")

    def test_a_commit_has_the_hash_of_its_files(self):
        if not sources.of_commit("HEAD"):
            self.skipTest("no repository")
        if not sources.git("status", "--porcelain", "--", "include", "src", "cli"):
            self.assertEqual(sources.of_commit("HEAD"), sources.present())
        commit = sources.commit_of(sources.of_commit("HEAD"))
        self.assertEqual(sources.of_commit(commit), sources.of_commit("HEAD"))
        self.assertIsNone(sources.of_commit("no such commit"))


class MarkedTest(unittest.TestCase):
    def test_tables_have_the_letter_and_their_csv_the_number(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Page(folder, "page", "Title", "Source.")
            page.table("t", ["name", "value"], [["one", Marked(1.5, "ᵃ")], ["two", Marked(None, "ᵇ")]])
            self.assertEqual(page.lines[1:4], ["|---|--:|", "| one | 1.5ᵃ |", "| two | – |"])
            self.assertEqual((pathlib.Path(folder) / "page" / "t.csv").read_text(), "name,value\none,1.5\ntwo,\n")


if __name__ == "__main__":
    unittest.main()
