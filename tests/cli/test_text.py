"""Tests `kirchhoff parse --text` and `--tag`: from raw text to trees, whatever the text."""

import json
import os
import re
import subprocess
import tempfile

import support
from pipelines import DEV, TRAIN, model, only, rebuilt, rows, tokens
from support import Case, run

HOSTILE = {
    "blanks": "  A dog\tran.\n\n\n He\r\nsaw \t it.  \r\n\r\nThe  end",
    "no-break spaces": "\u00a0A\u00a0dog\u2009ran \u3000home.\u00a0\n",
    "emoji": "I \U0001F468\u200d\U0001F469\u200d\U0001F467 love \U0001F600\U0001F600 it!\u2764\ufe0f\n",
    "right to left": "\u202b\u0627\u0644\u0633\u0644\u0627\u0645 \u0639\u0644\u064a\u0643\u0645.\u202c \u05e9\u05dc\u05d5\u05dd!\n",
    "controls": "a\x00b \x01\x02 \x1b[31mred\x1b[0m\x7f \x85 x\x0by\x0cz\u2028w\n",
    "signs of the format": "a_b _ # text = no\n# sent_id = 7\n1\tdog\t|\\s\\n|=|\n-\n_\n",
    "one letter": "x",
    "white space": " \n\t\r\n\u00a0 ",
    "marks": "... ?!?! \"'\u201e\u201c\u00ab\u00bb --- e.g. U.S. 1.000,5\n",
    "combining": "e\u0301\u0302\u0303 \u0301 a\u0308\n",
}


class Text(Case):
    def parsed(self, text, *options, path=None):
        done = run("parse", "--model", path or model(), "--text", *options, stdin=text, raw=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def test_from_a_text_to_trees(self):
        text = "She saw the man. He waved.\n"
        found = self.parsed(text)
        self.assertEqual(re.findall(r"^# text = (.*)$", found, re.M), ["She saw the man.", "He waved."])
        self.assertEqual(re.findall(r"^# sent_id = (.*)$", found, re.M), ["1", "2"])
        self.assertEqual(found.count("# newpar\n"), 1)
        words = rows(found)
        self.assertEqual([w[1] for w in words], ["She", "saw", "the", "man", ".", "He", "waved", "."])
        self.assertEqual([w[2] for w in words][:2], ["she", "see"])
        self.assertEqual([w[3] for w in words], ["PRON", "VERB", "DET", "NOUN", "PUNCT", "PRON", "VERB", "PUNCT"])
        self.assertEqual([int(w[6]) for w in words], [2, 0, 4, 2, 2, 2, 0, 2])
        path = self.file("notes.txt", text)
        done = run("parse", "--model", model(), "--text", path)
        self.assertEqual((done.returncode, done.stdout), (0, found), "a file is read as standard input is")
        self.assertEqual(run("parse", "--model", model(), "--text", "-", stdin=text).stdout, found)

    def test_what_is_found_is_what_the_treebank_says(self):
        gold = DEV.read_text()
        found = self.file("found.conllu", self.parsed("\n\n".join(re.findall(r"^# text = (.*)$", gold, re.M))))
        scores = dict(re.findall(r"^(\w+) +([\d.]+)", run("eval", DEV, found).stdout, re.M | re.I))
        for metric, least in {"tokens": 98, "sentences": 98, "words": 98, "upos": 85, "lemmas": 85, "uas": 70}.items():
            self.assertGreater(float(scores[metric]), least, metric)

    def test_a_text_can_be_rebuilt(self):
        for name, text in HOSTILE.items():
            with self.subTest(name):
                found = self.parsed(text)
                self.assertEqual(rebuilt(found), text if text.strip(" \n\t\r\u00a0") else "")
                again = run("convert", "--to", "conllu", stdin=found.encode(), raw=True)
                self.assertEqual((again.returncode, again.stdout), (0, found.encode()), "it is well-formed CoNLL-U")

    def test_a_byte_order_mark_goes(self):
        self.assertEqual(self.parsed("\ufeffHe ran."), self.parsed("He ran."))

    def test_a_long_line(self):
        sentence = "She saw the man, and he waved to her. "
        for text in (sentence * 8000, "x" * 300_000, "\u05d0 " * 100_000):
            found = self.parsed(text, path=only("tokenizer"))
            self.assertTrue(rebuilt(found) == text)

    def test_ranges(self):
        for text in (*HOSTILE.values(), "A dog. \U0001F600 b\u00e9b\u00e9.\n\n" * 3000):
            for form, misc in tokens(self.parsed(text, "--ranges", path=only("tokenizer"))):
                begin, end = map(int, misc["TokenRange"].split(":"))
                if text[begin:end] != form:
                    self.fail(f"{begin}:{end} is {text[begin:end]!r}, not {form!r}")

    def test_words_of_a_token(self):
        train = self.file("split.conllu", "".join(
            f"1\t{who}\t_\tPRON\t_\t_\t0\troot\t_\t_\n2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
            "2\tdo\tdo\tAUX\t_\t_\t1\taux\t_\t_\n3\tn't\tnot\tPART\t_\t_\t1\tadvmod\t_\t_\n"
            "4\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_\n\n" for who in ("They", "We", "You", "I") * 10))
        path = self.folder / "split.model"
        self.assertEqual(run("train", "--train", train, "--model", path, "--only", "tokenizer", "--quiet").returncode, 0)
        found = self.parsed("They don't. We don't.", path=path)
        self.assertEqual([row[:2] for row in rows(found)][:5], [["1", "They"], ["2-3", "don't"], ["2", "do"], ["3", "n't"], ["4", "."]])
        self.assertEqual(rebuilt(found), "They don't. We don't.")

    def test_probabilities(self):
        found = self.parsed("She saw the man. He waved.", "--probs")
        self.assertEqual(len(re.findall(r"^# tag_entropy = [\d.]+$", found, re.M)), 2)
        self.assertEqual(len(re.findall(r"^# log_prob = -?[\d.]+$", found, re.M)), 2)
        for row in rows(found):
            misc = dict(item.split("=") for item in row[9].split("|"))
            for name in ("UposProb", "FeatsProb", "ArcProb", "LabelProb"):
                self.assertTrue(0 < float(misc[name]) <= 1, row)
        self.assertNotIn("Prob", self.parsed("She saw the man."))

    def test_trees_and_formats(self):
        best = self.parsed("She saw the man. He waved.", "--kbest", 3)
        self.assertEqual((best.count("# rank = 1\n"), best.count("# rank = 2\n")), (2, 2))
        lines = self.parsed("She saw the man. He waved.", "--format", "json").splitlines()
        self.assertEqual([json.loads(line)["heads"] for line in lines], [[2, 0, 4, 2, 2], [2, 0, 2]])
        for line in self.parsed("She saw it.", "--format", "json", path=only("tokenizer")).splitlines():
            json.loads(line)

    def test_threads_do_not_matter(self):
        text = "She saw the man. He waved to her, and she ran.\n\n" * 200
        self.assertEqual(self.parsed(text, "--threads", 1, "--probs"), self.parsed(text, "--threads", 3, "--probs"))

    def test_input_that_is_no_text(self):
        good = "She saw it.\n\n"
        for text, place in ((b"He \xff", "1:4"), (b"A.\n\nb\xc3(", "3:2"), (b"a \xed\xa0\x80", "1:3"), (b"a\n" * 9 + b"\xe2\x82", "10:1")):
            done = run("parse", "--model", model(), "--text", stdin=good.encode() + text, raw=True)
            line, column = place.split(":")
            message = f"kirchhoff: standard input:{int(line) + 2}:{column}: not UTF-8\n"
            self.assertEqual((done.returncode, done.stderr.decode()), (1, message))
            self.assertIn(b"# text = She saw it.\n", done.stdout, "what stands before it is written")
        path = self.file("bad.txt", b"ab\xff")
        done = run("parse", "--model", model(), "--text", path)
        self.assertEqual((done.returncode, done.stderr), (1, f"kirchhoff: {path}:1:3: not UTF-8\n"))
        for nothing in ("", "\n", " \t\r\n"):
            self.assertEqual(self.parsed(nothing), "")

    def test_it_answers_before_the_text_ends(self):
        program = subprocess.Popen([support.PROGRAM, "parse", "--model", only("tokenizer"), "--text"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(program.stdout.close)
        program.stdin.write(b"He ran.\n\nShe saw it.\n\nThey ")
        program.stdin.flush()
        self.assertEqual(program.stdout.readline(), b"# newpar\n")
        program.stdin.close()
        self.assertIn(b"# text = They\n", program.stdout.read())
        self.assertEqual(program.wait(timeout=60), 0)

    def test_memory_does_not_grow_with_the_text(self):
        paragraph = " ".join(line.split("\t")[1] for line in TRAIN.read_text(encoding="utf-8").splitlines() if "\t" in line)
        path, most = only("tokenizer"), []
        for megabytes in (1, 8):
            with tempfile.NamedTemporaryFile("w", encoding="utf-8") as text:
                for _ in range(megabytes * 1_000_000 // len(paragraph) + 1):
                    text.write(paragraph + "\n\n")
                text.flush()
                program = subprocess.Popen([support.PROGRAM, "parse", "--model", path, "--text", "--threads", "2", text.name],
                                           stdout=subprocess.DEVNULL)
                _, status, used = os.wait4(program.pid, 0)
                program.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(program.returncode, 0)
            most.append(used.ru_maxrss / 1024)
        # What is allocated once differs by some hundred kilobytes; keeping the text alone would add 7 MB.
        if not support.sanitized():
            self.assertLess(most[1] - most[0], 4, most)


class Tags(Case):
    def test_tags_take_the_place_of_those_of_the_input(self):
        text = "# sent_id = a\n1\tShe\tx\tNOUN\tQ\tA=B\t_\t_\t_\tGloss=x\n2\tsaw\t_\t_\t_\t_\t_\t_\t_\t_\n" \
               "3\thim\t_\t_\t_\t_\t_\t_\t_\t_\n4\t.\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
        done = run("parse", "--model", model(), "--tag", "--probs", stdin=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        she, saw = rows(done.stdout)[:2]
        self.assertEqual((she[2], she[3], saw[3], she[6], saw[6]), ("she", "PRON", "VERB", "2", "0"))
        self.assertRegex(she[9], r"^Gloss=x\|UposProb=[\d.]+\|FeatsProb=[\d.]+\|ArcProb=[\d.]+\|LabelProb=[\d.]+$")
        self.assertTrue(done.stdout.startswith("# sent_id = a\n# tag_entropy = "))

    def test_tags_are_found_and_given_heads_stay(self):
        """Each arc in turn is given, and all else is found."""
        gold = [line.split("\t") for line in DEV.read_text(encoding="utf-8").split("\n\n")[0].splitlines() if line[0] != "#"]
        free = [[*w[:2], "_", "_", "_", "_", "_", "_", "_", "_"] for w in gold]
        for word, place in [(w, h) for w in range(1, len(gold) + 1) for h in range(len(gold) + 1) if h != w]:
            given = [list(w) for w in free]
            given[word - 1][6] = str(place)
            text = "\n".join(map("\t".join, given)) + "\n\n"
            done = run("parse", "--model", model(), "--tag", "--keep-heads", stdin=text)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            found = rows(done.stdout)
            self.assertEqual(found[word - 1][6], str(place))
            self.assertNotIn("_", [w[3] for w in found])

    def test_a_tagger_alone_keeps_heads(self):
        done = run("parse", "--model", only("tagger"), "--tag", DEV)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        gold = rows(DEV.read_text())
        found = rows(done.stdout)
        self.assertEqual([r[6:8] for r in found], [r[6:8] for r in gold])
        self.assertEqual([r[2] for r in found], [r[2] for r in gold], "a tagger without a lemmatizer leaves lemmas")
        right = sum(f[3] == g[3] for f, g in zip(found, gold, strict=True))
        self.assertGreater(right / len(gold), 0.85)
