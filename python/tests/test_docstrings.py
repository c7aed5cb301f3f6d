"""Every public name says what it is, with an example, and the examples run."""

import doctest
import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest

import kirchhoff

FRAMEWORKS = {"torch": {"torch": "torch", "kt": "kirchhoff.torch"}, "jax": {"jnp": "jax.numpy", "kj": "kirchhoff.jax"},
              "arrow": {"pa": "pyarrow", "parse_batches": "kirchhoff.arrow.parse_batches",
                        "tree_batches": "kirchhoff.arrow.tree_batches",
                        "expectation_sums": "kirchhoff.arrow.expectation_sums",
                        "merge_sums": "kirchhoff.arrow.merge_sums"},
              "spark": {"_": "kirchhoff.spark"}, "ray": {"_": "kirchhoff.ray"}}
#: What a module needs, where it is not called as the module is.
PACKAGES = {"arrow": "pyarrow", "spark": "pyspark"}
#: Those whose examples make test-cluster runs.
ENGINES = {"spark", "ray"}


def modules():
    """The package and its public modules; those for frameworks that are not here are left out."""
    yield kirchhoff
    for found in pkgutil.iter_modules(kirchhoff.__path__):
        if not found.name.startswith("_"):
            if found.name in FRAMEWORKS:
                try:
                    importlib.import_module(PACKAGES.get(found.name, found.name))
                except ImportError:
                    continue
            yield importlib.import_module(f"kirchhoff.{found.name}")


def public_names(module):
    listed = getattr(module, "__all__", ())
    for name, value in vars(module).items():
        own = getattr(value, "__module__", None) == module.__name__ and not name.startswith("_")
        if (own or name in listed) and (inspect.isclass(value) or callable(value)):
            yield name, value


def members(cls):
    """Methods and properties that a class has from this package; fields of tuples are the class's docstring's."""
    for base in cls.__mro__:
        if base.__module__.startswith("kirchhoff"):
            for name, value in vars(base).items():
                if not name.startswith("_") and name not in getattr(cls, "_fields", ()):
                    yield name, getattr(value, "__func__", value)


def everything():
    """(name, object, class that it belongs to or None), each object once."""
    seen = set()
    for module in modules():
        yield module.__name__, module, None
        for name, value in public_names(module):
            if id(value) in seen:
                continue
            seen.add(id(value))
            yield f"{module.__name__}.{name}", value, None
            if inspect.isclass(value):
                for member, what in members(value):
                    yield f"{module.__name__}.{name}.{member}", what, value


EVERYTHING = list(everything())


class Checker(doctest.OutputChecker):
    """-0.0 and 0.0 are the same."""

    def check_output(self, want, got, flags):
        want, got = (re.sub(r"-0\.0(?!\d)", "0.0", text) for text in (want, got))
        return super().check_output(want, got, flags)


def run_example(text, name, names):
    """Runs the examples of a docstring; the names that it defines stay in `names`."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    test.globs = names
    failures = []
    doctest.DocTestRunner(Checker(), verbose=False).run(test, out=failures.append, clear_globs=False)
    assert not failures, "".join(failures)


def names_for(module_name):
    """What examples may take as imported."""
    names = {"np": np, "kirchhoff": kirchhoff}
    for short, module in FRAMEWORKS.get(module_name.split(".")[1] if "." in module_name else "", {}).items():
        try:
            names[short] = importlib.import_module(module)
        except ModuleNotFoundError:
            module, function = module.rsplit(".", 1)
            names[short] = getattr(importlib.import_module(module), function)
    return names


@pytest.mark.parametrize("name, what, owner", EVERYTHING, ids=[e[0] for e in EVERYTHING])
def test_docstring_with_an_example(name, what, owner, tmp_path, monkeypatch):
    text = what.__doc__ or ""
    assert text and not text.startswith("Alias for field"), f"{name} has no docstring"
    assert ">>>" in text or inspect.ismodule(what), f"{name} has no example"
    monkeypatch.chdir(tmp_path)  # for examples that write files
    names = names_for(name)
    if owner is not None:
        run_example(owner.__doc__, owner.__name__, names)
    run_example(text, name, names)


@pytest.mark.parametrize("framework", [name for name in FRAMEWORKS if name not in ENGINES])
def test_framework_is_here(framework):
    """Says that its module was left out above, where it was."""
    pytest.importorskip(PACKAGES.get(framework, framework), reason=f"{framework} is not installed: its examples are left out")


def test_the_walk_finds_things():
    names = {e[0] for e in EVERYTHING}
    assert len(names) == len(EVERYTHING) > 130
    assert {"kirchhoff.TreeDistribution.kl", "kirchhoff.Wfsm.hessian", "kirchhoff.FactorGraph.solve_ad3",
            "kirchhoff.conllu.Sentence.heads", "kirchhoff.Infeasible", "kirchhoff.Parser.train"} <= names
