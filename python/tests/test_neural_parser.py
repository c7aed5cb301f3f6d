"""The neural parser of the examples learns, repeats itself, and draws what it says."""

import json
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from test_examples import EXAMPLES, output_of

torch = pytest.importorskip("torch", reason="torch is not installed: its example is left out")
import kirchhoff  # noqa: E402

sys.path.insert(0, str(EXAMPLES))
from neural_parser.network import Size  # noqa: E402
from neural_parser.parser import NeuralParser, batches  # noqa: E402
from neural_parser.training import Schedule, rate_at  # noqa: E402
from neural_parser.vocabulary import LETTERS, ROOT, Vocabulary  # noqa: E402

TREEBANK = EXAMPLES.parent / "treebank"
COLUMNS = ["upos", "xpos"]
SMALL = Size(word=8, tag=8, letter=8, lstm=16, layers=2, arc=16, label=8)


def figures_of(folder, *args):
    output_of("biaffine.py", "--device", "cpu", "--json", str(folder / "figures.json"), *args)
    return json.loads((folder / "figures.json").read_text())


def losses(figures):
    return [epoch["loss"] for epoch in figures["epochs"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("neural_parser")


@pytest.fixture(scope="module")
def trained(folder):
    """The model and the picture of four epochs are in the folder."""
    return figures_of(folder, "--epochs", "4", "--model", str(folder / "m.pt"), "--picture", str(folder / "p.svg"))


@pytest.fixture(scope="module")
def sentences():
    return list(kirchhoff.conllu.read(TREEBANK / "dev.conllu"))


@pytest.fixture
def parser(sentences):
    """An untrained parser whose scores are not all zero, as they are at the start."""
    torch.manual_seed(0)
    parser = NeuralParser(Vocabulary.of(sentences, COLUMNS), SMALL, "cpu")
    for weights in parser.network.parameters():
        torch.nn.init.normal_(weights, std=0.3)
    return parser


def test_it_learns(folder, trained):
    assert len(losses(trained)) == 4
    assert losses(trained)[-1] < 0.5 * losses(trained)[0]
    untrained = figures_of(folder, "--epochs", "0")
    for part in ("dev", "test"):
        assert untrained[part]["uas"] < 30.0 and trained[part]["uas"] > 60.0
        assert untrained[part]["las"] < 10.0 and trained[part]["las"] > 50.0
    assert min(trained["words_per_second"].values()) > 0.0


def test_a_seed_gives_the_same_numbers_again(folder):
    first, again, other = (figures_of(folder, "--epochs", "2", "--seed", seed) for seed in "001")
    assert losses(first) == losses(again) != losses(other)
    assert (first["dev"], first["test"]) == (again["dev"], again["test"])


def test_a_saved_model_parses_alike(folder, trained):
    loaded = figures_of(folder, "--load", str(folder / "m.pt"))
    assert (loaded["dev"], loaded["test"]) == (trained["dev"], trained["test"])
    assert loaded["epochs"] == [] and "training" not in loaded["words_per_second"]


def test_training_stops_when_dev_gets_no_better(folder):
    stopped = figures_of(folder, "--epochs", "9", "--rate", "0", "--patience", "2")
    assert len(stopped["epochs"]) == 3


def test_the_picture_shows_entropies_and_samples(folder, trained):
    svg = ElementTree.fromstring((folder / "p.svg").read_text())
    titles = "\n".join(text.text for text in svg.iter() if text.get("class") == "t")
    drawn = re.findall(r"entropy ([\d.]+) nats.* p = ([\d.]+)\n((?:.*samples.*\n?)+)", titles)
    entropies = [float(entropy) for entropy, *_ in drawn]
    assert len(drawn) == 3 and entropies == sorted(entropies) and entropies[0] < entropies[2]
    for _, parse, sampled in drawn:
        samples = [tuple(map(float, s)) for s in re.findall(r"(\d+) of (\d+) samples, p = ([\d.]+)", sampled)]
        assert 1 <= len(samples) <= 3 and samples == sorted(samples, key=lambda s: -s[0])
        times, of, _ = samples[0]  # it came as often as the parse, at least
        assert times / of >= float(parse) - 5.0 * np.sqrt(float(parse) / of)
        for times, of, p in samples:  # a frequent tree is a probable one
            assert times / of <= p + 5.0 * np.sqrt((p + 0.01) / of)


def test_a_batch_does_not_change_a_sentence(parser, sentences):
    mixed = [sentences[0], max(sentences, key=len), min(sentences, key=len)]
    [(part, together)] = parser.distributions(mixed)
    assert len(set(together.lengths)) == 3
    for k, i in enumerate(part):
        [(_, alone)] = parser.distributions([mixed[i]])
        nodes = len(mixed[i]) + 1
        np.testing.assert_allclose(together.marginals()[k, :nodes, :nodes], alone.marginals()[0], atol=1e-6)


def right_arcs(p, heads, labels):
    """The number of right arcs and relations that p expects of trees (..., n+1) of its only sentence."""
    return p.marginals()[0][heads[..., 1:], np.arange(1, heads.shape[-1]), labels[..., 1:]].sum(-1)


def test_a_parse_has_the_most_right_arcs_and_keeps_the_rest(parser, sentences):
    before = kirchhoff.conllu.dumps(sentences)
    for sentence, parsed in zip(sentences[:9], parser.parse(sentences)):
        [(_, p)] = parser.distributions([sentence])
        labels = np.array([-1] + [parser.vocabulary.relations.index(x) for x in parsed.column("deprel")])
        others = right_arcs(p, *p.sample((1, 200))[:2])
        assert others.min() < others.max() <= right_arcs(p, parsed.heads, labels) + 1e-5
        assert parsed.tree_problem(root="single") is None
        assert [parsed.column(c) for c in ("form", "feats")] == [sentence.column(c) for c in ("form", "feats")]
    assert kirchhoff.conllu.dumps(sentences) == before


def test_what_training_has_not_seen_is_number_0(sentences):
    vocabulary = Vocabulary.of(sentences, COLUMNS)
    unknown = kirchhoff.conllu.Sentence(["the", "\u4f60" + "x" * LETTERS, "\u4f60"])
    rows = vocabulary.inputs(unknown)
    assert rows.shape == (4, 1 + len(COLUMNS) + LETTERS)
    assert rows[0].tolist() == [ROOT] * 3 + [0] * LETTERS
    assert rows[1, 0] >= 2 and rows[2:, 0].tolist() == [0, 0] and rows[1:, 1:3].count_nonzero() == 0
    assert (rows[2, 3:] >= 2).all() and rows[3, 3:].count_nonzero() == 0  # the last letters of a long word are read


def test_batches_have_all_sentences_once_and_few_words():
    torch.manual_seed(1)
    lengths = np.random.default_rng(1).integers(1, 60, size=500).tolist() + [300]
    for noise in (0.0, 3.0):
        found = batches(lengths, 200, noise)
        assert sorted(sum(found, [])) == list(range(501))
        assert all(len(part) * max(lengths[i] for i in part) <= 200 for part in found if len(part) > 1)
        assert all(max(lengths[i] for i in part) - min(lengths[i] for i in part) <= 12 for part in found)
    assert len(found) < 1.3 * sum(lengths) / 200


def test_the_rate_rises_and_falls():
    schedule = Schedule(epochs=5, rate=2.0)
    assert [rate_at(done, schedule) for done in (0.0, 0.5, 1.0, 3.0, 5.0)] == [0.0, 1.0, 2.0, 1.0, 0.0]
    assert rate_at(0.5, Schedule(epochs=1, rate=2.0)) == 1.0
