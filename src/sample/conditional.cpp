// Colbourn's sampler [Colbourn96] as an elimination on the inverse K of the Laplacian.
//
// Choosing head v for word j replaces column j of L by that of the arc, and K by K - x (row j of K) / (1 + x_j)
// (docs/sample.md). In rows: every later row r becomes r - l r_j with the multiple l that makes r[j] = r[v]. Column
// j is then a copy of column v and can be forgotten: node v stands for both, as in the graph where j is contracted
// into v. So row j gives p(v -> j) = w_vj (r[j] - r[column of v]), which is exactly 0 where v hangs below j, and all
// that is left to keep is a square of the words still to come. Steps are collected in panels of eight and applied to
// later rows as one product: 2/3 n^3 flops in all.
//
// This subtracts. The sum of the probabilities of a word, which must be 1, tells how much has been lost; when it is
// too much, or when the graph's numbers do not fit, a TreeDistribution of the conditioned graph takes over, and its
// inverse is the new start.
#include "sample/conditional.hpp"

#include "tree/state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kirchhoff::sample {
namespace {

constexpr double kDrift = 1e-10;   // of a row's sum from 1
constexpr double kReliable = 1e3;  // an entry is reliable when this much larger than the error
constexpr double kRare = 1e-3;     // a choice multiplies errors by kRare over its probability, if that is more than 1
constexpr double kLargestUncertain = 1e-6;
constexpr double kExact = 1e-12, kMostSlack = 1e-11;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

double sum_of(const double* p, int options) {
  double total = 0.0;
  for (const double lane : core::lane_sums(p, options)) total += lane;
  return total;
}

int choose_option(const double* p, int options, double u) {
  const std::array<double, 8> lanes = core::lane_sums(p, options);
  constexpr int kLanes = 8;
  double total = 0.0;
  for (const double lane : lanes) total += lane;
  double left = u * total;
  int lane = 0;
  while (lane + 1 < kLanes && left >= lanes[lane]) left -= lanes[lane++];
  while (lane > 0 && lanes[lane] == 0.0) --lane;  // rounding went past the last one
  int last = -1;
  for (int v = lane; v < options; v += kLanes) {
    if (p[v] <= 0.0) continue;
    last = v;
    left -= p[v];
    if (left < 0.0) break;
  }
  return last;
}

Conditional::Conditional(const Inverse& inverse)
    : inverse_(&inverse), ld_(core::padded(inverse.n + 1)), words_(inverse.n), size_(inverse.n) {
  matrix_.take(static_cast<std::size_t>(inverse.n) * ld_);
  panel_.rows = panel_rows_.take(core::MergePanel::kSteps * ld_);
  panel_.ld = ld_;
  p_.take(inverse.heads);
  restart();
}

void Conditional::restart() {
  level_ = start_ = 0;
  panel_.clear();
  row_ready_ = false;
  fresh_.reset();
  exact_logs_.clear();
  heads_.assign(inverse_->n + 1, -1);
  column_.assign(inverse_->heads, inverse_->n);
  usable_ = false;
  growth_ = 1.0;
  largest_ = 0.0;
  if (!inverse_->single) ground_at_root();
}

void Conditional::ground_at_root() {
  const int n = inverse_->n;
  for (int l = 0; l < n; ++l) {
    words_[l] = inverse_->order[l];
    column_[words_[l]] = l;
  }
  usable_ = inverse_->usable;
  if (!usable_) return;
  source_ = inverse_->k.data();
  for (int l = 0; l < n; ++l) size_[l] = source_row(l)[l];
}

/// Level 0 is the root's child c, the others follow in their order: the inverse grounded at c (inverse.cpp).
void Conditional::ground_at(int child) {
  const int n = inverse_->n;
  const auto& order = inverse_->order;
  const int c = static_cast<int>(std::find(order.begin(), order.end(), child) - order.begin());
  words_[0] = child;
  column_[child] = n;
  const double* of_child = inverse_->row(c);
  usable_ = inverse_->usable;
  source_ = matrix_.data();
  for (int a = 0; a < n; ++a) {
    if (a == c) continue;
    const int l = a < c ? a + 1 : a;
    words_[l] = order[a];
    column_[order[a]] = l;
    if (!usable_) continue;
    const double* from = inverse_->row(a);
    double* to = matrix_row(l);
    const double ratio = inverse_->g[a] / inverse_->g[c];
    const double shift = from[c] - ratio * of_child[c];
    core::subtract_rows(c, from, ratio, of_child, shift, to + 1);
    core::subtract_rows(n - c - 1, from + c + 1, ratio, of_child + c + 1, shift, to + c + 1);
    to[0] = 0.0;
    std::fill(to + n, to + ld_, 0.0);
    size_[l] = from[a] + from[c] + ratio * (of_child[a] + of_child[c]);
  }
}

void Conditional::apply_panel() {
  if (panel_.steps == 0) return;
  start_ = level_;
  core::merge_columns_of(panel_, inverse_->n - level_, source_row(level_), matrix_row(level_), first_column(), ld_);
  source_ = matrix_.data();
  panel_.clear();
}

bool Conditional::try_row() {
  double* row = panel_.rows + panel_.steps * ld_;
  const core::HeadWeights heads{inverse_->heads, inverse_->weights_of(words_[level_]), column_.data()};
  const core::RowSum sum =
      core::conditional_row(panel_, source_row(level_), first_column(), ld_, row, level_, heads, p_.data());
  const double drift = std::abs(sum.sum - 1.0);
  const double size = std::max({1.0, largest_, size_[level_], row[level_]});
  uncertain_ = kReliable * std::max(drift, 8.0 * kEpsilon * size * growth_);
  return drift <= kDrift && sum.smallest >= -kDrift && uncertain_ <= kLargestUncertain;
}

/// The distribution given the heads chosen so far, each marginal p right to 1e-12 max(p, floor).
TreeDistribution Conditional::conditioned(double floor) const {
  Matrix scores = inverse_->p.scores();
  if (inverse_->single && level_ > 0) scores.row(0).setConstant(-HUGE_VAL);
  for (int l = 0; l < level_; ++l) {
    const int word = words_[l];
    scores.col(word).setConstant(-HUGE_VAL);
    scores(heads_[word], word) = inverse_->p.scores()(heads_[word], word);
  }
  return {scores, level_ > 0 ? Root::multi : inverse_->p.root(), {Method::automatic, kExact, floor}};
}

/// The inverse of the conditioned graph, if it was made, is the one to go on with.
void Conditional::go_on_from(const TreeDistribution& conditioned) {
  const detail::TreeState& state = detail::TreeAccess::state(conditioned);
  usable_ = state.report.method == Method::fast;
  if (!usable_) return;
  const int n = inverse_->n;
  start_ = level_;
  source_ = matrix_.data();
  growth_ = 1.0;
  largest_ = 0.0;
  panel_.clear();
  for (int a = level_; a < n; ++a) {
    const double* from = state.inverse.x.data() + (state.weights.node(words_[a]) - 1) * state.weights.ld;
    double* to = matrix_row(a);
    std::fill(to, to + ld_, 0.0);
    for (int b = level_; b < n; ++b) to[b] = from[state.weights.node(words_[b]) - 1];
    size_[a] = to[a];
  }
}

/// Choices of probability 1 - e change no conditional probability by more than e, so that one distribution serves all
/// levels until their e add up: where nearly everything is certain, for most.
void Conditional::fresh_row() {
  if (!fresh_) {
    fresh_ = conditioned(1.0);
    slack_ = kExact;
    go_on_from(*fresh_);
  }
  const MatrixView marginals = fresh_->marginals();
  for (int v = 0; v <= inverse_->n; ++v) p_.data()[v] = marginals(v, words_[level_]);
  uncertain_ = kReliable * slack_;
  if (!usable_) return;
  std::copy_n(matrix_row(level_), ld_, panel_.rows);
  fresh_.reset();
}

void Conditional::spend_slack(int option) {
  if (!fresh_) return;
  p_.data()[option] = 0.0;
  slack_ += sum_of(p_.data(), options());
  if (slack_ > kMostSlack) fresh_.reset();
}

bool Conditional::possible(int option) const {
  if (choosing_root()) return option > 0 && inverse_->p.scores()(0, option) != -HUGE_VAL;
  const bool arc = inverse_->p.scores()(option, words_[level_]) != -HUGE_VAL;
  return arc && column_[option] != level_ && !(inverse_->single && option == 0);
}

ConditionalRow Conditional::row() {
  if (choosing_root()) return {inverse_->root.data(), 1e-290};  // accurate, but for the range of doubles
  if (!row_ready_) {
    if (!usable_ || !try_row()) fresh_row();
    row_ready_ = true;
  }
  return {p_.data(), uncertain_};
}

const std::vector<double>& Conditional::exact_logs() {
  if (!exact_logs_.empty()) return exact_logs_;
  const Matrix logs = conditioned(0.0).log_marginals();
  exact_logs_.resize(options());
  for (int v = 0; v < options(); ++v) exact_logs_[v] = choosing_root() ? logs(0, v) : logs(v, words_[level_]);
  return exact_logs_;
}

void Conditional::choose(int option) {
  if (choosing_root()) {
    heads_[option] = 0;
    ground_at(option);
    start_ = 1;
  } else {
    row();
    const double chosen = p_.data()[option];
    growth_ *= chosen > 0.0 ? std::max(1.0, kRare / chosen) : HUGE_VAL;
    largest_ = std::max(largest_, size_[level_]);
    spend_slack(option);
    const std::int64_t target = column_[option];
    heads_[words_[level_]] = option;
    if (usable_) {
      const std::size_t step = panel_.steps++;
      const double* row = panel_.rows + step * ld_;
      panel_.fixed[step] = level_;
      panel_.merged[step] = target;
      panel_.inverse[step] = 1.0 / (row[level_] - row[target]);
      for (std::size_t k = 0; k < step; ++k) {
        const double* earlier = panel_.rows + k * ld_;
        panel_.inner[k * core::MergePanel::kSteps + step] = (earlier[level_] - earlier[target]) * panel_.inverse[step];
      }
    }
    core::replace_all(column_.size(), level_, target, column_.data());
  }
  ++level_;
  row_ready_ = false;
  exact_logs_.clear();
  if (panel_.steps == core::MergePanel::kSteps) apply_panel();
}

Conditional::Saved Conditional::save() {
  apply_panel();
  row_ready_ = false;
  Saved saved{level_, usable_, heads_, words_, column_, size_, {}, growth_, largest_, fresh_, slack_};
  if (!usable_) return saved;
  const std::size_t first = first_column(), cols = ld_ - first;
  saved.matrix.resize((inverse_->n - level_) * cols);
  for (int l = level_; l < inverse_->n; ++l) {
    std::copy_n(source_row(l) + first, cols, saved.matrix.data() + (l - level_) * cols);
  }
  return saved;
}

void Conditional::load(const Saved& saved) {
  level_ = start_ = saved.level;
  source_ = matrix_.data();
  usable_ = saved.usable;
  heads_ = saved.heads;
  words_ = saved.words;
  column_ = saved.column;
  size_ = saved.size;
  growth_ = saved.growth;
  largest_ = saved.largest;
  fresh_ = saved.fresh;
  slack_ = saved.slack;
  panel_.clear();
  row_ready_ = false;
  exact_logs_.clear();
  if (!usable_) return;
  const std::size_t first = first_column(), cols = ld_ - first;
  for (int l = level_; l < inverse_->n; ++l) {
    std::copy_n(saved.matrix.data() + (l - level_) * cols, cols, matrix_row(l) + first);
  }
}

}  // namespace kirchhoff::sample
