"""Tests `kirchhoff parse --shard`: the outputs of the parts, one after the other, are that of the whole file."""

import os
import re
from pathlib import Path

from pipelines import model
from support import Case, run
from test_parser import toy_treebank

TEXTS = {
    "paragraphs": "A dog ran. He saw it.\n\nThe cat.\n\n\nIt sleeps here.\nAnd there.\n\n" * 7,
    "indented": "A dog ran.\n\n  It saw.\nThe cat.\n \n\n\u00a0No.\n\n\u3000Yes.\nThe dog.\n\nHe.\n\n\u2028So.\n\nEnd." * 3,
    "windows": "A dog ran.\r\n\r\nThe cat.\r\nIt.\r\n\r\n\r\nHe saw.\r\n\r\nThe man." * 4,
    "one paragraph": "The dog saw the man. " * 30,
    "no end": "He.\n\nIt.\n\nShe",
    "marked": "\ufeffA dog.\n\nA cat.\n\nA man.\n",
    "blank": "\n\n \n\n",
    "empty": "",
}


class Shard(Case):
    def parts(self, count, *arguments):
        found = []
        for i in range(1, count + 1):
            done = run("parse", "--model", model(), "--shard", f"{i}/{count}", *arguments, raw=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            found.append(done.stdout.decode())
        return found

    def whole(self, *arguments):
        done = run("parse", "--model", model(), *arguments, raw=True)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def test_treebanks(self):
        for name, text in [("plain", toy_treebank(3, 23)), ("comments", "# a\n# b = c\n" + toy_treebank(4, 5) * 2),
                           ("blank", "\n\n" + toy_treebank(5, 6).replace("\n\n", "\n\n\n\n")),
                           ("windows", toy_treebank(6, 9).replace("\n", "\r\n")), ("no_end", toy_treebank(7, 4)[:-1])]:
            path = self.file(f"{name}.conllu", text.encode())
            whole = self.whole(path)
            for count in (1, 2, 3, 7, 40):
                self.assertEqual("".join(self.parts(count, path)), whole, (name, count))

    def test_texts(self):
        for name, text in TEXTS.items():
            path = self.file("text.txt", text.encode())
            whole = re.sub(r"^# sent_id = .*\n", "", self.whole("--text", path), flags=re.M)
            for count in (1, 2, 3, 9, 50):
                parts = [re.sub(r"^# sent_id = .*\n", "", part, flags=re.M) for part in self.parts(count, "--text", path)]
                self.assertEqual("".join(parts), whole, (name, count))

    def test_parts_are_of_about_the_same_size(self):
        path = self.file("long.conllu", toy_treebank(8, 200))
        sizes = [len(part) for part in self.parts(4, path)]
        self.assertLess(max(sizes), 1.2 * min(sizes))

    def test_what_cannot_be_cut_is_refused(self):
        path = self.file("a.conllu", toy_treebank(3, 3))
        for text in ("", "1", "0/3", "4/3", "1/0", "-1/2", "1/2/3", "a/b", "1/ 2"):
            done = run("parse", "--model", model(), "--shard", text, path)
            self.assertEqual((done.returncode, done.stdout), (2, ""), text)
            self.assertIn("is not I/N with I from 1 to N", done.stderr)
        for source in ("-", "/dev/null"):
            done = run("parse", "--model", model(), "--shard", "1/2", source)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("only a regular file can be read in shards", done.stderr)
        done = run("parse", "--model", model(), "--shard", "1/2", "none.conllu")
        self.assertEqual(done.returncode, 1)
        for more in (["--samples", "2"], ["--text", "--ranges"]):
            done = run("parse", "--model", model(), "--shard", "1/2", *more, path)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, "excludes --shard|--shard excludes")

    def python(self, line):
        """An environment where python3 is a script of this line."""
        path = Path(self.file("python3", f"#!/bin/sh\n{line}\n"))
        path.chmod(0o755)
        return dict(os.environ, PATH=f"{path.parent}:/usr/bin:/bin")

    def test_tables_are_for_python(self):
        for content in (b"PAR1\x15\x04", b"ARROW1\0\0"):
            path = str(self.file("table", content))
            options = ["--model", "no.model", path, "--out", "parsed.parquet", "--column", "a b"]
            done = run("parse", *options, env=self.python("shift 2; printf '%s\\n' \"$@\""))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.splitlines(), [path, "parse", *options])
            done = run("parse", "--model", "no.model", path, env=self.python("exec /usr/bin/python3 -I -S \"$@\""))
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, "^kirchhoff: .*table: is a table, .* but No module named 'kirchhoff'; install the "
                                          "package there: pip install 'kirchhoff.arrow.'\n$")
            done = run("parse", "--model", "no.model", path, env={"PATH": "/nowhere"})
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("table: is a table, which python3 would read and write: No such file or directory", done.stderr)

    def test_sentences_have_no_out(self):
        done = run("parse", "--model", model(), "--out", "parsed", self.file("x.conllu", toy_treebank(3, 2)))
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--out is for tables, Parquet or Arrow files; sentences go to standard output", done.stderr)
