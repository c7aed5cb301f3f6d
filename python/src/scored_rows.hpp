// One factor graph and rows of scores to put in the place of its own.
#pragma once

#include "arrays.hpp"

#include <kirchhoff/learn.hpp>

#include <algorithm>
#include <vector>

namespace kirchhoff::python {

/// (rows, columns) doubles.
using DoubleRows = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu, nb::c_contig>;

/// The scores of factors one after the other: those of factor f are first[f] ... first[f + 1] - 1.
inline std::vector<std::int64_t> score_layout(const GraphScores& scores) {
  std::vector<std::int64_t> first{0};
  for (const auto& factor : scores.factors) first.push_back(first.back() + static_cast<std::int64_t>(factor.size()));
  return first;
}

/// Column k of `values` takes the place of score columns[k] of the layout, or of none where that is negative.
class ScoredRows {
 public:
  ScoredRows(const FactorGraph& graph, const DoubleRows& variables, const Ints& columns, const DoubleRows& values)
      : graph_(graph),
        own_(scores_of(graph)),
        first_(score_layout(own_)),
        columns_(columns.data(), columns.data() + columns.size()),
        size_(variables.shape(0)),
        variables_(variables.data(), variables.data() + variables.size()),
        values_(values.data(), values.data() + values.size()) {
    const auto wrong = [&](std::int64_t c) { return c >= first_.back(); };
    if (variables.shape(1) != own_.variables.size() || values.shape(1) != columns_.size() || values.shape(0) != size_ ||
        std::any_of(columns_.begin(), columns_.end(), wrong)) {
      throw InputError("scores: not of the graph's shape");
    }
    for (const std::int64_t c : columns_) {
      const auto after = std::upper_bound(first_.begin(), first_.end(), c);
      factors_.push_back(c < 0 ? 0 : static_cast<std::size_t>(after - first_.begin()) - 1);
    }
  }

  std::size_t size() const { return size_; }
  std::size_t variables() const { return own_.variables.size(); }
  /// The graph with row i's scores.
  FactorGraph operator[](std::size_t i) const {
    const double* const own = variables_.data() + i * variables();
    GraphScores scores{{own, own + variables()}, {}};
    if (!columns_.empty()) scores.factors.resize(own_.factors.size());
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (columns_[k] < 0) continue;
      std::vector<double>& given = scores.factors[factors_[k]];
      if (given.empty()) given = own_.factors[factors_[k]];
      given[place(k)] = values_.data()[i * columns_.size() + k];
    }
    return with_scores(graph_, scores);
  }

  /// How many scores the factors have.
  std::size_t total() const { return static_cast<std::size_t>(first_.back()); }
  /// Row i of (rows, total) numbers, by factor.
  std::vector<std::vector<double>> read(const double* numbers, std::size_t i) const {
    std::vector<std::vector<double>> by_factor;
    for (std::size_t f = 0; f + 1 < first_.size(); ++f) {
      by_factor.emplace_back(numbers + i * total() + first_[f], numbers + i * total() + first_[f + 1]);
    }
    return by_factor;
  }
  /// Writes a gradient by all of them to row i of (rows, total) numbers.
  void write(const std::vector<std::vector<double>>& by_factor, std::size_t i, double* to) const {
    to += i * total();
    for (const std::vector<double>& own : by_factor) to = std::copy(own.begin(), own.end(), to);
  }

 private:
  std::size_t place(std::size_t k) const { return static_cast<std::size_t>(columns_[k] - first_[factors_[k]]); }

  FactorGraph graph_;  ///< shares its factors with the caller's
  GraphScores own_;
  std::vector<std::int64_t> first_;
  std::vector<std::int64_t> columns_;
  std::vector<std::size_t> factors_;  ///< by column
  std::size_t size_;
  std::vector<double> variables_, values_;  ///< copies: callers may change theirs before they ask for derivatives
};

}  // namespace kirchhoff::python
