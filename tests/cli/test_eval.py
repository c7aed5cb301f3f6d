"""Tests `kirchhoff eval` against the definitions written out again, and against the official script if it is there."""

import json
import os
import random
import re
import subprocess
import sys

from support import EXAMPLES, Case, run

DEV = EXAMPLES / "treebank" / "dev.conllu"
CONTENT = set("nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl "
              "amod conj fixed flat compound list parataxis orphan goeswith reparandum root dep".split())
FUNCTION = set("aux cop mark det clf case cc".split())
FEATURES = set("PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense "
               "Aspect Voice Evident Polarity Person Polite".split())
OFFICIAL = ("tokens", "sentences", "words", "upos", "xpos", "ufeats", "lemmas", "uas", "las", "clas", "mlas", "blex")


def sentences(text):
    """A list of rows, words only, for each sentence."""
    blocks = [block for block in text.split("\n\n") if block.strip()]
    return [[line.split("\t") for line in block.splitlines() if re.match(r"\d+\t", line)] for block in blocks]


def disturbed(text, rng):
    """Another system's answer: same words, some other tags, lemmas, heads and relations, always trees."""
    out = []
    for block in text.strip("\n").split("\n\n"):
        lines = [line.split("\t") for line in block.splitlines()]
        words = [line for line in lines if line[0].isdigit()]
        for word in words:
            for column, value in ((2, "x"), (3, "NOUN"), (5, "Number=Sing|X=Y"), (7, rng.choice(["obj", "case", "nsubj:x"]))):
                if rng.random() < 0.1:
                    word[column] = value
        for word in rng.choices(words, k=2):
            head = rng.randrange(1, len(words) + 1)
            above = head
            while above not in (0, int(word[0])):
                above = int(words[above - 1][6])
            if above == 0 and word[6] != "0":
                word[6] = str(head)
        out.append("\n".join("\t".join(line) for line in lines) + "\n\n")
    return "".join(out)


def f1(items):
    """Of pairs (counts in gold, counts in system, right)."""
    gold, system, right = (sum(map(bool, column)) for column in zip(*items))
    return 200 * right / (gold + system)


def relation(word):
    return word[7].split(":")[0]


def features(word):
    return sorted(f for f in word[5].split("|") if f.split("=")[0] in FEATURES)


def function_words(rows, word):
    return [(w[0], relation(w), w[3], features(w)) for w in rows if w[6] == word[0] and relation(w) in FUNCTION]


def oracle(gold, system):
    """All scores of two files with the same words."""
    arcs, content, plain, exact = [], [], [], []
    for a, b in zip(gold, system):
        same_head = [g[6] == s[6] for g, s in zip(a, b)]
        same_arc = [h and relation(g) == relation(s) for h, g, s in zip(same_head, a, b)]
        exact.append((all(same_head), all(same_arc)))
        for g, s, head, arc in zip(a, b, same_head, same_arc):
            right = {
                "tokens": True, "sentences": True, "words": True, "upos": g[3] == s[3], "xpos": g[4] == s[4], "ufeats": features(g) == features(s),
                "lemmas": g[2] == s[2] or g[2] == "_", "uas": head, "las": arc, "clas": arc,
                "mlas": arc and g[3] == s[3] and features(g) == features(s) and function_words(a, g) == function_words(b, s),
                "blex": arc and (g[2] == s[2] or g[2] == "_")}
            arcs.append((g, s, right))
            content.append((relation(g) in CONTENT, relation(s) in CONTENT))
            plain.append((g[3] != "PUNCT", s[3] != "PUNCT"))
    scores = {}
    for name in OFFICIAL:
        if name in ("clas", "mlas", "blex"):
            scores[name] = f1([(g, s, g and r[name]) for (g, s), (_, _, r) in zip(content, arcs)])
        else:
            scores[name] = f1([(True, True, r[name]) for _, _, r in arcs])
    for name in ("uas", "las"):
        scores[name + "_no_punct"] = f1([(g, s, g and r[name]) for (g, s), (_, _, r) in zip(plain, arcs)])
    scores["exact_match_unlabelled"] = 100 * sum(h for h, _ in exact) / len(exact)
    scores["exact_match"] = 100 * sum(a for _, a in exact) / len(exact)
    scores["root"] = f1([(g[6] == "0", s[6] == "0", g[6] == s[6] == "0") for g, s, _ in arcs])
    scores["valid_tree"] = 100.0
    return scores


class Scores(Case):
    def pair(self, seed):
        gold = DEV.read_text()
        system = disturbed(gold, random.Random(seed))
        return self.file("gold.conllu", gold), self.file("system.conllu", system)

    def test_against_the_definitions(self):
        for seed in range(5):
            gold, system = self.pair(seed)
            done = run("eval", gold, system, "--json", "--samples", 0)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            expected = oracle(sentences(gold.read_text()), sentences(system.read_text()))
            self.assert_same(json.loads(done.stdout), expected, tolerance=1e-12)

    if os.environ.get("CONLL18_UD_EVAL"):  # Who has the official script names it there.
        def test_against_the_official_script(self):
            for seed in range(5):
                gold, system = self.pair(seed)
                script = subprocess.run([sys.executable, os.environ["CONLL18_UD_EVAL"], "-c", gold, system],
                                        capture_output=True, text=True, check=True)
                found = json.loads(run("eval", gold, system, "--json").stdout)
                rows = [[cell.strip() for cell in line.split("|")] for line in script.stdout.splitlines() if "|" in line]
                official = {row[0].lower(): row[1:] for row in rows[1:]}
                for name in OFFICIAL:
                    right, in_gold, in_system = map(int, official[name][:3])
                    self.assertAlmostEqual(found[name], 200 * right / (in_gold + in_system), 9, name)

    def test_a_copy_is_perfect(self):
        found = json.loads(run("eval", DEV, DEV, "--json").stdout)
        self.assertEqual({found[name] for name in found if name != "intervals"}, {100})
        self.assertEqual(found["intervals"]["las"], [100, 100])

    def test_parts_add_up(self):
        gold, system = self.pair(1)
        for by in ("length", "pos", "deprel", "distance"):
            found = json.loads(run("eval", gold, system, "--json", "--by", by).stdout)
            words = sum(part["gold"] for part in found["parts"])
            self.assertEqual(words, sum(map(len, sentences(DEV.read_text()))))
            for name in ("uas", "las"):
                right = sum(part[name] * part["gold"] for part in found["parts"]) / words
                self.assertAlmostEqual(right, found[name], 9, (by, name))

    def test_table(self):
        gold, system = self.pair(2)
        lines = run("eval", gold, system, "--by", "length", "--seed", 7).stdout.splitlines()
        self.assertRegex(lines[0], r"^metric +F1 % +95 % interval$")
        self.assertRegex(lines[8], r"^uas +\d+\.\d\d +\d+\.\d\d \.\. \d+\.\d\d$")
        self.assertRegex(lines[-2], r"^1-10 +\d+ +\d+\.\d\d +\d+\.\d\d +\d+\.\d\d$")

    def test_intervals_hold_the_score_and_depend_on_the_seed(self):
        gold, system = self.pair(3)
        first, again, other = (json.loads(run("eval", gold, system, "--json", "--seed", s).stdout) for s in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first["intervals"], other["intervals"])
        low, high = first["intervals"]["uas"]
        self.assertTrue(low < first["uas"] < high)

    def test_two_systems(self):
        gold, system = self.pair(4)
        found = json.loads(run("eval", gold, system, gold, "--json").stdout)
        self.assertEqual(found["second"]["uas"], 100)
        self.assertLess(found["p_values"]["uas"], 0.01)
        self.assertEqual(found["p_values"]["words"], 1)
        table = run("eval", gold, system, gold).stdout
        self.assertRegex(table.splitlines()[0], r"^metric +first .* second .* difference +p$")


class BadInput(Case):
    WORD = "{}\t{}\t_\t_\t_\t_\t{}\tdep\t_\t_\n"

    def sentence(self, name, heads):
        return f"# sent_id = {name}\n" + "".join(self.WORD.format(i, "w", h) for i, h in enumerate(heads, 1)) + "\n"

    def test_gold_must_be_trees(self):
        good, bad = self.sentence("good", [0, 1]), self.sentence("bad", [2, 1])
        gold, system = self.file("g", good + bad), self.file("s", good + good)
        done = run("eval", "g", "s", cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "kirchhoff: g:5: sentence 'bad': words 1 -> 2 -> 1 form a cycle\n")
        done = run("eval", "g", "s", "--skip-bad", "--json", cwd=self.folder)
        self.assertEqual(done.stderr, "kirchhoff: g:5: sentence 'bad': words 1 -> 2 -> 1 form a cycle (skipped)\n")
        self.assertEqual((done.returncode, json.loads(done.stdout)["uas"]), (0, 100))

    def test_roots(self):
        self.file("g", self.sentence("two", [0, 0]))
        done = run("eval", "g", "g", cwd=self.folder)
        self.assertEqual(done.stderr, "kirchhoff: g:1: sentence 'two': 2 words below the root\n")
        self.assertEqual(run("eval", "g", "g", "--root", "multi", cwd=self.folder).returncode, 0)

    def test_bad_trees_of_a_system_are_counted(self):
        self.file("g", self.sentence("a", [0, 1]) + self.sentence("b", [0, 1]))
        self.file("s", self.sentence("a", [0, 1]) + self.sentence("b", [2, 1]))
        found = json.loads(run("eval", "g", "s", "--json", cwd=self.folder).stdout)
        self.assertEqual((found["valid_tree"], found["uas"]), (50, 75))

    def test_messages(self):
        self.file("g", self.sentence("a", [0, 1]))
        self.file("other", self.sentence("a", [0]))
        self.file("broken", "1\tx\n")
        self.file("empty", "")
        for files, message in ((("g", "other"), "g, other: the texts differ in sentence 1 of the gold standard: 'w' there, the end in the system's"),
                               (("g", "broken"), "broken:1:4: 2 columns separated by tabs, expected 10"),
                               (("g", "none"), "none: cannot open: No such file or directory"),
                               (("g", "."), ".: cannot read: Is a directory"),
                               (("empty", "g"), "empty: no sentences")):
            done = run("eval", *files, cwd=self.folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", f"kirchhoff: {message}\n"))
