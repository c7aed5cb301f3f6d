// The verb `draw` prints a table of likely heads for each sentence, and draws them.
#include "answers/tree_answer.hpp"
#include "io/files.hpp"
#include "io/terminal.hpp"
#include "json/graph_arrays.hpp"
#include "json/read_error.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/draw.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(The input is as for 'kirchhoff tree', with an optional "words":["She","saw",...] on each line.
Manual: docs/reference/cli.md

Example, two words:
  echo '{"words":["Birds","sing"],"scores":[[null,0,3],[null,null,1],[null,4,null]]}' |
    kirchhoff draw --root single --html birds.html
)";

constexpr std::size_t kChunkLines = 64;
constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::string_view kLead =
    "Every arc points from a head to its dependent and carries the probability that a tree has it, summed exactly over "
    "all trees. <span class=\"key best\"></span>each word&rsquo;s most probable head, <span class=\"key\"></span>the "
    "others; paler and thinner is less probable.";

struct DrawOptions {
  InputOptions input;
  Root root = Root::single;
  Accuracy accuracy;
  UnknownFields unknown = UnknownFields::refused;
  double min_probability = 0.05;
  PictureOptions pictures;
  bool quiet = false;
};

std::vector<std::string> words_of(const GraphLine& graph) {
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

std::string title_of(const GraphLine& graph, std::size_t line) {
  if (graph.id == "null") return fmt::format("{}", line);
  return graph.id.starts_with('"') ? graph.id.substr(1, graph.id.size() - 2) : graph.id;
}

template <class D>
Drawing drawing_by(const GraphLine& graph, const std::vector<std::string>& words, const DrawOptions& options) {
  return drawing_of(constrained_distribution<D>(graph, options.root, options.accuracy), words, options.min_probability);
}

Drawing drawing_in(const InputLine& line, const DrawOptions& options) {
  const GraphLine graph = read_graph(line.text, options.unknown);
  const std::vector<std::string> words = words_of(graph);
  Drawing out;
  try {
    out = graph.labelled() ? drawing_by<LabelledTreeDistribution>(graph, words, options)
                           : drawing_by<TreeDistribution>(graph, words, options);
  } catch (const Infeasible& e) {
    out.error = fmt::format("infeasible: {}", e.what());
    out.text = fmt::format("{}", fmt::join(words, " "));
  }
  out.title = title_of(graph, line.number);
  return out;
}

std::vector<Drawing> draw_all(LineReader& reader, const DrawOptions& options, bool print) {
  std::vector<Drawing> drawings;
  for (auto lines = reader.next(kChunkLines, kChunkBytes); !lines.empty();
       lines = reader.next(kChunkLines, kChunkBytes)) {
    for (const InputLine& line : lines) {
      try {
        drawings.push_back(drawing_in(line, options));
      } catch (const std::runtime_error& e) {
        throw FileError(fmt::format("{}:{}: {}", reader.name(), line.number, e.what()));
      } catch (const InputError& e) {
        throw FileError(fmt::format("{}:{}: {}", reader.name(), line.number, without_function(e.what())));
      } catch (const std::bad_alloc&) {
        throw FileError(fmt::format("{}:{}: out of memory", reader.name(), line.number));
      }
      if (print) write_stdout(heads_text(drawings.back()));
    }
  }
  return drawings;
}

DrawnPage page_of(const DrawOptions& options) {
  return {"Distributions over dependency trees", kLead,
          fmt::format("Arcs below p = {} are not drawn. Made with kirchhoff draw.", options.min_probability)};
}

void check_uses(const CLI::App& verb, const DrawOptions& options) {
  refuse_unused(verb, {tolerance_use(options.accuracy)});
}

int run(const DrawOptions& options) {
  const PictureOutput pictures(options.pictures, options.input.file);
  LineReader reader(options.input.file, options.input.max_line_mb << 20);
  if (!options.quiet) greet_terminal(options.input.file);
  const std::vector<Drawing> drawings = draw_all(reader, options, !pictures.takes_standard_output());
  pictures.write(drawings, page_of(options));
  const auto failed = static_cast<std::size_t>(
      std::count_if(drawings.begin(), drawings.end(), [](const Drawing& d) { return !d.error.empty(); }));
  complain_unanswered(reader.name(), failed, drawings.size(), "without any tree");
  return failed > 0 ? 1 : 0;
}

}  // namespace

Action add_draw(CLI::App& verb) {
  auto options = std::make_shared<DrawOptions>();
  add_required_root(verb, options->root);
  add_pictures(verb, options->pictures, "the arcs");
  add_number(verb, "--min-probability", options->min_probability, "P", {0.0, 1.0},
             "Shows only arcs that are at least this probable [0.05].");
  add_accuracy(verb, options->accuracy);
  add_unknown(verb, options->unknown);
  add_input(verb, options->input, options->quiet);
  verb.footer(kHelp);
  return [options, &verb](std::string_view) {
    check_uses(verb, *options);
    return run(*options);
  };
}

}  // namespace kirchhoff::cli
