// Labelled projective trees, and batches of projective trees.
#include "tree/batch/batch.hpp"

#include "projective/state.hpp"
#include "tree/batch/marginals_along.hpp"
#include "tree/labelled.hpp"

namespace kirchhoff {

template class LabelledOf<ProjectiveTreeDistribution>;

template <>
void BatchOf<ProjectiveTreeDistribution>::State::solve_into(std::size_t i, tree::BatchAnswers& answers,
                                                            double* out) const {
  const projective::Solved solved = with_scores<ProjectiveTreeDistribution>(graphs[i], [&](const MatrixRef& scores) {
    return projective::marginals_into(scores, root, options.accuracy, out, row_length(i));
  });
  answers.log_partition[i] = solved.log_partition;
  answers.reports[i] = solved.report;
}

template class BatchOf<ProjectiveTreeDistribution>;
template class BatchOf<LabelledProjectiveTreeDistribution>;

}  // namespace kirchhoff
