"""Tests the endpoints of `kirchhoff serve` that have the names of verbs, and those of UDPipe's clients."""

import json
import urllib.parse

import pipelines
from serving import TEXT, Serve, message
from every_verb import FACTORS, MACHINE
from support import NO_TREE, THREE, json_lines, run


class Lines(Serve):
    """/v1/tree and its like answer as the verbs of these names print."""

    def same(self, path, arguments, query, body, kind="application/jsonl"):
        verb = path.removeprefix("/v1/")
        done = run(verb, *arguments, stdin=body)
        status, _, answer = self.server.post(f"{path}?{urllib.parse.urlencode(query)}", body, kind)
        self.assertEqual((status, answer), (200, done.stdout), done.stderr)

    def test_trees(self):
        lines = json_lines([THREE, NO_TREE, dict(THREE, id="gold", gold=[2, 0, 2])])
        self.same("/v1/tree", ["--root", "single"], {"root": "single"}, lines)
        self.same("/v1/tree", ["--root", "multi", "--want", "all"], {"root": "multi", "want": "all"}, lines)
        self.same("/v1/tree", ["--root", "multi", "--projective", "--want", "entropy,renyi=2"],
                  {"root": "multi", "projective": "true", "want": "entropy,renyi=2"}, lines)
        self.same("/v1/decode", ["--root", "single", "--k-best", 3], {"root": "single", "k_best": 3}, lines)
        self.same("/v1/decode", ["--root", "single", "--mbr"], {"root": "single", "mbr": "true"}, lines)
        self.same("/v1/decode", ["--root", "single"], {"root": "single", "mbr": "false"}, "\n" + lines + "\r\n")
        self.same("/v1/sample", ["--root", "single", "--count", 5, "--seed", 9],
                  {"root": "single", "count": 5, "seed": 9}, lines)
        self.same("/v1/sample", ["--root", "single", "--count", 50, "--counts"],
                  {"root": "single", "count": 50, "counts": ""}, lines)

    def test_factor_graphs(self):
        for method in ("bp", "max_product", "lp", "ilp", "ad3", "exact"):
            self.same("/v1/solve", ["--method", method], {"method": method}, FACTORS)
        self.same("/v1/solve", ["--method", "ad3", "--duals"], {"method": "ad3", "duals": "true"}, FACTORS)

    def test_machines(self):
        self.same("/v1/wfsm", [], {}, MACHINE, "text/plain")
        self.same("/v1/wfsm", ["--want", "entropy,paths=3"], {"want": "entropy,paths=3"}, MACHINE, "text/plain")
        names = "eps 0\na 1\nb 2\n"
        body = {"machine": "0 0 a 1.0\n0 1 b 0.5\n1\n", "isymbols": names, "features": "0 0 1.5\n1 1 2\n"}
        arguments = ["--isymbols", self.file("names", names), "--features", self.file("features", body["features"]),
                     "--want", "expectation,paths=2"]
        expected = run("wfsm", *arguments, stdin=body["machine"]).stdout
        answer = self.server.post("/v1/wfsm?want=expectation,paths=2", body)
        self.assertEqual((answer[0], answer[2]), (200, expected))
        product = {"machine": MACHINE, "intersect": MACHINE}
        expected = run("wfsm", "--intersect", self.file("machine", MACHINE), stdin=MACHINE).stdout
        self.assertEqual(self.server.post("/v1/wfsm", product)[2], expected)

    def test_errors_are_those_of_the_program(self):
        for path, body, status, part in [
                ("/v1/tree", "{}", 400, "root is required"), ("/v1/tree?root=both", "{}", 400, "take one of: single, multi"),
                ("/v1/tree?root=single&file=/etc/passwd", "{}", 400, "no option of this name"),
                ("/v1/tree?root=single&help=true", "{}", 400, "no option of this name"),
                ("/v1/wfsm?features=/etc/passwd", MACHINE, 400, "no option of this name"),
                ("/v1/wfsm?want=samples=1000000", MACHINE, 400, "at most"),
                ("/v1/tree?root=single&want=what", "{}", 400, "unknown 'what'"),
                ("/v1/tree?root=single", json_lines([THREE]) + "\n{", 400, "line 3: "),
                ("/v1/tree?root=single&tolerance=1&method=robust", "{}", 400, "tolerance would change nothing"),
                ("/v1/sample?root=single&count=100000000", json_lines([THREE]), 400, "too many"),
                ("/v1/decode?root=single&k_best=x", "{}", 400, "not a whole number"), ("/v1/solve?method=bp%2", "{}", 400, "%"),
                ("/v1/wfsm", "0 0 1 -1.0\n0\n", 400, "")]:
            answer = self.server.post(path, body, "application/jsonl")
            with self.subTest(path=path):
                self.assertEqual(answer[0], status, answer[2])
                self.assertIn(part, message(answer))


class Udpipe(Serve):
    """What clients of UDPipe's REST interface send and expect."""

    def result(self, answer):
        self.assertEqual(answer[0], 200, answer[2])
        body = json.loads(answer[2])
        self.assertEqual([body["model"], body["acknowledgements"]], ["en", []])
        return body["result"]

    def test_text_to_trees(self):
        fields = {"data": TEXT, "tokenizer": "", "tagger": "", "parser": ""}
        form = urllib.parse.urlencode(fields)
        expected = self.cli("--text")
        self.assertEqual(self.result(self.server.post("/process", form, "application/x-www-form-urlencoded")), expected)
        self.assertEqual(self.result(self.server.get(f"/process?{form}")), expected)
        parts = "".join(f'--cut\r\nContent-Disposition: form-data; name="{name}"\r\nContent-Type: text/plain\r\n\r\n{value}\r\n'
                        for name, value in fields.items()) + "--cut--\r\n"
        self.assertEqual(self.result(self.server.post("/process", parts, 'multipart/form-data; boundary="cut"')), expected)

    def test_parts_of_it(self):
        form = "application/x-www-form-urlencoded"
        words = self.result(self.server.post("/process", "data=Dogs+bark.&tokenizer&output=horizontal", form))
        self.assertEqual(words, "Dogs bark .\n")
        treebank = pipelines.DEV.read_text()
        body = urllib.parse.urlencode({"data": treebank, "input": "conllu", "parser": ""})
        self.assertEqual(self.result(self.server.post("/process", body, form)), self.cli(stdin=treebank))
        models = json.loads(self.server.get("/models")[2])
        self.assertEqual(models, {"models": {name: ["tokenizer", "tagger", "parser"] for name in ("en", "other")},
                                  "default_model": "en"})

    def test_words_by_line(self):
        """Words that were found already are CoNLL-U without anything else."""
        form = "application/x-www-form-urlencoded"
        sentences = [["The", "dog", "sees", "New York", "."], ["Cats", "sleep", "."], ["Dogs", "bark", "."]]
        rows = [[f"{i}\t{word}" + 8 * "\t_" for i, word in enumerate(words, 1)] for words in sentences]
        plain = "".join("\n".join(block) + "\n\n" for block in rows)
        blocks = ["\n".join(block) + "\n\n" for block in rows]
        paragraphs = blocks[0] + blocks[1] + "# newpar\n" + blocks[2]
        line = [" ".join(word.replace(" ", "\u00a0") for word in words) for words in sentences]
        for fields, expected in [
                ({"input": "horizontal", "data": "\n".join(line)}, plain),
                ({"input": "horizontal", "data": "\r\n".join([line[0], line[1], "", line[2], ""]).replace(" ", " \t ")}, plain),
                ({"input": "horizontal=paragraphs", "data": "\n".join([line[0], line[1], "", line[2]])}, paragraphs),
                ({"input": "vertical", "data": "\n\n".join("\n".join(words) for words in sentences)}, plain),
                ({"input": "vertical", "data": "\n\n\n".join("\n".join(f"{word}\tX" for word in words) for words in sentences)},
                 plain),
                ({"input": "vertical=paragraphs", "data": "\n".join([*sentences[0], "", *sentences[1], "", "", *sentences[2]])},
                 paragraphs),
                ({"input": "horizontal", "data": ""}, ""), ({"input": "vertical", "data": "\n\n \n"}, "")]:
            with self.subTest(fields=fields):
                self.assertEqual(self.result(self.server.post("/process", urllib.parse.urlencode(fields), form)), expected)
                parsed = self.result(self.server.post("/process", urllib.parse.urlencode(dict(fields, tagger="", parser="")), form))
                self.assertEqual(parsed, self.cli("--tag", stdin=expected) if expected else "")
                back = self.result(self.server.post("/process", urllib.parse.urlencode(dict(fields, output="horizontal")), form))
                self.assertEqual(back, "".join(text + "\n" for text in line) if expected else "")
        before = self.result(self.server.post("/process", "data=Dogs+bark.&input=horizontal&tokenizer", form))
        self.assertEqual(before, self.result(self.server.post("/process", "data=Dogs+bark.&input=generic_tokenizer", form)))
        ranges = self.result(self.server.post("/process", "data=Dogs+bark.&input=generic_tokenizer%3Dranges", form))
        self.assertIn("TokenRange=0:4", ranges)

    def test_what_is_wrong_is_said(self):
        for body, part in [("tokenizer", "data: is missing"), ("data=a&input=epe", "generic_tokenizer"), ("data=a&wat=1", "parameters"),
                           ("data=a&output=epe&tokenizer", "conllu, horizontal"), ("data=a&model=fr", "there are en"),
                           ("data=%zz", "hexadecimal"), ("data=a&tokenizer=presegmented", "input=horizontal"),
                           ("data=%ff%fe&input=horizontal", "UTF-8")]:
            answer = self.server.post("/process", body, "application/x-www-form-urlencoded")
            self.assertIn(answer[0], (400, 404))
            self.assertIn(part, message(answer))
        for kind in ("multipart/form-data", "multipart/form-data; boundary=x", "multipart/form-data; boundary=data"):
            self.assertEqual(self.server.post("/process", "--data\r\n\r\nx", kind)[0], 400)
