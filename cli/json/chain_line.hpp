// Reads one line of input: a chain with scores, and what some questions need besides (docs/reference/formats.md).
#pragma once

#include "json/fields.hpp"

#include <kirchhoff/chain.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kirchhoff::cli {

/// A position and a tag at it.
using PlaceOfTag = std::pair<int, int>;

/// One line: a chain with everything that is said about it.
struct ChainLine {
  std::string id = "null";  ///< The JSON text, which is echoed as it was written.
  ChainArrays scores;
  std::optional<Tags> gold;
  std::optional<ChainArrays> other;
  std::optional<std::vector<ChainArrays>> features;
  std::vector<PlaceOfTag> require, forbid;
};

/// Reads one line, which must be followed by simdjson::SIMDJSON_PADDING readable bytes. Throws ReadError.
ChainLine read_chain(std::string_view line, UnknownFields unknown);

}  // namespace kirchhoff::cli
