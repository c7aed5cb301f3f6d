"""Probabilities at the pointer, the threshold, best trees, samples and entropies."""

import math

from support import TELESCOPE, Case


class Views(Case):
    def test_hovering_tells_the_alternatives(self):
        self.open()
        self.hover('[data-word="7"]')
        self.until(lambda: self.shown(".tip"))
        row = self.parsed()[0]["marginals"][6]
        best = max(range(len(row)), key=lambda head: row[head])
        self.assertIn("telescope depends on", self.text(".tip p"))
        self.assertEqual(self.text(".tip li.now .name"), self.words()[best - 1])
        self.assertGreaterEqual(len(self.all(".tip li")), 2)
        self.assertIn("nats", self.text(".tip"))
        self.assertEqual(self.script("return [...document.querySelectorAll('.arc.own')].every((a) => a.dataset.dependent === '7')"), True)
        self.hover("h1")
        self.until(lambda: not self.shown(".tip"))

    def test_arcs_are_shaded_by_probability(self):
        self.open(text=TELESCOPE, threshold="0.01")
        shades = self.script("""
            return [...document.querySelectorAll('.arc .line')].map((line) => [
              +line.parentNode.dataset.dependent, +line.parentNode.dataset.head,
              +line.getAttribute('stroke-opacity'), +line.getAttribute('stroke-width')])""")
        rows = self.parsed()[0]["marginals"]
        self.assertGreater(len(shades), 8)
        by_probability = sorted((rows[word - 1][head], shade, width) for word, head, shade, width in shades)
        self.assertEqual([shade for _, shade, _ in by_probability], sorted(shade for _, shade, _ in by_probability))
        self.assertEqual([width for _, _, width in by_probability], sorted(width for _, _, width in by_probability))

    def test_the_threshold(self):
        self.open()
        rows = self.parsed()[0]["marginals"]
        for percent in (1, 20, 100, 10):
            self.script("const s = document.getElementById('threshold'); s.value = arguments[0]; s.dispatchEvent(new Event('input'))",
                        percent)
            heads = self.heads()
            expected = sum(p >= percent / 100 for word, row in enumerate(rows) for head, p in enumerate(row)
                           if head not in (word + 1, heads[word]))
            self.assertEqual(len(self.all(".arc.other .line")), expected)
        self.assertNotIn("threshold", self.browser.current_url)

    def test_best_trees(self):
        self.open()
        self.click('[data-tab="best"]')
        trees = self.parsed(k_best=5)[0]["k_best"]
        self.assertEqual(len(self.all(".tree-row")), len(trees))
        shares = [float(text.strip("<>%")) for text in self.texts(".tree-row .share")]
        for share, tree in zip(shares, trees):
            self.assertAlmostEqual(share, 100 * math.exp(tree["log_probability"]), delta=0.51)
        self.click('[data-key="show 1"]')
        self.until_heads(trees[1]["heads"])
        self.assertEqual(len(self.all(".arc.differs .line")), sum(a != b for a, b in zip(trees[0]["heads"], trees[1]["heads"])))
        self.until_relations(trees[1])
        said = self.texts(".tree-row .difference")
        for tree, text in zip(trees, said):
            other = [(head, relation) != (best, first) for head, relation, best, first in
                     zip(tree["heads"], tree["deprels"], trees[0]["heads"], trees[0]["deprels"])]
            for relation in [r for r, changed in zip(tree["deprels"], other) if changed][:4]:
                self.assertIn(f" as {relation}", text)
        self.click(".hint button")
        self.until_heads(trees[0]["heads"])
        self.click('[data-key="use 2"]')
        self.until_heads(trees[2]["heads"])
        self.assertIn("require", self.corrections())

    def until_relations(self, tree):
        """Waits until the drawn arcs have the relations of this tree."""
        def drawn():
            return self.script("""
                return [...document.querySelectorAll(".arc.tree .number")].map((text) =>
                  [Number(text.closest(".arc").dataset.dependent), text.textContent])""")
        self.until(lambda: all(tree["deprels"][word - 1] in text for word, text in drawn()) and drawn(),
                   f"the relations did not become {tree['deprels']}")

    def test_samples(self):
        self.open()
        self.click('[data-tab="samples"]')
        samples = self.parsed(samples=100, seed=1)[0]["samples"]
        self.assertEqual(self.texts(".tree-row .share"), [f"{tree['count']} of 100" for tree in samples][:50])
        self.click('[data-key="draw again"]')
        self.until(lambda: "seed=2" in self.browser.current_url)
        samples = self.parsed(samples=100, seed=2)[0]["samples"]
        self.until(lambda: self.texts(".tree-row .share") == [f"{tree['count']} of 100" for tree in samples][:50])
        last = min(len(samples), 50) - 1
        self.click(f'[data-key="show {last}"]')
        self.until_heads(samples[last]["heads"])
        self.until_relations(samples[last])

    def test_entropies(self):
        self.open()
        self.click('[data-tab="entropy"]')
        sentence = self.parsed()[0]
        self.assertIn(f"{sentence['entropy']:.2f} nats", self.text(".explain"))
        shown = [float(text) for text in self.texts(".entropies .share")]
        for value, row in zip(shown, sentence["marginals"], strict=True):
            self.assertAlmostEqual(value, -sum(p * math.log(p) for p in row if p > 0), delta=0.0051)
        self.click('[data-key="entropy 3"]')
        self.until(lambda: self.all('.word.picked[data-word="4"]'))

    def test_another_sentence_opens(self):
        self.open(text=TELESCOPE + " He waved.")
        self.assertEqual(len(self.all(".card.open")), 1)
        self.click('.card:nth-child(2) [data-key="open"]')
        self.until(lambda: self.all(".card.open:nth-child(2)"))
        self.assertEqual(len(self.all("table.words tbody tr")), 3)
        self.assertEqual(len(self.all(".card.open")), 1)
