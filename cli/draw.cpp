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
constexpr std::string_view kLead =
    "Every arc points from a head to its dependent and carries the probability that a tree has it, summed exactly over "
    "all trees. <span class=\"key best\"></span>each word&rsquo;s most probable head, <span class=\"key\"></span>the "
    "others; paler and thinner is less probable.";

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

/// The arcs of one word that are probable enough, most probable first; always at least one.
std::vector<ShownArc> likely_heads(const Matrix& marginals, int word, double min_probability) {
  std::vector<ShownArc> arcs;
  for (int head = 0; head < marginals.rows(); ++head) {
    if (head != word) arcs.push_back({head, word, marginals(head, word)});
  }
  std::stable_sort(arcs.begin(), arcs.end(),
                   [](const auto& a, const auto& b) { return a.probability > b.probability; });
  arcs[0].best = true;
  const auto enough = [&](const ShownArc& a) {
    return a.best || (*a.probability > 0.0 && *a.probability >= min_probability);
  };
  arcs.erase(std::find_if_not(arcs.begin(), arcs.end(), enough), arcs.end());
  return arcs;
}

Drawing drawing_of(const Line& line, const DrawOptions& options) {
  const Graph graph = read_graph(line.text);
  Drawing out;
  out.title = title_of(graph, line.number);
  out.words = words_of(graph);
  out.text = joined(out.words);
  for (int node = 0; node <= graph.n(); ++node) out.notes.push_back(std::to_string(node));
  try {
    const TreeDistribution p = distribution_of(graph, options);
    const Matrix marginals = p.marginals();
    for (int word = 1; word <= graph.n(); ++word) {
      const auto heads = likely_heads(marginals, word, options.min_probability);
      out.arcs.insert(out.arcs.end(), heads.begin(), heads.end());
    }
    const char* method = p.report().method == Method::robust ? "robust" : "fast";
    out.facts = Facts{marginals, p.log_partition(), entropy(p), method};
  } catch (const Infeasible& e) {
    out.error = fmt::format("infeasible: {}", e.what());
  }
  return out;
}

std::vector<Drawing> print_all(LineReader& reader, const DrawOptions& options) {
  std::vector<Drawing> drawings;
  for (auto lines = reader.next(kChunkLines, kChunkBytes); !lines.empty();
       lines = reader.next(kChunkLines, kChunkBytes)) {
    for (const Line& line : lines) {
      try {
        drawings.push_back(drawing_of(line, options));
      } catch (const std::runtime_error& e) {
        throw FileError(fmt::format("{}:{}: {}", reader.name(), line.number, e.what()));
      } catch (const InputError& e) {
        throw FileError(fmt::format("{}:{}: {}", reader.name(), line.number, without_function(e.what())));
      }
      write_stdout(heads_text(drawings.back()));
    }
  }
  return drawings;
}

Page page_of(const DrawOptions& options) {
  return {"Distributions over dependency trees", kLead,
          fmt::format("Arcs below p = {} are not drawn. Made with kirchhoff draw.", options.min_probability)};
}

}  // namespace

int run_draw(const DrawOptions& options) {
  LineReader reader(options.input.file, options.input.max_line_mb << 20);
  greet_terminal(options.input.file);
  const std::vector<Drawing> drawings = print_all(reader, options);
  if (!options.html.empty()) write_file(options.html, html_of(drawings, page_of(options)));
  if (!options.svg.empty()) write_file(options.svg, svg_of(drawings));
  const bool failed = std::any_of(drawings.begin(), drawings.end(), [](const Drawing& d) { return !d.error.empty(); });
  return failed ? 1 : 0;
}

}  // namespace kirchhoff::cli
