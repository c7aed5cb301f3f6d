// Head after head from the distribution given the heads chosen before: what Colbourn's sampler and sampling without
// replacement walk along.
#pragma once

#include "base/buffer.hpp"
#include "kirchhoff/tree.hpp"
#include "sample/kernels/merge_panel.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace kirchhoff::sample {

/// What all walks through a distribution share: weights and the inverse of its Laplacian, words ordered so that those
/// with the most certain heads come first (samples then share long prefixes). O(n^3).
struct Inverse {
  explicit Inverse(const TreeDistribution& p);

  std::uint64_t id;  // never 0, of no other
  TreeDistribution p;
  int n;
  bool single;
  std::size_t heads;          // padded(n + 1)
  std::size_t ld;             // padded(n + 2)
  std::vector<int> order;     // words; single-root: the last is the word t that K = D is grounded at
  base::Buffer weights;       // row per word, by head; single-root: no root arcs
  std::vector<double> total;  // by word: the sum of its weights
  std::vector<double> root;   // single-root: p(0 -> word), by word
  bool usable = false;        // the elimination found no pivot too small
  base::Buffer k;             // n x ld by order: row = dependent, column = head; column n is 0, column n + 1 is g

  const double* weights_of(int word) const { return weights.data() + static_cast<std::size_t>(word) * heads; }
  const double* row(int position) const { return k.data() + static_cast<std::size_t>(position) * ld; }
  /// Single-root: proportional to how often the walk without a root visits the word.
  double g(int position) const { return row(position)[n + 1]; }
  /// Mean number of draws of Wilson's algorithm from `top` (0: the root): the trace of the walk's Green's function.
  double expected_draws(int top) const;
};

/// Conditional probabilities at one level.
struct ConditionalRow {
  const double* p;        // by option
  double uncertain;       // entries below this are not to be relied on
  sample::LaneSums sums;  // of p
};

/// A walk from level 0 to level n. At each level one word's head is chosen: the options are nodes 0..n; only a
/// single-root walk's level 0 is different: there the option is the root's child.
class Conditional {
 public:
  explicit Conditional(const Inverse& inverse);

  void restart();
  int level() const { return level_; }
  int options() const { return inverse_->n + 1; }
  bool done() const { return level_ == inverse_->n; }
  /// heads()[d] == -1 for words not chosen yet.
  const Heads& heads() const { return heads_; }

  /// False when the option is not an arc or makes a cycle with the heads chosen; O(1).
  bool possible(int option) const;
  ConditionalRow row();
  /// Logarithms of the conditional probabilities, each right to relative precision, -inf exactly where impossible.
  /// O(n^3).
  const std::vector<double>& exact_logs();
  /// Chooses, and goes on to the next level; the option must be possible.
  void choose(int option);

  /// What is needed to come back to a level. O((n - level)^2).
  struct Saved {
    int level = 0, child = -1;
    bool usable = false;
    Heads heads;
    std::vector<int> words;
    std::vector<std::int64_t> column;
    std::vector<double> size;
    std::vector<double> matrix;  // the columns from `first` on of the rows from level on
    double growth = 1.0, largest = 0.0;
    std::optional<TreeDistribution> fresh;
    double slack = 0.0;
    std::size_t bytes() const { return matrix.size() * sizeof(double); }
  };
  Saved save();
  void load(const Saved& saved);

 private:
  /// Row and column of the word of a level. Level 0 of a single-root walk is the root's child, whatever its place.
  std::size_t place(int level) const { return static_cast<std::size_t>(level <= child_ ? level - 1 : level); }
  std::size_t first_column() const { return place(start_) / base::kPad * base::kPad; }
  const double* source_row(int level) const { return source_ + place(level) * ld_; }
  double* matrix_row(int level) { return matrix_.data() + place(level) * ld_; }
  std::size_t rows_from(int level) const { return static_cast<std::size_t>(inverse_->n) - place(level); }
  bool choosing_root() const { return inverse_->single && level_ == 0; }
  void ground_at_root();
  void ground_at(int child);
  void add_step(std::size_t fixed, std::size_t merged);
  void apply_panel();
  bool try_row();
  void fresh_row();
  void spend_slack(int option);
  TreeDistribution conditioned(double floor) const;
  void go_on_from(const TreeDistribution& conditioned);

  const Inverse* inverse_;
  std::size_t ld_;
  int level_ = 0;
  int child_ = -1;  // place of the root's child, once it is chosen
  Heads heads_;
  std::vector<int> words_;            // by level
  std::vector<std::int64_t> column_;  // by node: its column, that is the place of the word it hangs below; n: the root
  std::vector<double> size_;          // by level: the size of the terms a row was computed from
  bool usable_ = false;               // matrix_ is
  int start_ = 0;                     // level that matrix_ stands at; the panel's steps lead from there to level_
  const double* source_ = nullptr;    // the matrix at hand: the shared one at the beginning, then our own
  base::Buffer matrix_;               // n x ld: inverse given the heads chosen, from the place of start_ on
  double growth_ = 1.0;               // of its relative errors by improbable choices
  double largest_ = 0.0;              // of the sizes of rows that went into it
  base::Buffer panel_rows_;
  sample::MergePanel panel_;
  bool row_ready_ = false;
  base::Buffer p_;
  sample::LaneSums sums_{};
  double uncertain_ = 0.0;
  std::optional<TreeDistribution> fresh_;  // when there is no matrix: given the choices up to some level
  double slack_ = 0.0;                     // how far its marginals may be from those given all choices
  std::vector<double> exact_logs_;
};

double total(const sample::LaneSums& sums);
/// The option where the running sum of p (in a fixed order) exceeds u times its total, u in [0, 1).
int choose_option(const double* p, int options, const sample::LaneSums& sums, double u);

}  // namespace kirchhoff::sample
