// The arcs of a sentence that are worth a look: some heads for each word.
#pragma once

#include <cstdint>
#include <vector>

namespace kirchhoff::dependency {

/// The candidate heads of word d are heads[begin[d]] ... heads[begin[d + 1] - 1], ascending. A candidate is an index
/// into `heads`: an arc.
struct Candidates {
  std::vector<std::uint16_t> heads;
  std::vector<std::uint32_t> begin;

  std::size_t size() const { return heads.size(); }
};

}  // namespace kirchhoff::dependency
