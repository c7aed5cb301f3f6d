"""Tests `kirchhoff rank` and `features`: what comes first, three formats, streams, and bad input."""

import json
import re

from support import Case, run
from test_parser import toy_treebank

FEATURES = ["--template", "dir | h.upos d.upos"]


class ModelCase(Case):
    """A model of a toy language, and sentences."""

    def setUp(self):
        super().setUp()
        self.train = self.file("train.conllu", toy_treebank(1, 60))
        self.dev = self.file("dev.conllu", "# sent_id = one\n# text = A long\u00a0one\n" + toy_treebank(2, 40))
        self.model = self.folder / "toy.model"
        self.trained(self.model)

    def trained(self, model, *more):
        done = run("train", "--train", self.train, "--model", model, "--epochs", 2, "--quiet", *more)
        self.assertEqual(done.returncode, 0, done.stderr)


class RankTest(ModelCase):
    def rank(self, *arguments, **more):
        done = run("rank", "--model", self.model, *arguments, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_sentences_come_in_the_order_of_their_values(self):
        parsed = run("parse", "--model", self.model, "--probabilities", self.dev).stdout
        entropies = [float(x) for x in re.findall(r"^# entropy = ([\d.]+)$", parsed, re.M)]
        out = self.rank("--per", "sentence", self.dev)
        self.assertEqual(re.findall(r"^# rank = (\d+)$", out, re.M), [str(i) for i in range(1, 41)])
        found = [float(x) for x in re.findall(r"^# entropy = ([\d.]+)$", out, re.M)]
        self.assertEqual(found, sorted(entropies, reverse=True))
        # Words and heads are as they were.
        rows = lambda text: sorted(re.sub(r"^#.*\n", "", part, flags=re.M) for part in text.strip().split("\n\n"))
        self.assertEqual(rows(out), rows(self.dev.read_text()))
        values = {}
        for by in ("entropy", "variance", "expected_gradient", "margin"):
            lines = [json.loads(line) for line in self.rank("--by", by, "--json", self.dev).splitlines()]
            name = by if by == "margin" else f"{by}_per_word"
            values[by] = [line[name] for line in lines]
            self.assertEqual(values[by], sorted(values[by], reverse=by != "margin"))
            self.assertEqual(sorted(line["number"] for line in lines), list(range(1, 41)))
        self.assertEqual(self.rank("--by", "expected-gradient", self.dev), self.rank("--by", "expected_gradient", self.dev))

    def test_lines_of_json(self):
        lines = [json.loads(line) for line in self.rank("--json", self.dev).splitlines()]
        first = next(line for line in lines if line["number"] == 1)
        self.assertEqual(list(first), ["rank", "id", "number", "line", "entropy_per_word", "words"])
        self.assertEqual((first["id"], first["line"]), ("one", 1))
        self.assertEqual(lines[first["rank"] - 1], first)
        words = [line.split("\t")[1] for line in self.dev.read_text().split("\n\n")[0].split("\n") if line[0] != "#"]
        self.assertEqual(first["words"], words)

    def test_top_streams_and_threads(self):
        whole = self.rank("--json", self.dev).splitlines()
        self.assertEqual(self.rank("--json", "--top", 7, self.dev).splitlines(), whole[:7])
        self.assertEqual(self.rank("--json", "--top", 700, "--threads", 3, stdin=self.dev.read_text()).splitlines(), whole)
        self.assertEqual(self.rank(stdin=""), "")
        one = "1\tcat\tcat\tNOUN\t_\t_\t_\t_\t_\t_\n\n"
        self.assertIsNone(json.loads(self.rank("--by", "margin", "--json", stdin=one))["margin"])
        self.assertIn("# margin = inf\n", self.rank("--by", "margin", stdin=one))

    def test_table(self):
        rows = self.rank("--table", "--top", 3, self.dev).splitlines()
        self.assertEqual(rows[0].split(), ["rank", "entropy_per_word", "words", "line", "sentence"])
        self.assertEqual(len(rows), 4)
        self.assertIn("#" * 16, rows[1])
        for row in rows[1:]:
            self.assertRegex(row, r"^ +\d  +\d\.\d{4}  #* *  +\d+  +\d+  \S.*$")
        escape = "# text = a\x1bb " + "long " * 40 + "\n1\tcat\tcat\tNOUN\t_\t_\t_\t_\t_\t_\n\n"
        row = self.rank("--table", stdin=escape).splitlines()[1]
        self.assertIn("a\\x1bb long", row)
        self.assertTrue(row.endswith("..."))
        self.assertLess(len(row), 120)

    def test_roots_and_projective_trees(self):
        multi = self.rank("--root", "multi", "--json", self.dev)
        self.assertNotEqual(multi, self.rank("--json", self.dev))
        self.assertEqual(len(self.rank("--projective", "--json", self.dev).splitlines()), 40)

    def test_bad_input(self):
        good, bad = "1\tcat\tcat\tNOUN\t_\t_\t_\t_\t_\t_\n\n", "1\tcat\n\n"
        done = run("rank", "--model", self.model, stdin=good + bad)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^kirchhoff: standard input:3:")
        done = run("rank", "--model", self.model, "--skip-bad", stdin=good + bad + good)
        self.assertEqual((done.returncode, done.stdout.count("# rank")), (0, 2))
        self.assertRegex(done.stderr, r"^kirchhoff: standard input:3:.* \(skipped\)\n$")
        long = "# sent_id = long\n" + "".join(f"{i}\ta\t_\t_\t_\t_\t_\t_\t_\t_\n" for i in range(1, 70001)) + "\n"
        message = "kirchhoff: standard input:3: sentence 'long': sentence: has 70000 words, and the parser takes at most 65535"
        done = run("rank", "--model", self.model, stdin=good + long)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", message + "\n"))
        done = run("rank", "--model", self.model, "--skip-bad", stdin=good + long + good)
        self.assertEqual((done.returncode, done.stderr, done.stdout.count("# rank")), (0, message + " (skipped)\n", 2))
        for arguments, problem in [(["--per", "word", "--by", "margin"], "--per would change nothing here: it is for --by entropy"),
                                   (["--json", "--table"], "--json excludes --table"), (["--top", 0], "--top: '0'")]:
            done = run("rank", "--model", self.model, *arguments, self.dev)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(problem, done.stderr)
        done = run("rank", "--model", self.dev, self.dev)
        self.assertEqual(done.returncode, 1)

    def test_parts_of_several_arcs(self):
        self.trained(self.model, "--parts", "next")
        self.assertEqual(len(self.rank("--by", "variance", "--json", self.dev).splitlines()), 40)
        for verb, more, what in [("rank", ["--by", "expected_gradient"], "--by expected_gradient is for models of arcs"),
                                 ("features", FEATURES, "covariances are exact for models of arcs only")]:
            done = run(verb, "--model", self.model, *more, self.dev)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, f"kirchhoff: {self.model}: it scores parts of several arcs (next), and {what}\n")


class FeaturesTest(ModelCase):
    def features(self, *arguments, **more):
        done = run("features", "--model", self.model, *arguments, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_json(self):
        found = json.loads(self.features(*FEATURES, "--most", 1000, "--json", self.dev))
        self.assertEqual(list(found), ["sentences", "words", "features", "expectation", "covariance", "observed", "weights", "fisher"])
        self.assertEqual((found["sentences"], len(found["covariance"])), (40, len(found["features"])))
        words = sum(bool(re.match(r"\d+\t", line)) for line in self.dev.read_text().splitlines())
        self.assertEqual(found["words"], words)
        self.assertAlmostEqual(sum(found["expectation"]), words, 4)
        self.assertAlmostEqual(sum(found["observed"]), words)
        self.assertAlmostEqual(sum(map(sum, found["covariance"])), 0.0, 4)  # Every word has one head.
        name = found["features"][3]
        one = json.loads(self.features(*FEATURES, "--feature", name, "--feature", "no such feature", "--json", self.dev))
        self.assertEqual(one["features"], [name, "no such feature"])
        self.assertAlmostEqual(one["covariance"][0][0], found["covariance"][3][3])
        self.assertEqual(one["expectation"][1], 0)
        self.assertEqual(len(json.loads(self.features(*FEATURES, "--most", 2, "--json", self.dev))["features"]), 2)
        both = json.loads(self.features(*FEATURES, "--template", "any | d.form", "--threads", 2, "--json", self.dev))
        self.assertIn("d.form=cat", both["features"])

    def test_the_hessian(self):
        found = json.loads(self.features(*FEATURES, "--most", 1000, "--json", self.dev))
        direction = self.file("direction", f"# some\n\n0.5 {found['features'][3]}\n -2e0\t{found['features'][0]} \n")
        more = json.loads(self.features(*FEATURES, "--most", 1000, "--json", "--direction", direction, self.dev))
        scale = found["fisher"][0] / found["covariance"][0][0]  # 1 / temperature^2
        self.assertGreater(scale, 0.01)
        for f, row in enumerate(found["covariance"]):
            self.assertAlmostEqual(found["fisher"][f], scale * row[f])
            self.assertAlmostEqual(more["hessian_product"][f], -scale * (0.5 * row[3] - 2.0 * row[0]), 5)
        table = self.features(*FEATURES, "--most", 2, "--direction", direction, self.dev).splitlines()
        self.assertEqual(table[0].split()[-2:], ["Fisher", "Hessian"])
        self.assertEqual(table[1].split()[-2:], [f"{found['fisher'][0]:.3f}", f"{more['hessian_product'][0]:.3f}"])
        for line in ("h.upos=VERB", "1", "nan h.upos=VERB"):
            done = run("features", "--model", self.model, *FEATURES, "--direction", self.file("wrong", f"\n{line}\n"), self.dev)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("wrong:2:1: expected a number and the name of a feature, such as '1 h.upos=VERB'", done.stderr)

    def test_tables(self):
        rows = self.features(*FEATURES, "--most", 4, self.dev).splitlines()
        self.assertEqual(rows[0].split(), ["feature", "expected", "deviation", "observed", "weight", "Fisher"])
        self.assertRegex(rows[1], r"^h\.upos=\S+ d\.upos=\S+ dir=(left|right)ward +[\d.]+ +[\d.]+ +\d+ +-?[\d.]+ +[\d.]+$")
        self.assertIn("correlation", rows)
        free = re.sub(r"\t\d+\t\w+\t_\t_$", "\t_\t_\t_\t_", self.dev.read_text(), flags=re.M)
        self.assertNotIn("observed", self.features(*FEATURES, stdin=free))
        self.assertEqual(self.features(*FEATURES, stdin="").splitlines(), ["feature    expected  deviation  observed    weight     Fisher"])

    def test_templates(self):
        done = run("features", "--model", self.model, *FEATURES, "--feature", "a", "--most", 3, self.dev)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--most would change nothing here: it is for the most expected features", done.stderr)
        for template, problem in [("any | q.upos", "--template: 'q.upos' is no atom"), ("h.upos", "no bar in 'h.upos'"),
                                  ("any | dir2", "dir2, dist2, puncts2 and dir3 are for parts of three words"),
                                  ("", "--template: templates: there are none")]:
            done = run("features", "--model", self.model, "--template", template, self.dev)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(problem, done.stderr)
