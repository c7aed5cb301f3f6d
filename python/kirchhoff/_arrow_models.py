"""Model files for the workers of a cluster: each process opens a file once, however many tasks it is given."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import stat
import threading
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory, gettempdir
from typing import IO, Any, Callable, Dict, Optional, Tuple, Union

from . import _core
from ._core import ModelError
from .parsing import Parser
from .pipeline import Pipeline

Model = Union[str, "os.PathLike[str]", Parser, Pipeline, "NamedModel"]
_opened: Dict[str, Tuple[tuple, "_core.Pipeline"]] = {}
_lock = threading.Lock()


class NamedModel:
    """A model that a function of batches uses: the name of its file, which travels, or a model of this process."""

    def __init__(self, model: Model):
        self._path = os.path.abspath(os.fspath(model)) if isinstance(model, (str, os.PathLike)) else None
        self._here: Optional["_core.Pipeline"] = None if self._path is not None else _core_of(model)

    def open(self) -> "_core.Pipeline":
        """The model, from this process's memory if it has opened the file before."""
        return self._here if self._here is not None else opened(str(self._path))

    def __getstate__(self) -> Dict[str, Any]:
        if self._path is None:
            raise ValueError("model: this one is in the memory of one process; give the name of its file, which every "
                             "worker opens once")
        return dict(self.__dict__, _here=None)


class SentModel(NamedModel):
    """A model that an engine brings to each machine, where the first process that needs it puts it in a common place.

    `fetch` gives the path of a copy that this process can read. All processes of a machine map the file in the common
    place, whose name is the digest of its content, so that the machine has it in memory once.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"], fetch: Callable[[], str]):
        super().__init__(os.fspath(path))
        self._digest, self._fetch = _digest(str(self._path)), fetch

    def open(self) -> "_core.Pipeline":
        place = common_folder() / f"{self._digest}.model"
        if not place.exists():
            source = self._fetch()
            with NamedTemporaryFile(dir=place.parent, delete=False) as copy:
                try:
                    with _readable(source) as file:
                        shutil.copyfileobj(file, copy)
                except BaseException:
                    os.unlink(copy.name)
                    raise
            if _digest(copy.name) != self._digest:
                os.unlink(copy.name)
                raise ModelError(f"{source}: is not the model that was sent to the machine {socket.gethostname()}")
            os.replace(copy.name, place)
        return opened(str(place))


def common_folder() -> Path:
    """A folder that all processes of this user on a machine share, and nobody else can write to."""
    folder = Path(gettempdir()) / f"kirchhoff-models-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o022 or not stat.S_ISDIR(status.st_mode):
        raise ModelError(f"{folder}: belongs to somebody else; remove it, or set TMPDIR to another folder")
    return folder


def _digest(path: str) -> str:
    found = hashlib.blake2b(digest_size=16)
    with _readable(path) as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def _readable(path: str) -> IO[bytes]:
    try:
        return open(path, "rb")
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: str, error: OSError) -> ModelError:
    return ModelError(f"{path}: cannot be read on the machine {socket.gethostname()}: {error.strerror}; the model file "
                      "must be at this place on every machine of the cluster")


def opened(path: str) -> "_core.Pipeline":
    """The model of a file, which is read again when it was replaced."""
    with _lock:
        try:
            status = os.stat(path)
        except OSError as error:
            raise _unreadable(path, error) from None
        key = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
        if path not in _opened or _opened[path][0] != key:
            _opened[path] = (key, _core.Pipeline.open(path, "mapped"))  # one copy in the memory of a machine
        return _opened[path][1]


def _core_of(model: Any) -> "_core.Pipeline":
    """The extension's model; a parser that was just trained goes through a file."""
    if not isinstance(model, (Parser, Pipeline)):
        raise TypeError(f"model: expected the name of a file, a Parser or a Pipeline, not {type(model).__name__}")
    if model._pipeline is not None:
        return model._pipeline
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return _core.Pipeline.open(str(path))
