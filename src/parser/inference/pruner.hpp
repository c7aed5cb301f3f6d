// The pruner: a fast arc-factored CRF over few features in dense tables, whose marginals say which heads are worth the
// full model's look.
#pragma once

#include "dependency/candidates.hpp"
#include "kirchhoff/parser.hpp"
#include "parser/features/arc_tables.hpp"

namespace kirchhoff::parser {

/// The heads that remain, dependent by dependent.
using dependency::Candidates;

/// Keeps for each word at most `max_heads` heads with a probability of at least `threshold` times the best one's, and
/// the heads of the best tree, so that a tree always remains.
Candidates prune(const Matrix& scores, Root root, const Pruning& pruning);
/// The same candidates, and the heads of a tree.
Candidates with_tree(const Candidates& candidates, const Heads& heads);

/// Calls visit(head, dependent) for each candidate, dependent by dependent.
template <class Visit>
void for_each_arc(const Candidates& candidates, const Visit& visit) {
  for (std::size_t d = 1; d + 1 < candidates.begin.size(); ++d) {
    for (std::uint32_t c = candidates.begin[d]; c < candidates.begin[d + 1]; ++c) {
      visit(static_cast<int>(candidates.heads[c]), static_cast<int>(d));
    }
  }
}

/// Numbers of candidates as a matrix, with something else for all other arcs.
inline Matrix matrix_of(const Candidates& candidates, std::span<const double> by_candidate, double others) {
  const auto size = static_cast<Eigen::Index>(candidates.begin.size()) - 1;
  Matrix matrix = Matrix::Constant(size, size, others);
  std::size_t c = 0;
  for_each_arc(candidates, [&](int h, int d) { matrix(h, d) = by_candidate[c++]; });
  return matrix;
}
/// The same numbers one after the other.
inline std::vector<double> list_of(const Candidates& candidates, const Matrix& matrix) {
  std::vector<double> list;
  list.reserve(candidates.size());
  for_each_arc(candidates, [&](int h, int d) { list.push_back(matrix(h, d)); });
  return list;
}

}  // namespace kirchhoff::parser
