"""Tests `kirchhoff train --pipeline` and `--only`: files with any parts, the same for any threads, stopped and resumed."""

import os
import pathlib
import random
import re
import signal
import subprocess
import time

import support
from pipelines import DEV, TRAIN, model, only, rows, sections
from support import Case, run


class Parts(Case):
    def test_a_missing_part_is_named(self):
        text, words = "She ran.\n", "1\tran\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
        parser = only("parser", "--epochs", 1)
        for path, option, data, part in ((parser, "--text", text, "tagger"), (parser, "--tag", words, "tagger"),
                                         (only("tagger"), "--text", text, "tokenizer"),
                                         (only("tokenizer"), "--tag", words, "tagger"),
                                         (only("tokenizer"), None, words, "parser"), (only("tagger"), None, words, "parser")):
            done = run("parse", "--model", path, *([option] if option else []), stdin=data)
            message = f"kirchhoff: {path}: has no {part}; 'kirchhoff train --pipeline' makes models with all parts\n"
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", message))

    def test_a_card_says_which_parts_there_are(self):
        parts = {model(): "tokenizer, tagger, lemmatizer, parser", only("tokenizer"): "tokenizer", only("tagger"): "tagger",
                 only("lemmatizer"): "tagger, lemmatizer", only("parser", "--epochs", 1): "parser"}
        for path, names in parts.items():
            done = run("model", "info", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(f"\nhas: {names}\n", done.stdout)
            self.assertIn(f"train: {TRAIN}\n", done.stdout)
            self.assertEqual("relations: " in done.stdout, "parser" in names)
            self.assertEqual("universal tags: " in done.stdout, "tagger" in names)

    def test_a_tokenizer_alone_gives_words(self):
        done = run("parse", "--model", only("tokenizer"), "--text", stdin="She ran. He saw it.")
        self.assertEqual({tuple(row[2:9]) for row in rows(done.stdout)}, {("_",) * 7})
        self.assertEqual(done.stdout.count("# sent_id"), 2)

    def test_damaged_files(self):
        content = model().read_bytes()
        for size in (0, 7, 64, 4096, len(content) // 2, len(content) - 1):
            done = run("parse", "--model", self.file("cut.model", content[:size]), "--text", stdin="a")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("cut.model", done.stderr)
        for place in range(100, len(content), len(content) // 7):
            damaged = self.file("bad.model", content[:place] + bytes([content[place] ^ 0x40]) + content[place + 1:])
            self.assertEqual(run("parse", "--model", damaged, "--text", stdin="a").returncode, 1)


class Training(Case):
    def arguments(self, path, *more):
        tags = [] if "--gold-tags" in more else ["--folds", 2]
        return ["train", "--train", DEV, "--model", path, "--epochs", 12, "--pipeline", "--quiet", *tags, *more]

    def trained(self, name, *more):
        path = self.folder / name
        done = run(*self.arguments(path, *more))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertFalse(os.path.exists(f"{path}.checkpoint"))
        found = sections(path)
        found.pop("card")
        return found

    def assert_same(self, one, other):
        """Says which sections differ; their bytes are too many to be shown."""
        self.assertEqual([name for name in one if one[name] != other.get(name)], [])
        self.assertEqual(list(one), list(other))

    def test_threads_do_not_matter_and_the_seed_and_the_tags_do(self):
        one = self.trained("one.model", "--threads", 1)
        self.assertTrue({"token.table", "split.scripts", "tag.pairs", "feats.names", "lemma.scripts", "settings"} <= set(one))
        self.assert_same(one, self.trained("three.model", "--threads", 3))
        seed = self.trained("seed.model", "--seed", 1)
        gold = self.trained("gold.model", "--gold-tags")
        for name in ("token.lists", "tag.lists", "feats.lists", "lemma.lists"):
            self.assertTrue(one[name] != seed[name], name)
            self.assertTrue(one[name] == gold[name], name)
        parser = set(one) - {name for name in one if name.startswith(("token.", "split.", "tag.", "feats.", "lemma."))}
        self.assertTrue(any(one[name] != gold[name] for name in parser))

    def test_interrupted_and_resumed(self):
        whole = self.trained("whole.model")
        path = self.folder / "resumed.model"
        for attempt in range(8):
            resume = ["--resume"] if os.path.exists(f"{path}.checkpoint.parts") else []
            program = subprocess.Popen([support.PROGRAM, *map(str, self.arguments(path, *resume))], stderr=subprocess.DEVNULL)
            time.sleep(0.1 * (attempt + 1))
            program.send_signal(signal.SIGINT)
            if program.wait(timeout=100) == 0:
                break
            self.assertFalse(path.exists())
        resume = ["--resume"] if os.path.exists(f"{path}.checkpoint.parts") else []
        found = self.trained("resumed.model", *resume)
        self.assert_same(found, whole)

    def test_killed_at_random_moments_and_resumed(self):
        """Whatever the moment, what is left goes on to the same model; before there is anything left it begins anew."""
        whole, path, moments = self.trained("whole.model"), self.folder / "resumed.model", random.Random(7)
        left = [pathlib.Path(f"{path}.checkpoint{end}") for end in (".parts", "")]
        for _ in range(3):
            for attempt in range(12):
                resume = ["--resume"] if left[0].exists() else []
                program = subprocess.Popen([support.PROGRAM, *map(str, self.arguments(path, *resume))], stderr=subprocess.DEVNULL)
                time.sleep(moments.uniform(0.02, 0.2 * (attempt + 1)))
                program.kill()
                program.wait(timeout=100)
                if path.exists():  # It may have been killed before it removed what is of no use any more.
                    break
            if not path.exists():
                resume = ["--resume"] if left[0].exists() else []
                done = run(*self.arguments(path, *resume))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual([file for file in left if file.exists()], [])
            found = sections(path)
            found.pop("card")
            self.assert_same(found, whole)
            for file in (path, *left):
                file.unlink(missing_ok=True)

    def test_killed_at_any_moment(self):
        path = self.folder / "killed.model"
        old = b"what was there before"
        for seconds in (0.02, 0.1, 0.3):
            path.write_bytes(old)
            program = subprocess.Popen([support.PROGRAM, *map(str, self.arguments(path))])
            time.sleep(seconds)
            program.kill()
            if program.wait(timeout=60) == 0:
                sections(path)
            else:
                self.assertEqual(path.read_bytes(), old)
        self.trained("killed.model")

    def test_options_that_nothing_uses(self):
        train = ["train", "--train", DEV, "--model", self.folder / "m"]
        lacks = "models with a parser"
        cases = [("--gold-tags", "--pipeline", [*train, "--gold-tags"]), ("--folds", "--pipeline", [*train, "--folds", 3]),
                 ("--epochs", lacks, [*train, "--only", "tagger", "--epochs", 3]),
                 ("--order", lacks, [*train, "--only", "tokenizer", "--order", 2]),
                 ("--resume", lacks, [*train, "--only", "lemmatizer", "--resume"]),
                 ("--lexicon", "models with a tagger", [*train, "--only", "parser", "--lexicon", DEV]),
                 ("--clusters", "models with a tagger", [*train, "--clusters", DEV]),
                 ("--k-best-tags", "--text and --tag", ["parse", "--model", "m", "--k-best-tags", 2]),
                 ("--lexicon", "--text and --tag", ["parse", "--model", "m", "--lexicon", DEV]),
                 ("--ranges", "--text", ["parse", "--model", "m", "--ranges"]),
                 ("--skip-bad", "CoNLL-U, not for --text", ["parse", "--model", "m", "--text", "--skip-bad"]),
                 ("--keep-heads", "CoNLL-U, not for --text", ["parse", "--model", "m", "--text", "--keep-heads"])]
        for option, users, command in cases:
            done = run(*command)
            message = f"kirchhoff: {option} would change nothing here: it is for {users} (see 'kirchhoff {command[0]} --help')\n"
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", message), command)
        for command in ([*train, "--pipeline", "--only", "tagger"], [*train, "--pipeline", "--gold-tags", "--folds", 3],
                        ["parse", "--model", "m", "--text", "--tag"], [*train, "--only", "everything"]):
            self.assertEqual(run(*command).returncode, 2, command)
        self.assertFalse((self.folder / "m").exists())

    def test_lexicon_and_clusters(self):
        lexicon = self.file("words.tsv", "Blorp\tblorpen\tVERB\t_\tTense=Zork\n")
        clusters = self.file("paths.tsv", "0011\tman\t3\n")
        path = self.folder / "known.model"
        done = run("train", "--train", DEV, "--model", path, "--only", "lemmatizer", "--quiet", "--lexicon", lexicon, "--clusters",
                   clusters)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sections(path)["tag.paths"].rstrip(b"\n"), b"0011")
        words = "1\tBlorp\t_\t_\t_\t_\t_\t_\t_\t_\n2\tit\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
        done = run("parse", "--model", only("lemmatizer"), "--tag", "--lexicon", lexicon, stdin=words)
        lemma, upos, _, feats = rows(done.stdout)[0][2:6]
        self.assertEqual((lemma, upos, feats), ("blorpen", "VERB", "Tense=Zork"))
        bad = self.file("bad.tsv", "Blorp\tblorpen\n")
        done = run("parse", "--model", only("lemmatizer"), "--tag", "--lexicon", bad, stdin=words)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("bad.tsv:1:1: expected 3 to 5 fields", done.stderr)

    def test_k_best_tags(self):
        text = "She saw the man. He ran.\n"
        one = run("parse", "--model", model(), "--text", stdin=text).stdout.strip().split("\n\n")
        done = run("parse", "--model", model(), "--text", "--k-best-tags", 3, stdin=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = done.stdout.strip().split("\n\n")
        self.assertEqual(len(found), 6)
        for i in (0, 1):
            three = found[3 * i:3 * i + 3]
            self.assertEqual(rows(three[0]), rows(one[i]))
            self.assertEqual(len({str([row[3] for row in rows(t)]) for t in three}), 3)
            self.assertEqual([re.search("# tags = (.)", t).group(1) for t in three], ["1", "2", "3"])
            probabilities = [float(re.search("# tag_log_prob = (.*)", t).group(1)) for t in three]
            self.assertEqual(probabilities, sorted(probabilities, reverse=True))

    def test_a_treebank_without_tags(self):
        train = self.file("bare.conllu", "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
        done = run("train", "--train", train, "--model", self.folder / "m", "--only", "tagger")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no word has a universal tag (UPOS)", done.stderr)
        self.assertFalse((self.folder / "m").exists())
