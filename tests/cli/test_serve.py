"""Tests what `kirchhoff serve` answers to POST /v1/parse: what `kirchhoff parse` prints, and what it does not."""

import json
import math
import urllib.parse

import pipelines
from serving import TEXT, Serve, Served, message
from support import run



def all_heads(n):
    """Every tree of n words whose root has one child, as heads of the words."""
    def go(heads):
        if len(heads) == n:
            yield list(heads)
            return
        for head in range(n + 1):
            if head != len(heads) + 1:
                yield from go([*heads, head])

    def is_tree(heads):
        def reaches(word):
            for _ in range(n + 1):
                if word == 0:
                    return True
                word = heads[word - 1]
            return False
        return heads.count(0) == 1 and all(reaches(word) for word in range(1, n + 1))
    return [heads for heads in go([]) if is_tree(heads)]


class Parse(Serve):
    def test_conllu_is_that_of_the_program(self):
        for arguments, fields in [([], {}), (["--probabilities"], {"probabilities": True}),
                                  (["--k-best", 3], {"k_best": 3}), (["--projective"], {"projective": True}),
                                  (["--samples", 4, "--seed", 7], {"samples": 4, "seed": 7}),
                                  (["--root", "multi"], {"root": "multi"})]:
            with self.subTest(fields=fields):
                expected = self.cli("--text", *arguments)
                status, headers, body = self.server.post("/v1/parse", {"text": TEXT, "format": "conllu", **fields})
                self.assertEqual((status, body), (200, expected))
                self.assertEqual(headers["Content-Type"], "text/x-conllu; charset=utf-8")
                query = urllib.parse.urlencode({"format": "conllu", **{
                    name: str(value).lower() for name, value in fields.items()}})
                self.assertEqual(self.server.post(f"/v1/parse?{query}", TEXT, "text/plain")[2], expected)

    def test_conllu_comes_back_with_its_own_columns(self):
        treebank = pipelines.DEV.read_text()
        expected = self.cli(stdin=treebank)
        self.assertEqual(self.server.post("/v1/parse?format=conllu", treebank, "text/x-conllu")[2], expected)
        expected = self.cli("--tag", stdin=treebank)
        fields = {"conllu": treebank, "format": "conllu", "tag": True}
        self.assertEqual(self.server.post("/v1/parse", fields)[2], expected)

    def test_displacy_and_svg(self):
        expected = self.cli("--text", "--format", "displacy")
        self.assertEqual(self.server.post("/v1/parse", {"text": TEXT, "format": "displacy"})[2], expected)
        status, headers, body = self.server.post("/v1/parse", {"text": TEXT, "format": "svg", "probabilities": True})
        self.assertEqual((status, headers["Content-Type"]), (200, "image/svg+xml"))
        path = self.file("parsed.conllu", self.cli("--text", "--probabilities"))
        self.assertEqual(body, run("render", "--svg", "-", path).stdout)

    def test_json_says_what_conllu_says(self):
        sentences = self.server.parse(text=TEXT, probabilities=True)
        blocks = self.cli("--text", "--probabilities").strip().split("\n\n")
        self.assertEqual(len(sentences), len(blocks))
        for sentence, block in zip(sentences, blocks):
            rows = pipelines.rows(block)
            for word, row in zip(sentence["words"], rows, strict=True):
                self.assertEqual([str(word[key]) for key in ("id", "form", "upos", "head", "deprel")],
                                 [row[i] for i in (0, 1, 3, 6, 7)])
                self.assertIn(f"ArcProb={word['probability']:.4f}", row[9])
                marginals = sentence["marginals"][word["id"] - 1]
                self.assertEqual(len(marginals), len(rows) + 1)
                self.assertAlmostEqual(sum(marginals), 1)
                self.assertEqual(marginals[word["head"]], word["probability"])
                self.assertAlmostEqual(word["entropy"], -sum(p * math.log(p) for p in marginals if p > 0))
            self.assertIn(f"# log_prob = {sentence['log_probability']:.6f}\n", block)
            self.assertIn(f"# entropy = {sentence['entropy']:.6f}\n", block)
            self.assertIn(f"# text = {sentence['text']}\n", block)

    def test_k_best_and_samples(self):
        sentence, *_ = self.server.parse(text=TEXT, k_best=4, samples=300, seed=3)
        ranked = [pipelines.rows(block) for block in self.cli("--text", "--k-best", 4).strip().split("\n\n")[:4]]
        self.assertEqual([(tree["heads"], tree["deprels"]) for tree in sentence["k_best"]],
                         [([int(row[6]) for row in rows], [row[7] for row in rows]) for rows in ranked])
        drawn = self.cli("--text", "--samples", 300, "--seed", 3).strip().split("\n\n")[:300]
        counts = {}
        for block in drawn:
            tree = tuple((int(row[6]), row[7]) for row in pipelines.rows(block))
            counts[tree] = counts.get(tree, 0) + 1
        self.assertEqual({tuple(zip(tree["heads"], tree["deprels"])): tree["count"] for tree in sentence["samples"]}, counts)
        in_order = [tree["count"] for tree in sentence["samples"]]
        self.assertEqual(in_order, sorted(in_order, reverse=True))

    def test_constraints_condition_everything(self):
        """All trees of a short sentence, listed by the server itself: those that obey, with their probabilities made to
        sum to 1, are what it must give under constraints. The pruner keeps the arcs that constraints need."""
        text = "The dog sees cats."
        free, = self.server.parse(text=text, probabilities=True, k_best=1000)
        words = len(free["words"])
        listed = {tuple(tree["heads"]): math.exp(tree["log_probability"]) for tree in free["k_best"]}
        self.assertAlmostEqual(sum(listed.values()), 1)
        best = [word["head"] for word in free["words"]]
        for word in range(1, words + 1):
            for head in range(words + 1):
                if head == word:
                    continue
                require = {"word": word, "head": head, "kind": "require"}
                forbid = dict(require, kind="forbid")
                with self.subTest(word=word, head=head):
                    given, = self.server.parse(text=text, probabilities=True, constraints=[require], k_best=500)
                    self.assertEqual(given["words"][word - 1]["head"], head)
                    self.assertAlmostEqual(given["marginals"][word - 1][head], 1)
                    obeying = {heads: p for heads, p in listed.items() if heads[word - 1] == head}
                    if head != best[word - 1]:
                        other, = self.server.parse(text=text, constraints=[forbid])
                        self.assertEqual([w["head"] for w in other["words"]], best)
                    else:
                        other, = self.server.parse(text=text, probabilities=True, constraints=[forbid])
                        self.assertNotEqual(other["words"][word - 1]["head"], head)
                        self.assertEqual(other["marginals"][word - 1][head], 0)
                        self.assertIn([w["head"] for w in other["words"]], all_heads(words))
                    if sum(obeying.values()) > 0.5:  # The pruner then keeps the same arcs as without the constraint.
                        likeliest = max(obeying, key=obeying.get)
                        self.assertEqual([w["head"] for w in given["words"]], list(likeliest))

    def test_constraints_of_another_sentence(self):
        constraint = {"sentence": 1, "word": 1, "head": 0, "kind": "require"}
        before = self.server.parse(text=TEXT)
        after = self.server.parse(text=TEXT, constraints=[constraint])
        self.assertEqual(before[0], after[0])
        self.assertEqual((before[1]["words"][0]["head"], after[1]["words"][0]["head"]), (2, 0))

    def test_several_models(self):
        for name in ("en", "other"):
            body = json.loads(self.server.post("/v1/parse", {"text": "Dogs bark.", "model": name})[2])
            self.assertEqual(body["model"], name)
        models = json.loads(self.server.get("/v1/models")[2])["models"]
        self.assertEqual([(m["name"], m["default"], m["order"], m["pipeline"]) for m in models],
                         [("en", True, 1, True), ("other", False, 1, True)])
        relations = {row[7] for row in pipelines.rows(pipelines.TRAIN.read_text()) if row[0].isdigit()}
        self.assertEqual(set(models[0]["labels"]), relations)

    def test_models_without_a_tokenizer(self):
        with Served("--model", pipelines.only("parser", "--epochs", 1)) as server:
            answer = server.post("/v1/parse", {"text": "Dogs bark."})
            self.assertEqual(answer[0], 422)
            self.assertIn("has no tokenizer", message(answer))
            self.assertEqual(server.post("/v1/parse", pipelines.DEV.read_text(), "text/x-conllu")[0], 200)
            self.assertFalse(json.loads(server.get("/v1/models")[2])["models"][0]["pipeline"])
            self.assertEqual(server.get("/process?data=a&tokenizer")[0], 400)

    def test_text_may_be_anything(self):
        for text in ("", " \n\n", "<script>alert(1)</script>", "]]>", "\u202eabc \u2066x\u2069", "a" * 1000, "\x00b", "\"\\"):
            with self.subTest(text=text):
                for sentence in self.server.parse(text=text, probabilities=True, k_best=2):
                    self.assertEqual(len(sentence["words"]), len(sentence["marginals"]))

    def test_what_is_wrong_is_said(self):
        for fields, status, part in [
                ({}, 400, "give \"text\" or \"conllu\""), ({"text": "a", "conllu": "b"}, 400, "one of them only"),
                ({"text": 3}, 400, "text: expected a string"), ({"text": "a", "k_best": -1}, 400, "k_best: -1 is below 0"),
                ({"text": "a", "k_best": 1e9}, 400, "is above 10000"), ({"text": "a", "seed": 0.5}, 400, "seed:"),
                ({"text": "a", "format": "pdf"}, 400, "take one of: json, conllu, displacy, svg"),
                ({"text": "a", "model": "fr"}, 404, "there are en, other"), ({"text": "a", "wat": 1}, 400, "wat: unknown field"),
                ({"text": "a", "probabilities": 1}, 400, "expected true or false"), ({"text": "a", "tag": True}, 400, "tag:"),
                ({"text": "a b", "constraints": [{"word": 1}]}, 400, "needs word, head and kind"),
                ({"text": "a b", "constraints": [{"word": 1, "head": 9, "kind": "forbid"}]}, 400, "constraints[0]"),
                ({"text": "a b", "constraints": [{"word": 1, "head": 1, "kind": "forbid"}]}, 400, "no arc from 1 to word 1"),
                ({"text": "a b", "constraints": [{"sentence": 7, "word": 1, "head": 0, "kind": "forbid"}]}, 400, "no sentence 7"),
                ({"text": "a b", "constraints": [{"word": 1, "head": h, "kind": "forbid"} for h in (0, 2)]}, 422, "sentence 1: "),
                ({"text": "a b", "constraints": [{"word": 1, "head": 2, "kind": "require"},
                                                 {"word": 2, "head": 1, "kind": "require"}]}, 422, "cycle"),
                ({"conllu": "1\tx\n\n"}, 400, "conllu:1"), ({"text": "a", "k_best": 2, "format": "svg"}, 400, "svg")]:
            answer = self.server.post("/v1/parse", fields)
            with self.subTest(fields=fields):
                self.assertEqual(answer[0], status, answer[2])
                self.assertIn(part, message(answer))
        for path, part in [("text=a+b", "leave it out"), ("conllu=a+b", "one of them only"), ("text", "leave it out")]:
            answer = self.server.post(f"/v1/parse?{path}", "b", "text/plain")
            self.assertEqual(answer[0], 400, answer[2])
            self.assertIn(part, message(answer))
        for body, kind, status in [("{", "application/json", 400), ("[]", "application/json", 400), ("", "application/json", 400),
                                   ('{"text":"a"} x', "application/json", 400), ("x", "application/pdf", 415),
                                   (b"\xff\xfe", "text/plain", 400), (b'{"text":"\xff"}', "application/json", 400)]:
            answer = self.server.post("/v1/parse", body, kind)
            with self.subTest(body=body):
                self.assertEqual(answer[0], status, answer[2])
                message(answer)
