// Asks a teacher for its scores of candidates.
#include "parser/training/text_model.hpp"

#include <cmath>

namespace kirchhoff::parser {
namespace {

bool has_tree(const Matrix& scores, Root root) {
  try {
    const TreeDistribution feasible(scores, root, {.tolerance = 1e-3, .floor = 1e-3});
    return true;
  } catch (const Infeasible&) {
    return false;
  }
}

}  // namespace

TreeScores TextModel::teacher_scores(Parser& teacher, const Sentence& text, std::size_t i) const {
  const Matrix all = teacher.arc_scores(text);
  Matrix common = Matrix::Constant(all.rows(), all.cols(), -HUGE_VAL);
  TreeScores scores;
  for_each_arc(candidates(i), [&](int h, int d) { scores.arcs.push_back(common(h, d) = all(h, d)); });
  return has_tree(common, root()) ? scores : TreeScores{};
}

}  // namespace kirchhoff::parser
