"""From raw text to trees through Python: all parts, some of them, and what is said about those that are missing."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import kirchhoff
from kirchhoff import conllu

TREEBANK = Path(__file__).parents[2] / "examples" / "treebank"
TEXT = "She saw the man. He waved.\n\nThey  met\tat home; it's \U0001F600 late.\r\n"


@pytest.fixture(scope="module")
def treebank():
    files = [TREEBANK / "train.conllu", TREEBANK / "dev.conllu"]
    if not all(f.exists() for f in files):
        pytest.skip("no example treebank beside the package")
    return [list(conllu.read(f)) for f in files]


@pytest.fixture(scope="module")
def pipeline(treebank):
    stages, epochs = [], []
    result = kirchhoff.Pipeline.train(
        *treebank, root="single", epochs=2, folds=2,
        progress=lambda stage, done, count: stages.append((stage, done <= count)), epoch=lambda *r: epochs.append(r))
    assert [e[0] for e in epochs] == [1, 2]
    assert {"tokenizer", "tagger", "tags 1", "tags 2", "epoch 1"} <= {s for s, _ in stages} and all(ok for _, ok in stages)
    return result


def columns(sentence):
    return {name: sentence.column(name) for name in ("form", "lemma", "upos", "xpos", "feats", "deprel")}


def test_everything(pipeline):
    assert pipeline.parts == ["tokenizer", "tagger", "lemmatizer", "parser"]
    sentences = pipeline(TEXT)
    assert [s.comment("text") for s in sentences[:2]] == ["She saw the man.", "He waved."]
    first = sentences[0]
    assert first.column("upos") == ["PRON", "VERB", "DET", "NOUN", "PUNCT"]
    assert first.column("lemma")[1] == "see" and first.heads.tolist() == [-1, 2, 0, 4, 2, 2]
    # The parts one by one come to the same.
    words = pipeline.tokenize(TEXT)
    tagged = pipeline.tag(words, threads=2)
    parsed = pipeline.parser.parse([t.sentence for t in tagged])
    assert [columns(p.sentence) for p in parsed] == [columns(s) for s in sentences]
    assert [p.heads.tolist() for p in parsed] == [s.heads.tolist() for s in sentences]
    assert [str(s) for s in pipeline(TEXT, threads=1)] == [str(s) for s in sentences]
    assert pipeline("") == [] and pipeline(" \n\t") == []


def test_the_text_comes_back(pipeline):
    for text in (TEXT, "  x", "\u00a0\u202b\u05e9\u05dc\u05d5\u05dd\u202c |\\s\\ a_\n\n\n#", "a\x00b\x1b[0m.\u2028c " * 500):
        sentences = pipeline.tokenize(text, ranges=True)
        assert kirchhoff.plain_text(sentences) == text
        for s in sentences:
            assert not set("".join(s.column("upos") + s.column("lemma"))) - {"_"}
            for first, last, form, misc in tokens(s):
                begin, end = map(int, misc.split("TokenRange=")[1].split("|")[0].split(":"))
                assert text[begin:end] == form


def tokens(s):
    """(first, last, form, MISC) of the tokens of a sentence without multiword tokens, which the treebank lacks."""
    return [(i, i, form, misc) for i, (form, misc) in enumerate(zip(s.column("form"), s.column("misc")), 1)]


def test_probabilities(pipeline, treebank):
    sentences = treebank[1][:20]
    for s, t in zip(sentences, pipeline.tag(sentences, probabilities=True, threads=2)):
        p = pipeline.upos_distribution(s)
        assert t.entropy == pytest.approx(p.entropy(), abs=1e-9)
        best = p.argmax().tags
        assert [pipeline.upos[tag] for tag in best] == t.sentence.column("upos")
        marginals = p.marginals().emissions[np.arange(len(s)), best]
        np.testing.assert_allclose(t.upos_probabilities, marginals, atol=1e-12)
        assert ((t.feats_probabilities > 0) & (t.feats_probabilities <= 1)).all()
        assert t.sentence.heads.tolist() == s.heads.tolist() and t.sentence.column("misc") == s.column("misc")
    plain = pipeline.tag(sentences[0])
    assert plain.upos_probabilities.size == plain.feats_probabilities.size == 0 and np.isnan(plain.entropy)
    assert pipeline.tag([]) == []


def test_given_tags_stay(pipeline):
    s = conllu.Sentence(["She", "saw", "it", "."])
    s.set_column("upos", ["_", "NOUN", "_", "SYM-BOL"])  # the last one is not known
    kept = pipeline.tag(s, keep=True, probabilities=True)
    assert kept.sentence.column("upos")[1] == "NOUN" and kept.upos_probabilities[1] == pytest.approx(1.0)
    assert pipeline.tag(s).sentence.column("upos")[1] == "VERB"
    assert s.column("upos")[1] == "NOUN" and s.column("lemma")[1] == "_", "what is given is not changed"


def test_k_best_tags_are_those_of_the_distribution(pipeline):
    s = conllu.Sentence(["She", "saw", "it", "."])
    found = pipeline.k_best_tags(s, 5, probabilities=True)
    expected = pipeline.upos_distribution(s).k_best(5)
    assert [t.sentence.column("upos") for t in found] == [[pipeline.upos[tag] for tag in tags] for tags in expected.tags]
    np.testing.assert_allclose([t.log_prob for t in found], expected.log_prob, atol=1e-9)
    assert str(found[0].sentence) == str(pipeline.tag(s).sentence) and found[0].upos_probabilities.shape == (4,)
    with pytest.raises(ValueError, match="k: must be at least 1"):
        pipeline.k_best_tags(s, 0)


def test_lexicons_and_clusters(pipeline, treebank, tmp_path):
    s = conllu.Sentence(["She", "Blorp", "it", "."])
    (tmp_path / "words.tsv").write_text("blorp\tblorpen\tVERB\t_\tTense=Zork\nit\tit\tNEVER_SEEN\n")
    for readings in (tmp_path / "words.tsv", [("blorp", "blorpen", "VERB", "_", "Tense=Zork")]):
        tagged = pipeline.tag(s, lexicon=kirchhoff.KnownWords(readings)).sentence
        assert [tagged.column(name)[1] for name in ("lemma", "upos", "feats")] == ["blorpen", "VERB", "Tense=Zork"]
        assert pipeline.k_best_tags(s, 3, lexicon=kirchhoff.KnownWords(readings))[2].sentence.column("upos")[1] == "VERB"
    verbs = {form for t in treebank[1] for form, upos in zip(t.column("form"), t.column("upos")) if upos == "VERB"}
    clusters = [("0010", word) for word in sorted(verbs | {"blorp"})]
    (tmp_path / "paths.tsv").write_text("".join(f"{path}\t{word}\n" for path, word in clusters))
    reading = ("blorp", "blorpen", "VERB", "VBD", "Mood=Ind|Tense=Past|VerbForm=Fin")
    (tmp_path / "words.tsv").write_text("\t".join(reading) + "\n")
    options = dict(root="single", parser=False, tokenizer=False, tagger_epochs=8)
    found = []
    for known in ({}, dict(lexicon=tmp_path / "words.tsv"), dict(lexicon=[reading]), dict(clusters=tmp_path / "paths.tsv"),
                  dict(clusters=clusters)):
        learnt = kirchhoff.Pipeline.train(treebank[1], **options, **known)
        found.append(learnt.tag(conllu.Sentence(["She", "blorp", "it", "."]), probabilities=True))
    assert [t.sentence.column("lemma")[1] == "blorpen" for t in found] == [False, True, True, False, False]
    probabilities = [t.upos_probabilities[1] for t in found]
    assert probabilities[1] == probabilities[2] and probabilities[3] == probabilities[4] and len(set(probabilities)) == 3
    (tmp_path / "words.tsv").write_text("blorp\n")
    with pytest.raises(kirchhoff.ParseError, match="words.tsv:1"):
        kirchhoff.KnownWords(tmp_path / "words.tsv")
    for bad in (["cat"], [("cats", "cat")], [("cats", "cat", "NOUN", "_", "_", "_")]):
        with pytest.raises(ValueError, match=r"is not \(form, lemma, upos\)"):
            kirchhoff.KnownWords(bad)


def test_files_and_copies(pipeline, tmp_path):
    pipeline.save(tmp_path / "en.model")
    expected = [str(s) for s in pipeline(TEXT)]
    for copy in (kirchhoff.Pipeline(tmp_path / "en.model"), kirchhoff.Pipeline.open(str(tmp_path / "en.model")),
                 pickle.loads(pickle.dumps(pipeline))):
        assert [str(s) for s in copy(TEXT)] == expected and copy.card == pipeline.card
    for parser in (kirchhoff.Parser(tmp_path / "en.model"), kirchhoff.Parser.load(str(tmp_path / "en.model")),
                   pipeline.parser, pickle.loads(pickle.dumps(pipeline.parser))):
        assert [str(s) for s in parser(TEXT)] == expected
    pipeline.parser.save(tmp_path / "again.model")
    assert (tmp_path / "again.model").read_bytes() == (tmp_path / "en.model").read_bytes()
    (tmp_path / "cut.model").write_bytes((tmp_path / "en.model").read_bytes()[:-1])
    for file in ("cut.model", "missing.model"):
        with pytest.raises(kirchhoff.ModelError, match=file):
            kirchhoff.Pipeline.open(tmp_path / file)


def test_missing_parts_are_named(treebank, tmp_path):
    train = treebank[1][:20]

    def only(*parts, **options):
        switches = {name: name in parts for name in ("tokenizer", "tagger", "lemmatizer", "parser")}
        return kirchhoff.Pipeline.train(train, root="single", **switches, **options)

    tokenizer, tagger, parser = only("tokenizer"), only("tagger"), only("tokenizer", "parser", epochs=1)
    assert [p.parts for p in (tokenizer, tagger, parser)] == [["tokenizer"], ["tagger"], ["tokenizer", "parser"]]
    assert only("lemmatizer").parts == ["tagger", "lemmatizer"]
    s = train[0]
    for call, part in [(lambda: tokenizer.tag(s), "tagger"), (lambda: tokenizer.upos, "tagger"),
                       (lambda: tokenizer.upos_distribution(s), "tagger"), (lambda: tokenizer.parser, "parser"),
                       (lambda: tagger("x"), "tokenizer"), (lambda: tagger.tokenize("x"), "tokenizer"),
                       (lambda: parser("x"), "tagger"), (lambda: parser.parser("x"), "tagger"),
                       (lambda: kirchhoff.Parser.train(train, root="single", epochs=1)("x"), "tokenizer")]:
        with pytest.raises(kirchhoff.ModelError, match=f"has no {part}"):
            call()
    assert tokenizer("She ran.")[0].column("upos")[0] == "_"
    tokenizer.save(tmp_path / "words.model")
    with pytest.raises(kirchhoff.ModelError, match="words.model: has no parser"):
        kirchhoff.Parser(tmp_path / "words.model")
    assert tagger.tag(s).sentence.column("lemma") == s.column("lemma")


def test_training(treebank, tmp_path):
    train = treebank[1][:30]
    options = dict(root="single", epochs=1, folds=2, tagger_epochs=2)

    def saved(**more):
        path = tmp_path / "m.model"
        kirchhoff.Pipeline.train(train, **{**options, **more}, model=path)
        return path.read_bytes()

    same = saved(threads=1)
    assert same == saved(threads=2)
    assert same != saved(seed=1) and same != saved(folds=0) and same != saved(tagger_epochs=3)
    for wrong in ({"folds": -1}, {"tagger_epochs": 0}, {"loss": "hinge"}):
        with pytest.raises(ValueError):
            saved(**wrong)
    with pytest.raises(TypeError, match="Pipeline.train has no option 'epoch_count'"):
        saved(epoch_count=3)
    with pytest.raises(ValueError, match="has no sentences"):
        kirchhoff.Pipeline.train([], root="single")
    with pytest.raises(ValueError, match="UPOS"):
        kirchhoff.Pipeline.train([conllu.Sentence(["a"])], root="single", parser=False)


def test_arguments(pipeline):
    with pytest.raises(TypeError):
        pipeline(b"bytes")
    with pytest.raises(TypeError):
        pipeline(3)
    with pytest.raises((TypeError, UnicodeEncodeError)):
        pipeline("\ud800")
    assert repr(pipeline) == "<Pipeline with tokenizer, tagger, lemmatizer, parser>"
