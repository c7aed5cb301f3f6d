"""Shows the examples of docstrings as code: MkDocs would take the prompt `>>>` for a quotation in a quotation."""

import re

import griffe

_EXAMPLE = re.compile(r"^( *)>>> .*(?:\n(?! *\n).+)*", re.M)


class Doctests(griffe.Extension):
    """Puts fences around each run of lines that begins with a prompt."""

    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(
                lambda match: f"{match[1]}```pycon\n{match[0]}\n{match[1]}```", obj.docstring.value)
