"""The files that the rules read: what git tracks or would track; where git does not tell, all files outside build/."""

import os
import pathlib
import re
import subprocess

CPP = (".hpp", ".cpp", ".cu", ".cuh", ".h")
HEADER = (".hpp", ".cuh", ".h")
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')


class SourceTree:
    """A folder, with the text of each file read at most once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.paths = sorted(path for path in self._listed() if (self.root / path).is_file())
        self._texts = {}

    def _listed(self):
        if (self.root / ".git").exists():
            command = ["git", "-C", str(self.root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
            try:
                return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]
            except (OSError, subprocess.CalledProcessError):
                pass  # no git, or one that does not trust the owner of the folder
        paths = []
        for folder, inner, names in os.walk(self.root):
            inner[:] = [name for name in inner if name not in (".git", "build", "__pycache__")]
            paths += [pathlib.Path(folder, name).relative_to(self.root).as_posix() for name in names]
        return paths

    def text(self, path):
        """The file's text; that of a file that is not UTF-8 is empty."""
        if path not in self._texts:
            try:
                self._texts[path] = (self.root / path).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                self._texts[path] = ""
        return self._texts[path]

    def lines(self, path):
        """The numbered lines of a file."""
        return enumerate(self.text(path).split("\n"), 1)

    def document(self, name):
        """The path of the document with this name, wherever in docs/ it is."""
        return next((path for path in self.paths if path.startswith("docs/") and path.endswith("/" + name)), None)

    def cpp(self):
        """The paths of the C++ and CUDA sources and headers."""
        return [path for path in self.paths if path.endswith(CPP)]

    def is_hash_language(self, path):
        """Tells whether comments in this file begin with a hash sign."""
        name = path.rsplit("/", 1)[-1]
        if name.endswith((".py", ".sh", ".cmake")) or name in ("CMakeLists.txt", "Makefile"):
            return True
        return "." not in name and self.text(path).startswith("#!")

    def code(self):
        """The paths of everything that is program text: C++, Python, shell, CMake, make."""
        return [path for path in self.paths if path.endswith(CPP) or self.is_hash_language(path)]

    def comments(self, path):
        """The (line, comment) pairs of a source, one for each line that has a comment, without its marker."""
        marker = "#" if self.is_hash_language(path) else "//"
        in_block = False
        for number, line in self.lines(path):
            bare = STRING.sub('""', line)
            if marker == "//" and (in_block or bare.lstrip().startswith("/*")):
                in_block = "*/" not in bare
                yield number, bare.strip().removeprefix("/*").removesuffix("*/")
            elif marker in bare:
                yield number, bare.split(marker, 1)[1].lstrip("/")


def line_of(text, position):
    """The number of the line that holds a position of a text."""
    return text.count("\n", 0, position) + 1


def closure(table):
    """The table with what each entry may reach through others; ValueError names a cycle or a name that has no entry."""
    reached = {}

    def visit(name, path):
        if name in path:
            raise ValueError("a cycle: " + " -> ".join([*path[path.index(name):], name]))
        if name not in table:
            raise ValueError(f"'{name}' is named by '{path[-1]}' but has no entry")
        if name not in reached:
            direct = table[name].split()
            reached[name] = set(direct).union(*(visit(other, [*path, name]) for other in direct))
        return reached[name]

    for start in table:
        visit(start, [])
    return reached
