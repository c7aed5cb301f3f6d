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

ExactTrees::ExactTrees(const Candidates& candidates, Matrix scores, Root root, Finish finish)
    : candidates_(&candidates),
      scores_(std::move(scores)),
      p_(scores_, root, kAccuracy),
      finish_(std::move(finish)),
      gradient_(Matrix::Zero(scores_.rows(), scores_.cols())),
      direction_(gradient_) {}

Matrix ExactTrees::matrix_of(std::span<const double> by_candidate, double others) const {
  Matrix matrix = Matrix::Constant(scores_.rows(), scores_.cols(), others);
  std::size_t c = 0;
  for_each_arc(*candidates_, [&](int h, int d) { matrix(h, d) = by_candidate[c++]; });
  return matrix;
}

std::vector<double> ExactTrees::probabilities() const {
  const auto marginals = p_.marginals();
  std::vector<double> list;
  for_each_arc(*candidates_, [&](int h, int d) { list.push_back(marginals(h, d)); });
  return list;
}

double ExactTrees::add_entropy(double weight, double order) {
  gradient_ += weight * (order == 1.0 ? entropy_gradient(p_) : renyi_gradient(p_, order));
  return weight * (order == 1.0 ? entropy(p_) : renyi(p_, order));
}

double ExactTrees::add_divergence(const TreeScores& scores, double forward, double reverse) {
  const TreeDistribution teacher(matrix_of(scores.arcs, -HUGE_VAL), p_.root(), kAccuracy);
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

void ExactTrees::add_probabilities(std::span<const double> weights) { direction_ += matrix_of(weights, 0.0); }

void ExactTrees::finish(TextUpdates& updates) {
  // The gradient of a sum of weight * probability is a covariance: the derivative of the marginals along the weights.
  if (!direction_.isZero(0.0)) gradient_ += p_.marginals_along(direction_);
  finish_(gradient_, updates);
}

void ArcText::read(std::vector<Encoded> sentences, std::vector<Candidates> candidates) {
  lists_ = arcs_->lists(sentences, std::move(candidates));
  TextModel::read(std::move(sentences), {});
}

std::unique_ptr<TextTrees> ArcText::trees(std::size_t i) const {
  const ArcLists& lists = lists_[i];
  return std::make_unique<ExactTrees>(
      lists.candidates, arcs_->scores(lists, sentences_[i].words), root(),
      [&lists](const Matrix& gradient, TextUpdates& updates) { add_updates(lists, gradient, updates.arcs); });
}

void JointText::read(std::vector<Encoded> sentences, std::vector<Candidates> candidates) {
  label_lists_ = joint_->label_lists(sentences, candidates);
  ArcText::read(std::move(sentences), std::move(candidates));
}

std::unique_ptr<TextTrees> JointText::trees(std::size_t i) const {
  const ArcLists& lists = lists_[i];
  const ArcLists& label_lists = label_lists_[i];
  // What is left of the labels is their probabilities given each arc, one after the other.
  auto given = std::make_shared<std::vector<double>>();
  Matrix theta = joint_->folded_scores(lists, label_lists, sentences_[i].words, *given);
  const auto finish = [this, &lists, &label_lists, given](const Matrix& gradient, TextUpdates& updates) {
    add_updates(lists, gradient, updates.arcs);
    const std::size_t labels = joint_->labels().label_use().size();
    std::size_t a = 0;
    for_each_arc(lists.candidates, [&](int h, int d) {
      const std::span<double> own(given->data() + a * labels, labels);
      for (double& g : own) g *= gradient(h, d);
      joint_->labels().add_updates(label_lists.of(a++), own, updates.labels);
    });
  };
  return std::make_unique<ExactTrees>(lists.candidates, std::move(theta), root(), finish);
}

void JointText::step(std::span<const TextUpdates> updates, double objective) {
  Gradient of_arcs{{}, objective}, of_labels;
  for (const TextUpdates& some : updates) {
    of_arcs.contributions.push_back(&some.arcs);
    of_labels.contributions.push_back(&some.labels);
  }
  Learner::step_together({learner_, &joint_->labels().learner()}, {{{&of_arcs, 1}, {&of_labels, 1}}}, *crew_);
}

}  // namespace kirchhoff::parser
