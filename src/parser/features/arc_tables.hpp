// The pruner's features: few of them, and dense, so that each has a place in a table instead of a key in a hash.
#pragma once

#include "parser/features/encode.hpp"

#include <array>
#include <span>

namespace kirchhoff::parser {

/// Says where the features of an arc stand among the weights, which are all tables one after the other.
class ArcTables {
 public:
  static constexpr int kTables = 9;
  using Indices = std::array<std::uint32_t, kTables>;

  explicit ArcTables(const Inventory& inventory);
  /// The number of entries of all tables.
  std::size_t size() const { return begin_[kTables]; }
  Indices indices(const Encoded& sentence, int head, int dependent) const;

 private:
  std::uint32_t upos_, tags_;
  std::array<std::uint32_t, kTables + 1> begin_{};
};

/// The scores of all arcs of a sentence.
Matrix table_scores(const ArcTables& tables, std::span<const float> weights, const Encoded& sentence);

}  // namespace kirchhoff::parser
