// TREE: the arcs that are 1 form a spanning arborescence [Martins10, table 1].
//   Z and marginals mu by the matrix-tree theorem (TreeDistribution, robust method included)
//   message to arc a = (h, d): mu_a / (sum of mu over the other arcs into d) / m_a, without taking mu_a from 1
//   max-product: best trees with and without each arc, one maximum spanning tree per arc: O(arcs n^2)
//   hull: multi-commodity flow, eqs. 15-19 with the path variables eliminated
// Sum-product O(n^3), best tree O(n^2), hull n x arcs columns. The message to an arc that is fixed already is 0.
#include "base/check.hpp"
#include "decode/contraction.hpp"
#include "factor/factors/factors.hpp"
#include "tree/state.hpp"

#include <string>

namespace kirchhoff::factor {
namespace {

/// Below this a marginal may have lost digits to underflow.
constexpr double kSmallMarginal = 1e-290;

struct TreeScratch {
  Matrix scores;
  Matrix required;
  decode::Contraction contraction;
  base::Buffer columns;
  std::vector<double> others;
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

std::string text(Arc arc) { return std::to_string(arc.head) + " -> " + std::to_string(arc.dependent); }

}  // namespace

TreeFactor::TreeFactor(int words, std::vector<Arc> arcs, Root root)
    : HardFactor(static_cast<int>(arcs.size())), words_(words), arcs_(std::move(arcs)), root_(root), into_(words + 1) {
  for (int i = 0; i < arity(); ++i) {
    base::check_arc("add_tree", arcs_[i], words);
    for (const int j : into_[arcs_[i].dependent]) {
      if (arcs_[j] == arcs_[i]) base::input_error("add_tree", "arcs: " + text(arcs_[i]) + " comes twice");
    }
    into_[arcs_[i].dependent].push_back(i);
  }
  for (int d = 1; d <= words; ++d) {
    if (into_[d].empty()) base::input_error("add_tree", "arcs: word " + std::to_string(d) + " has no arc into it");
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
  scores.resize(words_ + 1, words_ + 1);
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

Factor::Sum TreeFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  TreeScratch& scratch = TreeScratch::get();
  if (!fill(q, scratch.scores)) return {};
  const detail::PooledState pooled(detail::acquire_state());
  detail::TreeState& state = *pooled;
  try {
    detail::compute(scratch.scores, root_, {}, state);
  } catch (const Infeasible&) {
    return {};
  }
  const MatrixView marginals(state.marginals.data(), words_ + 1, words_ + 1);
  const auto is_small = [&](int i) {
    const auto [head, dependent] = arcs_[i];
    return scratch.scores(head, dependent) != -HUGE_VAL && marginals(head, dependent) < kSmallMarginal;
  };
  Matrix logs;
  for (int i = 0; i < arity() && logs.size() == 0; ++i) {
    if (is_small(i)) logs = detail::log_marginals(state);
  }
  for (int d = 1; d <= words_; ++d) {
    scratch.others.clear();
    for (const int i : into_[d]) {
      messages[i] = logs.size() > 0 ? logs(arcs_[i].head, d) : std::log(marginals(arcs_[i].head, d));
      scratch.others.push_back(messages[i]);
    }
    numeric::log_sums_without(scratch.others, -HUGE_VAL, scratch.others);
    for (std::size_t k = 0; k < into_[d].size(); ++k) {
      const int i = into_[d][k];
      messages[i] = numeric::is_infinite(q[i]) ? 0.0 : messages[i] - scratch.others[k] - q[i];
    }
  }
  return {state.log_z, 0.0};
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
      scratch.required = scores;
      scratch.required.col(dependent).setConstant(-HUGE_VAL);
      scratch.required(head, dependent) = own;
      messages[i] = best_score(scratch.required, root_, scratch) - best - q[i];
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
    for (const int i : into_[d]) row.terms.emplace_back(i, 1.0);
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
