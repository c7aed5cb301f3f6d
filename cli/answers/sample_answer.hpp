// Answers one line of `sample`: random trees of a graph, drawn with or without replacement.
#pragma once

#include <kirchhoff/sample.hpp>
#include "io/line_answer.hpp"
#include "json/fields.hpp"

#include <cstdint>
#include <string_view>

namespace kirchhoff::cli {

/// How trees are drawn: independently of each other, or without replacement, one after the other by a trie or all at
/// once by a beam.
enum class Draws { independent, trie, beam };

struct SampleSettings {
  Root root = Root::single;
  bool projective = false;  ///< Only trees whose arcs do not cross count.
  Draws draws = Draws::independent;
  Sampler sampler = Sampler::automatic;  ///< Draws independent trees.
  int count = 0;
  UnknownFields unknown = UnknownFields::refused;
  std::uint64_t seed = 0;       ///< The graph with index i has seed + i.
  bool counts = false;          ///< Each tree is written once, with how often it was drawn.
  bool expected_draws = false;  ///< The mean number of draws that a walk takes is written, too.
};

/// Draws trees of the line's graph; `index` is the number of graphs before it.
LineAnswer answer_sample_line(std::string_view line, std::size_t index, const SampleSettings& settings);

}  // namespace kirchhoff::cli
