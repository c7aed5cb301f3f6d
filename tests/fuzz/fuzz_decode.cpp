// Reads bytes as one line of `kirchhoff decode` and `kirchhoff sample`, with crossing arcs and without: whatever they
// are, the program answers or says what is wrong. What it calls trees are trees, each once where they are distinct.
#include "answers/decode_answer.hpp"
#include "answers/sample_answer.hpp"
#include "answers/tree_answer.hpp"
#include "line_answers.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace {

using namespace kirchhoff;
using cli::fail;
using cli::LineAnswer;
using cli::UnknownFields;

constexpr int kMaxWords = 7, kMaxLabels = 8, kTrees = 4;

/// Heads with that of the root, which the program leaves out.
Heads heads_of(simdjson::dom::element tree) {
  Heads heads = {-1};
  for (const std::int64_t head : tree["heads"].get_array()) heads.push_back(static_cast<int>(head));
  return heads;
}

/// `distinct` trees come once each, with their labels.
void check(const LineAnswer& answer, Root root, bool distinct) {
  simdjson::dom::parser parser;
  const simdjson::dom::element object = cli::checked(answer, "trees", parser);
  if (answer.status != LineAnswer::Status::good) return;
  std::set<std::string> seen;
  for (const simdjson::dom::element tree : object["trees"].get_array()) {
    if (tree_problem(heads_of(tree), root)) fail("what is called a tree is none", answer);
    simdjson::dom::element labels;
    const bool labelled = !tree["labels"].get(labels);
    const std::string name =
        simdjson::minify(tree["heads"].value()) + (labelled ? simdjson::minify(labels) : std::string());
    if (!seen.insert(name).second && distinct) fail("a tree comes twice", answer);
  }
}

/// True for graphs that take no time.
bool is_small(std::string_view line) {
  try {
    const auto graph = cli::read_graph(line, UnknownFields::allowed);
    return graph.n() <= kMaxWords && graph.scores.labels <= kMaxLabels;
  } catch (const cli::ReadError&) {
    return true;  // the answers must say the same
  }
}

void decode(std::string_view line, cli::DecodeSettings settings) {
  settings.unknown = UnknownFields::allowed;
  check(answer_decode_line(line, settings), settings.root, true);
}

void sample(std::string_view line, cli::SampleSettings settings) {
  settings.unknown = UnknownFields::allowed;
  settings.count = kTrees;
  check(answer_sample_line(line, 0, settings), settings.root, settings.draws != cli::Draws::independent);
}

void ask_about_projective_trees(std::string_view line, Root root, Method method) {
  cli::TreeQuestions questions;
  questions.root = root;
  questions.projective = true;
  questions.accuracy.method = method;
  questions.unknown = UnknownFields::allowed;
  questions.wants = cli::parse_tree_wants("all");
  simdjson::dom::parser parser;
  cli::checked(answer_tree_line(line, questions), "n", parser);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const cli::Line bytes(data, size);
  const std::string_view line = bytes.text();
  if (!is_small(line)) return 0;
  for (const Root root : {Root::single, Root::multi}) {
    for (const bool projective : {false, true}) {
      decode(line, {.root = root, .projective = projective, .k_best = kTrees});
      decode(line, {.root = root, .projective = projective, .mbr = true});
      for (const cli::Draws draws : {cli::Draws::independent, cli::Draws::trie, cli::Draws::beam}) {
        sample(line, {.root = root, .projective = projective, .draws = draws});
      }
    }
    decode(line, {.root = root, .sparse = true});
    ask_about_projective_trees(line, root, Method::automatic);
    ask_about_projective_trees(line, root, Method::robust);
  }
  return 0;
}
