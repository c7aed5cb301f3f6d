// Computes log Z(theta + t f) as a power series in t: words are eliminated in numbers that are such series themselves.
//
// Eliminating word v replaces each walk through v by its outcome (star-mesh transformation, tree/robust/robust.cpp):
//     w_ij <- w_ij + w_iv w_vj / s_v,  s_v = sum of w_iv over remaining i, and Z gains the factor s_v.
// With one root child the root's arcs are no part of s_v, and a word whose s_v is 0 must wait. The last word's factor
// is its root weight. Nothing is subtracted in the terms without t, and log Z is a sum of logarithms of factors. Takes
// O(kOrder^2 n^3).
#pragma once

#include "kirchhoff/tree.hpp"
#include "numeric/extended_series.hpp"

#include <array>
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace kirchhoff::expectations {

/// The weights exp(theta + t f) of all arcs, of which those that are in no tree are 0.
template <std::size_t kOrder>
class SeriesWeights {
 public:
  using Number = numeric::ExtendedSeries<kOrder>;
  explicit SeriesWeights(int words) : size_(static_cast<std::size_t>(words) + 1), values_(size_ * size_) {}
  int words() const { return static_cast<int>(size_) - 1; }
  Number& operator()(int head, int dependent) { return values_[head * size_ + dependent]; }
  const Number& operator()(int head, int dependent) const { return values_[head * size_ + dependent]; }

 private:
  std::size_t size_;
  std::vector<Number> values_;
};

/// The coefficients of log Z, of which the first is left out (0).
template <std::size_t kOrder>
class SeriesElimination {
 public:
  using Number = numeric::ExtendedSeries<kOrder>;
  using Coefficients = std::array<double, kOrder + 1>;

  SeriesElimination(SeriesWeights<kOrder> weights, Root root)
      : w_(std::move(weights)), first_head_(root == Root::single ? 1 : 0) {
    for (int v = 1; v <= w_.words(); ++v) left_.push_back(v);
  }
  Coefficients run() {
    while (left_.size() > 1) eliminate(take_largest());
    add_log(w_(0, left_.front()));
    return log_z_;
  }

 private:
  // The exponent of the heaviest arc into v from a remaining node that counts for its pivot.
  double size_of_pivot(int v) const {
    double top = first_head_ == 0 ? w_(0, v).e : numeric::kZeroExponent;
    for (const int i : left_) {
      if (i != v && w_(i, v).e > top) top = w_(i, v).e;
    }
    return top;
  }
  // The word with the largest pivot goes first, so that improbable arcs do not come into all others' weights.
  int take_largest() {
    std::size_t best = 0;
    double top = numeric::kZeroExponent;
    for (std::size_t k = 0; k < left_.size(); ++k) {
      const double size = size_of_pivot(left_[k]);
      if (size > top) top = size, best = k;
    }
    assert(top > numeric::kZeroExponent && "every arc is in a tree");
    const int v = left_[best];
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(best));
    return v;
  }
  void eliminate(int v) {
    Number pivot = first_head_ == 0 ? w_(0, v) : Number{};
    for (const int i : left_) pivot += w_(i, v);
    add_log(pivot);
    for (const int j : left_) {
      if (w_(v, j).is_zero()) continue;
      const Number ratio = w_(v, j) / pivot;
      if (!w_(0, v).is_zero()) w_(0, j) += w_(0, v) * ratio;
      for (const int i : left_) {
        if (i != j && !w_(i, v).is_zero()) w_(i, j) += w_(i, v) * ratio;
      }
    }
  }
  void add_log(const Number& factor) {
    const Coefficients log = numeric::log_coefficients(factor);
    for (std::size_t k = 0; k <= kOrder; ++k) log_z_[k] += log[k];
  }

  SeriesWeights<kOrder> w_;
  int first_head_;
  std::vector<int> left_;  // the words that remain
  Coefficients log_z_{};
};

/// The coefficients of log Z of the distributions of T that the weights make.
template <class T>
struct LogPartitionSeries;
template <>
struct LogPartitionSeries<TreeDistribution> {
  template <std::size_t kOrder>
  static std::array<double, kOrder + 1> of(SeriesWeights<kOrder> weights, Root root) {
    return SeriesElimination<kOrder>(std::move(weights), root).run();
  }
};

}  // namespace kirchhoff::expectations
