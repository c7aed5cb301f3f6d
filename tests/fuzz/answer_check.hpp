// What an answer to a line of JSON must be, whatever the line was: one line of JSON, or a message.
#pragma once

#include "io/line_answer.hpp"

#include <simdjson.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace kirchhoff::fuzz {

[[noreturn]] inline void fail(std::string_view what, const cli::LineAnswer& answer) {
  std::fprintf(stderr, "%.*s\noutput: %s\nmessage: %s\n", static_cast<int>(what.size()), what.data(),
               answer.output.c_str(), answer.message.c_str());
  std::abort();
}

/// A number given as id comes back as it was written, and may be an integer beyond 64 bits: JSON, but not for simdjson.
/// `next` is the field that follows it.
inline std::string with_small_id(std::string output, std::string_view next) {
  constexpr std::string_view kStart = "{\"id\":";
  const std::size_t end = output.find(",\"" + std::string(next) + "\":");
  if (!output.starts_with(kStart) || output[kStart.size()] == '"' || end == std::string::npos) return output;
  return output.replace(kStart.size(), end - kStart.size(), "0");
}

/// Ends the program unless the answer is one line of JSON or a message of one line. Returns true and the JSON in
/// `object`, which lives as long as the parser, if there is one. `next` is the field that follows the id.
inline bool check_answer(const cli::LineAnswer& answer, std::string_view next, simdjson::dom::parser& parser,
                         simdjson::dom::element& object) {
  using Status = cli::LineAnswer::Status;
  if (answer.status == Status::bug) fail("a result is not a number", answer);
  if (answer.status == Status::bad) {
    if (!answer.output.empty() || answer.message.empty()) fail("an error with output or without message", answer);
    if (answer.message.find('\n') != std::string::npos) fail("a message of several lines", answer);
    return false;
  }
  if (parser.parse(with_small_id(answer.output, next)).get(object)) fail("the output is not JSON", answer);
  if (answer.output.find('\n') != answer.output.size() - 1) fail("the output is not one line", answer);
  return true;
}

inline void check_answer(const cli::LineAnswer& answer, std::string_view next) {
  simdjson::dom::parser parser;
  simdjson::dom::element object;
  check_answer(answer, next, parser, object);
}

}  // namespace kirchhoff::fuzz
