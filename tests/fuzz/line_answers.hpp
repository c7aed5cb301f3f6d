// What every answer to a line must be: an error of one line, or one line that is JSON.
#pragma once

#include "io/line_answer.hpp"

#include <simdjson.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

[[noreturn]] inline void fail(std::string_view what, const LineAnswer& answer) {
  std::fprintf(stderr, "%.*s\noutput: %s\nmessage: %s\n", static_cast<int>(what.size()), what.data(),
               answer.output.c_str(), answer.message.c_str());
  std::abort();
}

/// A number given as id comes back as it was written, and may be an integer beyond 64 bits: JSON, but not for simdjson.
/// `next` is the name of the field after it.
inline std::string with_small_id(std::string output, std::string_view next) {
  constexpr std::string_view kStart = "{\"id\":";
  const std::size_t end = output.find(",\"" + std::string(next) + "\":");
  if (!output.starts_with(kStart) || output[kStart.size()] == '"' || end == std::string::npos) return output;
  return output.replace(kStart.size(), end - kStart.size(), "0");
}

/// Fails where an answer is not what it must be. Returns its object, which `parser` holds, or nothing for an error.
inline simdjson::dom::element checked(const LineAnswer& answer, std::string_view after_id,
                                      simdjson::dom::parser& parser) {
  simdjson::dom::element object;
  if (answer.status == LineAnswer::Status::bug) fail("a result is not a number", answer);
  if (answer.status == LineAnswer::Status::bad) {
    if (!answer.output.empty() || answer.message.empty()) fail("an error with output or without message", answer);
    if (answer.message.find('\n') != std::string::npos) fail("a message of several lines", answer);
    return object;
  }
  if (parser.parse(with_small_id(answer.output, after_id)).get(object)) fail("the output is not JSON", answer);
  if (answer.output.find('\n') != answer.output.size() - 1) fail("the output is not one line", answer);
  return object;
}

/// The bytes as a line, with the room behind it that the reader of JSON needs.
class Line {
 public:
  Line(const std::uint8_t* data, std::size_t size) : buffer_(reinterpret_cast<const char*>(data), size), size_(size) {
    buffer_.resize(size + simdjson::SIMDJSON_PADDING, '\n');
  }
  std::string_view text() const { return {buffer_.data(), size_}; }

 private:
  std::string buffer_;
  std::size_t size_;
};

}  // namespace kirchhoff::cli
