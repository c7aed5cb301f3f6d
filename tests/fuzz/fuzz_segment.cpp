// Reads bytes as one line of `kirchhoff segment`: whatever they are, the program answers or says what is wrong. It
// never crashes, never writes NaN (JsonWriter would say so) and writes lines that are JSON again.
#include "json/read_error.hpp"
#include "json/segment_line.hpp"
#include "sequence_line.hpp"

#include <cstdint>
#include <string_view>

namespace {

using kirchhoff::cli::UnknownFields;

constexpr int kMaxLength = 10, kMaxTags = 6;

/// True for lines that take no time.
bool is_small(std::string_view line) {
  try {
    const auto read = kirchhoff::cli::read_segments(line, UnknownFields::allowed);
    return read.scores.positions() <= kMaxLength && read.scores.longest() <= kMaxLength &&
           read.scores.tags() <= kMaxTags && read.require.size() <= 8 && (!read.features || read.features->size() <= 8);
  } catch (const kirchhoff::cli::ReadError&) {
    return true;  // the answer must say the same
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const kirchhoff::cli::Line bytes(data, size);
  const std::string_view line = bytes.text();
  if (!is_small(line)) return 0;
  kirchhoff::cli::ask_all(kirchhoff::cli::segment_answers(), line);
  return 0;
}
