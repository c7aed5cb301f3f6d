// Computes the objectives on sentences without trees and their gradients, and takes steps.
#include "parser/training/unannotated.hpp"

#include "kirchhoff/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kirchhoff::parser {
namespace {

constexpr Accuracy kAccuracy{.tolerance = 1e-9, .floor = 1e-6};
constexpr double kMemory = 0.97;  ///< What is left of a batch in the running sums when the next one comes.

/// The scores of the arcs for which the other has one, too.
Matrix restricted(const MatrixRef& scores, const MatrixRef& other) {
  Matrix s = scores;
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    if (std::isinf(other.data()[i])) s.data()[i] = -HUGE_VAL;
  }
  return s;
}

bool has_tree(const Matrix& scores, Root root) {
  try {
    const TreeDistribution feasible(scores, root, kAccuracy);
    return true;
  } catch (const Infeasible&) {
    return false;
  }
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

UnannotatedTrainer::UnannotatedTrainer(const Unannotated& unannotated, std::vector<Encoded> sentences,
                                       std::vector<Candidates> candidates, ArcTrainer& arcs,
                                       const TrainOptions& options, base::Crew& crew)
    : unannotated_(&unannotated),
      constraints_(unannotated.constraints),
      sentences_(sentences.size()),
      mean_words_(constraints_.size(), 0.0),
      sums_(2 * constraints_.size(), 0.0),
      arcs_(&arcs),
      options_(options),
      crew_(&crew) {
  const auto ask = [&](auto&& question) {
    crew.chunks(sentences_.size(), [&](std::size_t first, std::size_t last) {
      Parser parser(*unannotated.teacher);
      for (std::size_t i = first; i < last; ++i) question(parser, i);
    });
  };
  if (unannotated.teacher && unannotated.confidence) {
    ask([&](Parser& teacher, std::size_t i) { ask_teacher(teacher, i, candidates[i]); });
  }
  std::vector<ArcLists> lists = arcs.lists(sentences, std::move(candidates));
  crew.loop(sentences_.size(), [&](std::size_t i) {
    Unparsed& s = sentences_[i];
    s.encoded = std::move(sentences[i]);
    s.lists = std::move(lists[i]);
    s.constrained = constraints_.find(s.encoded, s.lists.candidates);
  });
  if (unannotated.teacher && !unannotated.confidence) {
    ask([&](Parser& teacher, std::size_t i) { take_scores(teacher, i); });
  }
  for (const Unparsed& s : sentences_) {
    for (std::size_t c = 0; c < mean_words_.size(); ++c) {
      mean_words_[c] += s.constrained.words[c] / static_cast<double>(sentences_.size());
    }
  }
}

/// Keeps the arcs that the teacher is sure of. All arcs of its tree become candidates, so that a tree has them.
void UnannotatedTrainer::ask_teacher(Parser& teacher, std::size_t i, Candidates& candidates) {
  const Parsed parsed = teacher.parse(unannotated_->sentences[i], {.root = options_.root, .probabilities = true});
  Heads& settled = sentences_[i].settled = parsed.tree.heads;
  candidates = with_tree(candidates, parsed.tree.heads);
  for (std::size_t d = 1; d < settled.size(); ++d) {
    if (parsed.arc_probabilities[d] < *unannotated_->confidence) settled[d] = -1;
  }
}

void UnannotatedTrainer::take_scores(Parser& teacher, std::size_t i) {
  Unparsed& s = sentences_[i];
  s.teacher = restricted(teacher.arc_scores(unannotated_->sentences[i]), arcs_->scores(s.lists, s.encoded.words));
  if (!has_tree(s.teacher, options_.root)) s.teacher.resize(0, 0);
}

std::vector<double> UnannotatedTrainer::slopes(std::span<const std::size_t> batch, std::span<const TreeDistribution> p,
                                               Objective& o) const {
  o.sums = sums_;
  for (double& sum : o.sums) sum *= kMemory;
  for (std::size_t k = 0; k < batch.size(); ++k) {
    const ConstrainedArcs& constrained = sentences_[batch[k]].constrained;
    const auto marginals = p[k].marginals();
    for (const auto& [c, h, d] : constrained.places) o.sums[2 * c] += marginals(h, d);
    for (std::size_t c = 0; c < constrained.words.size(); ++c) o.sums[2 * c + 1] += constrained.words[c];
  }
  std::vector<double> result(constraints_.size(), 0.0);
  for (std::size_t c = 0; c < result.size(); ++c) {
    if (o.sums[2 * c + 1] <= 0.0) continue;
    const PenaltyAt at = constraints_.penalty(c, unannotated_->penalty, o.sums[2 * c] / o.sums[2 * c + 1]);
    o.value += unannotated_->constraint_weight * at.value;
    result[c] = unannotated_->constraint_weight * at.slope / (mean_words_[c] * static_cast<double>(batch.size()));
  }
  return result;
}

double UnannotatedTrainer::add_divergence(const Unparsed& s, const TreeDistribution& p, Matrix& gradient) const {
  const bool forward = unannotated_->divergence != Divergence::reverse;
  const bool reverse = unannotated_->divergence != Divergence::forward;
  const double weight = unannotated_->teacher_weight / (forward && reverse ? 2.0 : 1.0);
  const TreeDistribution teacher(s.teacher, options_.root, kAccuracy);
  double value = 0.0;
  if (forward) {
    value += weight * kl(teacher, p);
    gradient += weight * kl_gradient(teacher, p).q;
  }
  if (reverse) {
    const TreeDistribution common = p.with_scores(restricted(p.scores(), s.teacher));
    value += weight * kl(common, teacher);
    gradient += weight * kl_gradient(common, teacher).p;
  }
  return value;
}

double UnannotatedTrainer::add_others(const Unparsed& s, const TreeDistribution& p, Matrix& gradient) const {
  double value = 0.0;
  if (const double weight = unannotated_->entropy_weight; weight != 0.0) {
    const double order = unannotated_->entropy_order;
    value += weight * (order == 1.0 ? entropy(p) : renyi(p, order));
    gradient += weight * (order == 1.0 ? entropy_gradient(p) : renyi_gradient(p, order));
  }
  const double weight = unannotated_->teacher_weight;
  if (s.teacher.size() > 0) value += add_divergence(s, p, gradient);
  if (!s.settled.empty()) {
    const TreeDistribution settled(with_arcs(arcs_->scores(s.lists, s.encoded.words), s.settled), options_.root,
                                   kAccuracy);
    value += weight * (p.log_partition() - settled.log_partition());
    gradient += weight * (p.marginals() - settled.marginals());
  }
  return value;
}

UnannotatedTrainer::Objective UnannotatedTrainer::objective(std::span<const std::size_t> batch) const {
  std::vector<std::optional<TreeDistribution>> made(batch.size());
  crew_->loop(batch.size(), [&](std::size_t k) {
    const Unparsed& s = sentences_[batch[k]];
    made[k].emplace(arcs_->scores(s.lists, s.encoded.words), options_.root, kAccuracy);
  });
  std::vector<TreeDistribution> p;
  for (auto& one : made) p.push_back(std::move(*one));
  Objective result;
  const std::vector<double> by_constraint = slopes(batch, p, result);
  std::vector<double> values(batch.size(), 0.0);
  result.updates.resize(batch.size());
  crew_->loop(batch.size(), [&](std::size_t k) {
    const Unparsed& s = sentences_[batch[k]];
    const int n = s.encoded.words;
    Matrix gradient = Matrix::Zero(n + 1, n + 1);
    values[k] = add_others(s, p[k], gradient);
    // The gradient of the sum of slopes * E[f_c] is a covariance: the derivative of the marginals along the slopes.
    Matrix direction = Matrix::Zero(n + 1, n + 1);
    for (const auto& [c, h, d] : s.constrained.places) direction(h, d) += by_constraint[c];
    if (!direction.isZero(0.0)) gradient += p[k].marginals_along(direction);
    add_updates(s.lists, gradient, result.updates[k]);
    result.updates[k].sort();
  });
  for (const double value : values) result.value += value;
  return result;
}

double UnannotatedTrainer::step(std::span<const std::size_t> batch) {
  Objective o = objective(batch);
  Gradient gradient{{}, o.value};
  for (const Contribution& updates : o.updates) gradient.contributions.push_back(&updates);
  arcs_->learner().step({&gradient, 1}, *crew_);
  sums_ = std::move(o.sums);
  return o.value;
}

double UnannotatedTrainer::learn(std::span<const std::size_t> sentences) {
  const auto size = static_cast<std::size_t>(options_.batch);
  double sum = 0.0;
  for (std::size_t i = 0; i < sentences.size(); i += size) {
    const auto batch = sentences.subspan(i, std::min(size, sentences.size() - i));
    sum += step(batch) * static_cast<double>(batch.size());
  }
  return sum;
}

void UnannotatedTrainer::follow(std::span<const std::size_t> order, std::size_t first, std::size_t count) {
  const auto place = [&](std::size_t trees) {
    return static_cast<std::size_t>(static_cast<double>(trees) * unannotated_->ratio);
  };
  // No batch has a sentence twice.
  const std::size_t most = std::min(static_cast<std::size_t>(options_.batch), order.size());
  for (std::size_t next = place(first), end = place(first + count); next < end;) {
    std::vector<std::size_t> batch;
    for (; next < end && batch.size() < most; ++next) batch.push_back(order[next % order.size()]);
    step(batch);
  }
}

void UnannotatedTrainer::restore(const std::vector<double>& sums, const std::string& path) {
  if (sums.size() != sums_.size()) throw ModelError(path + ": is of a training with other constraints");
  sums_ = sums;
}

}  // namespace kirchhoff::parser
