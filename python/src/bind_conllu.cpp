#include "arrays.hpp"

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

ConllFormat format_named(const std::string& name) {
  if (name == "conllu") return ConllFormat::conllu;
  if (name == "conllx") return ConllFormat::conllx;
  throw InputError("format: '" + name + "' is neither conllu nor conllx");
}

Root root_named(const std::string& name) {
  if (name == "single") return Root::single;
  if (name == "multi") return Root::multi;
  throw InputError("root is '" + name + "', expected 'single' or 'multi'");
}

Column column_named(const std::string& name) {
  constexpr const char* names[] = {"id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"};
  const auto* found = std::find(std::begin(names), std::end(names), name);
  if (found == std::end(names)) throw InputError("column: there is no '" + name + "'");
  return static_cast<Column>(found - std::begin(names));
}

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

void bind_sentence(nb::module_& m) {
  nb::class_<Sentence> c(
      m, "Sentence", "Words 1 .. n in the ten columns of CoNLL-U, with comments, multiword tokens and empty nodes.");
  c.def(nb::init<const std::vector<std::string>&>(), nb::arg("forms"), "Words with these forms and nothing else.");
  c.def("__len__", &Sentence::size);
  c.def("column", column, nb::arg("name"), "A column of words 1 .. n: form, lemma, upos, xpos, feats, deprel, ...");
  c.def("set_column", set_column, nb::arg("name"), nb::arg("values"), "Replaces a column other than id and head.");
  c.def(
      "get",
      [](const Sentence& s, int word, const std::string& name) {
        check_word(s, word);
        return s.get(word, column_named(name));
      },
      nb::arg("word"), nb::arg("column"), "One entry.");
  c.def(
      "set",
      [](Sentence& s, int word, const std::string& name, const std::string& value) {
        check_word(s, word);
        s.set(word, column_named(name), value);
      },
      nb::arg("word"), nb::arg("column"), nb::arg("value"), "Replaces one entry of a column other than id and head.");
  c.def_prop_rw("heads", heads, set_heads, nb::rv_policy::automatic,
                "n + 1 integers: heads[0] is -1, 0 is the root, -1 is not given.");
  c.def_prop_ro("comments", &Sentence::comments, "Whole lines, '#' included.");
  c.def("comment", &Sentence::comment, nb::arg("name"), "x of the first comment '# name = x', or None.");
  c.def(
      "set_comment", [](Sentence& s, const std::string& name, const std::string& value) { s.set_comment(name, value); },
      nb::arg("name"), nb::arg("value"), "Replaces or adds that comment.");
  c.def_prop_ro("multiword_tokens", multiword_tokens, "(first, last, columns) of each.");
  c.def_prop_ro("empty_nodes", empty_nodes, "(word before, number, columns) of each.");
  c.def_prop_ro("format", [](const Sentence& s) { return s.format() == ConllFormat::conllu ? "conllu" : "conllx"; });
  c.def_prop_ro(
      "line", [](const Sentence& s) { return s.line(); }, "Of its first line in the file; 0: not read.");
  c.def(
      "tree_problem",
      [](const Sentence& s, const std::string& root) { return tree_problem(s.heads(), root_named(root)); },
      nb::kw_only(), nb::arg("root"), "Why the heads are not a tree; None when they are one.");
  c.def(
      "converted", [](const Sentence& s, const std::string& format) { return converted(s, format_named(format)); },
      nb::arg("format"), "In the other format, 'conllu' or 'conllx'.");
  c.def("__str__", [](const Sentence& s) { return to_text(s); });
  c.def("__repr__", [](const Sentence& s) { return "<Sentence of " + std::to_string(s.size()) + " words>"; });
  c.def("_repr_svg_", [](const Sentence& s) { return to_svg({drawing_of(s)}); });
  c.def("__getstate__", [](const Sentence& s) { return std::pair(to_text(s), s.format() == ConllFormat::conllu); });
  c.def("__setstate__", [](Sentence& s, const std::pair<std::string, bool>& state) {
    auto text = from_text(state.first, "pickle", state.second ? "conllu" : "conllx");
    new (&s) Sentence(text->reader.next().value_or(Sentence()));
  });
}

}  // namespace

void bind_conllu(nb::module_& m) {
  nb::exception<ParseError>(m, "ParseError", PyExc_ValueError);
  bind_sentence(m);
  nb::class_<Reader> reader(m, "SentenceReader");
  reader.def("__iter__", [](nb::object self) { return self; });
  reader.def("__next__", [](Reader& r) {
    auto sentence = r.reader.next();
    if (!sentence) throw nb::stop_iteration();
    return std::move(*sentence);
  });
  m.def("sentences_in_file", from_file);
  m.def("sentences_in_text", from_text);
}

}  // namespace kirchhoff::python
