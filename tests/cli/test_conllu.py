"""Tests `kirchhoff convert` and `render`: round trips, other formats, drawings, and messages about bad sentences."""

import json
import os
import re
import xml.etree.ElementTree as xml

from support import EXAMPLES, HERE, Case, run
from test_draw import Balance

PARTS = sorted((EXAMPLES / "treebank").glob("*.conllu"))
TREEBANKS = HERE.parent.parent.parent / "shared" / "ud"
FRENCH = ("# sent_id = fr-1\n# text = Il va au marché.\n"
          "1\tIl\til\tPRON\t_\tNumber=Sing\t2\tnsubj\t_\t_\n"
          "2\tva\taller\tVERB\t_\t_\t0\troot\t_\tArcProb=0.75\n"
          "3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_\n"
          "3\tà\tà\tADP\t_\t_\t5\tcase\t_\t_\n"
          "4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_\n"
          "4.1\t<e>\t_\t_\t_\t_\t_\t_\t5:x\t_\n"
          "5\tmarché\tmarché\tNOUN\t_\t_\t2\tobl:arg\t_\tArcProb=0.999|SpaceAfter=No\n"
          "6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_\n\n")
CROSSING = "".join(f"{i}\tw{i}\t_\t_\t_\t_\t{h}\tr{i}\t_\t_\n" for i, h in enumerate((3, 4, 0, 3), 1)) + "\n"


def convert(text, to, *options):
    return run("convert", "--to", to, *options, stdin=text, raw=True)


class Convert(Case):
    def test_conllu_is_the_identity(self):
        for text in (FRENCH.encode(), FRENCH.replace("\n", "\r\n").encode(), FRENCH.rstrip("\n").encode(), b""):
            done = convert(text, "conllu")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, text, b""))

    def test_whole_files(self):
        folder = os.environ.get("KIRCHHOFF_TREEBANKS", TREEBANKS)
        names = ("en_ewt-ud-dev.conllu", "fr_sequoia-ud-test.conllu")  # tests/conllu reads them all
        files = [path for path in (os.path.join(folder, name) for name in names) if os.path.exists(path)]
        for path in [*PARTS, *files]:
            done = run("convert", "--to", "conllu", path, raw=True)
            with open(path, "rb") as file:
                self.assertEqual(done.stdout, file.read(), path)

    def test_conllx(self):
        done = convert(FRENCH, "conllx").stdout.decode()
        self.assertEqual(done.splitlines()[4], "5\tmarché\tmarché\tNOUN\t_\t_\t2\tobl:arg\t_\t_")
        self.assertEqual(len(done.splitlines()), 7)
        self.assertEqual(convert(done, "conllx", "--from", "conllx").stdout.decode(), done)
        self.assertEqual(convert(done, "conllu", "--from", "conllx").stdout.decode(), done)

    def test_json(self):
        found = json.loads(convert(FRENCH, "json").stdout)
        self.assertEqual(found["id"], "fr-1")
        self.assertEqual(found["words"], ["Il", "va", "à", "le", "marché", "."])
        self.assertEqual(found["heads"], [2, 0, 5, 5, 2, 2])
        self.assertEqual(found["deprels"][4], "obl:arg")
        self.assertEqual(found["feats"][:2], ["Number=Sing", None])
        self.assertEqual(found["multiword_tokens"], [["3-4", "au"] + ["_"] * 8])
        self.assertEqual(found["empty_nodes"][0][:2], ["4.1", "<e>"])
        self.assertEqual(found["comments"][1], "# text = Il va au marché.")
        bare = json.loads(convert('1\t_"\\\t_\t_\t_\t_\t_\t_\t_\t_\n\n', "json").stdout)
        self.assertEqual((bare["id"], bare["words"], bare["heads"], bare["lemmas"]), (None, ['_"\\'], [None], [None]))

    def test_displacy(self):
        found = json.loads(convert(FRENCH, "displacy").stdout)
        self.assertEqual(found["words"][0], {"text": "Il", "tag": "PRON"})
        self.assertEqual(found["title"], "fr-1")
        self.assertIn({"start": 0, "end": 1, "label": "nsubj", "dir": "left"}, found["arcs"])
        self.assertIn({"start": 1, "end": 4, "label": "obl:arg", "dir": "right"}, found["arcs"])
        self.assertEqual(len(found["arcs"]), 5)

    def test_bad_sentences(self):
        bad = FRENCH.replace("\t5\tcase", "\t9\tcase")
        done = convert(bad, "displacy")
        self.assertEqual(done.stderr.decode(),
                         "kirchhoff: standard input:1: sentence 'fr-1': word 3 has head 9 of 6 words\n")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertEqual(convert(bad, "conllu").stdout.decode(), bad, "heads do not matter here")
        broken = FRENCH + "1\tx\n\n" + bad + FRENCH
        done = convert(broken, "displacy", "--skip-bad")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 2))
        self.assertEqual(done.stderr.decode().splitlines(),
                         ["kirchhoff: standard input:12:4: 2 columns separated by tabs, expected 10 (skipped)",
                          "kirchhoff: standard input:14: sentence 'fr-1': word 3 has head 9 of 6 words (skipped)"])

    def test_usage(self):
        self.assertEqual(run("convert").returncode, 2)
        self.assertEqual(run("convert", "--to", "xml").returncode, 2)
        self.assertIn("Example", run("convert", "--help").stdout)


class Render(Case):
    def test_text(self):
        self.assertEqual(run("render", stdin=FRENCH + CROSSING).stdout.splitlines(), [
            "fr-1: Il va au marché.",
            "     ╭▸   1  Il      PRON      2  nsubj",
            "  ╭┬─┴    2  va      VERB      0  root 0.75",
            "  ││╭─▸   3  à       ADP       5  case",
            "  │││╭▸   4  le      DET       5  det",
            "  │╰┴┴▸   5  marché  NOUN      2  obl:arg >0.99",
            "  ╰───▸   6  .       PUNCT     2  punct",
            "",
            "2: w1 w2 w3 w4",
            "   ╭▸   1  w1    1     3  r1",
            "  ╭┼▸   2  w2    2     4  r2",
            "  │├    3  w3    3     0  r3",
            "  ╰┴▸   4  w4    4     3  r4",
            ""])

    def test_pictures(self):
        done = run("render", "--html", "t.html", "--svg", "t.svg", PARTS[0], cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = Balance()
        html = (self.folder / "t.html").read_text()
        page.feed(html)
        self.assertEqual(page.open, [])
        text = PARTS[0].read_text()
        self.assertEqual(page.tags.count("svg"), text.count("# sent_id"))
        self.assertEqual(page.tags.count("path"), len(re.findall(r"(?m)^\d+\t", text)))
        self.assertIn(">nsubj</text>", html)
        xml.parse(self.folder / "t.svg")

    def test_probabilities_are_shades(self):
        run("render", "--svg", "t.svg", stdin=FRENCH, cwd=self.folder)
        picture = (self.folder / "t.svg").read_text()
        self.assertIn("obl:arg &gt;0.99", picture)
        self.assertIn("root 0.75", picture)
        self.assertIn(">nsubj<", picture)
        opacities = re.findall(r'stroke-opacity="([\d.]+)"', picture)
        self.assertEqual(sorted(opacities), ["0.82"] + ["1.00"] * 5)  # 0.3 + 0.7 p
        done = run("render", stdin=FRENCH.replace("0.75", "1.5"))
        self.assertEqual(done.stderr,
                         "kirchhoff: standard input:1: sentence 'fr-1': word 2: ArcProb=1.5 is not a probability\n")

    def test_labels_do_not_overlap(self):
        long = CROSSING.replace("r2", "a_very_long_relation_indeed").replace("r4", "another_long_relation")
        run("render", "--svg", "t.svg", stdin=long, cwd=self.folder)
        picture = (self.folder / "t.svg").read_text()
        spans = re.findall(r'd=\"M([\d.]+),[^\"]* ([\d.]+),[\d.]+\"', picture)
        self.assertEqual(len(spans), 4)
        self.assertTrue(all(abs(float(a) - float(b)) > 12 for a, b in spans))
        self.assertGreater(max(abs(float(a) - float(b)) for a, b in spans), 27 * 5)

    def test_words_are_escaped(self):
        nasty = FRENCH.replace("marché\tmarché", "<script>&\tx").replace("obl:arg", "<b>")
        run("render", "--html", "t.html", "--svg", "t.svg", stdin=nasty, cwd=self.folder)
        self.assertNotIn("<script", (self.folder / "t.html").read_text())
        xml.parse(self.folder / "t.svg")
