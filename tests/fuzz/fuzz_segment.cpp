// Reads bytes as one line of `kirchhoff segment`: whatever they are, the program answers or says what is wrong. It
// never crashes, never writes NaN (JsonWriter would say so) and writes lines that are JSON again.
#include "answers/segment_answer.hpp"
#include "json/read_error.hpp"
#include "json/segment_line.hpp"
#include "line_answers.hpp"

#include <cstdint>
#include <string_view>

namespace {

using kirchhoff::Method;
using kirchhoff::cli::SegmentQuestions;
using kirchhoff::cli::UnknownFields;

constexpr int kMaxLength = 10, kMaxTags = 6;

/// True for lines that take no time.
bool is_small(std::string_view line) {
  try {
    const auto read = kirchhoff::cli::read_segments(line, UnknownFields::allowed);
    return read.scores.positions() <= kMaxLength && read.scores.longest() <= kMaxLength &&
           read.scores.tags() <= kMaxTags && read.require.size() <= 8 && (!read.features || read.features->size() <= 8);
  } catch (const kirchhoff::cli::ReadError&) {
    return true;  // answer_segment_line must say the same
  }
}

void ask(std::string_view line, Method method, std::string_view wants, UnknownFields unknown = UnknownFields::allowed) {
  SegmentQuestions questions;
  questions.method = method;
  questions.unknown = unknown;
  questions.wants = kirchhoff::cli::parse_segment_wants(wants);
  simdjson::dom::parser parser;
  kirchhoff::cli::checked(kirchhoff::cli::answer_segment_line(line, 0, questions), "length", parser);
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
