// Reads bytes as one line of `kirchhoff tree`: whatever they are, the program answers or says what is wrong. It never
// crashes, never writes NaN (JsonWriter would say so) and writes lines that are JSON again.
#include "answers/tree_answer.hpp"

#include <simdjson.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using kirchhoff::Method;
using kirchhoff::Root;
using kirchhoff::cli::LineAnswer;
using kirchhoff::cli::TreeQuestions;
using kirchhoff::cli::UnknownFields;

constexpr int kMaxWords = 8;

[[noreturn]] void fail(std::string_view what, const LineAnswer& answer) {
  std::fprintf(stderr, "%.*s\noutput: %s\nmessage: %s\n", static_cast<int>(what.size()), what.data(),
               answer.output.c_str(), answer.message.c_str());
  std::abort();
}

/// A number given as id comes back as it was written, and may be an integer beyond 64 bits: JSON, but not for simdjson.
std::string with_small_id(std::string output) {
  constexpr std::string_view kStart = "{\"id\":";
  const std::size_t end = output.find(",\"n\":");
  if (!output.starts_with(kStart) || output[kStart.size()] == '"' || end == std::string::npos) return output;
  return output.replace(kStart.size(), end - kStart.size(), "0");
}

void check(const LineAnswer& answer) {
  if (answer.status == LineAnswer::Status::bug) fail("a result is not a number", answer);
  if (answer.status == LineAnswer::Status::bad) {
    if (!answer.output.empty() || answer.message.empty()) fail("an error with output or without message", answer);
    if (answer.message.find('\n') != std::string::npos) fail("a message of several lines", answer);
    return;
  }
  simdjson::dom::parser parser;
  if (parser.parse(with_small_id(answer.output)).error()) fail("the output is not JSON", answer);
  if (answer.output.find('\n') != answer.output.size() - 1) fail("the output is not one line", answer);
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
  std::string buffer(reinterpret_cast<const char*>(data), size);
  buffer.resize(size + simdjson::SIMDJSON_PADDING, '\n');
  const std::string_view line(buffer.data(), size);
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
