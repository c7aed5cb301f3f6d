// The pruner: a fast arc-factored CRF over few features in dense tables, whose marginals say which heads are worth the
// full model's look.
#pragma once

#include "dependency/candidates.hpp"
#include "kirchhoff/parser.hpp"
#include "parser/features/encode.hpp"

#include <array>
#include <span>

namespace kirchhoff::parser {

/// The heads that remain, dependent by dependent.
using dependency::Candidates;

class ArcTables {
 public:
  static constexpr int kTables = 9;
  using Indices = std::array<std::uint32_t, kTables>;

  explicit ArcTables(const Inventory& inventory);
  /// Entries of all tables.
  std::size_t size() const { return begin_[kTables]; }
  Indices indices(const Encoded& sentence, int head, int dependent) const;

 private:
  std::uint32_t upos_, tags_;
  std::array<std::uint32_t, kTables + 1> begin_{};
};

/// Scores of all arcs.
Matrix table_scores(const ArcTables& tables, std::span<const float> weights, const Encoded& sentence);

/// Per word at most `max_heads` heads with a probability of at least `threshold` times the best one's, and the heads
/// of the best tree, so that a tree always remains.
Candidates prune(const Matrix& scores, Root root, const Pruning& pruning);
/// The same with the heads of a tree added.
Candidates with_tree(const Candidates& candidates, const Heads& heads);

}  // namespace kirchhoff::parser
