"""Tests `kirchhoff draw`: the table, and pages that are well-formed and safe."""

import json
import re
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

from support import EXAMPLES, Case, run

DEMO = EXAMPLES / "demo.jsonl"
BIRDS = {"id": "birds", "words": ["Birds", "sing"], "scores": [[None, 0, 3], [None, None, 1], [None, 4, None]]}
VOID = {"meta"}


class Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()


def draw(lines, *options, cwd):
    return run("draw", "--root", "single", *options, stdin="".join(json.dumps(line) + "\n" for line in lines), cwd=cwd)


class Table(Case):
    def test_by_hand(self):
        # Trees: 0->2->1 with score 7, 0->1->2 with score 1: p = 1/(1+e^-6) = 0.9975.
        done = draw([BIRDS], cwd=self.folder)
        self.assertEqual(done.stdout.splitlines(), [
            "birds: Birds sing",
            "  log Z 7.002, entropy 0.017 nats = 0.025 bits, perplexity 1.017 trees (fast)",
            "     #  word   likely head      p  other heads",
            "     1  Birds  sing (2)    0.998",
            "     2  sing   ROOT (0)    0.998",
            ""])

    def test_without_words(self):
        done = draw([{"scores": BIRDS["scores"]}], cwd=self.folder)
        self.assertIn("1: 1 2\n", done.stdout)

    def test_labelled(self):
        done = draw([{"scores": [[None, [0, 1]], [None, None]]}], cwd=self.folder)
        self.assertEqual(done.returncode, 0)

    def test_errors(self):
        done = draw([dict(BIRDS, words=["one"])], cwd=self.folder)
        self.assertEqual(done.stderr, "kirchhoff: standard input:1: words: 1 entries, expected 2 (one per word)\n")
        done = draw([dict(BIRDS, words=["a", 1])], cwd=self.folder)
        self.assertEqual(done.stderr, "kirchhoff: standard input:1: words[1]: expected a string, found '1'\n")
        done = draw([BIRDS], "--html", "no/such/folder.html", cwd=self.folder)
        self.assertEqual(done.stderr, "kirchhoff: no/such/folder.html: cannot be written: No such file or directory\n")
        self.assertEqual(done.returncode, 1)

    def test_infeasible(self):
        none = {"id": "none", "words": ["a"], "scores": [[None, None], [None, None]]}
        done = draw([none, BIRDS], "--html", "p.html", "--svg", "p.svg", cwd=self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("infeasible: word 1 cannot be reached from the root", done.stdout)
        self.assertIn("infeasible: word 1", (self.folder / "p.html").read_text())
        self.assertIn("birds", done.stdout)


class Pages(Case):
    def test_demo(self):
        done = run("draw", "--root", "single", "--html", "demo.html", "--svg", "demo.svg", DEMO, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["demo.html", "demo.svg"], "no temporary files left")
        page = Balance()
        page.feed((self.folder / "demo.html").read_text())
        self.assertEqual(page.open, [])
        count = len(DEMO.read_text().splitlines())
        self.assertEqual((page.tags.count("svg"), page.tags.count("article")), (count, count))
        self.assertGreater(page.tags.count("path"), 5 * count)
        self.assertNotRegex((self.folder / "demo.html").read_text(), r"(src|href)=", "self-contained")
        xml.parse(self.folder / "demo.svg")

    def test_words_are_escaped(self):
        words = ['<script>alert("1")</script>', "a&b\u0001\u0000"]
        draw([dict(BIRDS, words=words, id="<b>&")], "--html", "p.html", "--svg", "p.svg", cwd=self.folder)
        page = (self.folder / "p.html").read_text()
        self.assertNotIn("<script", page)
        self.assertIn("a&amp;b", page)
        xml.parse(self.folder / "p.svg")

    def test_characters_that_xml_has_not(self):
        bad = "\ufffe\uffff\ufdd0\U0001fffe\x01\x1b\x7f\x9b\r\n"
        draw([dict(BIRDS, words=[f"a{bad}b", "c"], id=bad)], "--html", "p.html", "--svg", "p.svg", cwd=self.folder)
        sentence = f"# sent_id = x{bad[:-2]}\n1\ta{bad[:-2]}b\t_\tX\t_\t_\t0\tr\x07\t_\t_\n\n"
        render = run("render", "--html", "r.html", "--svg", "r.svg", stdin=sentence, cwd=self.folder)
        self.assertEqual((render.returncode, render.stderr), (0, ""))
        self.assertNotRegex(render.stdout, "[\x00-\x09\x0b-\x1f\x7f-\x9f\ufffe]", "nothing that a terminal would obey")
        for name in ("p", "r"):
            xml.parse(self.folder / f"{name}.svg")
            for suffix in ("svg", "html"):
                text = (self.folder / f"{name}.{suffix}").read_text()
                self.assertIsNone(re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\U0001fffe]", text))
                self.assertIn("a" + "\ufffd" * (len(bad) if name == "p" else len(bad) - 2) + "b", text)

    def test_a_long_word_costs_what_it_is_long(self):
        size, others = 1_000_000, 40
        word = "\u00e9" * (size // 2)
        words = [word] + ["b"] * others
        heads = [0] + [1] * others
        rows = [f"{i}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n" for i, (form, head) in enumerate(zip(words, heads), 1)]
        graph = {"words": words, "scores": [[0] * (others + 2)] * (others + 2)}
        for done in (run("render", "--html", "p.html", "--svg", "p.svg", stdin="".join(rows) + "\n", cwd=self.folder),
                     draw([graph], "--html", "p.html", "--svg", "p.svg", cwd=self.folder)):
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for text in (done.stdout, (self.folder / "p.html").read_text(), (self.folder / "p.svg").read_text()):
                self.assertIn(word, text)
                self.assertLess(len(text.encode()), 5 * size, "all of it is written a few times only")

    def test_minimal_probability(self):
        draw([BIRDS], "--html", "some.html", cwd=self.folder)
        draw([BIRDS], "--html", "all.html", "--min-probability", "0", cwd=self.folder)
        arcs = [len(re.findall("<path", (self.folder / name).read_text())) for name in ("some.html", "all.html")]
        self.assertEqual(arcs, [2, 4])

    def test_an_existing_page_is_replaced_and_readable(self):
        path = self.file("p.html", "old")
        draw([BIRDS], "--html", "p.html", cwd=self.folder)
        self.assertTrue(path.read_text().startswith("<!doctype html>"))
        self.assertEqual(path.stat().st_mode & 0o444, 0o444)

    def test_a_device_is_written_to(self):
        done = draw([BIRDS], "--svg", "/dev/stdout", cwd=self.folder)
        self.assertIn("</svg>", done.stdout)
