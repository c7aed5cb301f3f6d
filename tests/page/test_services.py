"""Services of other kinds: one that wants a token, one whose model takes no text, and one that has ended."""

import subprocess

import support
from support import Case, Keys


class Elsewhere(Case):
    def at(self, *arguments):
        """The page of another service, for the rest of the test."""
        usual = support.ADDRESS
        context = support.serving(*map(str, arguments))
        support.ADDRESS = context.__enter__()
        self.addCleanup(setattr, support, "ADDRESS", usual)
        self.end = lambda: context.__exit__(None, None, None)


class Kinds(Elsewhere):
    def test_a_model_without_a_tokenizer_begins_with_conllu(self):
        model = support.FOLDER / "words.model"
        subprocess.run([support.PROGRAM, "train", "--train", support.TREEBANK / "train.conllu", "--epochs", "1", "--model", model],
                       check=True, capture_output=True)
        self.at("--model", model)
        self.open()
        self.assertTrue(self.one("#kind-conllu").is_selected())
        self.assertEqual(self.words(), ["She", "saw", "the", "man", "with", "the", "telescope"])
        self.end()


class Refusing(Elsewhere):
    allowed = ("status of 401", "ERR_CONNECTION_REFUSED")

    def test_a_token(self):
        file = support.FOLDER / "token"
        file.write_text("open-sesame\n")
        self.at("--model", support.FOLDER / "english.model", "--token-file", file)
        self.open()
        self.assertIn("wants a token", self.text("#problem"))
        self.one("#token").send_keys("open-sesame", Keys.ENTER)
        self.until(lambda: self.words()[:1] == ["She"])
        self.assertFalse(self.shown("#problem"))
        self.end()

    def test_a_service_that_has_ended(self):
        self.at("--model", support.FOLDER / "english.model")
        self.open()
        self.end()
        before = self.heads()
        self.type("He waved.")
        self.until(lambda: "does not answer" in self.text("#problem"))
        self.assertEqual(self.heads(), before, "the last trees stay")
