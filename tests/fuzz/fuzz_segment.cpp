// Reads bytes as one line of `kirchhoff segment`: whatever they are, the program answers or says what is wrong. It
// never crashes, never writes NaN (JsonWriter would say so) and writes lines that are JSON again.
#include "answers/segment_answer.hpp"
#include "json/read_error.hpp"
#include "json/segment_line.hpp"

#include <simdjson.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using kirchhoff::Method;
using kirchhoff::cli::LineAnswer;
using kirchhoff::cli::SegmentQuestions;
using kirchhoff::cli::UnknownFields;

constexpr int kMaxLength = 10, kMaxTags = 6;

[[noreturn]] void fail(std::string_view what, const LineAnswer& answer) {
  std::fprintf(stderr, "%.*s\noutput: %s\nmessage: %s\n", static_cast<int>(what.size()), what.data(),
               answer.output.c_str(), answer.message.c_str());
  std::abort();
}

/// A number given as id comes back as it was written, and may be an integer beyond 64 bits: JSON, but not for simdjson.
std::string with_small_id(std::string output) {
  constexpr std::string_view kStart = "{\"id\":";
  const std::size_t end = output.find(",\"length\":");
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
  check(kirchhoff::cli::answer_segment_line(line, 0, questions));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string buffer(reinterpret_cast<const char*>(data), size);
  buffer.resize(size + simdjson::SIMDJSON_PADDING, '\n');
  const std::string_view line(buffer.data(), size);
  if (!is_small(line)) return 0;
  ask(line, Method::automatic, "all");
  ask(line, Method::robust, "all");
  ask(line, Method::automatic, "k_best=5,samples=3,distinct=4,renyi=0.5");
  ask(line, Method::automatic, "cumulants=4");
  ask(line, Method::automatic, "log_partition", UnknownFields::refused);
  return 0;
}
