"""Text, CoNLL-U and scores are shown as trees while they are typed."""

import json
import subprocess

import support
from support import TELESCOPE, Case


class Typing(Case):
    def test_begins_with_an_example(self):
        self.open()
        self.assertEqual(self.words(), ["She", "saw", "the", "man", "with", "the", "telescope", "."])
        self.assertEqual(self.heads(), self.parsed_heads())

    def test_trees_follow_the_text(self):
        self.open()
        self.type("He waved.")
        self.until(lambda: self.words() == ["He", "waved", "."])
        self.assertEqual(self.heads(), self.parsed_heads("He waved."))
        self.one("#input").send_keys(" They sang.")
        self.until(lambda: len(self.all(".card")) == 2)
        self.assertEqual(self.words(2), ["They", "sang", "."])
        self.type("")
        self.until(lambda: self.shown("#empty"))
        self.assertEqual(self.all(".card"), [])

    def test_a_fast_typist_asks_seldom(self):
        self.open()
        self.script("window.asked = 0; const real = fetch; window.fetch = (...all) => { ++window.asked; return real(...all); }")
        self.type("The sailors carried the heavy boxes.")
        self.until(lambda: self.words()[-2:] == ["boxes", "."])
        self.assertLess(self.script("return window.asked"), 25, "a request for nearly every key")

    def test_conllu(self):
        self.open()
        self.one("#kind-conllu").find_element(support.By.XPATH, "..").click()
        self.until(lambda: self.words() == ["She", "saw", "the", "man", "with", "the", "telescope"])
        rows = "1\tHe\the\tPRON\tPRP\t_\t_\t_\t_\t_\n2\twaved\twave\tVERB\tVBD\t_\t_\t_\t_\t_\n"
        self.script("const box = document.getElementById('input'); box.value = arguments[0];"
                    "box.dispatchEvent(new Event('input'))", rows)
        self.until(lambda: self.words() == ["He", "waved"])
        self.assertEqual(self.texts(".word .note"), ["", "PRON", "VERB"])

    def test_conllu_without_tags_gets_them(self):
        self.open(conllu="1\tHe\t_\t_\t_\t_\t_\t_\t_\t_\n2\twaved\t_\t_\t_\t_\t_\t_\t_\t_\n")
        self.assertEqual(self.texts(".word .note"), ["", "PRON", "VERB"])

    def test_scores_as_the_program_reads_them(self):
        graph = {"words": ["a", "b", "c"], "scores": [[None, 0.3, 1.1, 0.2], [None, None, 2.1, 0.1],
                                                     [None, 0.5, None, 1.4], [None, 1.2, 0.7, None]]}
        for root in ("single", "multi"):
            self.open(scores=json.dumps(graph), root=root)
            self.assertEqual(self.words(), ["a", "b", "c"])
            done = subprocess.run([support.PROGRAM, "decode", "--root", root], check=True, capture_output=True,
                                  input=json.dumps(graph).encode())
            self.assertEqual(self.heads(), json.loads(done.stdout)["trees"][0]["heads"])

    def test_a_table_of_scores(self):
        self.open(scores="she saw it\n- 1 4 0.5\n- - 0.5 0.2\n- 3 - 3.5\n- 0.1 0.4 -\n")
        self.assertEqual(self.words(), ["she", "saw", "it"])
        self.assertEqual(self.heads(), [2, 0, 2])
        self.assertTrue(self.shown("#root"))

    def test_bad_input_says_what_is_wrong(self):
        self.open(scores='{"scores":[[null,1],[null,null]],"words":["a","b"]}')
        self.assertIn("Graph 1 has 2 words for 1 rows", self.text("#problem"))
        self.open(scores="- 1\n- x\n- 2\n")
        self.assertIn("“x”", self.text("#problem"))

    def test_the_model_can_be_chosen(self):
        self.open()
        self.assertEqual(self.texts("#model option"), ["english", "second"])
        self.script("const box = document.getElementById('model'); box.value = 'second'; box.dispatchEvent(new Event('change'))")
        self.until(lambda: "model=second" in self.browser.current_url)

    def test_an_example(self):
        self.open()
        self.all("#examples button")[1].click()
        self.until(lambda: len(self.all(".card")) == 2)
        self.assertIn("Sentence 2", self.texts(".card h2"))


class Refusals(Case):
    allowed = ("status of 4",)

    def test_the_services_message_is_shown_and_goes_again(self):
        self.open(conllu="this is not a column")
        self.assertTrue(self.shown("#problem"))
        self.assertGreater(len(self.text("#problem")), 20)
        self.open(text=TELESCOPE)
        self.assertFalse(self.shown("#problem"))
