"""The corpus that all engines parse, and what one process makes of it."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
# Workers of engines import this package's helpers, too.
os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])

import support  # noqa: E402


@pytest.fixture(scope="session")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster")
    os.environ["TMPDIR"] = str(folder / "tmp")  # where a machine's copies of models go
    (folder / "tmp").mkdir()
    sentences = support.trained(folder / "en.model")
    support.write_corpus(folder / "corpus", sentences)
    return folder


@pytest.fixture(scope="session")
def model(corpus):
    return str(corpus / "en.model")


@pytest.fixture(scope="session")
def alone(corpus, model):
    return support.parsed_alone(corpus / "corpus", model)


@pytest.fixture(scope="session")
def sums(corpus, model):
    ask = support.arrow.expectation_sums(model, column="conllu", templates=support.TEMPLATES, names=support.NAMES)
    return ask(support.corpus_table(corpus / "corpus").slice(0, 2000))
