"""What kernels need of the libraries whose arrays lie on a CUDA device: new arrays, streams, copies, and their memory.

Arrays are handed over as DLPack's capsules, so this package is built against none of these libraries. Where kernels run
on the host, PyTorch's CPU tensors and NumPy's arrays take their place; so they are tested without a device.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import Any, ContextManager, Optional

import numpy as np

from . import _core

#: Makes kernels answer about PyTorch's CPU tensors too, for tests: they are right on the host, not fast.
kernels_on_host = False


class TorchArrays:
    """Makes tensors where another tensor lies."""

    def __init__(self, like):
        self.torch = sys.modules["torch"]
        self.device = like.device
        self.executor = "device" if like.is_cuda else "host"

    def current(self) -> ContextManager:
        """Makes the arrays' device the current one."""
        return self.torch.cuda.device(self.device) if self.executor == "device" else contextlib.nullcontext()

    def stream(self) -> int:
        """Returns the stream that work on the arrays is waiting in."""
        return self.torch.cuda.current_stream(self.device).cuda_stream if self.executor == "device" else 0

    def empty(self, shape, dtype: str):
        return self.torch.empty(shape, dtype=getattr(self.torch, dtype), device=self.device)

    def filled(self, shape, value: int):
        return self.torch.full(shape, value, dtype=self.torch.int64, device=self.device)

    def capsule(self, array):
        return self.torch.utils.dlpack.to_dlpack(array)

    def readable(self, array, name: str):
        """Returns the array in a precision that kernels read: float64 and float32 as they are, others converted."""
        torch = self.torch
        if array.is_complex() or array.dtype == torch.bool:
            raise ValueError(f"{name}: dtype {array.dtype} is not a real number type")
        if array.dtype not in (torch.float64, torch.float32):
            array = array.to(torch.float32 if array.is_floating_point() else torch.float64)
        return array.detach().to(self.device)

    def cast(self, array, dtype: str):
        return array.to(getattr(self.torch, dtype))

    def host(self, array) -> Any:
        """Returns the values as NumPy's array; what is none of the library's arrays comes back as it is."""
        return array.detach().cpu().numpy() if isinstance(array, self.torch.Tensor) else array

    def send(self, array):
        """Returns the values of an array on the host, or of the library itself."""
        return self.torch.as_tensor(array, device=self.device)

    def where(self, condition, value, otherwise: float):
        return value.masked_fill(~condition, otherwise)

    def broadcast(self, array, shape):
        return array.expand(shape)

    def joined(self, arrays):
        return self.torch.cat(arrays)


class NumpyArrays:
    """The same for arrays that have NumPy's functions: CuPy's, and NumPy's own in the place of a device's."""

    def __init__(self, like):
        self.numpy = sys.modules[type(like).__module__.partition(".")[0]]
        self.executor = "host" if self.numpy is np else "device"
        self.device = None if self.numpy is np else like.device

    def current(self) -> ContextManager:
        return contextlib.nullcontext() if self.device is None else self.device

    def stream(self) -> int:
        return 0 if self.device is None else self.numpy.cuda.get_current_stream().ptr

    def empty(self, shape, dtype: str):
        with self.current():
            return self.numpy.empty(shape, dtype)

    def filled(self, shape, value: int):
        with self.current():
            return self.numpy.full(shape, value, "int64")

    def capsule(self, array):
        return array if self.device is None else array.__dlpack__(stream=-1)

    def readable(self, array, name: str):
        if array.dtype.kind not in "fiu":
            raise ValueError(f"{name}: dtype {array.dtype} is not a real number type")
        if array.dtype.name not in ("float64", "float32"):
            array = array.astype("float32" if array.dtype.kind == "f" and array.dtype.itemsize == 2 else "float64")
        return self.send(array)

    def cast(self, array, dtype: str):
        return array.astype(dtype)

    def host(self, array) -> Any:
        return self.numpy.asnumpy(array) if self.device is not None else array

    def send(self, array):
        with self.current():
            return self.numpy.asarray(array)

    def where(self, condition, value, otherwise: float):
        return self.numpy.where(condition, value, otherwise)

    def broadcast(self, array, shape):
        return self.numpy.broadcast_to(array, shape)

    def joined(self, arrays):
        return self.numpy.concatenate(arrays)


def on_device(array) -> bool:
    """Says whether kernels shall answer: the array is PyTorch's or CuPy's, on a CUDA device.

    JAX's arrays cannot be written to; those are for kirchhoff.jax.
    """
    library = type(array).__module__.partition(".")[0]
    return library == "cupy" or (library == "torch" and (array.is_cuda or kernels_on_host))


@functools.lru_cache(maxsize=None)
def kernels_on_device() -> bool:
    return _core.cuda_available()


def library_of(array) -> Any:
    """Returns what makes arrays like this one; RuntimeError says why there are no kernels for it."""
    torch = sys.modules.get("torch")
    library: Any = TorchArrays(array) if torch is not None and isinstance(array, torch.Tensor) else NumpyArrays(array)
    if library.executor == "device" and not kernels_on_device():
        raise RuntimeError(_core.cuda_description())
    return library
