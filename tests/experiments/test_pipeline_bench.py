"""Tests what bench/pipeline.py computes itself: raw text, calibration, and how UDPipe's parts are put together."""

import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import pipeline  # noqa: E402
import pipeline_peer  # noqa: E402


def word(number, form, misc="_"):
    return f"{number}\t{form}" + "\t_" * 7 + f"\t{misc}\n"


class RawText(unittest.TestCase):
    def test_tokens_paragraphs_and_spaces(self):
        text = ("# newdoc id = 1\n# newpar\n" + word(1, "Je") + word(2, "vais") + word("3-4", "au", "SpaceAfter=No") + word(3, "à") +
                word(4, "le") + word(5, ".") + "\n" + word(1, "Oui", "Gloss=x|SpaceAfter=No") + word(2, "!") + word("2.1", "non") +
                "\n# newpar\n" + word(1, "Bon") + "\n")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.conllu"
            path.write_text(text, encoding="utf-8")
            self.assertEqual(pipeline.raw_text(path), "Je vais au. Oui!\n\nBon\n")
            self.assertEqual(pipeline.words(path), 8)


class Calibration(unittest.TestCase):
    def test_the_error_by_hand(self):
        pairs = [(0.95, True), (0.91, False), (0.55, True), (0.55, False), (1.0, True)]
        # Bins [0.9, 1]: 2.86 expected, 2 right; [0.5, 0.6): 1.1 expected, 1 right.
        self.assertAlmostEqual(pipeline.expected_error(pairs), 100 * (0.86 + 0.1) / 5)
        self.assertEqual(pipeline.expected_error([]), 0)

    def test_columns(self):
        gold = "1\ta\ta\tDET\tD\t_\t2\tdet\t_\t_\n2\tb\tb\tNOUN\tN\t_\t0\troot\t_\t_\n"
        found = ("# x\n1\ta\ta\tDET\tD\tA=B\t2\tdet\t_\tUposProb=1|FeatsProb=0.5|ArcProb=1\n"
                 "2\tb\tb\tVERB\tN\t_\t0\troot\t_\tSpaceAfter=No|UposProb=0.25|FeatsProb=1|ArcProb=0.75\n")
        self.assertEqual(pipeline.calibration(gold, found), {"upos": 12.5, "tags": 37.5, "arcs": 12.5})


class Peer(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = [self.folder / name for name in ("train", "dev")]
        for path in self.data:
            path.write_text(path.name)
        self.peer = pipeline_peer.Peer("python", "hu_szeged", *self.data, self.folder / "work")
        self.asked = []
        self.peer.run = self.pretend

    def pretend(self, asked, model):
        self.asked.append(asked)
        model.write_text("")
        return 1.5

    def test_parts_are_trained_once(self):
        self.assertIsNone(self.peer.model(("tagger", "parser")))
        self.peer.learn("parser")
        self.assertEqual([list(asked) for asked in self.asked], [["tagger"], ["parser", "tagger"]])
        self.assertEqual(self.asked[1]["tagger"], f"from_model=file:{self.peer.file('tagger')}")
        self.peer.learn("tagger")
        self.peer.learn("parser")
        self.assertEqual((len(self.asked), self.peer.seconds("parser"), self.peer.seconds("tokenizer")), (2, 1.5, None))
        self.assertIsNotNone(self.peer.model(("tagger", "parser")))
        self.assertEqual(len(self.asked), 3)
        self.peer.model(("tagger", "parser"))
        self.assertEqual(len(self.asked), 3)

    def test_other_data_is_another_training(self):
        before = self.peer.file("parser")
        self.data[1].write_text("other")
        self.assertNotEqual(self.peer.file("parser"), before)

    def test_options_are_pairs_that_all_treebanks_have(self):
        for treebank in pipeline.TREEBANKS:
            for part in pipeline_peer.PARTS:
                pairs = dict(pair.split("=") for pair in pipeline_peer.options(treebank, part).split(";"))
                self.assertTrue(pairs, (treebank, part))


class Log(unittest.TestCase):
    def test_lines_of_two_runs_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            one, two = (pipeline.Bench(None, folder / "work", folder, False) for _ in range(2))
            one.keep_line({"system": "kirchhoff", "treebank": "a", "seconds": 1})
            two.keep_line({"system": "udpipe", "treebank": "a", "seconds": 2})
            one.keep_line({"system": "kirchhoff", "treebank": "a", "seconds": 3})
            lines = [json.loads(line) for line in (folder / "pipeline" / "measured.jsonl").read_text().splitlines()]
            self.assertEqual([(line["system"], line["seconds"]) for line in lines], [("kirchhoff", 3), ("udpipe", 2)])


if __name__ == "__main__":
    unittest.main()
