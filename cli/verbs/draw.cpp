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

#include <utility>

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

/// The drawings of all lines, and how many of them are but a message.
struct Drawings {
  std::vector<Drawing> all;
  std::size_t infeasible = 0;
  std::size_t unanswered = 0;
};

Drawing without_arcs(const std::vector<std::string>& words, std::string error) {
  Drawing out;
  out.error = std::move(error);
  out.text = fmt::format("{}", fmt::join(words, " "));
  return out;
}

void add_drawing(const InputLine& line, const DrawOptions& options, Drawings& drawings) {
  const GraphLine graph = read_graph(line.text, options.unknown);
  const std::vector<std::string> words = words_of(graph);
  Drawing out;
  try {
    out = graph.labelled() ? drawing_by<LabelledTreeDistribution>(graph, words, options)
                           : drawing_by<TreeDistribution>(graph, words, options);
  } catch (const Infeasible& e) {
    out = without_arcs(words, fmt::format("infeasible: {}", e.what()));
    ++drawings.infeasible;
  } catch (const InputError& e) {
    out = without_arcs(words, without_function(e.what()));
    ++drawings.unanswered;
  }
  out.title = title_of(graph, line.number);
  drawings.all.push_back(std::move(out));
}

Drawings draw_all(LineReader& reader, const DrawOptions& options, bool print) {
  Drawings drawings;
  for (auto lines = reader.next(kChunkLines, kChunkBytes); !lines.empty();
       lines = reader.next(kChunkLines, kChunkBytes)) {
    for (const InputLine& line : lines) {
      try {
        add_drawing(line, options, drawings);
      } catch (const std::runtime_error& e) {
        throw FileError(fmt::format("{}:{}: {}", reader.name(), line.number, e.what()));
      } catch (const std::bad_alloc&) {
        throw FileError(fmt::format("{}:{}: out of memory", reader.name(), line.number));
      }
      if (print) write_stdout(heads_text(drawings.all.back()));
    }
  }
  return drawings;
}

DrawnPage page_of(const DrawOptions& options) {
  return {"Distributions over dependency trees", kLead,
          fmt::format("Arcs below p = {} are not drawn. Made with kirchhoff draw.", options.min_probability)};
}

void check_uses(const CLI::App& verb, const DrawOptions& options) {
  refuse_unused(verb, {automatic_use("--tolerance", options.accuracy), automatic_use("--floor", options.accuracy)});
}

int run(const DrawOptions& options) {
  const PictureOutput pictures(options.pictures, options.input.file);
  LineReader reader(options.input.file, options.input.max_line_mb << 20);
  if (!options.quiet) greet_terminal(options.input.file);
  const Drawings drawings = draw_all(reader, options, !pictures.takes_standard_output());
  pictures.write(drawings.all, page_of(options));
  complain_unanswered(reader.name(), drawings.infeasible, drawings.all.size(), "without any tree");
  complain_unanswered(reader.name(), drawings.unanswered, drawings.all.size(), "without an answer");
  return drawings.infeasible + drawings.unanswered > 0 ? 1 : 0;
}

}  // namespace

Action add_draw(CLI::App& verb) {
  auto options = std::make_shared<DrawOptions>();
  add_required_root(verb, options->root);
  add_pictures(verb, options->pictures, "the arcs");
  add_number(verb, "--min-probability", options->min_probability, "P", {0.0, 1.0},
             "Shows only arcs that are at least this probable [0.05].");
  add_accuracy(verb, options->accuracy);
  add_floor(verb, options->accuracy);
  add_unknown(verb, options->unknown);
  add_input(verb, options->input, options->quiet);
  verb.footer(kHelp);
  return [options, &verb](std::string_view) {
    check_uses(verb, *options);
    return run(*options);
  };
}

}  // namespace kirchhoff::cli
