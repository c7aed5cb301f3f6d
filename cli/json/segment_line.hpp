// Reads one line of input: scores of segments, and what some questions need besides (docs/reference/formats.md).
#pragma once

#include "json/fields.hpp"

#include <kirchhoff/segment.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// One line: the scores of a distribution with everything that is said about it.
struct SegmentLine {
  std::string id = "null";  ///< The JSON text, which is echoed as it was written.
  SegmentArrays scores;
  std::optional<Segmentation> gold;
  std::optional<SegmentArrays> other;
  std::optional<std::vector<SegmentArrays>> features;
  std::vector<Segment> require, forbid;
};

/// Reads one line, which must be followed by simdjson::SIMDJSON_PADDING readable bytes. Throws ReadError.
SegmentLine read_segments(std::string_view line, UnknownFields unknown);

}  // namespace kirchhoff::cli
