"""The options of Parser.train, as the extension takes them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Iterable, List, Union

from . import conllu
from ._core import Sentence

Treebank = Union[str, os.PathLike, Iterable[Sentence]]

KNOWN = {"unannotated", "entropy_weight", "entropy_order", "constraints", "constraint_features", "constraint_weight",
         "penalty", "teacher", "teacher_weight", "divergence", "confidence", "unannotated_min_count",
         "unannotated_ratio", "unannotated_from", "start", "beta", "gamma", "loss", "features", "order", "parts",
         "projective", "relaxed", "labels", "cost", "step", "lambda_", "epochs", "batch", "rate", "min_count",
         "max_heads", "prune", "seed", "threads", "model", "checkpoint", "resume"}


def sentences_of(treebank: Treebank) -> List[Sentence]:
    if isinstance(treebank, (str, os.PathLike)):
        return list(conllu.read(treebank))
    return list(treebank)


def _lines(text: Union[str, os.PathLike, Iterable[str]]) -> str:
    """The lines of a file, or those that are given."""
    if isinstance(text, (str, os.PathLike)):
        return Path(text).read_text(encoding="utf-8")
    return "\n".join(text)


def training_options(caller: str, given: Dict[str, Any]) -> Dict[str, Any]:
    """Options by name, with sentences, text and models of the extension in the place of files, lines and parsers."""
    options = {name: value for name, value in given.items() if value is not None}
    for name in given:
        if name not in KNOWN:
            raise TypeError(f"{caller} has no option {name!r}; it has {', '.join(sorted(KNOWN))}")
    for name in ("model", "checkpoint"):
        if name in options:
            options[name] = os.fspath(options[name])
    for name in ("beta", "gamma"):
        if name in options:
            options[name] = float(options[name])
    if "unannotated" in options:
        options["unannotated"] = sentences_of(options["unannotated"])
    for name in ("constraints", "constraint_features"):
        if name in options:
            options[name] = _lines(options[name])
    for name in ("teacher", "start"):
        if name in options:
            options[name] = options[name]._model
    return options
