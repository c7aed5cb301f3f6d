// kirchhoff draw: a table of likely heads for each sentence, and pictures.
#include "io/files.hpp"
#include "io/line_reader.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/draw.hpp>

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
  std::vector<std::string> words;
  if (!graph.words) {
    for (int word = 1; word <= graph.n(); ++word) words.push_back(fmt::format("{}", word));
    return words;
  }
  if (!graph.words_problem.empty()) throw ReadError(graph.words_problem);
  if (graph.words->size() != static_cast<std::size_t>(graph.n())) {
    throw ReadError(fmt::format("words: {} entries, expected {} (one per word)", graph.words->size(), graph.n()));
  }
  return *graph.words;
}

std::string title_of(const Graph& graph, std::size_t line) {
  if (graph.id == "null") return fmt::format("{}", line);
  return graph.id.starts_with('"') ? graph.id.substr(1, graph.id.size() - 2) : graph.id;
}

Drawing distribution_in(const Graph& graph, const std::vector<std::string>& words, const DrawOptions& options) {
  const ArcArray& a = graph.scores;
  if (!graph.labelled()) {
    const TreeDistribution p(MatrixView(a.values.data(), a.nodes, a.nodes), options.root, options.accuracy);
    return drawing_of(p, words, options.min_probability);
  }
  LabelledMatrix scores(graph.n(), a.labels);
  std::copy(a.values.begin(), a.values.end(), scores.data());
  return drawing_of(LabelledTreeDistribution(std::move(scores), options.root, options.accuracy), words,
                    options.min_probability);
}

Drawing drawing_in(const Line& line, const DrawOptions& options) {
  const Graph graph = read_graph(line.text);
  const std::vector<std::string> words = words_of(graph);
  Drawing out;
  try {
    out = distribution_in(graph, words, options);
  } catch (const Infeasible& e) {
    out.error = fmt::format("infeasible: {}", e.what());
    out.text = fmt::format("{}", fmt::join(words, " "));
  }
  out.title = title_of(graph, line.number);
  return out;
}

std::vector<Drawing> print_all(LineReader& reader, const DrawOptions& options) {
  std::vector<Drawing> drawings;
  for (auto lines = reader.next(kChunkLines, kChunkBytes); !lines.empty();
       lines = reader.next(kChunkLines, kChunkBytes)) {
    for (const Line& line : lines) {
      try {
        drawings.push_back(drawing_in(line, options));
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

DrawnPage page_of(const DrawOptions& options) {
  return {"Distributions over dependency trees", kLead,
          fmt::format("Arcs below p = {} are not drawn. Made with kirchhoff draw.", options.min_probability)};
}

}  // namespace

int run_draw(const DrawOptions& options) {
  LineReader reader(options.input.file, options.input.max_line_mb << 20);
  greet_terminal(options.input.file);
  const std::vector<Drawing> drawings = print_all(reader, options);
  if (!options.html.empty()) write_file(options.html, to_html(drawings, page_of(options)));
  if (!options.svg.empty()) write_file(options.svg, to_svg(drawings));
  const bool failed = std::any_of(drawings.begin(), drawings.end(), [](const Drawing& d) { return !d.error.empty(); });
  return failed ? 1 : 0;
}

}  // namespace kirchhoff::cli
