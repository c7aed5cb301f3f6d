// TREE: the arcs that are 1 form a spanning arborescence [Martins10, table 1].
//   Z and marginals mu by the matrix-tree theorem (TreeDistribution, robust method included)
//   message to arc a = (h, d): mu_a / (sum of mu over the other arcs into d) / m_a, without taking mu_a from 1
//   max-product: best trees with and without each arc, one maximum spanning tree per arc: O(arcs n^2)
//   hull: multi-commodity flow, eqs. 15-19 with the path variables eliminated
// Sum-product O(n^3), best tree O(n^2), hull n x arcs columns. The message to an arc that is fixed already is 0.
#include "base/check.hpp"
#include "decode/contraction.hpp"
#include "factor/factors/factors.hpp"
#include "numeric/resize.hpp"
#include "tree/log_probabilities.hpp"
#include "tree/solve.hpp"

#include <string>
#include <utility>

namespace kirchhoff::factor {
namespace {

/// Below this a marginal may have lost digits to underflow.
constexpr double kSmallMarginal = 1e-290;
/// Where the accuracy asked for has a floor, smaller marginals count as this much: such an arc is as good as
/// impossible, but not impossible.
constexpr double kLeastMarginal = 1e-30;

struct TreeScratch {
  Matrix scores;
  Matrix required;
  decode::Contraction contraction;
  base::Buffer columns;
  std::vector<double> others;
  std::vector<double> with_arc;
  std::vector<int> seen;
  Heads heads;
  static TreeScratch& get() {
    thread_local TreeScratch scratch;
    return scratch;
  }
};

/// The best tree's score; its heads stay in the contraction. -inf: there is none.
double best_score(const Matrix& scores, Root root, TreeScratch& scratch) {
  const int n = static_cast<int>(scores.rows()) - 1;
  const decode::ScoresRead read = decode::read_scores(scores, root, scratch.columns, scratch.contraction.start(n));
  if (!scratch.contraction.best(read.columns, root)) return -HUGE_VAL;
  double sum = 0.0;
  for (int d = 1; d <= n; ++d) sum += scores(scratch.contraction.heads()[d], d);
  return sum;
}

/// The best score of a tree with the arc, whose score is finite.
double best_score_with(Arc arc, Root root, TreeScratch& scratch) {
  numeric::resize_kept(scratch.required, scratch.scores.rows(), scratch.scores.cols());
  scratch.required = scratch.scores;
  scratch.required.col(arc.dependent).setConstant(-HUGE_VAL);
  scratch.required(arc.head, arc.dependent) = scratch.scores(arc.head, arc.dependent);
  return best_score(scratch.required, root, scratch);
}

/// A tree so much below the best counts for nothing. It is as large as the robust method allows, whose exponents are
/// doubles and add up to a tree's (tree/weights.cpp), so that little depends on the arcs that are left out.
double negligible_gap(int n) { return std::exp2(50) / (n + 1) / n; }

std::string text(Arc arc) { return std::to_string(arc.head) + " -> " + std::to_string(arc.dependent); }

}  // namespace

TreeFactor::TreeFactor(int words, std::vector<Arc> arcs, Root root, const Accuracy& accuracy)
    : HardFactor(static_cast<int>(arcs.size())),
      words_(words),
      arcs_(std::move(arcs)),
      root_(root),
      accuracy_(accuracy),
      arcs_by_word_(arcs_.size()),
      first_arc_(static_cast<std::size_t>(words) + 1, 0) {
  for (const Arc arc : arcs_) {
    base::check_arc("add_tree", arc, words);
    ++first_arc_[arc.dependent];
  }
  for (int d = 1; d <= words; ++d) {
    if (first_arc_[d] == 0) base::input_error("add_tree", "arcs: word " + std::to_string(d) + " has no arc into it");
    first_arc_[d] += first_arc_[d - 1];
  }
  for (int i = arity() - 1; i >= 0; --i) arcs_by_word_[--first_arc_[arcs_[i].dependent]] = i;
  // What was the end of each word's arcs is their begin now, one place too far to the right.
  std::rotate(first_arc_.begin(), first_arc_.begin() + 1, first_arc_.end());
  first_arc_.back() = arity();
  std::vector<int>& seen = TreeScratch::get().seen;
  seen.assign(static_cast<std::size_t>(words) + 1, 0);
  for (int d = 1; d <= words; ++d) {
    for (const int i : arcs_into(d)) {
      if (std::exchange(seen[arcs_[i].head], d) == d) {
        base::input_error("add_tree", "arcs: " + text(arcs_[i]) + " comes twice");
      }
    }
  }
}

bool TreeFactor::allows(Configuration y) const {
  if (ones(y) != words_) return false;
  Heads& heads = TreeScratch::get().heads;
  heads.assign(static_cast<std::size_t>(words_) + 1, -1);
  for (int i = 0; i < arity(); ++i) {
    if (y[i]) heads[arcs_[i].dependent] = arcs_[i].head;
  }
  return !tree_problem(heads, root_);
}

/// Scores of the arcs, with the other arcs into a word left out when one is required; false when two are.
bool TreeFactor::fill(std::span<const double> q, Matrix& scores) const {
  numeric::resize_kept(scores, words_ + 1, words_ + 1);
  scores.setConstant(-HUGE_VAL);
  for (int i = 0; i < arity(); ++i) scores(arcs_[i].head, arcs_[i].dependent) = q[i];
  for (int i = 0; i < arity(); ++i) {
    if (q[i] != HUGE_VAL) continue;
    const Arc arc = arcs_[i];
    if (scores(arc.head, arc.dependent) != HUGE_VAL) return false;
    scores.col(arc.dependent).setConstant(-HUGE_VAL);
    scores(arc.head, arc.dependent) = 0.0;
  }
  return true;
}

/// The logarithms of the arcs' marginals.
Factor::Sum TreeFactor::log_marginals(std::span<const double> q, std::span<double> logs) const {
  TreeScratch& scratch = TreeScratch::get();
  if (!fill(q, scratch.scores)) return {};
  try {
    return log_marginals_of_scores(logs);
  } catch (const InputError&) {
    return log_marginals_far_apart(logs);
  }
}

/// Where scores are so far apart that the weights of trees have no exact exponents, trees far worse than the best count
/// for nothing, and the arcs that only they have are left out. The sum over the trees with such an arc is taken to be
/// the best of them: its logarithm is off by less than that of their number, which is at most n log(n + 1). Throws
/// InputError when likely trees alone differ too much in their arcs, which takes cycles of outstanding scores.
Factor::Sum TreeFactor::log_marginals_far_apart(std::span<double> logs) const {
  TreeScratch& scratch = TreeScratch::get();
  const double best = best_score(scratch.scores, root_, scratch);
  if (best == -HUGE_VAL) return {};
  scratch.heads = scratch.contraction.heads();
  std::vector<double>& with = scratch.with_arc;
  with.resize(arcs_.size());
  for (int i = 0; i < arity(); ++i) {
    const bool in_best = scratch.heads[arcs_[i].dependent] == arcs_[i].head;
    with[i] = in_best ? best : best_score_with(arcs_[i], root_, scratch);
  }
  const double least = best - negligible_gap(words_);
  for (int i = 0; i < arity(); ++i) {
    if (with[i] < least) scratch.scores(arcs_[i].head, arcs_[i].dependent) = -HUGE_VAL;
  }
  const Sum sum = log_marginals_of_scores(logs);
  for (int i = 0; i < arity(); ++i) {
    if (with[i] < least) logs[i] = with[i] - best;
  }
  return sum;
}

Factor::Sum TreeFactor::log_marginals_of_scores(std::span<double> logs) const {
  TreeScratch& scratch = TreeScratch::get();
  const tree::PooledState pooled(tree::acquire_state());
  tree::TreeState& state = *pooled;
  try {
    tree::solve(scratch.scores, root_, accuracy_, state);
  } catch (const Infeasible&) {
    return {};
  }
  const MatrixView marginals(state.marginals.data(), words_ + 1, words_ + 1);
  const auto exists = [&](int i) { return scratch.scores(arcs_[i].head, arcs_[i].dependent) != -HUGE_VAL; };
  bool has_small = false;
  for (int i = 0; i < arity(); ++i) {
    double p = marginals(arcs_[i].head, arcs_[i].dependent);
    if (exists(i) && accuracy_.floor > 0.0) p = std::max(p, kLeastMarginal);
    has_small = has_small || (exists(i) && p < kSmallMarginal);
    logs[i] = std::log(p);
  }
  if (has_small) {
    const Matrix robust = tree::log_marginals(state);
    for (int i = 0; i < arity(); ++i) logs[i] = robust(arcs_[i].head, arcs_[i].dependent);
  }
  return {state.log_z, 0.0};
}

Factor::Sum TreeFactor::sum_product_of_values(std::span<const double> q, std::span<double> messages) const {
  const Sum sum = log_marginals(q, messages);
  for (int i = 0; i < arity(); ++i) messages[i] = numeric::is_infinite(q[i]) ? 0.0 : messages[i] - q[i];
  return sum;
}

Factor::Sum TreeFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  const Sum sum = log_marginals(q, messages);
  if (sum.log_partition == -HUGE_VAL) return sum;
  std::vector<double>& others = TreeScratch::get().others;
  for (int d = 1; d <= words_; ++d) {
    const auto arcs = arcs_into(d);
    others.clear();
    for (const int i : arcs) others.push_back(messages[i]);
    numeric::log_sums_without(others, -HUGE_VAL, others);
    for (std::size_t k = 0; k < arcs.size(); ++k) {
      const int i = arcs[k];
      messages[i] = numeric::is_infinite(q[i]) ? 0.0 : messages[i] - others[k] - q[i];
    }
  }
  return sum;
}

double TreeFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  TreeScratch& scratch = TreeScratch::get();
  Matrix& scores = scratch.scores;
  if (!fill(q, scores)) return -HUGE_VAL;
  const double best = best_score(scores, root_, scratch);
  if (best == -HUGE_VAL) return best;
  scratch.heads = scratch.contraction.heads();
  const Heads& heads = scratch.heads;
  for (int i = 0; i < arity(); ++i) {
    const auto [head, dependent] = arcs_[i];
    messages[i] = 0.0;
    const double own = scores(head, dependent);
    if (numeric::is_infinite(q[i])) continue;
    if (own == -HUGE_VAL) {  // another arc into the word is required
      messages[i] = -HUGE_VAL;
    } else if (heads[dependent] == head) {
      scores(head, dependent) = -HUGE_VAL;
      messages[i] = best - best_score(scores, root_, scratch) - q[i];
      scores(head, dependent) = own;
    } else {
      messages[i] = best_score_with(arcs_[i], root_, scratch) - best - q[i];
    }
  }
  return best;
}

double TreeFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  TreeScratch& scratch = TreeScratch::get();
  if (!fill(q, scratch.scores)) return -HUGE_VAL;
  const double score = best_score(scratch.scores, root_, scratch);
  if (score == -HUGE_VAL) return score;
  const Heads& heads = scratch.contraction.heads();
  for (int i = 0; i < arity(); ++i) y[i] = heads[arcs_[i].dependent] == arcs_[i].head;
  return score;
}

Relaxation TreeFactor::relaxation() const {
  Relaxation result;
  int columns = arity();
  const auto equal = [&](double value) -> Relaxation::Row& {
    Relaxation::Row& row = result.rows.emplace_back();
    row.lower = row.upper = value;
    return row;
  };
  for (int d = 1; d <= words_; ++d) {  // eq. 16
    Relaxation::Row& row = equal(1.0);
    for (const int i : arcs_into(d)) row.terms.emplace_back(i, 1.0);
  }
  if (root_ == Root::single) {
    Relaxation::Row& row = equal(1.0);
    for (int i = 0; i < arity(); ++i) {
      if (arcs_[i].head == 0) row.terms.emplace_back(i, 1.0);
    }
  }
  // Flow to word k: 1 leaves the root, and passes every other word on its way. An arc into k carries flow to k when it
  // is in the tree; an arc out of k carries none (eq. 15).
  for (int k = 1; k <= words_; ++k) {
    std::vector<Relaxation::Row> through(static_cast<std::size_t>(words_) + 1);
    for (int i = 0; i < arity(); ++i) {
      const auto [head, dependent] = arcs_[i];
      if (head == k) continue;
      int flow = i;
      if (dependent != k) {
        flow = columns++;
        Relaxation::Row& row = result.rows.emplace_back();  // eq. 17
        row.terms = {{flow, 1.0}, {i, -1.0}};
        row.upper = 0.0;
        through[dependent].terms.emplace_back(flow, 1.0);
      }
      through[head].terms.emplace_back(flow, head == 0 ? 1.0 : -1.0);
    }
    for (int node = 0; node <= words_; ++node) {  // eqs. 18 and 19
      if (node == k) continue;
      equal(node == 0 ? 1.0 : 0.0).terms = std::move(through[node].terms);
    }
  }
  result.costs.assign(static_cast<std::size_t>(columns - arity()), 0.0);
  return result;
}

}  // namespace kirchhoff::factor
