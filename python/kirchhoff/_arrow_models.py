"""Model files for the workers of a cluster: each process opens a file once, however many tasks it is given."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, Tuple, Union

from . import _core
from ._core import ModelError
from .parsing import Parser
from .pipeline import Pipeline

Model = Union[str, "os.PathLike[str]", Parser, Pipeline]
_opened: Dict[str, Tuple[tuple, "_core.Pipeline"]] = {}
_lock = threading.Lock()


class NamedModel:
    """A model that a function of batches uses: the name of its file, which travels, or a model of this process."""

    def __init__(self, model: Model):
        self._path = os.path.abspath(os.fspath(model)) if isinstance(model, (str, os.PathLike)) else None
        self._here = None if self._path is not None else _core_of(model)

    def open(self) -> "_core.Pipeline":
        """The model, from this process's memory if it has opened the file before."""
        return self._here if self._path is None else opened(self._path)

    def __getstate__(self) -> Dict[str, Any]:
        if self._path is None:
            raise ValueError("model: this one is in the memory of one process; give the name of its file, which every "
                             "worker opens once")
        return {"_path": self._path, "_here": None}


def opened(path: str) -> "_core.Pipeline":
    """The model of a file, which is read again when it was replaced."""
    with _lock:
        try:
            status = os.stat(path)
        except OSError as error:
            raise ModelError(f"{path}: cannot be read on the machine {socket.gethostname()}: {error.strerror}; the model "
                             "file must be at this place on every machine of the cluster") from None
        key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if path not in _opened or _opened[path][0] != key:
            _opened[path] = (key, _core.Pipeline.open(path))
        return _opened[path][1]


def _core_of(model: Model) -> "_core.Pipeline":
    """The extension's model; a parser that was just trained goes through a file."""
    if not isinstance(model, (Parser, Pipeline)):
        raise TypeError(f"model: expected the name of a file, a Parser or a Pipeline, not {type(model).__name__}")
    if model._pipeline is not None:
        return model._pipeline
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return _core.Pipeline.open(str(path))
