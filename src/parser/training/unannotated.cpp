// Computes the objectives on sentences without trees, and takes steps.
#include "parser/training/unannotated.hpp"

#include "parser/training/learner.hpp"

#include <algorithm>

namespace kirchhoff::parser {
namespace {

constexpr double kMemory = 0.97;  ///< What is left of a batch in the running sums when the next one comes.

}  // namespace

UnannotatedTrainer::UnannotatedTrainer(const Unannotated& unannotated, const Inventory& inventory,
                                       std::vector<Encoded> sentences, std::vector<Candidates> candidates,
                                       std::unique_ptr<TextModel> model, const TrainOptions& options, base::Crew& crew)
    : unannotated_(&unannotated),
      constraints_(unannotated.constraints, unannotated.feature_constraints),
      sentences_(sentences.size()),
      mean_words_(constraints_.size(), 0.0),
      sums_(2 * constraints_.size(), 0.0),
      model_(std::move(model)),
      batch_(static_cast<std::size_t>(options.batch)),
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
  model_->read(std::move(sentences), std::move(candidates));
  crew.chunks(sentences_.size(), [&](std::size_t first, std::size_t last) {
    ConstraintFinder finder(constraints_, inventory);
    for (std::size_t i = first; i < last; ++i) {
      sentences_[i].constrained = finder.find(unannotated.sentences[i], model_->sentence(i), model_->candidates(i));
    }
  });
  if (unannotated.teacher && !unannotated.confidence) {
    ask([&](Parser& teacher, std::size_t i) {
      sentences_[i].teacher = model_->teacher_scores(teacher, unannotated.sentences[i], i);
    });
  }
  for (const Unparsed& s : sentences_) {
    for (std::size_t c = 0; c < mean_words_.size(); ++c) {
      mean_words_[c] += s.constrained.words[c] / static_cast<double>(sentences_.size());
    }
  }
}

/// Keeps the arcs that the teacher is sure of. All arcs of its tree become candidates, so that a tree has them.
void UnannotatedTrainer::ask_teacher(Parser& teacher, std::size_t i, Candidates& candidates) {
  const Parsed parsed = teacher.parse(unannotated_->sentences[i], {.root = model_->root(), .probabilities = true});
  Heads& settled = sentences_[i].settled = parsed.tree.heads;
  candidates = with_tree(candidates, parsed.tree.heads);
  for (std::size_t d = 1; d < settled.size(); ++d) {
    if (parsed.arc_probabilities[d] < *unannotated_->confidence) settled[d] = -1;
  }
}

std::vector<double> UnannotatedTrainer::slopes(std::span<const std::size_t> batch, Batch trees, Objective& o) const {
  o.sums = sums_;
  for (double& sum : o.sums) sum *= kMemory;
  for (std::size_t k = 0; k < batch.size(); ++k) {
    const ConstrainedArcs& constrained = sentences_[batch[k]].constrained;
    if (constraints_.size() == 0 || !trees[k]->is_known()) continue;
    const std::vector<double> p = trees[k]->probabilities();
    for (const auto& [c, candidate, relation] : constrained.places) {
      o.sums[2 * c] += p[candidate] * trees[k]->given(candidate, relation);
    }
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

double UnannotatedTrainer::add_others(const Unparsed& s, TextTrees& trees) const {
  const Unannotated& u = *unannotated_;
  double value = 0.0;
  if (u.entropy_weight != 0.0) {
    value += trees.add_entropy(u.entropy_weight, u.entropy_order);
    if (u.entropy_order == 1.0) value += trees.add_entropy_of_labels(u.entropy_weight);
  }
  if (!s.teacher.arcs.empty()) {
    const bool forward = u.divergence != Divergence::reverse, reverse = u.divergence != Divergence::forward;
    const double weight = u.teacher_weight / (forward && reverse ? 2.0 : 1.0);
    value += trees.add_divergence(s.teacher, forward ? weight : 0.0, reverse ? weight : 0.0);
  }
  if (!s.settled.empty()) value += trees.add_settled(s.settled, u.teacher_weight);
  return value;
}

void UnannotatedTrainer::add_constraints(const Unparsed& s, std::span<const double> by_constraint,
                                         TextTrees& trees) const {
  if (s.constrained.places.empty()) return;
  std::vector<double> by_candidate(s.constrained.candidates, 0.0);
  for (const auto& [c, candidate, relation] : s.constrained.places) {
    by_candidate[candidate] += by_constraint[c] * trees.given(candidate, relation);
  }
  trees.add_probabilities(by_candidate);
  const std::vector<double> p = trees.probabilities();
  for (const auto& [c, candidate, relation] : s.constrained.places) {
    trees.add_given(candidate, relation, by_constraint[c] * p[candidate]);
  }
}

UnannotatedTrainer::Objective UnannotatedTrainer::objective(std::span<const std::size_t> batch) const {
  std::vector<std::unique_ptr<TextTrees>> trees(batch.size());
  crew_->loop(batch.size(), [&](std::size_t k) { trees[k] = model_->trees(batch[k]); });
  Objective result;
  const std::vector<double> by_constraint = slopes(batch, trees, result);
  std::vector<double> values(batch.size(), 0.0);
  result.updates.resize(batch.size());
  crew_->loop(batch.size(), [&](std::size_t k) {
    if (trees[k]->is_known()) {
      const Unparsed& s = sentences_[batch[k]];
      values[k] = add_others(s, *trees[k]);
      add_constraints(s, by_constraint, *trees[k]);
      trees[k]->finish(result.updates[k]);
    }
    trees[k].reset();
    result.updates[k].arcs.sort();
    result.updates[k].labels.sort();
  });
  for (const double value : values) result.value += value;
  return result;
}

double UnannotatedTrainer::step(std::span<const std::size_t> batch) {
  Objective o = objective(batch);
  model_->step(o.updates, o.value);
  sums_ = std::move(o.sums);
  return o.value;
}

double UnannotatedTrainer::learn(std::span<const std::size_t> sentences) {
  double sum = 0.0;
  for (std::size_t i = 0; i < sentences.size(); i += batch_) {
    const auto batch = sentences.subspan(i, std::min(batch_, sentences.size() - i));
    sum += step(batch) * static_cast<double>(batch.size());
  }
  return sum;
}

std::size_t UnannotatedTrainer::text_of(std::size_t trees) const {
  return static_cast<std::size_t>(static_cast<double>(trees) * unannotated_->ratio);
}

bool UnannotatedTrainer::follow(std::span<const std::size_t> order, std::size_t trees, const Stop& stop) {
  if (trees == 0) done_ = 0;  // An epoch begins.
  // No batch has a sentence twice.
  const std::size_t most = std::min(batch_, order.size());
  // The trees of the batch that the next sentence follows are the first ones up to here.
  std::size_t before =
      batch_ * static_cast<std::size_t>(static_cast<double>(done_) / unannotated_->ratio / static_cast<double>(batch_));
  while (before > 0 && text_of(before) > done_) before -= batch_;
  std::size_t pause = done_ + kUninterrupted;
  for (const std::size_t end = text_of(trees); done_ < end;) {
    if (done_ >= pause) {
      if (stop && stop()) return false;
      pause = done_ + kUninterrupted;
    }
    while (text_of(std::min(before, trees)) <= done_) before += batch_;
    const std::size_t bound = text_of(std::min(before, trees));
    std::vector<std::size_t> batch;
    for (; done_ < bound && batch.size() < most; ++done_) batch.push_back(order[done_ % order.size()]);
    step(batch);
  }
  return true;
}

std::vector<double> UnannotatedTrainer::state() const {
  std::vector<double> state = sums_;
  state.push_back(static_cast<double>(done_));
  return state;
}

void UnannotatedTrainer::restore(const std::vector<double>& state, const std::string& path, std::size_t trees) {
  const bool has_place = state.size() == sums_.size() + 1;
  if (!has_place && state.size() != sums_.size()) throw ModelError(path + ": is of a training with other constraints");
  sums_.assign(state.begin(), state.begin() + static_cast<std::ptrdiff_t>(sums_.size()));
  done_ = has_place ? static_cast<std::size_t>(std::min(state.back(), 1e15)) : text_of(trees);
}

}  // namespace kirchhoff::parser
