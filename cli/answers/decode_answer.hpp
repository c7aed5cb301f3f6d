// Answers one line of `decode`: the best trees of a graph.
#pragma once

#include "io/line_answer.hpp"
#include "json/fields.hpp"

#include <kirchhoff/decode.hpp>

#include <string_view>

namespace kirchhoff::cli {

struct DecodeSettings {
  Root root = Root::single;
  bool projective = false;  ///< Only trees whose arcs do not cross count.
  Accuracy accuracy = {};
  int k_best = 1;
  UnknownFields unknown = UnknownFields::refused;
  bool mbr = false;     ///< The answer is the minimum Bayes risk tree instead.
  bool sparse = false;  ///< The answer is SparseMAP's mixture instead.
};

LineAnswer answer_decode_line(std::string_view line, const DecodeSettings& settings);

}  // namespace kirchhoff::cli
