"""Where kirchhoff.torch computes: the library on the CPU, kernels on the CPU, kernels on a device if there is one."""

from pathlib import Path

import pytest

from kirchhoff import _core, _device_arrays, conllu

try:
    import torch

    HAS_DEVICE = torch.cuda.is_available() and _core.cuda_available()
except ImportError:
    HAS_DEVICE = False
# A package that was built without XLA's header has no kernels for JAX.
collect_ignore = [] if _core.xla_handlers() else ["test_jax_kernels.py"]
KERNELS = ["kernels"] + (["cuda"] if HAS_DEVICE else [])


class Place:
    """A place, and its tensors."""

    def __init__(self, name):
        self.name = name
        self.kernels = name != "library"
        self.device = "cuda" if name == "cuda" else "cpu"

    def scores(self, *shape, seed=0, dtype=None):
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(*shape, dtype=torch.float64, generator=generator)
        return self.put(x.to(dtype or torch.float64)).requires_grad_()

    def put(self, values):
        """A tensor of these values that lies here."""
        return torch.as_tensor(values).to(self.device)

    def get(self, tensor):
        """The values of a tensor that must lie here, as doubles."""
        assert isinstance(tensor, torch.Tensor) and tensor.device.type == self.device
        return tensor.detach().cpu().double().numpy()


def _enter(request, monkeypatch):
    monkeypatch.setattr(_device_arrays, "kernels_on_host", request.param == "kernels")
    return Place(request.param)


@pytest.fixture(params=["library"] + KERNELS)
def place(request, monkeypatch):
    return _enter(request, monkeypatch)


@pytest.fixture(params=KERNELS)
def kernel_place(request, monkeypatch):
    return _enter(request, monkeypatch)


@pytest.fixture(scope="session")
def example_trees():
    """The sentences of the example treebank that are trees."""
    files = sorted((Path(__file__).parents[2] / "examples" / "treebank").glob("*.conllu"))
    if not files:
        pytest.skip("no example treebank beside the package")
    return [s for f in files for s in conllu.read(f) if s.tree_problem(root="single") is None]
