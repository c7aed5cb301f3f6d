// A walk that chooses head after head from the distribution given the heads chosen before. Colbourn's sampler and
// sampling without replacement walk along it.
#pragma once

#include "base/buffer.hpp"
#include "kirchhoff/tree.hpp"
#include "sample/kernels/merge_panel.hpp"
#include "sample/laplacian_inverse.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace kirchhoff::sample {

/// The conditional probabilities of the options at one level.
struct ConditionalRow {
  const double* p;   // one for each option
  double uncertain;  // entries below this are not to be relied on
  LaneSums sums;     // the sums of p
};

/// A walk from level 0 to level n. At each level one word's head is chosen: the options are nodes 0..n; only a
/// single-root walk's level 0 is different: there the option is the root's child.
class ConditionalWalk {
 public:
  explicit ConditionalWalk(const LaplacianInverse& inverse);

  void restart();
  int level() const { return level_; }
  int options() const { return inverse_->n + 1; }
  bool done() const { return level_ == inverse_->n; }
  /// The word whose head is chosen next; 0 when the root's child is.
  int word() const { return choosing_root() ? 0 : words_[level_]; }
  /// Has heads()[d] == -1 for words not chosen yet.
  const Heads& heads() const { return heads_; }

  /// Returns false when the option is not an arc or makes a cycle with the heads chosen. O(1).
  bool possible(int option) const;
  ConditionalRow row();
  /// The logarithms of the conditional probabilities, each right to relative precision, and -inf exactly where an
  /// option is impossible. O(n^3).
  const std::vector<double>& exact_logs();
  /// Chooses an option, which must be possible, and goes on to the next level.
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
  /// Whether saving changes nothing, so that the walk gives the same bits whether it was saved or not.
  bool is_settled() const { return panel_.steps == 0; }
  void load(const Saved& saved);

 private:
  /// The row and column of the word of a level. Level 0 of a single-root walk is the root's child, whatever its place.
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

  const LaplacianInverse* inverse_;
  std::size_t ld_;
  int level_ = 0;
  int child_ = -1;  // the place of the root's child, once it is chosen
  Heads heads_;
  std::vector<int> words_;            // the word of each level
  std::vector<std::int64_t> column_;  // each node's column, the place of the word it hangs below; n for the root
  std::vector<double> size_;          // for each level, the size of the terms its row was computed from
  bool usable_ = false;               // whether matrix_ can be used
  int start_ = 0;                     // the level that matrix_ stands at; the panel's steps lead from there to level_
  const double* source_ = nullptr;    // the matrix at hand: the shared one at the beginning, then our own
  base::Buffer matrix_;               // n x ld, the inverse given the heads chosen, from the place of start_ on
  double growth_ = 1.0;               // how much improbable choices have grown its relative errors
  double largest_ = 0.0;              // the largest size of a row that went into it
  base::Buffer panel_rows_;
  MergePanel panel_;
  bool row_ready_ = false;
  base::Buffer p_;
  LaneSums sums_{};
  double uncertain_ = 0.0;
  std::optional<TreeDistribution> fresh_;  // where there is no matrix, the distribution given choices up to some level
  double slack_ = 0.0;                     // how far its marginals may be from those given all choices
  std::vector<double> exact_logs_;
};

/// The sum of all lanes, in a fixed order.
double total(const LaneSums& sums);
/// The option where the running sum of p (in a fixed order) exceeds u times its total, for u in [0, 1).
int choose_option(const double* p, int options, const LaneSums& sums, double u);

}  // namespace kirchhoff::sample
