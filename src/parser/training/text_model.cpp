// What all models of sentences without trees have in common, and the scores of their teachers.
#include "parser/training/text_model.hpp"

#include <cmath>
#include <utility>

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

double TextTrees::add_entropy_of_labels(double weight) {
  if (!labels_) return 0.0;
  const std::vector<double> p = probabilities();
  std::vector<double> entropies;
  double value = 0.0;
  for (std::size_t c = 0; c < p.size(); ++c) {
    entropies.push_back(weight * labels_->add_entropy(c, weight * p[c]));
    value += p[c] * entropies[c];
  }
  add_probabilities(entropies);
  return value;
}

void TextModel::read(std::vector<Encoded> sentences, std::vector<Candidates> candidates) {
  sentences_ = std::move(sentences);
  candidates_ = std::move(candidates);
  if (joint_ != nullptr) label_lists_ = joint_->lists(sentences_, candidates_);
}

void TextModel::step(std::span<const TextUpdates> updates, double objective) {
  Gradient of_arcs{{}, objective}, of_labels;
  for (const TextUpdates& some : updates) {
    of_arcs.contributions.push_back(&some.arcs);
    of_labels.contributions.push_back(&some.labels);
  }
  if (joint_ == nullptr) return learner_->step({&of_arcs, 1}, *crew_);
  Learner::step_together({learner_, &joint_->learner()}, {{{&of_arcs, 1}, {&of_labels, 1}}}, *crew_);
}

TreeScores TextModel::teacher_scores(Parser& teacher, const Sentence& text, std::size_t i) const {
  const Matrix all = teacher.arc_scores(text);
  Matrix common = Matrix::Constant(all.rows(), all.cols(), -HUGE_VAL);
  TreeScores scores;
  for_each_arc(candidates(i), [&](int h, int d) { scores.arcs.push_back(common(h, d) = all(h, d)); });
  return has_tree(common, root()) ? scores : TreeScores{};
}

}  // namespace kirchhoff::parser
