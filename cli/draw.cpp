// kirchhoff draw: a table of likely heads for each sentence, and pictures.
#include "files.hpp"
#include "line_reader.hpp"
#include "picture.hpp"
#include "verbs.hpp"

#include <kirchhoff/expectation.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace kirchhoff::cli {
namespace {

constexpr std::size_t kChunkLines = 64;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

std::vector<std::string> words_of(const Graph& graph) {
  std::vector<std::string> words{"ROOT"};
  if (!graph.words) {
    for (int word = 1; word <= graph.n(); ++word) words.push_back(fmt::format("{}", word));
    return words;
  }
  if (!graph.words_problem.empty()) throw ReadError(graph.words_problem);
  if (graph.words->size() != static_cast<std::size_t>(graph.n())) {
    throw ReadError(fmt::format("words: {} entries, expected {} (one per word)", graph.words->size(), graph.n()));
  }
  words.insert(words.end(), graph.words->begin(), graph.words->end());
  return words;
}

std::string title_of(const Graph& graph, std::size_t line) {
  if (graph.id == "null") return fmt::format("{}", line);
  return graph.id.starts_with('"') ? graph.id.substr(1, graph.id.size() - 2) : graph.id;
}

TreeDistribution distribution_of(const Graph& graph, const DrawOptions& options) {
  const ArcArray& a = graph.scores;
  if (!graph.labelled()) return {MatrixView(a.values.data(), a.nodes, a.nodes), options.root, options.accuracy};
  LabelledMatrix scores(graph.n(), a.labels);
  std::copy(a.values.begin(), a.values.end(), scores.data());
  return LabelledTreeDistribution(std::move(scores), options.root, options.accuracy).tree();
}

Sentence sentence_of(const Line& line, const DrawOptions& options) {
  const Graph graph = read_graph(line.text);
  Sentence out;
  out.title = title_of(graph, line.number);
  out.words = words_of(graph);
  try {
    const TreeDistribution p = distribution_of(graph, options);
    out.marginals = p.marginals();
    out.log_partition = p.log_partition();
    out.entropy = entropy(p);
    out.method = p.report().method == Method::robust ? "robust" : "fast";
  } catch (const Infeasible& e) {
    out.error = fmt::format("infeasible: {}", e.what());
  }
  return out;
}

std::vector<Sentence> print_all(LineReader& reader, const DrawOptions& options) {
  std::vector<Sentence> sentences;
  for (auto lines = reader.next(kChunkLines, kChunkBytes); !lines.empty();
       lines = reader.next(kChunkLines, kChunkBytes)) {
    for (const Line& line : lines) {
      try {
        sentences.push_back(sentence_of(line, options));
      } catch (const std::runtime_error& e) {
        throw FileError(fmt::format("{}:{}: {}", reader.name(), line.number, e.what()));
      } catch (const InputError& e) {
        throw FileError(fmt::format("{}:{}: {}", reader.name(), line.number, without_function(e.what())));
      }
      write_stdout(text_of(sentences.back(), options.min_probability));
    }
  }
  return sentences;
}

}  // namespace

int run_draw(const DrawOptions& options) {
  LineReader reader(options.input.file, options.input.max_line_mb << 20);
  greet_terminal(options.input.file);
  const std::vector<Sentence> sentences = print_all(reader, options);
  if (!options.html.empty()) write_file(options.html, html_of(sentences, options.min_probability));
  if (!options.svg.empty()) write_file(options.svg, svg_of(sentences, options.min_probability));
  const bool failed =
      std::any_of(sentences.begin(), sentences.end(), [](const Sentence& s) { return !s.error.empty(); });
  return failed ? 1 : 0;
}

}  // namespace kirchhoff::cli
