"""Arcs are required and forbidden by clicking; trees and probabilities follow at once, and each step can be undone."""

import json
import subprocess

import support
from support import TELESCOPE, Case, Keys


class Corrections(Case):
    def require(self, word, head):
        return {"sentence": 0, "word": word, "head": head, "kind": "require"}

    def forbid(self, word, head):
        return {"sentence": 0, "word": word, "head": head, "kind": "forbid"}

    def another_head(self, word):
        """The second most probable head of a word, and how probable it is."""
        row = self.parsed()[0]["marginals"][word - 1]
        order = sorted((p, head) for head, p in enumerate(row) if head != word)
        return order[-2][1]

    def test_two_clicks_require_an_arc(self):
        self.open()
        head = self.another_head(7)
        before = self.numbers()
        self.click_word(7)
        self.assertIn("Which word does telescope depend on?", self.text(".hint"))
        self.click_word(head)
        expected = self.parsed_heads(constraints=[self.require(7, head)])
        self.until_heads(expected)
        self.assertEqual(expected[6], head)
        self.assertEqual(self.corrections(), {"require": f"0.7.{head}"})
        self.assertNotEqual(self.numbers(), before)
        self.assertEqual(self.numbers()[6], "100%")
        self.assertIn(f"telescope depends on", self.text(".chip.require"))
        self.assertIn("now depends on", self.text("#message"))

    def test_every_probability_follows(self):
        self.open(text=TELESCOPE, threshold="0.01")
        head = self.another_head(7)
        self.click_word(7)
        self.click_word(head)
        self.until(lambda: self.corrections())
        rows = self.parsed(constraints=[self.require(7, head)])[0]["marginals"]
        self.until_heads(self.parsed_heads(constraints=[self.require(7, head)]))
        drawn = self.script("return [...document.querySelectorAll('.arc.other')].map((a) => [+a.dataset.dependent, +a.dataset.head])")
        expected = {(word, h) for word, row in enumerate(rows, 1) for h, p in enumerate(row)
                    if p >= 0.01 and h != self.heads()[word - 1]}
        self.assertEqual({tuple(arc) for arc in drawn}, expected)

    def test_the_root_can_be_chosen(self):
        self.open()
        self.click_word(7)
        self.click_word(0)
        self.until_heads(self.parsed_heads(constraints=[self.require(7, 0)]))

    def test_right_click_forbids_and_allows_again(self):
        self.open()
        before = self.heads()
        arc = f'.arc.tree[data-dependent="4"] .number'
        self.right_click(arc)
        self.until_heads(self.parsed_heads(constraints=[self.forbid(4, before[3])]))
        self.assertNotEqual(self.heads()[3], before[3])
        self.assertEqual(self.corrections(), {"forbid": f"0.4.{before[3]}"})
        self.right_click(".arc.forbid .number")
        self.until_heads(before)
        self.assertEqual(self.corrections(), {})

    def test_right_click_on_a_word_forbids_its_head(self):
        self.open()
        before = self.heads()
        self.right_click('[data-word="4"]')
        self.until(lambda: self.corrections() == {"forbid": f"0.4.{before[3]}"})

    def test_a_click_on_another_arc_requires_it(self):
        self.open(text=TELESCOPE, threshold="0.01")
        arc = self.one(".arc.other .number").find_element(support.By.XPATH, "..")
        word, head = int(arc.get_attribute("data-dependent")), int(arc.get_attribute("data-head"))
        arc.click()
        self.until_heads(self.parsed_heads(constraints=[self.require(word, head)]))
        self.assertEqual(self.corrections(), {"require": f"0.{word}.{head}"})

    def test_undo_and_redo(self):
        self.open()
        before = self.heads()
        numbers = self.numbers()
        self.assertFalse(self.one("#undo").is_enabled())
        self.click_word(7)
        self.click_word(5)
        self.until(lambda: self.heads()[6] == 5)
        after = self.heads()
        self.click("#undo")
        self.until_heads(before)
        self.assertEqual(self.numbers(), numbers)
        self.assertFalse(self.one("#undo").is_enabled())
        self.click("#redo")
        self.until_heads(after)
        self.one("body").click()
        self.press_with(Keys.CONTROL, "z")
        self.until_heads(before)
        self.press_with(Keys.CONTROL, "y")
        self.until_heads(after)
        self.until(lambda: self.shown("#message-undo"))
        self.click("#message-undo")
        self.until_heads(before)

    def test_the_table_corrects_too(self):
        self.open()
        before = self.heads()
        choice = self.one('[data-key="head of 7"]')
        choice.find_element(support.By.CSS_SELECTOR, 'option[value="4"]').click()
        self.until_heads(self.parsed_heads(constraints=[self.require(7, 4)]))
        self.click(".chip button")
        self.until_heads(before)
        self.click('[data-key="reject 4"]')
        self.until_heads(self.parsed_heads(constraints=[self.forbid(4, before[3])]))
        self.click('[data-key="keep 1"]')
        self.until(lambda: self.corrections().get("require") == f"0.1.{self.heads()[0]}")
        self.until(lambda: self.one('[data-key="keep 1"]').get_attribute("aria-pressed") == "true")
        self.click('[data-key="keep 1"]')
        self.until(lambda: "require" not in self.corrections())

    def test_a_second_head_takes_the_place_of_the_first(self):
        self.open()
        for head in (4, 5):
            self.click_word(7)
            self.click_word(head)
            self.until(lambda: self.heads()[6] == head)
        self.assertEqual(self.corrections(), {"require": "0.7.5"})

    def test_escape_and_a_second_click_let_a_word_go(self):
        self.open()
        self.click_word(7)
        self.press(Keys.ESCAPE)
        self.assertEqual(self.all(".word.picked"), [])
        self.click_word(7)
        self.click_word(7)
        self.assertEqual(self.all(".word.picked"), [])
        self.assertEqual(self.corrections(), {})

    def test_corrections_stay_with_their_sentence_when_the_text_changes(self):
        self.open(text=TELESCOPE)
        self.click_word(7)
        self.click_word(5)
        self.until(lambda: self.heads()[6] == 5)
        self.one("#input").send_keys(Keys.CONTROL, Keys.HOME)
        self.one("#input").send_keys("He waved. ")
        self.until(lambda: len(self.all(".card")) == 2 and self.corrections() == {"require": "1.7.5"})
        self.until(lambda: self.heads(2)[6] == 5)

    def test_corrections_stay_when_another_model_parses(self):
        self.open(text=TELESCOPE, require="0.7.5")
        self.script("const box = document.getElementById('model'); box.value = 'second'; box.dispatchEvent(new Event('change'))")
        self.until(lambda: "model=second" in self.browser.current_url)
        self.assertEqual(self.corrections(), {"require": "0.7.5"})
        self.assertEqual(self.heads()[6], 5)

    def test_corrections_one_after_the_other_count_together(self):
        self.open(text=TELESCOPE)
        self.script("for (const [word, head] of [[7, 5], [4, 7], [1, 3]]) {"
                    "document.querySelector(`[data-word=\"${word}\"]`).dispatchEvent(new MouseEvent('click'));"
                    "document.querySelector(`[data-word=\"${head}\"]`).dispatchEvent(new MouseEvent('click')); }")
        self.until_heads(self.parsed_heads(constraints=[self.require(7, 5), self.require(4, 7), self.require(1, 3)]))
        self.click("#undo")
        self.until_heads(self.parsed_heads(constraints=[self.require(7, 5), self.require(4, 7)]))

    def test_matrices_are_corrected_as_the_program_does_it(self):
        graph = {"scores": [[None, 0.3, 1.1, 0.2], [None, None, 2.1, 0.1], [None, 0.5, None, 1.4], [None, 1.2, 0.7, None]]}
        self.open(scores=json.dumps(graph))
        self.click_word(2)
        self.click_word(3)
        done = subprocess.run([support.PROGRAM, "decode", "--root", "single"], check=True, capture_output=True,
                              input=json.dumps({**graph, "require": [[3, 2]]}).encode())
        self.until_heads(json.loads(done.stdout)["trees"][0]["heads"])


class Contradictions(Case):
    allowed = ("status of 4",)

    def test_what_no_tree_has_is_taken_back(self):
        self.open(text="He waved.", require="0.1.2")
        before = self.heads()
        self.click_word(2)
        self.click_word(1)
        self.until(lambda: "That was not done" in self.text("#message"))
        self.assertEqual(self.corrections(), {"require": "0.1.2"})
        self.assertEqual(self.heads(), before)
        self.assertFalse(self.one("#undo").is_enabled())

    def test_so_is_what_was_asked_just_before(self):
        self.open(text="He waved.")
        before = self.heads()
        self.script("for (const [word, head] of [[1, 2], [2, 1]]) {"
                    "document.querySelector(`[data-word=\"${word}\"]`).dispatchEvent(new MouseEvent('click'));"
                    "document.querySelector(`[data-word=\"${head}\"]`).dispatchEvent(new MouseEvent('click')); }")
        self.until(lambda: "That was not done" in self.text("#message"))
        self.assertEqual(self.corrections(), {})
        self.assertEqual(self.heads(), before)
