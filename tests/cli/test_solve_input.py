"""Tests what `kirchhoff solve` reads: lines of JSON, good and bad, and UAI files."""

import json
import math

from support import Case
from test_solve import WET, answer, solve


class Lines(Case):
    def test_bad_lines(self):
        def with_factor(**factor):
            return json.dumps({"scores": [0, 0, 0], "factors": [{"type": "or", "vars": [0, 1]}, factor]})
        cases = (
            ('{"factors":[]}', "scores: missing"),
            ('{"scores":[1', "not valid JSON: .*"),
            ('[1]', "not a JSON object .*"),
            ('{"scores":["a"]}', r"scores\[0\]: expected a number, found the string \"a\""),
            ('{"scores":3}', "scores: expected a list, found '3'"),
            ('{"scores":[1e200]}', "scores: score: .*1e100 in size"),
            ('{"scores":[1],"factors":{}}', "factors: expected a list, found an object"),
            ('{"scores":[1],"factors":[3]}', r"factors\[0\]: expected an object .*"),
            (with_factor(type="and", vars=[0]), r"factors\[1\].type: unknown factor 'and'; known are xor, .*"),
            (with_factor(vars=[0]), r"factors\[1\]: 'type' is missing"),
            (with_factor(type="xor"), r"factors\[1\]: 'vars' is missing"),
            (with_factor(type="xor", vars=[0, 3]), r"factors\[1\].vars\[1\]: variable 3 is not among 3"),
            (with_factor(type="xor", vars=[0, 0.5]), r"factors\[1\].vars\[1\]: 0.5 is not a whole number"),
            (with_factor(type="xor", vars=[0, 0]), r"factors\[1\]: variable 0 comes twice"),
            (with_factor(type="xor", vars=[]), r"factors\[1\]: a factor needs at least one input"),
            (with_factor(type="xor", vars=[0, 1], negate=[True]), r"factors\[1\].negate: 1 flags for 2 variables"),
            (with_factor(type="pair", vars=[0], score=1), r"factors\[1\].vars: 1 variables, expected 2"),
            (with_factor(type="pair", vars=[0, 1]), r"factors\[1\]: 'score' is missing"),
            (with_factor(type="table", vars=[0, 1], log_potentials=[0, 0, 0]),
             r"factors\[1\]: log_potentials: 3 entries, expected 4"),
            (with_factor(type="budget", vars=[0, 1], budget=-1), r"factors\[1\].budget: -1 is below 0"),
            (with_factor(type="knapsack", vars=[0, 1], budget=1), r"factors\[1\]: 'weights' is missing"),
            (with_factor(type="knapsack", vars=[0, 1], weights=[1, -1], budget=1),
             r"factors\[1\].weights\[1\]: -1 is below 0"),
            (with_factor(type="sequence", groups=[[0], [9]], log_potentials=[0, 0, 0, 0]),
             r"factors\[1\].groups\[1\]\[0\]: variable 9 is not among .*"),
            (with_factor(type="head"), r"factors\[1\]: heads, left, right: all empty"),
            (with_factor(type="head", left=[0, 1], left_siblings=[0, 0]),
             r"factors\[1\]: left_siblings: 2 entries, expected 6"),
            (with_factor(type="head", right=[5]), r"factors\[1\].right\[0\]: variable 5 is not among 3"),
            (with_factor(type="rooted_tree", groups=[[0], [1]], parents=[-1, -1]),
             r"factors\[1\]: parents: there must be one root, with parent -1"),
            (with_factor(type="rooted_tree", groups=[[0], [1], [2]], parents=[-1, 2, 1]),
             r"factors\[1\]: parents: node 1 is in a cycle"),
            (with_factor(type="rooted_tree", groups=[[0], [1]], parents=[-1, 0], counted=[2, 0]),
             r"factors\[1\]: counted: node 0 has no value 2"),
            (with_factor(type="rooted_tree", groups=[[0], [1]], parents=[-1, 0], subtree_counts=[[0, [1]]]),
             r"factors\[1\]: subtree_counts: node 0 is not below the root, whose are count_scores"),
            (with_factor(type="rooted_tree", groups=[[0], [1]], parents=[-1, 0], subtree_counts=[[1, [1]], [1, [2]]]),
             r"factors\[1\]: subtree_counts: node 1 comes twice"),
            (with_factor(type="rooted_tree", groups=[[0], [1]], parents=[-1, 0], subtree_counts=[[1, []]]),
             r"factors\[1\]: subtree_counts: node 1 has no scores"),
            (with_factor(type="rooted_tree", groups=[[0], [1]], parents=[-1, 0], subtree_counts=[[1]]),
             r"factors\[1\].subtree_counts\[0\]: 1 values; expected \[node, \[score, ...\]\]"),
            (with_factor(type="rooted_tree", groups=[[0], [1]], parents=[-1, 0], both=[[0, 2]]),
             r"factors\[1\]: both: node 0 has no parent"),
            (with_factor(type="compression", vars=[0, 1], budget=1, both=[[1]]),
             r"factors\[1\].both\[0\]: 1 numbers; expected \[node, variable\]"),
            (with_factor(type="compression", vars=[0, 1], budget=1, counted=[1]),
             r"factors\[1\]: counted: 1 for 2 words"),
            (with_factor(type="compression", vars=[0, 1], budget=1, log_potentials=[0, 0]),
             r"factors\[1\]: log_potentials: 2 entries, expected 4"),
            (with_factor(type="sequence", groups=[[0], [1], [2]], log_potentials=[0, 0, 0]),
             r"factors\[1\]: log_potentials: 3 entries, expected 8"),
            (with_factor(type="rooted_tree", groups=[[0], [1]], parents=[-1, 0], log_potentials=[0, 0, 0]),
             r"factors\[1\]: log_potentials: 3 entries, expected 4"),
            (with_factor(type="knapsack", vars=[0, 1], weights=[3, 4], budget=-1), r"factors\[1\].budget: -1 is below 0"),
            (with_factor(type="budget", vars=[0, 1], budget=1.5), r"factors\[1\].budget: 1.5 is not a whole number"),
            (with_factor(type="or_out", vars=[0]), r"factors\[1\].vars: an input and the output are needed"),
            (with_factor(type="tree", n=2, root="multi", arcs=[[0, 1, 0], [2, 1, 1]]),
             r"factors\[1\]: arcs: word 2 has no arc into it"),
            (with_factor(type="tree", n=2, root="any", arcs=[]), r"factors\[1\].root: expected .*"),
            (with_factor(type="tree", n=1, root="multi", arcs=[[0, 1]]), r"factors\[1\].arcs\[0\]: 2 numbers; expected \[head, .*"),
            (with_factor(type="tree", n=1, root="multi", arcs=[[0, 2, 0]]), r"factors\[1\]: .*"),
            (with_factor(type="tree", n=1, root="multi", arcs=[[0, 1, 7]]),
             r"factors\[1\].arcs\[0\]: variable 7 is not among 3"),
            ('{"scores":[0],"factor":[]}', r"factor: unknown field; the nearest known one is 'factors' \(--allow-unknown .*"),
            ('{"scores":[0],"scores":[1]}', "scores: given twice"),
            ('{"scores":[0],"factors":[],"factors":[]}', "factors: given twice"),
            (with_factor(type="or", vars=[0, 1], negated=[True, False]),
             r"factors\[1\].negated: unknown field; the nearest known one is 'negate' \(.*"),
            ('{"scores":[0,0],"factors":[{"type":"or","vars":[0],"vars":[1]}]}', r"factors\[0\].vars: given twice"),
            (with_factor(type="xor", vars=[0], score=1), r"factors\[1\].score: a factor of type xor has only vars, negate"),
            (with_factor(type="tree", n=1, root="multi", arcs=[[0, 1, 0]], negate=[True]),
             r"factors\[1\].negate: a factor of type tree has only n, root, arcs"),
            ('{"scores":[0],"id":[1]}', "id: expected a string or a number, found a list"),
            ('{"scores":[0],"factors":[{"type":"xor","vars":[99999999999999999999999]}]}',
             r"factors\[0\].vars\[0\]: 1e\+23 is above 2147483647"),
            ('{"scores":[0]} x', "not valid JSON: .*"),
        )
        for line, problem in cases:
            done = solve(json.dumps(WET) + "\n" + line + "\n", "bp")
            self.assertEqual((done.returncode, len(done.stdout.splitlines())), (1, 1), line)
            self.assertRegex(done.stderr, f"^kirchhoff: standard input:2: {problem}\n$", line)

    def test_bad_dependency_trees(self):
        def trees(**fields):
            return json.dumps({"arcs": [[None, 0, 0], [None, None, 1], [None, 1, None]], "root": "single", **fields})
        cases = (
            ('{"root":"single"}', "root: goes with 'arcs', which is missing"),
            ('{"pairs":[],"root":"single","scores":[1]}', "scores: given beside 'pairs'"),
            ('{"arcs":[[null,1],[null,null]]}', "root: missing"),
            ('{"arcs":[[null,1],[null,null]],"root":"any"}', "root: expected one of the strings single, multi"),
            (trees(form="list"), "form: expected one of the strings factor, flow"),
            ('{"arcs":[[null]],"root":"single"}', "arcs: 1x1 holds the root only; .*"),
            ('{"arcs":[[null,1]],"root":"single"}', "arcs: 1x2 is not square"),
            ('{"arcs":[[null,[1,2]],[null,null]],"root":"single"}', "arcs: has labels; .*"),
            ('{"arcs":[[null,null,0],[null,null,1],[null,null,null]],"root":"single"}',
             "arcs: word 1 has no arc into it"),
            (trees(pairs=[[0, 1, 1, 2]]), r"pairs\[0\]: 4 numbers; expected \[head, dependent, head, dependent, score\]"),
            (trees(pairs=[[0, 1, 1, 2, 1.0], [0, 1, 1, 3, 1.0]]),
             r"pairs\[1\]: there is no arc from 1 to 3 among 2 words"),
            (trees(pairs=[[0, 1, 1, 2, None]]), r"pairs\[0\]\[4\]: expected a number, found 'null'"),
            (trees(consecutive_siblings=[[0, 1, 1, 2, 1.0]]), "arcs: consecutive_siblings: not two children .*"),
            (trees(non_projective=[[0, 1]]), r"non_projective\[0\]: 2 numbers; expected \[head, dependent, score\]"),
            (trees(non_projective=[[1, 1, 2.0]]), r"non_projective\[0\]: there is no arc from 1 to 1 .*"),
            (trees(pair=[]), r"pair: unknown field; the nearest known one is 'pairs' .*"),
        )
        for line, problem in cases:
            done = solve(json.dumps(WET) + "\n" + line + "\n", "bp")
            self.assertEqual((done.returncode, len(done.stdout.splitlines())), (1, 1), line)
            self.assertRegex(done.stderr, f"^kirchhoff: standard input:2: {problem}\n$", line)

    def test_notes_may_be_allowed(self):
        graph = dict(WET, note={"a": [1, None]}, factors=[dict(f, why="so") for f in WET["factors"]])
        self.assertEqual(solve([graph], "exact").returncode, 1)
        self.assertEqual(answer(graph, "exact", "--allow-unknown"), answer(WET, "exact"))
        done = solve([dict(WET, factors=[dict(WET["factors"][0], score=1)])], "exact", "--allow-unknown")
        self.assertEqual(done.returncode, 1, "a field that the type does not take is no note")

    def test_numbers_of_any_length(self):
        # More digits than a 64-bit integer has, in an id and in scores.
        line = '{"id":123456789012345678901234,"scores":[100000000000000000000,-18446744073709551617]}'
        done = solve(line, "exact")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue(done.stdout.startswith('{"id":123456789012345678901234,'), done.stdout)
        self.assertEqual(json.loads(done.stdout)["assignment"], [1, 0])
        line = '{"scores":[0.12345678901234567890]}'
        self.assertEqual(json.loads(solve(line, "exact").stdout)["value"], 0.12345678901234567890)


class Uai(Case):
    TEXT = """MARKOV
3
2 3 1
3
1 0
2 0 1
2 1 2
2
 0.4 0.6
6
 1 2 0
 0.5 1 3
3
 1 1 2
"""

    def expected(self):
        weights = {}
        first, second, third = [0.4, 0.6], [[1, 2, 0], [0.5, 1, 3]], [1, 1, 2]
        for a in range(2):
            for b in range(3):
                weights[a, b] = first[a] * second[a][b] * third[b]
        return weights

    def test_marginals_and_best(self):
        weights = self.expected()
        z = math.fsum(weights.values())
        for method in ("exact", "bp"):
            done = solve(self.TEXT, method, "--format", "uai")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            found = json.loads(done.stdout)
            self.assertAlmostEqual(found["log_partition"], math.log(z), delta=1e-8)
            for v, size in ((0, 2), (1, 3)):
                for k in range(size):
                    truth = math.fsum(w for key, w in weights.items() if key[v] == k) / z
                    self.assertAlmostEqual(found["marginals"][v][k], truth, delta=1e-8)
            self.assertEqual(found["marginals"][2], [1])
        for method in ("exact", "max_product", "ad3"):
            found = json.loads(solve(self.TEXT, method, "--format", "uai").stdout)
            self.assertEqual(found["assignment"], [1, 2, 0])
            self.assertAlmostEqual(found["value"], math.log(3.6), delta=1e-5)

    def test_bad_files(self):
        for text, problem in (("BAYES\n1\n2\n0\n", "line 1: not a network of type MARKOV"),
                              ("MARKOV\n1\n2\n1\n1 1\n2\n1 1\n", "line 5: a variable: '1' is not a number from 0 to 0"),
                              ("MARKOV\n1\n2\n1\n1 0\n3\n1 1 1\n", "line 6: table 0: 3 entries, its scope has 2"),
                              ("MARKOV\n1\n2\n1\n1 0\n2\n1 -1\n", "line 7: an entry: '-1' is not a number from 0 to 1e\\+300"),
                              ("MARKOV\n1\n2\n1\n1 0\n2\n1\n", "line 8: the file ends where an entry is expected"),
                              ("MARKOV\n1\n2\n1\n1 0\n2\n1 1\nx\n", "line 8: 'x' follows the last table"),
                              ("", "line 1: the file ends where MARKOV is expected")):
            done = solve(text, "bp", "--format", "uai")
            self.assertEqual(done.returncode, 1, text)
            self.assertRegex(done.stderr, f"^kirchhoff: standard input: {problem}\n$")
        done = solve("MARKOV\n1\n2\n1\n1 0\n2\n0 0\n", "bp", "--format", "uai")
        self.assertEqual((done.returncode, json.loads(done.stdout)["status"]), (1, "infeasible"))
