// Objectives by the functions of exact distributions, with the gradients that expectation.hpp gives.
#include "parser/training/arc_text.hpp"

#include <cmath>

namespace kirchhoff::parser {
namespace {

constexpr Accuracy kAccuracy{.tolerance = 1e-9, .floor = 1e-6};

/// The scores of the arcs for which the other has one, too.
Matrix restricted(const MatrixRef& scores, const MatrixRef& other) {
  Matrix s = scores;
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    if (std::isinf(other.data()[i])) s.data()[i] = -HUGE_VAL;
  }
  return s;
}

/// The scores of trees that have these arcs, where they are not -1.
Matrix with_arcs(const Matrix& scores, const Heads& settled) {
  Matrix s = scores;
  for (std::size_t d = 1; d < settled.size(); ++d) {
    if (settled[d] < 0) continue;
    const auto w = static_cast<Eigen::Index>(d);
    s.col(w).setConstant(-HUGE_VAL);
    s(settled[d], w) = scores(settled[d], w);
  }
  return s;
}

}  // namespace

ExactTrees::ExactTrees(const Candidates& candidates, std::span<const double> scores, Root root,
                       std::optional<SummedLabels> labels, Finish finish)
    : TextTrees(std::move(labels)),
      candidates_(&candidates),
      scores_(matrix_of(candidates, scores, -HUGE_VAL)),
      p_(scores_, root, kAccuracy),
      finish_(std::move(finish)),
      gradient_(Matrix::Zero(scores_.rows(), scores_.cols())),
      direction_(gradient_) {}

std::vector<double> ExactTrees::probabilities() const { return list_of(*candidates_, p_.marginals()); }

double ExactTrees::add_entropy(double weight, double order) {
  gradient_ += weight * (order == 1.0 ? entropy_gradient(p_) : renyi_gradient(p_, order));
  return weight * (order == 1.0 ? entropy(p_) : renyi(p_, order));
}

double ExactTrees::add_divergence(const TreeScores& scores, double forward, double reverse) {
  const TreeDistribution teacher(matrix_of(*candidates_, scores.arcs, -HUGE_VAL), p_.root(), kAccuracy);
  double value = 0.0;
  if (forward > 0.0) {
    value += forward * kl(teacher, p_);
    gradient_ += forward * kl_gradient(teacher, p_).q;
  }
  if (reverse > 0.0) {
    const TreeDistribution common = p_.with_scores(restricted(p_.scores(), teacher.scores()));
    value += reverse * kl(common, teacher);
    gradient_ += reverse * kl_gradient(common, teacher).p;
  }
  return value;
}

double ExactTrees::add_settled(const Heads& settled, double weight) {
  const TreeDistribution q(with_arcs(scores_, settled), p_.root(), kAccuracy);
  gradient_ += weight * (p_.marginals() - q.marginals());
  return weight * (p_.log_partition() - q.log_partition());
}

void ExactTrees::add_probabilities(std::span<const double> weights) {
  direction_ += matrix_of(*candidates_, weights, 0.0);
}

void ExactTrees::finish(TextUpdates& updates) {
  // The gradient of a sum of weight * probability is a covariance: the derivative of the marginals along the weights.
  if (!direction_.isZero(0.0)) gradient_ += p_.marginals_along(direction_);
  const std::vector<double> by_candidate = list_of(*candidates_, gradient_);
  finish_(by_candidate, updates.arcs);
  finish_labels(by_candidate, updates);
}

void ArcText::read(std::vector<Encoded> sentences, std::vector<Candidates> candidates) {
  TextModel::read(std::move(sentences), std::move(candidates));
  lists_ = arcs_->lists(all_sentences(), all_candidates());
}

std::unique_ptr<TextTrees> ArcText::trees(std::size_t i) const {
  const FeatureLists& lists = lists_[i];
  std::vector<double> scores = arcs_->scores(lists);
  auto labels = sum_labels(i, scores);
  return std::make_unique<ExactTrees>(
      candidates(i), scores, root(), std::move(labels),
      [&lists](std::span<const double> gradient, Contribution& updates) { add_updates(lists, gradient, updates); });
}

}  // namespace kirchhoff::parser
