// Colbourn's sampler [Colbourn96] as an elimination on the inverse K of the Laplacian.
//
// Choosing head v for word j replaces column j of L by that of the arc, and K by K - x (row j of K) / (1 + x_j)
// (docs/methods/sample.md). In rows: every later row r becomes r - l r_j with the multiple l that makes r[j] = r[v].
// Column j is then a copy of column v and can be forgotten: node v stands for both, as in the graph where j is
// contracted into v. So row j gives p(v -> j) = w_vj (r[j] - r[column of v]), which is exactly 0 where v hangs below j,
// and all that is left to keep is a square of the words still to come. Steps are collected in panels of eight and
// applied to later rows as one product: 2/3 n^3 flops in all.
//
// This subtracts. The sum of the probabilities of a word, which must be 1, tells how much has been lost; when it is
// too much, or when the graph's numbers do not fit, a TreeDistribution of the conditioned graph takes over, and its
// inverse is the new start.
#include "sample/conditional_walk.hpp"

#include "tree/state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kirchhoff::sample {
namespace {

constexpr double kDrift = 1e-10;   // how far a row's sum may be from 1
constexpr double kReliable = 1e3;  // an entry is reliable when it is this much larger than the error
constexpr double kRare = 1e-3;     // a choice multiplies errors by kRare over its probability, if that is more than 1
constexpr double kLargestUncertain = 1e-6;
constexpr double kExact = 1e-12, kMostSlack = 1e-11;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace

double total(const LaneSums& sums) {
  double sum = 0.0;
  for (const double lane : sums) sum += lane;
  return sum;
}

int choose_option(const double* p, int options, const LaneSums& sums, double u) {
  constexpr int kLanes = 8;
  double left = u * total(sums);
  int lane = 0;
  while (lane + 1 < kLanes && left >= sums[lane]) left -= sums[lane++];
  while (lane > 0 && sums[lane] == 0.0) --lane;  // rounding went past the last one
  for (int v = lane; v < options; v += kLanes) {
    left -= p[v];
    if (left < 0.0) return v;
  }
  for (int v = options - 1; v >= 0; --v) {  // rounding, again
    if (v % kLanes == lane && p[v] > 0.0) return v;
  }
  return -1;
}

ConditionalWalk::ConditionalWalk(const LaplacianInverse& inverse)
    : inverse_(&inverse), ld_(inverse.ld), words_(inverse.n), size_(inverse.n) {
  matrix_.take(static_cast<std::size_t>(inverse.n) * ld_);
  panel_.rows = panel_rows_.take(MergePanel::kSteps * ld_);
  panel_.ld = ld_;
  p_.take(inverse.heads);
  restart();
}

void ConditionalWalk::restart() {
  level_ = start_ = 0;
  child_ = -1;
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

void ConditionalWalk::ground_at_root() {
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

/// Level 0 is the root's child c, the others follow in their order. The inverse grounded at c (laplacian_inverse.cpp)
/// is that at hand after two steps: row c is subtracted from the others so that their last column, g, becomes 0, and
/// then a constant so that column c does.
void ConditionalWalk::ground_at(int child) {
  const int n = inverse_->n;
  const auto& order = inverse_->order;
  child_ = static_cast<int>(std::find(order.begin(), order.end(), child) - order.begin());
  words_[0] = child;
  for (int l = 1; l < n; ++l) {
    words_[l] = order[place(l)];
    column_[words_[l]] = static_cast<std::int64_t>(place(l));
  }
  column_[child] = n;
  usable_ = inverse_->usable;
  if (!usable_) return;
  source_ = inverse_->k.data();
  const double* of_child = inverse_->row(child_);
  for (int l = 1; l < n; ++l) {
    const std::size_t a = place(l);
    const double ratio = inverse_->g(static_cast<int>(a)) / inverse_->g(child_);
    size_[l] = source_row(l)[a] + source_row(l)[child_] + ratio * (of_child[a] + of_child[child_]);
  }
  std::copy_n(of_child, ld_, panel_.rows);
  add_step(n + 1, n);
  double* constant = panel_.rows + ld_;
  std::fill(constant, constant + n, 1.0);
  std::fill(constant + n, constant + ld_, 0.0);
  add_step(child_, n);
}

/// Makes the panel's next row a step: column `fixed` of later rows becomes equal to column `merged`.
void ConditionalWalk::add_step(std::size_t fixed, std::size_t merged) {
  const std::size_t step = panel_.steps++;
  const auto difference = [&](std::size_t k) { return panel_.rows[k * ld_ + fixed] - panel_.rows[k * ld_ + merged]; };
  panel_.fixed[step] = static_cast<std::int64_t>(fixed);
  panel_.merged[step] = static_cast<std::int64_t>(merged);
  panel_.inverse[step] = 1.0 / difference(step);
  for (std::size_t k = 0; k < step; ++k) {
    panel_.inner[k * MergePanel::kSteps + step] = difference(k) * panel_.inverse[step];
  }
}

void ConditionalWalk::apply_panel() {
  if (panel_.steps == 0) return;
  start_ = level_;
  panel_.first = first_column();
  sample::merge_columns_of(panel_, rows_from(level_), source_row(level_), matrix_row(level_));
  source_ = matrix_.data();
  panel_.clear();
}

bool ConditionalWalk::try_row() {
  double* row = panel_.rows + panel_.steps * ld_;
  const sample::HeadWeights heads{place(level_), inverse_->heads, inverse_->weights_of(words_[level_]), column_.data()};
  panel_.first = first_column();
  const sample::RowSum sum = sample::conditional_row(panel_, source_row(level_), heads, row, p_.data());
  sums_ = sum.lanes;
  const double drift = std::abs(sum.sum - 1.0);
  const double size = std::max({1.0, largest_, size_[level_], row[place(level_)]});
  uncertain_ = kReliable * std::max(drift, 8.0 * kEpsilon * size * growth_);
  return drift <= kDrift && sum.smallest >= -kDrift && uncertain_ <= kLargestUncertain;
}

/// The distribution given the heads chosen so far, each marginal p right to 1e-12 max(p, floor).
TreeDistribution ConditionalWalk::conditioned(double floor) const {
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
void ConditionalWalk::go_on_from(const TreeDistribution& conditioned) {
  const tree::TreeState& state = TreeAccess::state(conditioned);
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
    for (int b = level_; b < n; ++b) to[place(b)] = from[state.weights.node(words_[b]) - 1];
    size_[a] = to[place(a)];
  }
}

/// Choices of probability 1 - e change no conditional probability by more than e, so that one distribution serves all
/// levels until their e add up: where nearly everything is certain, for most.
void ConditionalWalk::fresh_row() {
  if (!fresh_) {
    fresh_ = conditioned(1.0);
    slack_ = kExact;
    go_on_from(*fresh_);
  }
  const MatrixView marginals = fresh_->marginals();
  for (int v = 0; v <= inverse_->n; ++v) p_.data()[v] = marginals(v, words_[level_]);
  sums_ = sample::lane_sums(p_.data(), options());
  uncertain_ = kReliable * slack_;
  if (!usable_) return;
  std::copy_n(matrix_row(level_), ld_, panel_.rows);
  fresh_.reset();
}

void ConditionalWalk::spend_slack(int option) {
  if (!fresh_) return;
  p_.data()[option] = 0.0;
  slack_ += total(sample::lane_sums(p_.data(), options()));
  if (slack_ > kMostSlack) fresh_.reset();
}

bool ConditionalWalk::possible(int option) const {
  if (choosing_root()) return option > 0 && inverse_->p.scores()(0, option) != -HUGE_VAL;
  const bool arc = inverse_->p.scores()(option, words_[level_]) != -HUGE_VAL;
  return arc && column_[option] != static_cast<std::int64_t>(place(level_)) && !(inverse_->single && option == 0);
}

ConditionalRow ConditionalWalk::row() {
  if (choosing_root()) {  // accurate, but for the range of doubles
    const double* p = inverse_->root.data();
    return {p, 1e-290, sample::lane_sums(p, options())};
  }
  if (!row_ready_) {
    if (!usable_ || !try_row()) fresh_row();
    row_ready_ = true;
  }
  return {p_.data(), uncertain_, sums_};
}

const std::vector<double>& ConditionalWalk::exact_logs() {
  if (!exact_logs_.empty()) return exact_logs_;
  const Matrix logs = conditioned(0.0).log_marginals();
  exact_logs_.resize(options());
  for (int v = 0; v < options(); ++v) exact_logs_[v] = choosing_root() ? logs(0, v) : logs(v, words_[level_]);
  return exact_logs_;
}

void ConditionalWalk::choose(int option) {
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
    if (usable_) add_step(place(level_), target);
    sample::replace_all(column_.size(), static_cast<std::int64_t>(place(level_)), target, column_.data());
  }
  ++level_;
  row_ready_ = false;
  exact_logs_.clear();
  if (panel_.steps == MergePanel::kSteps) apply_panel();
}

ConditionalWalk::Saved ConditionalWalk::save() {
  apply_panel();
  row_ready_ = false;
  Saved saved{level_, child_, usable_, heads_, words_, column_, size_, {}, growth_, largest_, fresh_, slack_};
  if (!usable_) return saved;
  const std::size_t first = first_column(), cols = ld_ - first;
  saved.matrix.resize(rows_from(level_) * cols);
  for (int l = level_; l < inverse_->n; ++l) {
    std::copy_n(source_row(l) + first, cols, saved.matrix.data() + (place(l) - place(level_)) * cols);
  }
  return saved;
}

void ConditionalWalk::load(const Saved& saved) {
  level_ = start_ = saved.level;
  child_ = saved.child;
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
    std::copy_n(saved.matrix.data() + (place(l) - place(level_)) * cols, cols, matrix_row(l) + first);
  }
}

}  // namespace kirchhoff::sample
