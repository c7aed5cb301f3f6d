// Reads bytes as one line of `kirchhoff chain`: whatever they are, the program answers or says what is wrong. It never
// crashes, never writes NaN (JsonWriter would say so) and writes lines that are JSON again.
#include "json/chain_line.hpp"
#include "json/read_error.hpp"
#include "sequence_line.hpp"

#include <cstdint>
#include <string_view>

namespace {

using kirchhoff::cli::UnknownFields;

constexpr int kMaxLength = 12, kMaxTags = 8;

/// True for chains that take no time.
bool is_small(std::string_view line) {
  try {
    const auto chain = kirchhoff::cli::read_chain(line, UnknownFields::allowed);
    return chain.scores.length() <= kMaxLength && chain.scores.tags() <= kMaxTags &&
           (!chain.features || chain.features->size() <= 8);
  } catch (const kirchhoff::cli::ReadError&) {
    return true;  // the answer must say the same
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const kirchhoff::cli::Line bytes(data, size);
  const std::string_view line = bytes.text();
  if (!is_small(line)) return 0;
  kirchhoff::cli::ask_all(kirchhoff::cli::chain_answers(), line);
  return 0;
}
