"""Tests kirchhoff.arrow against the plain package, sentence by sentence and matrix by matrix."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import kirchhoff

pa = pytest.importorskip("pyarrow")
from kirchhoff import arrow  # noqa: E402
from kirchhoff import _arrow_columns as columns  # noqa: E402

BAD = "1\tdog\tbroken\n\n"


@pytest.fixture(scope="module")
def model(example_trees, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "en.model"
    kirchhoff.Pipeline.train(example_trees[:150], root="single", epochs=2, tagger_epochs=2, folds=0, threads=2).save(path)
    return path


@pytest.fixture(scope="module")
def some(example_trees):
    return example_trees[150:190]


def table_of(sentences, **more):
    return pa.table({"id": list(range(len(sentences))), "conllu": list(map(str, sentences)), **more})


def words_of(sentences):
    names = ["form", "lemma", "upos", "xpos", "feats"]
    return pa.table({name: [s.column(name) for s in sentences] for name in names})


ALL = ["form", "upos", "heads", "labels", "arc_probabilities", "label_probabilities", "entropy", "log_prob", "trees",
       "conllu"]


def assert_is_parse_of(row, parsed):
    assert row["heads"] == parsed.heads.tolist() and row["labels"] == parsed.labels
    assert row["arc_probabilities"] == parsed.arc_probabilities.tolist()
    assert row["label_probabilities"] == parsed.label_probabilities.tolist()
    assert row["entropy"] == parsed.entropy and row["log_prob"] == parsed.log_prob
    assert row["form"] == parsed.sentence.column("form") and row["upos"] == parsed.sentence.column("upos")
    assert row["conllu"] == str(parsed.sentence)
    assert row["error"] is None and row["sentence"] == 0
    for tree, best in zip(row["trees"], parsed.trees, strict=True):
        assert tree["heads"] == best.heads.tolist() and tree["labels"] == best.labels
        assert tree["log_prob"] == best.log_prob


def test_conllu_is_parsed_as_the_parser_does(model, some):
    parser = kirchhoff.Parser(model)
    for projective in (False, True):
        parse = arrow.parse_batches(model, column="conllu", what=ALL, k_best=3, projective=projective)
        found = parse(table_of(some))
        assert found.schema == parse.schema(table_of(some).schema)
        found.validate(full=True)
        assert found["id"].to_pylist() == list(range(len(some)))
        expected = parser.parse(some, probabilities=True, k_best=3, projective=projective)
        for row, parsed in zip(found.to_pylist(), expected, strict=True):
            assert_is_parse_of(row, parsed)
        again = arrow.parse_batches(parser, column="conllu", threads=2, projective=projective)(table_of(some))
        assert again["heads"].equals(found["heads"])


def test_words_are_parsed_as_sentences(model, some):
    parser, table = kirchhoff.Parser(model), words_of(some)
    tags = {name: name for name in ("lemma", "upos", "xpos", "feats")}
    parse = arrow.parse_batches(model, column="form", format="words", tags=tags, keep=[], what=["heads", "labels"])
    found = parse(table)
    for sentence, row in zip(some, found.to_pylist(), strict=True):
        plain = kirchhoff.conllu.Sentence(sentence.column("form"))
        for name in tags:
            plain.set_column(name, sentence.column(name))
        parsed = parser.parse(plain)
        assert row["heads"] == parsed.heads.tolist() and row["labels"] == parsed.labels
    tagged = arrow.parse_batches(model, column="form", format="words", tag=True, keep=[], what=["upos", "heads"])(table)
    pipeline = kirchhoff.Pipeline(model)
    for sentence, row in zip(some, tagged.to_pylist(), strict=True):
        expected = pipeline.tag(kirchhoff.conllu.Sentence(sentence.column("form"))).sentence
        assert row["upos"] == expected.column("upos")
        assert row["heads"] == pipeline.parser.parse(expected).heads.tolist()


def test_texts_become_one_row_for_each_sentence(model, some):
    texts = [kirchhoff.plain_text(some[i:i + 3]) for i in range(0, len(some), 3)] + ["", "   \n"]
    pipeline = kirchhoff.Pipeline(model)
    found = arrow.parse_batches(model, column="text", format="text", what=["form", "lemma", "heads", "labels"])(
        pa.table({"id": range(len(texts)), "text": texts})).to_pylist()
    expected = [(i, k, s) for i, text in enumerate(texts) for k, s in enumerate(pipeline(text))]
    with_words = [row for row in found if row["form"]]
    for row, (i, k, sentence) in zip(with_words, expected, strict=True):
        assert (row["id"], row["sentence"], row["text"]) == (i, k, texts[i])
        assert row["form"] == sentence.column("form") and row["lemma"] == sentence.column("lemma")
        assert row["heads"] == sentence.heads.tolist() and row["labels"] == sentence.column("deprel")
    for row in found[-2:]:
        assert (row["form"], row["heads"], row["labels"], row["error"]) == ([], [-1], [], None)


def test_a_bad_row_has_an_error_and_nothing_else_changes(model, some):
    good = list(map(str, some[:4]))
    rows = [good[0], None, BAD, "", good[1] + BAD + good[2], good[3]]
    parse = arrow.parse_batches(model, column="conllu", what=[w for w in ALL if w != "trees"])
    found = parse(pa.table({"id": range(len(rows)), "conllu": rows})).to_pylist()
    assert [(r["id"], r["sentence"], r["error"] is not None) for r in found] == [
        (0, 0, False), (1, 0, True), (2, 0, True), (3, 0, False), (4, 0, False), (4, 1, True), (4, 2, False), (5, 0, False)]
    assert all(r[name] is None for r in found if r["error"] for name in parse._what)
    assert found[1]["error"] == "the row is null" and "row:1:" in found[2]["error"]
    ids = {(0, 0): 0, (4, 0): 1, (4, 2): 2, (5, 0): 3}
    parser = kirchhoff.Parser(model)
    for row in found:
        if (row["id"], row["sentence"]) in ids:
            parsed = parser.parse(some[ids[row["id"], row["sentence"]]], probabilities=True)
            assert row["heads"] == parsed.heads.tolist() and row["entropy"] == parsed.entropy


def test_bytes_that_are_no_text_and_lists_that_do_not_fit_are_errors_of_their_rows(model):
    parse = arrow.parse_batches(model, column="text", format="text", keep=[])
    found = parse(pa.table({"text": pa.array([b"Dogs \xff bark.", b"Dogs bark."], pa.binary())})).to_pylist()
    assert found[0]["error"] and found[0]["heads"] is None and found[1]["error"] is None and found[1]["heads"]
    words = pa.table({"w": [["a", "b"], ["a"], ["a", None], ["a\tb"], None], "t": [["X"], ["X"], ["X", "X"], ["X"], ["X"]]})
    found = arrow.parse_batches(model, column="w", format="words", tags={"upos": "t"}, keep=[])(words).to_pylist()
    assert [row["error"] is None for row in found] == [False, True, False, False, False]
    assert "1 for 2 words" in found[0]["error"]


def test_heads_that_no_tree_has_are_an_error(model, some):
    s = kirchhoff.conllu.loads(str(some[0]))[0]
    s.heads = [-1] + [2, 1] + [-1] * (len(s) - 2)
    found = arrow.parse_batches(model, column="conllu", keep_heads=True)(table_of([s, some[1]])).to_pylist()
    assert found[0]["error"] and found[1]["heads"] == some[1].heads.tolist()


@pytest.mark.parametrize("kind", ["large_string", "binary", "dictionary", "string_view", "sliced", "chunks"])
def test_all_layouts_of_strings_are_read(model, some, kind):
    texts = pa.array(list(map(str, some)))
    expected = arrow.parse_batches(model, column="conllu", keep=[])(table_of(some))
    if kind == "sliced":
        column = pa.array(["", BAD, *texts.to_pylist(), BAD]).slice(2, len(some))
    elif kind == "chunks":
        column = pa.chunked_array([texts.slice(0, 3), texts.slice(3, 0), texts.slice(3)])
    elif kind == "dictionary":
        column = texts.dictionary_encode()
    elif kind == "string_view":
        if not hasattr(pa, "string_view") or pa.__version__.startswith("17."):
            return  # it cannot be cast there
        column = pa.array(texts.to_pylist(), pa.string_view())
    else:
        column = texts.cast(getattr(pa, kind)())
    found = arrow.parse_batches(model, column="conllu", keep=[])(pa.table({"conllu": column}))
    assert found.to_pylist() == expected.to_pylist()


def test_whatever_gives_batches_gets_the_same_in_return(model, some):
    parse, table = arrow.parse_batches(model, column="conllu", keep=["id"]), table_of(some)
    expected = parse(table)
    batches = table.to_batches(max_chunksize=7)
    assert pa.Table.from_batches(list(parse(iter(batches)))).equals(expected)
    assert pa.Table.from_batches([parse(table.to_batches()[0])]).equals(expected)
    reader = parse(pa.RecordBatchReader.from_batches(table.schema, batches))
    assert isinstance(reader, pa.RecordBatchReader) and reader.read_all().equals(expected)

    class Exported:
        def __arrow_c_stream__(self, requested_schema=None):
            return table.__arrow_c_stream__(requested_schema)

    assert parse(Exported()).equals(expected)
    assert parse(table.slice(0, 0)).schema == expected.schema and parse(table.to_batches()[0].slice(0, 0)).num_rows == 0
    again = pickle.loads(pickle.dumps(parse))
    assert again(table).equals(expected)
    assert len(pickle.dumps(parse)) < 2000  # the name of the file, not the model
    with pytest.raises(ValueError, match="name of its file"):
        pickle.dumps(arrow.parse_batches(kirchhoff.Parser(model), column="conllu"))


def test_large_batches_are_cut(model, some, monkeypatch):
    parse, table = arrow.parse_batches(model, column="conllu"), table_of(some)
    expected = parse(table)
    monkeypatch.setattr(parse, "_rows", 3)
    assert len(list(parse(table.combine_chunks().to_batches()))) == -(-len(some) // 3)
    assert parse(table).combine_chunks().equals(expected.combine_chunks())


def test_a_model_is_opened_once_and_again_when_it_was_replaced(model, some, tmp_path):
    from kirchhoff import _arrow_models

    path = tmp_path / "m.model"
    path.write_bytes(Path(model).read_bytes())
    parse = arrow.parse_batches(path, column="conllu")
    parse(table_of(some))
    first = _arrow_models.opened(str(path))
    assert first is _arrow_models.opened(str(path))
    kirchhoff.Parser(model).save(tmp_path / "new.model")
    (tmp_path / "new.model").replace(path)
    assert _arrow_models.opened(str(path)) is not first
    path.unlink()
    with pytest.raises(kirchhoff.ModelError, match="cannot be read on the machine .* on every machine"):
        parse(table_of(some))


def test_bad_questions_are_refused_before_any_work(model, some):
    table = table_of(some)
    for problem, arguments in [("format", dict(format="txt")), ("what", dict(what=["head"])), ("tags", dict(tags={"upos": "x"})),
                               ("k_best", dict(k_best=-1)), ("trees", dict(what=["trees"])),
                               ("tags", dict(format="words", tags={"form": "x"}))]:
        with pytest.raises(ValueError, match=problem):
            arrow.parse_batches(model, column="conllu", **arguments)
    with pytest.raises(TypeError, match="what"):
        arrow.parse_batches(model, column="conllu", what="heads")
    with pytest.raises(ValueError, match="no single column 'text' among id, conllu"):
        arrow.parse_batches(model, column="text")(table)
    with pytest.raises(ValueError, match="keep"):
        arrow.parse_batches(model, column="conllu", keep=["x"])(table)
    with pytest.raises(ValueError, match="'heads' is the name of a result"):
        arrow.parse_batches(model, column="conllu", keep=["heads"])(table_of(some, heads=[0] * len(some)))
    replaced = arrow.parse_batches(model, column="conllu")(table_of(some, heads=[0] * len(some)))
    assert replaced.column_names == ["id", "conllu", "sentence", "heads", "labels", "error"]
    with pytest.raises(ValueError, match="expected strings"):
        arrow.parse_batches(model, column="id")(table)
    with pytest.raises(ValueError, match="expected lists"):
        arrow.parse_batches(model, column="conllu", format="words")(table)


def test_nothing_is_copied_where_the_layout_allows():
    texts = pa.array(["abc", "de"], pa.large_string())
    offsets, data = columns.string_column(texts, "t")
    assert (offsets.ctypes.data, data.ctypes.data) == tuple(b.address for b in texts.buffers()[1:])
    scores = pa.array([[0.0] * 9, [1.0] * 16])
    [first, second], _ = arrow.tree_batches(column="s", root="multi")._source.matrices(pa.record_batch({"s": scores}))
    assert first.ctypes.data == scores.values.buffers()[1].address and second.base is not None
    values = np.arange(5.0)
    assert columns.numbers(values).buffers()[1].address == values.ctypes.data
