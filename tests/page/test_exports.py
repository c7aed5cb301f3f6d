"""Pictures, CoNLL-U, JSON and links hold what the page shows."""

import json
import urllib.parse
import xml.etree.ElementTree

import support
from support import TELESCOPE, Case


class Exports(Case):
    def saved(self, button, name):
        """The text of the file that a button of the menu saves."""
        self.click("#exports summary")
        self.click(f"#{button}")
        path = support.FOLDER / name
        self.until(lambda: path.exists() and path.stat().st_size > 0, f"no file {name}")
        return path.read_text(encoding="utf-8")

    def corrected(self):
        self.open(text=TELESCOPE + " He waved.", require="0.7.5")
        self.until(lambda: self.heads()[6] == 5)

    def test_conllu_has_the_corrections(self):
        self.corrected()
        rows = [line.split("\t") for line in self.saved("export-conllu", "trees.conllu").split("\n") if line[:1].isdigit()]
        self.assertEqual([int(row[6]) for row in rows], self.heads(1) + self.heads(2))
        self.assertEqual([row[1] for row in rows], self.words(1) + self.words(2))
        self.assertEqual(rows[1][2], "see", "the lemma of saw")

    def test_json_has_everything(self):
        self.corrected()
        saved = json.loads(self.saved("export-json", "trees.json"))
        self.assertEqual([word["head"] for word in saved["sentences"][0]["words"]], self.heads())
        self.assertEqual(saved["corrections"], [{"sentence": 0, "word": 7, "head": 5, "kind": "require"}])
        self.assertEqual(saved["input"], TELESCOPE + " He waved.")
        for field in ("marginals", "k_best", "samples", "entropy"):
            self.assertIn(field, saved["sentences"][0])

    def test_the_picture_stands_alone(self):
        self.open(conllu="1\t<b>&]]>\t_\tNOUN\tNN\t_\t_\t_\t_\t_\n2\twaved\twave\tVERB\tVBD\t_\t_\t_\t_\t_\n")
        text = self.saved("export-svg", "tree-1.svg")
        picture = xml.etree.ElementTree.fromstring(text)
        texts = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("<b>&]]>", texts)
        self.assertIn("waved", texts)
        self.assertNotIn("class=", text)
        self.assertNotIn("Click", text)
        for line in picture.iter("{http://www.w3.org/2000/svg}path"):
            self.assertTrue(line.get("fill"), "the style is in the picture")
        colours = {line.get("stroke") for line in picture.iter("{http://www.w3.org/2000/svg}path")}
        self.assertTrue(any(colour and colour.startswith("rgb") for colour in colours), colours)

    def test_matrices_as_conllu(self):
        self.open(scores="she saw it\n- 1 4 0.5\n- - 0.5 0.2\n- 3 - 3.5\n- 0.1 0.4 -\n")
        rows = [line.split("\t") for line in self.saved("export-conllu", "trees.conllu").split("\n") if line]
        self.assertEqual([(row[1], int(row[6]), len(row)) for row in rows], [("she", 2, 10), ("saw", 0, 10), ("it", 2, 10)])

    def test_a_link_holds_the_state(self):
        self.open(text=TELESCOPE)
        self.click_word(7)
        self.click_word(5)
        self.until(lambda: self.heads()[6] == 5)
        self.right_click('.arc.tree[data-dependent="1"] .number')
        self.until(lambda: "forbid" in self.corrections())
        self.click('[data-tab="samples"]')
        self.click("#exports summary")
        self.click("#export-link")
        self.until(lambda: "link" in self.text("#message"))
        link, heads = self.browser.current_url, self.heads()
        self.browser.get("about:blank")
        self.browser.get(link)
        self.until_heads(heads)
        self.assertEqual(self.one("#input").get_attribute("value"), TELESCOPE)
        self.assertEqual(self.one('[data-tab="samples"]').get_attribute("aria-selected"), "true")
        self.assertEqual(len(self.all(".chip")), 2)
        self.script("location.hash = arguments[0]", urllib.parse.urlencode({"text": "He waved."}))
        self.until(lambda: self.words() == ["He", "waved", "."], "another link in the same tab")
