// Parses the rows of a table into columns in Arrow's layout, and notes what is wrong with a row beside it.
#include "names.hpp"
#include "sentence_rows.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <climits>
#include <deque>
#include <exception>

namespace kirchhoff::python {
namespace {

/// A column of lists or strings while it grows.
template <class T>
struct Lists {
  std::vector<std::int32_t> offsets{0};
  std::vector<T> values;

  template <class Range>
  void add(const Range& range) {
    values.insert(values.end(), range.begin(), range.end());
  }
  void close() {
    if (values.size() > INT_MAX) {
      throw InputError("the results of these rows are longer than 2^31; take fewer rows at once");
    }
    offsets.push_back(static_cast<std::int32_t>(values.size()));
  }
};

template <class T>
NumpyArray<T> given(std::vector<T> values) {
  const std::size_t size = values.size();
  return array_over(std::move(values), {size});
}

template <class T>
nb::tuple given(Lists<T> lists) {
  return nb::make_tuple(given(std::move(lists.offsets)), given(std::move(lists.values)));
}

/// Lists of strings: the words of each sentence.
struct WordLists {
  explicit WordLists(Column which) : column(which) {}

  Column column;
  std::vector<std::int32_t> offsets{0};
  Lists<std::uint8_t> words;

  void add(const Sentence& sentence) {
    for (int word = 1; word <= sentence.size(); ++word) {
      words.add(sentence.get(word, column));
      words.close();
    }
  }
  void close() { offsets.push_back(static_cast<std::int32_t>(words.offsets.size()) - 1); }
};

/// Trees of each sentence.
struct TreeLists {
  std::vector<std::int32_t> offsets{0};
  Lists<std::int32_t> heads, labels;
  std::vector<double> log_probs;

  void add(const Tree& tree) {
    heads.add(tree.heads);
    heads.close();
    labels.add(std::span(tree.labels).subspan(1));
    labels.close();
    log_probs.push_back(tree.log_prob.value_or(0.0));
  }
  void close() { offsets.push_back(static_cast<std::int32_t>(log_probs.size())); }
};

/// All that may be asked for. What was not asked for stays empty.
struct Columns {
  std::vector<std::int64_t> rows;
  std::vector<std::int32_t> numbers;
  Lists<std::int32_t> heads, labels;
  Lists<double> arc_probabilities, label_probabilities;
  std::vector<double> entropies, log_probs;
  Lists<std::uint8_t> conllu, errors;
  std::vector<WordLists> words;
  TreeLists trees;
  bool wants_conllu = false;

  /// Adds what was found for a sentence; a sentence that failed has nothing but its error.
  void add(const RowSentence& origin, const ParserModel& model, const Sentence& sentence, const Parsed* parsed) {
    rows.push_back(origin.row);
    numbers.push_back(origin.number);
    if (parsed != nullptr) {
      heads.add(parsed->tree.heads);
      labels.add(std::span(parsed->tree.labels).subspan(1));
      if (!parsed->arc_probabilities.empty()) {
        arc_probabilities.add(std::span(parsed->arc_probabilities).subspan(1));
        label_probabilities.add(std::span(parsed->label_probabilities).subspan(1));
      }
      for (WordLists& column : words) column.add(sentence);
      if (wants_conllu) conllu.add(to_text(model.annotate(sentence, parsed->tree)));
      for (const Tree& tree : parsed->trees) trees.add(tree);
    }
    entropies.push_back(parsed == nullptr ? 0.0 : parsed->entropy);
    log_probs.push_back(parsed == nullptr ? 0.0 : parsed->log_prob);
    errors.add(origin.problem);
    close();
  }

 private:
  void close() {
    heads.close();
    labels.close();
    arc_probabilities.close();
    label_probabilities.close();
    conllu.close();
    errors.close();
    for (WordLists& column : words) column.close();
    trees.close();
  }
};

/// What an error of one sentence says; others are thrown on.
std::string problem_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputError& e) {
    return e.what();
  } catch (const Infeasible& e) {
    return e.what();
  } catch (const ParseError& e) {
    return e.what();
  }
}

/// The tree of no words.
Parsed empty_parse(int k_best) {
  Parsed parsed;
  parsed.tree = {.heads = {-1}, .labels = {-1}, .log_prob = 0.0};
  if (k_best > 0) parsed.trees = {parsed.tree};
  return parsed;
}

Columns parse_rows(const Pipeline& pipeline, SentenceRows& rows, Columns columns, const ParseOptions& options,
                   int threads, const Stop& stop) {
  const ParserModel& model = pipeline.parser();
  std::deque<RowSentence> waiting;  // in their order; those that are parsed have given their sentence away
  const auto has_words = [](const RowSentence& r) { return r.problem.empty() && !r.sentence; };
  const auto write_unparsed = [&] {
    for (; !waiting.empty() && !has_words(waiting.front()); waiting.pop_front()) {
      const RowSentence& row = waiting.front();
      const Parsed parsed = empty_parse(options.k_best);
      columns.add(row, model, row.sentence.value_or(Sentence()), row.problem.empty() ? &parsed : nullptr);
    }
  };
  const auto source = [&]() -> std::optional<Sentence> {
    while (auto row = rows.next()) {
      std::optional<Sentence> sentence;
      if (row->sentence && row->sentence->size() > 0) sentence.swap(row->sentence);
      waiting.push_back(std::move(*row));
      if (sentence) return sentence;
    }
    return std::nullopt;
  };
  const auto sink = [&](ParsedSentence&& item) {
    write_unparsed();
    RowSentence row = std::move(waiting.front());
    waiting.pop_front();
    if (item.error) row.problem = problem_of(item.error);
    columns.add(row, model, item.sentence, item.error ? nullptr : &item.parsed);
  };
  parse_all(model, source, sink, options, threads, stop);
  write_unparsed();
  return columns;
}

/// The rows of the format: one column of texts, or several of words.
std::unique_ptr<SentenceRows> rows_of(const Pipeline& pipeline, const std::string& format,
                                      const std::optional<StringColumn::Argument>& text,
                                      const std::vector<WordColumn::Argument>& words, const ByteArray& valid) {
  std::vector<std::uint8_t> is_valid(valid.data(), valid.data() + valid.shape(0));
  if (format == "words") {
    std::vector<WordColumn> columns;
    for (const auto& [name, offsets, strings] : words) {
      columns.push_back({named<Column>(name, "column"), offsets, StringColumn(strings)});
    }
    return word_rows(std::move(columns), std::move(is_valid));
  }
  const StringColumn column(text.value());
  if (format == "text") return text_rows(column, std::move(is_valid), pipeline.tokenizer());
  return conllu_rows(column, std::move(is_valid));
}

nb::dict parse_columns(const Pipeline& pipeline, const std::string& format,
                       const std::optional<StringColumn::Argument>& text,
                       const std::vector<WordColumn::Argument>& words, const ByteArray& valid, bool tags,
                       bool probabilities, bool conllu, const std::vector<std::string>& word_columns, int k_best,
                       bool keep_heads, bool projective, int threads) {
  ParseOptions options{
      .projective = projective, .probabilities = probabilities, .keep_heads = keep_heads, .k_best = k_best};
  if (tags) {
    const Tagger& tagger = pipeline.tagger();
    options.prepare = [&tagger](const Sentence& sentence) { return tag(tagger, sentence).sentence; };
  }
  Columns empty;
  empty.wants_conllu = conllu;
  for (const std::string& name : word_columns) empty.words.emplace_back(named<Column>(name, "what"));
  const std::unique_ptr<SentenceRows> rows = rows_of(pipeline, format, text, words, valid);
  Columns found = interruptible(
      [&](const Stop& stop) { return parse_rows(pipeline, *rows, std::move(empty), options, threads, stop); });
  nb::dict out;
  out["row"] = given(std::move(found.rows));
  out["sentence"] = given(std::move(found.numbers));
  out["heads"] = given(std::move(found.heads));
  out["labels"] = given(std::move(found.labels));
  out["arc_probabilities"] = given(std::move(found.arc_probabilities));
  out["label_probabilities"] = given(std::move(found.label_probabilities));
  out["entropy"] = given(std::move(found.entropies));
  out["log_prob"] = given(std::move(found.log_probs));
  out["conllu"] = given(std::move(found.conllu));
  out["error"] = given(std::move(found.errors));
  for (WordLists& column : found.words) {
    out[nb::str(to_string(column.column).data())] =
        nb::make_tuple(given(std::move(column.offsets)), given(std::move(column.words)));
  }
  out["trees"] = nb::make_tuple(given(std::move(found.trees.offsets)), given(std::move(found.trees.heads)),
                                given(std::move(found.trees.labels)), given(std::move(found.trees.log_probs)));
  return out;
}

}  // namespace

void bind_parser_columns(nb::module_& m) {
  m.def("parse_columns", parse_columns, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace kirchhoff::python
