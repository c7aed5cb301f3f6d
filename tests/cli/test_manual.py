"""Tests what the program says of itself: its version, man pages that groff reads without a warning, and completions, which
are asked for in the shells themselves."""

import os
import pathlib
import platform
import re
import subprocess

import support
from support import Case, run
from test_help import VERBS

FIND = """
. "$1"
COMP_WORDS=("${@:2}")
COMP_CWORD=$(($# - 2))
_kirchhoff
printf '%s\\n' "${COMPREPLY[@]}"
"""


class Version(Case):
    def test_version(self):
        text = run("--version").stdout
        self.assertRegex(text, r"^kirchhoff \d+\.\d+\.\d+\ncommit ([0-9a-f]{12}\+?|unknown)\nkernels for \w+\nwith ")
        names = r"(SSE2|SSE4|SSSE3|AVX2|AVX3\w*|NEON\w*|EMU128|SCALAR|PPC8|PPC9|PPC10|WASM\w*|Z14|Z15)"
        self.assertRegex(text, rf"\nkernels for {names}\n")
        solved = run("solve", "--method", "lp", stdin='{"scores":[1]}')
        self.assertEqual(bool(re.search(r"COIN-OR Clp \d", text)), solved.returncode == 0, "it says whether there is linear programming")

    def test_instruction_sets_can_be_held_back(self):
        if platform.machine() != "x86_64":
            return  # there is one instruction set
        for name, kernels in [("avx2", "AVX2"), ("sse4", "SSE4"), ("scalar", "(SCALAR|EMU128)")]:  # by compiler
            version = run("--version", env={**os.environ, "KIRCHHOFF_SIMD": name}).stdout
            self.assertRegex(version, f"kernels for {kernels}\n")
        wrong = run("tree", "--root", "single", stdin='{"scores":[[0,1],[0,0]]}\n', env={**os.environ, "KIRCHHOFF_SIMD": "avx9"})
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("KIRCHHOFF_SIMD is 'avx9', expected scalar, sse4, avx2 or avx3", wrong.stderr)

    def test_what_follows_a_verb_is_no_other(self):
        self.file("model", '{"scores":[[0,1],[0,0]]}\n')
        done = run("tree", "--root", "single", "model", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class ManPages(Case):
    def test_every_page_is_good_troff(self):
        for verb in ("", *VERBS):
            page = run("man", *([verb] if verb else []))
            self.assertEqual((page.returncode, page.stderr), (0, ""))
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-c"], input=page.stdout, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), verb)
            text = re.sub(".\b", "", done.stdout)
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                self.assertRegex(text, rf"(?m)^{section}$", verb)
            if not verb:
                continue
            help_text = run(verb, "--help").stdout
            for option in re.findall(r"^  (?:-h,)?(--[\w-]+)", help_text, re.M):
                self.assertRegex(text, rf"(?m)^ +(-h, )?{option}\b", f"{verb} {option}")
            example = help_text[help_text.index("Example"):].strip().splitlines()
            for line in example:
                self.assertIn(line, text, "examples can be pasted")

    def test_unknown_verb(self):
        done = run("man", "bogus")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("no command 'bogus'", done.stderr)


class Completions(Case):
    def script(self, shell, name):
        done = run("completions", shell)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return self.file(name, done.stdout)

    def test_bash(self):
        script = self.script("bash", "kirchhoff.bash")
        self.assertEqual(subprocess.run(["bash", "-n", script]).returncode, 0)

        def found(*words):
            done = subprocess.run(["bash", "-c", FIND, "bash", script, *words], capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
            return done.stdout.split()

        self.assertEqual(found("kirchhoff", ""), [*VERBS, "help", "-h", "--help", "--version"])
        self.assertEqual(found("kirchhoff", "tr"), ["tree", "train"])
        self.assertEqual(found("kirchhoff", "tree", "--root", ""), ["single", "multi"])
        self.assertEqual(found("kirchhoff", "tree", "--root", "=", "s"), ["single"])
        self.assertEqual(found("kirchhoff", "tree", "--root", "="), ["single", "multi"])
        self.assertEqual(found("kirchhoff", "solve", "--method", "m"), ["max_product"])
        self.assertEqual(found("kirchhoff", "decode", "--k"), ["--k-best", "--kbest", "--k"])
        self.assertEqual(found("kirchhoff", "model", ""), ["info"])
        self.assertEqual(found("kirchhoff", "completions", ""), ["bash", "zsh", "fish"])
        self.assertEqual(found("kirchhoff", "help", "ren"), ["render"])
        self.assertEqual(found("kirchhoff", "train", "--train", ""), [], "files are left to bash")
        for verb in VERBS:
            options = re.findall(r"^  (?:-h,)?(--\S+)", run(verb, "--help").stdout, re.M)
            names = [name for option in options for name in option.split(",")]
            self.assertLessEqual(set(names), set(found("kirchhoff", verb, "--")), verb)

    def test_zsh(self):
        script = self.script("zsh", "_kirchhoff")
        self.assertEqual(subprocess.run(["zsh", "-n", script]).returncode, 0)
        load = f"autoload -Uz compinit; compinit -u -d {self.folder}/dump; . {script}; print $_comps[kirchhoff]"
        done = subprocess.run(["zsh", "-f", "-c", load], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((done.stdout, done.stderr), ("_kirchhoff\n", ""))

    def test_fish(self):
        script = self.script("fish", "kirchhoff.fish")
        program = pathlib.Path(support.PROGRAM).parent
        env = dict(os.environ, HOME=str(self.folder), PATH=f"{program}:{os.environ['PATH']}")

        def found(line):
            command = ["fish", "--no-config", "-c", f"source {script}; complete -C {line!r}"]
            done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            return [row.split("\t")[0] for row in done.stdout.splitlines()]

        self.assertEqual(sorted(found("kirchhoff tr")), ["train", "tree"])
        self.assertEqual(sorted(found("kirchhoff tree --root ")), ["multi", "single"])
        self.assertIn("--max-iterations", found("kirchhoff solve --max"))
        self.assertEqual(found("kirchhoff completions z"), ["zsh"])
