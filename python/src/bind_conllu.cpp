// Binds kirchhoff/conllu.hpp: sentences, and reading them from files and texts.
#include "arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/draw.hpp>

#include <fstream>
#include <sstream>

namespace kirchhoff::python {
namespace {

ConllFormat format_named(std::string_view name) { return named<ConllFormat>(name, "format"); }
Column column_named(std::string_view name) { return named<Column>(name, "column"); }

void check_word(const Sentence& s, int word) {
  if (word < 1 || word > s.size()) {
    throw InputError("word: " + std::to_string(word) + " is not 1 to " + std::to_string(s.size()));
  }
}

std::vector<std::string_view> column(const Sentence& s, const std::string& name) {
  const Column which = column_named(name);
  std::vector<std::string_view> out;
  for (int word = 1; word <= s.size(); ++word) out.push_back(s.get(word, which));
  return out;
}

void set_column(Sentence& s, const std::string& name, const std::vector<std::string>& values) {
  const Column which = column_named(name);
  if (values.size() != static_cast<std::size_t>(s.size())) {
    throw InputError("values: " + std::to_string(values.size()) + ", expected " + std::to_string(s.size()));
  }
  Sentence changed = s;  // all or nothing
  for (int word = 1; word <= s.size(); ++word) changed.set(word, which, values[static_cast<std::size_t>(word) - 1]);
  s = std::move(changed);
}

NumpyArray<std::int64_t> heads(const Sentence& s) {
  NewArray<std::int64_t> out({s.heads().size()}, -1);
  std::copy(s.heads().begin(), s.heads().end(), out.data);
  return out.array;
}

void set_heads(Sentence& s, const std::vector<std::int64_t>& values) {
  if (values.size() != s.heads().size()) {
    throw InputError("heads: " + std::to_string(values.size()) +
                     " numbers, expected n + 1 = " + std::to_string(s.heads().size()));
  }
  Sentence changed = s;
  for (int word = 1; word <= s.size(); ++word) {
    changed.set_head(word, int_of(values[static_cast<std::size_t>(word)], "heads"));
  }
  s = std::move(changed);
}

template <class Token>
std::vector<std::string_view> columns_of(const Token& token) {
  return {token.columns.begin(), token.columns.end()};
}

using TokenTuple = std::tuple<int, int, std::vector<std::string_view>>;

std::vector<TokenTuple> multiword_tokens(const Sentence& s) {
  std::vector<TokenTuple> out;
  for (const MultiwordToken& t : s.multiword_tokens()) out.emplace_back(t.first, t.last, columns_of(t));
  return out;
}

std::vector<TokenTuple> empty_nodes(const Sentence& s) {
  std::vector<TokenTuple> out;
  for (const EmptyNode& t : s.empty_nodes()) out.emplace_back(t.word, t.index, columns_of(t));
  return out;
}

/// A reader together with the stream it reads.
struct Reader {
  std::unique_ptr<std::istream> in;
  SentenceReader reader;

  Reader(std::unique_ptr<std::istream> stream, const std::string& name, ConllFormat format)
      : in(std::move(stream)), reader(*in, name, format) {}
};

std::unique_ptr<Reader> from_file(const std::string& path, const std::string& format) {
  auto in = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*in) {
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
    throw nb::python_error();
  }
  return std::make_unique<Reader>(std::move(in), path, format_named(format));
}

std::unique_ptr<Reader> from_text(const std::string& text, const std::string& name, const std::string& format) {
  return std::make_unique<Reader>(std::make_unique<std::istringstream>(text), name, format_named(format));
}

/// These are docstrings. Their examples are tests (python/tests/test_docstrings.py) and go on from the class's.
constexpr const char* kSentence =
    R"(Words 1 .. n in the ten columns of CoNLL-U, with comments, multiword tokens and empty nodes.

It is made from forms, a list of strings. Where nothing is said, the cost is O(n).

>>> s = kirchhoff.conllu.Sentence(["She", "sleeps"])
>>> s.heads = [-1, 2, 0]
>>> len(s), s.column("form")
(2, ['She', 'sleeps'])
)";
constexpr const char* kColumn = R"(Returns a column of words 1 .. n: form, lemma, upos, xpos, feats, deprel, ...

>>> s.column("upos")
['_', '_']
)";
constexpr const char* kSetColumn = R"(Replaces a column other than id and head by n values.

>>> s.set_column("deprel", ["nsubj", "root"])
>>> s.column("deprel")
['nsubj', 'root']
)";
constexpr const char* kGet = R"(Returns one entry of a word, 1 .. n, in O(1).

>>> s.get(2, "form")
'sleeps'
)";
constexpr const char* kSet = R"(Replaces one entry of a column other than id and head.

>>> s.set(2, "upos", "VERB")
>>> s.get(2, "upos")
'VERB'
)";
constexpr const char* kHeads =
    R"(The heads are n + 1 integers: heads[0] is -1, 0 is the root, and -1 says that none is given.

>>> s.heads.tolist()
[-1, 2, 0]
)";
constexpr const char* kComments = R"(The comments are whole lines, '#' included.

>>> s.set_comment("sent_id", "7")
>>> s.comments
['# sent_id = 7']
)";
constexpr const char* kComment = R"(Returns x of the first comment '# name = x', or None.

>>> s.comment("text") is None
True
)";
constexpr const char* kSetComment = R"(Replaces the comment '# name = ...', or adds it after the last one.

>>> s.set_comment("text", "She sleeps")
>>> s.comment("text")
'She sleeps'
)";
constexpr const char* kMultiword = R"(The first word, the last word and the columns of each multiword token.

>>> s.multiword_tokens
[]
)";
constexpr const char* kEmptyNodes = R"(The word before it, the number and the columns of each empty node.

>>> s.empty_nodes
[]
)";
constexpr const char* kFormat = R"(The format is 'conllu' or 'conllx'.

>>> s.format
'conllu'
)";
constexpr const char* kLine = R"(The number of its first line in the file, which is 0 when it was not read from one.

>>> s.line, kirchhoff.conllu.loads(str(s) * 2)[1].line
(0, 4)
)";
constexpr const char* kTreeProblem =
    R"(Says why the heads are not a tree, and returns None when they are one; root is 'single' or 'multi'.

>>> s.tree_problem(root="single") is None
True
>>> s.heads = [-1, 2, 1]
>>> "cycle" in s.tree_problem(root="single")
True
)";
constexpr const char* kConverted = R"(Returns the sentence in another format, 'conllu' or 'conllx'.

>>> s.converted("conllx").format
'conllx'
)";

void bind_sentence(nb::module_& m) {
  nb::class_<Sentence> c(m, "Sentence", kSentence);
  c.def(nb::init<const std::vector<std::string>&>(), nb::arg("forms"), "Words with these forms and nothing else.");
  c.def("__len__", &Sentence::size);
  c.def("column", column, nb::arg("name"), kColumn);
  c.def("set_column", set_column, nb::arg("name"), nb::arg("values"), kSetColumn);
  c.def(
      "get",
      [](const Sentence& s, int word, const std::string& name) {
        check_word(s, word);
        return s.get(word, column_named(name));
      },
      nb::arg("word"), nb::arg("column"), kGet);
  c.def(
      "set",
      [](Sentence& s, int word, const std::string& name, const std::string& value) {
        check_word(s, word);
        s.set(word, column_named(name), value);
      },
      nb::arg("word"), nb::arg("column"), nb::arg("value"), kSet);
  c.def_prop_rw("heads", heads, set_heads,
                nb::for_setter(nb::sig("def heads(self, value: numpy.typing.ArrayLike, /) -> None")),
                nb::rv_policy::automatic, kHeads);
  c.def_prop_ro("comments", &Sentence::comments, kComments);
  c.def("comment", &Sentence::comment, nb::arg("name"), kComment);
  c.def(
      "set_comment", [](Sentence& s, const std::string& name, const std::string& value) { s.set_comment(name, value); },
      nb::arg("name"), nb::arg("value"), kSetComment);
  c.def_prop_ro("multiword_tokens", multiword_tokens, kMultiword);
  c.def_prop_ro("empty_nodes", empty_nodes, kEmptyNodes);
  c.def_prop_ro(
      "format", [](const Sentence& s) { return to_string(s.format()); }, kFormat);
  c.def_prop_ro(
      "line", [](const Sentence& s) { return s.line(); }, kLine);
  c.def(
      "tree_problem",
      [](const Sentence& s, const std::string& root) { return tree_problem(s.heads(), named<Root>(root, "root")); },
      nb::kw_only(), nb::arg("root"), kTreeProblem);
  c.def(
      "converted", [](const Sentence& s, const std::string& format) { return converted(s, format_named(format)); },
      nb::arg("format"), kConverted);
  c.def("__str__", [](const Sentence& s) { return to_text(s); });
  c.def("__repr__", [](const Sentence& s) { return "<Sentence of " + std::to_string(s.size()) + " words>"; });
  c.def("_repr_svg_", [](const Sentence& s) { return to_svg({drawing_of(s)}); });
  c.def("__getstate__", [](const Sentence& s) { return std::pair(to_text(s), std::string(to_string(s.format()))); });
  c.def("__setstate__", [](Sentence& s, const std::pair<std::string, std::string>& state) {
    auto text = from_text(state.first, "pickle", state.second);
    new (&s) Sentence(text->reader.next().value_or(Sentence()));
  });
}

}  // namespace

void bind_conllu(nb::module_& m) {
  bind_error<ParseError>(m, "ParseError", R"(A file is not what it should be; the message names file, line and column.

>>> try:
...     kirchhoff.conllu.loads("1\\ta\\n\\n", name="a.conllu")
... except kirchhoff.ParseError as e:
...     print(str(e).startswith("a.conllu:1"))
True
)");
  bind_sentence(m);
  nb::class_<Reader> reader(m, "SentenceReader");
  reader.def(
      "__iter__", [](nb::object self) { return self; }, nb::sig("def __iter__(self) -> SentenceReader"));
  reader.def("__next__", [](Reader& r) {
    auto sentence = r.reader.next();
    if (!sentence) throw nb::stop_iteration();
    return std::move(*sentence);
  });
  m.def("sentences_in_file", from_file);
  m.def("sentences_in_text", from_text);
}

}  // namespace kirchhoff::python
