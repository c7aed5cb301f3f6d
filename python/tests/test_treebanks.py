"""Sentences, scores and pictures."""

import pathlib
import pickle
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import kirchhoff
from kirchhoff import conllu

TREEBANK = pathlib.Path(__file__).parents[2] / "examples" / "treebank"
FRENCH = ("# sent_id = fr-1\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\t_\t_\t3\tcase\t_\t_\n"
          "2\tle\tle\tDET\t_\t_\t3\tdet\t_\t_\n3\tpain\tpain\tNOUN\t_\tGender=Masc\t0\troot\t_\tArcProb=0.25\n"
          "3.1\tvide\t_\t_\t_\t_\t_\t_\t_\t_\n\n")


@pytest.fixture
def sentence():
    return conllu.loads(FRENCH)[0]


def test_columns(sentence):
    assert len(sentence) == 3 and sentence.column("form") == ["de", "le", "pain"]
    np.testing.assert_array_equal(sentence.heads, [-1, 3, 3, 0])
    assert sentence.get(3, "feats") == "Gender=Masc" and sentence.comment("sent_id") == "fr-1"
    assert sentence.comments == ["# sent_id = fr-1"] and sentence.comment("text") is None
    assert sentence.multiword_tokens[0][:2] == (1, 2) and sentence.multiword_tokens[0][2][1] == "du"
    assert sentence.empty_nodes[0][:2] == (3, 1)
    assert sentence.tree_problem(root="single") is None
    assert str(sentence) == FRENCH and sentence.line == 1
    assert sentence.converted("conllx").format == "conllx"


def test_changes(sentence):
    sentence.heads = np.array([-1, 0, 1, 1])
    sentence.set_column("upos", ["X", "Y", "Z"])
    sentence.set(2, "lemma", "la")
    sentence.set_comment("text", "du pain")
    again = conllu.loads(str(sentence))[0]
    assert again.heads.tolist() == [-1, 0, 1, 1] and again.column("upos") == ["X", "Y", "Z"]
    assert again.get(2, "lemma") == "la" and again.comment("text") == "du pain"
    sentence.heads = [-1, 2, 1, 0]
    assert "cycle" in sentence.tree_problem(root="single")
    before = str(sentence)
    for bad in [lambda: sentence.set(1, "id", "2"), lambda: sentence.set(0, "form", "x"),
                lambda: sentence.set(4, "form", "x"), lambda: sentence.set(1, "form", "a\tb"),
                lambda: sentence.get(1, "colour"), lambda: sentence.set_column("upos", ["X"]),
                lambda: sentence.set_column("upos", ["X", "Y", ""]), lambda: sentence.tree_problem(root="x"),
                lambda: setattr(sentence, "heads", [-1, 0]), lambda: sentence.converted("json"),
                lambda: conllu.loads("", format="x")]:
        with pytest.raises(ValueError):
            bad()
    assert str(sentence) == before


def test_files_give_back_their_bytes(tmp_path):
    source = TREEBANK / "dev.conllu"
    sentences = list(conllu.read(source))
    conllu.write(tmp_path / "copy.conllu", sentences)
    assert (tmp_path / "copy.conllu").read_bytes() == source.read_bytes()
    assert str(pickle.loads(pickle.dumps(sentences[0]))) == str(sentences[0])
    with pytest.raises(FileNotFoundError):
        conllu.read(tmp_path / "none.conllu")
    assert conllu.loads("") == []


def test_errors_name_the_place():
    bad = FRENCH + "1\ta\t_\t_\t_\t_\tx\t_\t_\t_\n\n" + FRENCH
    bad_file = conllu.sentences_in_text(bad, "f.conllu", "conllu")
    assert len(next(bad_file)) == 3
    with pytest.raises(conllu.ParseError, match=r"f\.conllu:8:"):
        next(bad_file)
    assert len(next(bad_file)) == 3
    with pytest.raises(ValueError):
        conllu.loads(bad)


def test_evaluation():
    gold = list(conllu.read(TREEBANK / "dev.conllu"))
    same = kirchhoff.evaluate(gold, gold, root="single")
    assert same["las"].f1 == 1.0 and same["valid_tree"].f1 == 1.0
    system, wrong, words = [], 0, 0
    for s in conllu.loads(conllu.dumps(gold)):
        heads = s.heads
        if len(s) > 1:
            leaf = next(d for d in range(1, len(s) + 1) if d not in heads)
            other = next(h for h in range(1, len(s) + 1) if h not in (leaf, heads[leaf]) or len(s) == 2)
            wrong += other != heads[leaf]
            heads[leaf] = other
        s.heads = heads
        words += len(s)
        system.append(s)
    result = kirchhoff.evaluate(gold, system, root="single")
    assert result["uas"] == (words, words, words - wrong)
    assert result["uas"].recall == pytest.approx(1 - wrong / words)
    interval = result.intervals(samples=200, seed=1)["uas"]
    assert interval.low < result["uas"].f1 < interval.high
    comparison = result.compare(same, samples=200, seed=1)["uas"]
    assert comparison.difference == pytest.approx(wrong / words) and comparison.p_value < 0.05
    parts = kirchhoff.slices(gold, system, by="deprel")
    assert sum(s.gold for s in parts) == words and sum(s.right_heads for s in parts) == words - wrong
    assert "uas" in repr(result) and "<table>" in result._repr_html_()
    with pytest.raises(ValueError, match="by"):
        kirchhoff.slices(gold, system, by="colour")
    with pytest.raises(ValueError):
        kirchhoff.evaluate(gold, system[1:], root="single")


def test_pictures(sentence, tmp_path):
    p = kirchhoff.TreeDistribution(np.random.default_rng(0).normal(size=(2, 4, 4)), root="single", lengths=[3, 2])
    picture = kirchhoff.render(p, words=[["a", "<b>", "c"], ["d", "e"]])
    root = xml.fromstring(picture._repr_svg_())
    assert root.tag.endswith("svg") and "&lt;b&gt;" in picture.html and "entropy" in str(picture)
    labels = [t.text for t in root.iter() if t.get("class") == "p"]
    probabilities = p.marginals()
    shown = ((probabilities >= 0.05) & (probabilities > 0)).sum()
    assert len(labels) >= shown  # and the likeliest of each word
    one = kirchhoff.render(kirchhoff.TreeDistribution(np.zeros((3, 3, 2)) + 700.0, root="multi", labelled=True))
    assert f"log Z {1400 + np.log(3 * 4):.3f}" in one.text  # three trees, four labellings each
    tree = kirchhoff.render(sentence)
    assert "root 0.25" in tree.svg and xml.fromstring(sentence._repr_svg_()) is not None
    assert len(kirchhoff.render([sentence, sentence]).svg) > len(tree.svg)
    for name in ("t.svg", "t.html", "t.txt"):
        tree.save(tmp_path / name)
        assert (tmp_path / name).read_text(encoding="utf-8")
    sentence.set(3, "misc", "ArcProb=2")
    for bad in [lambda: kirchhoff.render(sentence), lambda: kirchhoff.render(p, words=[["a"], ["b"]]),
                lambda: kirchhoff.render(p, words=[["a", "b", "c"]]), lambda: tree.save(tmp_path / "t.png"),
                lambda: kirchhoff.render([sentence], words=["a"])]:
        with pytest.raises(ValueError):
            bad()
    sentence.heads = [-1, -1, 0, 1]
    with pytest.raises(ValueError, match="head"):
        kirchhoff.render(sentence)
