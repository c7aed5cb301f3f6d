"""Tensors as the functions of kirchhoff.torch take and return them: their device, dtype, and what is no number."""

from __future__ import annotations

import torch

from . import _device_arrays
from ._device_distribution import DeviceTreeDistribution
from ._torch_functions import Scored
from .distribution import TreeDistribution
from .projective import ProjectiveTreeDistribution


def stays(values: torch.Tensor) -> bool:
    """Says whether the work is done on the tensor's own device."""
    return _device_arrays.on_device(values) and (not values.is_cuda or _device_arrays.kernels_on_device())


def doubles(values: torch.Tensor, name: str) -> torch.Tensor:
    """Returns real numbers as doubles on the CPU; gradients flow back to the caller's."""
    if values.is_complex() or values.dtype == torch.bool:
        raise ValueError(f"{name}: dtype {values.dtype} is not a real number type")
    return values.to("cpu", torch.float64)


def numbers(values: torch.Tensor, name: str = "scores", host: bool = False) -> torch.Tensor:
    """Returns the tensor as the functions take it, on the CPU if `host`; gradients flow back to the caller's."""
    if host or values.is_complex() or values.dtype == torch.bool or not stays(values):
        return doubles(values, name)
    if values.dtype in (torch.float64, torch.float32):
        return values
    return values.to(torch.float32 if values.is_floating_point() else torch.float64)


def like(result: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    """Returns a result with the device and the dtype of the scores."""
    dtype = scores.dtype if scores.is_floating_point() else torch.get_default_dtype()
    return result.to(scores.device, dtype)


def integers(values, scores: torch.Tensor, most: torch.Tensor, used: torch.Tensor, name: str) -> torch.Tensor:
    """Returns what is said about each word, (..., n+1), in 0..most for the words that are used."""
    values = torch.as_tensor(values).to(scores.device)
    if values.is_floating_point() or values.is_complex() or values.dtype == torch.bool:
        raise ValueError(f"{name}: dtype {values.dtype} is not an integer type")
    values = values.long()
    if (((values < 0) | (values > most)) & used).any():
        raise ValueError(f"{name}: some word's is negative, or larger than {int(most.max())}")
    return values


def distribution_of(scores: torch.Tensor, root: str, lengths, labelled: bool, threads: int = 0,
                    single: bool = False, projective: bool = False) -> TreeDistribution:
    """Returns what answers about prepared scores; `single`: arrays of arcs have their precision on a device."""
    if not projective and stays(scores):
        dtype = "float32" if single and scores.dtype == torch.float32 else "float64"
        return DeviceTreeDistribution.unsolved(scores, root=root, lengths=lengths, labelled=labelled, threads=threads,
                                               dtype=dtype)
    if lengths is not None:
        lengths = torch.as_tensor(lengths).cpu().numpy()
    kind = ProjectiveTreeDistribution if projective else TreeDistribution
    return kind(scores.detach().numpy(), root=root, lengths=lengths, labelled=labelled, threads=threads)


def graphs(scores: torch.Tensor, root: str, lengths, labelled: bool, projective: bool, single: bool = False,
           name: str = "scores") -> Scored:
    """Returns a graph or a batch of them as the verbs take it."""
    def make(x):
        return distribution_of(x, root, lengths, labelled, single=single, projective=projective)

    return Scored((numbers(scores, name, projective),), make, scores, (3 if labelled else 2,))
