// Reads bytes as one line of `kirchhoff chain`: whatever they are, the program answers or says what is wrong. It never
// crashes, never writes NaN (JsonWriter would say so) and writes lines that are JSON again.
#include "answers/chain_answer.hpp"
#include "json/chain_line.hpp"
#include "json/read_error.hpp"
#include "line_answers.hpp"

#include <cstdint>
#include <string_view>

namespace {

using kirchhoff::Method;
using kirchhoff::cli::ChainQuestions;
using kirchhoff::cli::LineAnswer;
using kirchhoff::cli::UnknownFields;

constexpr int kMaxLength = 12, kMaxTags = 8;

void check(const LineAnswer& answer) {
  simdjson::dom::parser parser;
  kirchhoff::cli::checked(answer, "length", parser);
}

/// True for chains that take no time.
bool is_small(std::string_view line) {
  try {
    const auto chain = kirchhoff::cli::read_chain(line, UnknownFields::allowed);
    return chain.scores.length() <= kMaxLength && chain.scores.tags() <= kMaxTags &&
           (!chain.features || chain.features->size() <= 8);
  } catch (const kirchhoff::cli::ReadError&) {
    return true;  // answer_chain_line must say the same
  }
}

void ask(std::string_view line, Method method, std::string_view wants, UnknownFields unknown = UnknownFields::allowed) {
  ChainQuestions questions;
  questions.method = method;
  questions.unknown = unknown;
  questions.wants = kirchhoff::cli::parse_chain_wants(wants);
  check(kirchhoff::cli::answer_chain_line(line, 0, questions));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const kirchhoff::cli::Line bytes(data, size);
  const std::string_view line = bytes.text();
  if (!is_small(line)) return 0;
  ask(line, Method::automatic, "all");
  ask(line, Method::robust, "all");
  ask(line, Method::automatic, "k_best=5,samples=3,distinct=4,renyi=0.5");
  ask(line, Method::automatic, "cumulants=4");
  ask(line, Method::automatic, "log_partition", UnknownFields::refused);
  return 0;
}
