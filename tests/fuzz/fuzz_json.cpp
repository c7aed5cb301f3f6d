// Reads bytes as one line of `kirchhoff tree`: whatever they are, the program answers or says what is wrong. It never
// crashes, never writes NaN (JsonWriter would say so) and writes lines that are JSON again.
#include "answers/tree_answer.hpp"
#include "line_answers.hpp"

#include <cstdint>
#include <string_view>

namespace {

using kirchhoff::Method;
using kirchhoff::Root;
using kirchhoff::cli::LineAnswer;
using kirchhoff::cli::TreeQuestions;
using kirchhoff::cli::UnknownFields;

constexpr int kMaxWords = 8;

void check(const LineAnswer& answer) {
  simdjson::dom::parser parser;
  kirchhoff::cli::checked(answer, "n", parser);
}

/// True for graphs that are small, and have so few features that a covariance does not take seconds.
bool is_small(std::string_view line) {
  try {
    const auto graph = kirchhoff::cli::read_graph(line, UnknownFields::allowed);
    return graph.n() <= kMaxWords && graph.scores.labels <= 16 && (!graph.features || graph.features->size <= 64);
  } catch (const kirchhoff::cli::ReadError&) {
    return true;  // answer_tree_line must say the same
  }
}

void ask(std::string_view line, Root root, Method method, std::string_view wants,
         UnknownFields unknown = UnknownFields::allowed) {
  TreeQuestions questions;
  questions.root = root;
  questions.accuracy.method = method;
  questions.unknown = unknown;
  questions.wants = kirchhoff::cli::parse_tree_wants(wants);
  check(kirchhoff::cli::answer_tree_line(line, questions));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const kirchhoff::cli::Line bytes(data, size);
  const std::string_view line = bytes.text();
  if (!is_small(line)) return 0;
  for (const Root root : {Root::single, Root::multi}) {
    ask(line, root, Method::automatic, "all");
    ask(line, root, Method::robust, "all");
    ask(line, root, Method::automatic, "pair_marginals,renyi=0.5,norm=2");
    ask(line, root, Method::automatic, "cumulants=4");
    ask(line, root, Method::automatic, "log_partition", UnknownFields::refused);
  }
  return 0;
}
