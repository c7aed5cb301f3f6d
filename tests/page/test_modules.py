"""The modules without a picture: places of arcs, links, percentages, tables of scores, and what corrections become."""

import json
import random

from support import Case


class Modules(Case):
    def setUp(self):
        super().setUp()
        self.open()

    def call(self, module, code, *arguments):
        """The value of code, in which m is a module of the page and a are the arguments."""
        answer = self.browser.execute_async_script(f"""
            const done = arguments[arguments.length - 1];
            const a = JSON.parse(arguments[0]);
            import(`/{module}.js`).then((m) => {{ {code} }}).then((v) => done(['value', v ?? null]), (e) => done(['error', String(e)]));
            """, json.dumps(arguments))
        self.assertEqual(answer[0], "value", answer[1])
        return answer[1]

    def test_arcs_that_overlap_have_different_levels(self):
        rng = random.Random(7)
        for n in (1, 2, 5, 12, 30):
            heads = [rng.choice([h for h in range(n + 1) if h != word]) for word in range(1, n + 1)]
            arcs = [{"head": head, "dependent": word, "labelWidth": rng.uniform(10, 90)} for word, head in enumerate(heads, 1)]
            widths = [rng.uniform(20, 120) for _ in range(n + 1)]
            for mirrored in (False, True):
                place = self.call("layout", "return m.layOut({...a[0], below: a[0].above})",
                                  {"widths": widths, "above": arcs, "band": 50, "mirrored": mirrored})
                step = -1 if mirrored else 1
                for k in range(n):
                    gap = step * (place["x"][k + 1] - place["x"][k]) - (widths[k] + widths[k + 1]) / 2
                    self.assertGreaterEqual(gap, 15, "words overlap")
                for side in ("above", "below"):
                    spans = [(min(a["head"], a["dependent"]), max(a["head"], a["dependent"]), a["level"]) for a in place[side]]
                    for i, (left, right, level) in enumerate(spans):
                        for other_left, other_right, other_level in spans[:i]:
                            if left < other_right and other_left < right:
                                self.assertNotEqual(level, other_level)

    def test_links_come_back(self):
        rng = random.Random(3)
        for kind in ("text", "conllu", "scores"):
            state = {"kind": kind, "input": "a&b=c#%\t\n\u05d0 \U0001f333+" + str(rng.random()), "model": "x y", "root": "multi",
                     "threshold": 0.37, "sentence": 3, "tab": "samples", "seed": 12,
                     "corrections": [{"sentence": 0, "word": 3, "head": 0, "kind": "require"},
                                     {"sentence": 2, "word": 1, "head": 4, "kind": "forbid"}]}
            self.assertEqual(self.call("link", "return m.fromFragment('#' + m.toFragment(a[0]))", state), state)
        self.assertIsNone(self.call("link", "return m.fromFragment('#nothing=1')"))
        strange = self.call("link", "return m.fromFragment('text=a&threshold=9&tab=x&require=1.2,0.1.2,a.b.c&seed=-1&sentence=x')")
        self.assertEqual(strange["corrections"], [{"sentence": 0, "word": 1, "head": 2, "kind": "require"}])
        self.assertEqual([strange[name] for name in ("threshold", "tab", "seed", "sentence")], [0.1, "words", 1, 0])

    def test_percentages_claim_no_certainty(self):
        cases = {0: "0%", 1: "100%", 0.5: "50%", 0.0004: "<0.1%", 0.99999: ">99.9%", 0.0512: "5.1%", 0.994: "99.4%"}
        for p, text in cases.items():
            self.assertEqual(self.call("words", "return m.percent(a[0])", p), text)

    def test_tables_of_scores(self):
        read = "return m.readScores(a[0]).map(({words, scores}) => ({words, scores}))"
        table = self.call("scores", read, "a\tb\n- 1 2\n- null 3\n- -Inf 0")
        self.assertEqual(table, [{"words": ["a", "b"], "scores": [[None, 1, 2], [None, None, 3], [None, None, 0]]}])
        self.assertEqual(self.call("scores", read, "[[null, 1], [null, null]]"),
                         [{"words": ["word 1"], "scores": [[None, 1], [None, None]]}])
        self.assertEqual(len(self.call("scores", read, '{"scores":[[0,1],[0,0]]}\n\n{"scores":[[0,1],[0,0]]}\n')), 2)
        for bad in ("- 1\n- 2 3", "{", '{"scores":[]}', "a b\n- x"):
            message = self.call("scores", "try { m.readScores(a[0]); } catch (e) { return e.message; }", bad)
            self.assertGreater(len(message), 20, bad)

    def test_corrections_replace_and_move(self):
        one = {"sentence": 0, "word": 1, "head": 2, "kind": "require"}
        steps = [one, {**one, "head": 3}, {**one, "head": 3, "kind": "forbid"}, {**one, "word": 2, "head": 0}]
        self.assertEqual(self.call("corrections", "return a[0].reduce(m.corrected, [])", steps), steps[2:])
        sentences = [{"words": [{"form": form} for form in text.split()]} for text in ("a b", "c d e", "c d e")]
        moved = self.call("corrections", "return m.carriedOver(...a)",
                          [{**one, "sentence": 1}, {**one, "sentence": 0}, {**one, "sentence": 2}], sentences, sentences[1:])
        self.assertEqual([correction["sentence"] for correction in moved], [0, 1])
