// Segmentations by brute force: all of them with their probabilities, and random scores.
#pragma once

#include "kirchhoff/segment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace kirchhoff::segment_oracle {

using Random = std::mt19937;

/// All segmentations, and what is asked of a distribution over them, by brute force.
struct Oracle {
  SegmentArrays scores;
  std::vector<Segmentation> all;
  std::vector<double> p;
  double log_z = 0.0;

  explicit Oracle(const SegmentArrays& of) : scores(of) {
    Segmentation begun;
    list(begun, 0);
    std::vector<double> score;
    for (const Segmentation& s : all) score.push_back(sum(scores, s));
    const double largest = *std::max_element(score.begin(), score.end());
    double total = 0.0;
    for (const double x : score) total += std::exp(x - largest);
    log_z = largest + std::log(total);
    for (const double x : score) p.push_back(std::exp(x - log_z));
  }

  void list(Segmentation& begun, int position) {
    if (position == scores.positions()) {
      if (sum(scores, begun) > -HUGE_VAL) all.push_back(begun);
      return;
    }
    for (int length = 1; length <= scores.longest() && position + length <= scores.positions(); ++length) {
      for (int tag = 0; tag < scores.tags(); ++tag) {
        begun.push_back({position, length, tag});
        list(begun, position + length);
        begun.pop_back();
      }
    }
  }
  static double sum(const SegmentArrays& f, const Segmentation& segments) {
    double total = 0.0;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      total += f.segment(segments[i]);
      if (i > 0) total += f.transitions(segments[i - 1].tag, segments[i].tag);
    }
    return total;
  }
  double mean(const std::function<double(std::size_t)>& f) const {
    double total = 0.0;
    for (std::size_t i = 0; i < all.size(); ++i) total += p[i] * f(i);
    return total;
  }
  SegmentArrays marginals() const {
    SegmentArrays found(scores.positions(), scores.longest(), scores.tags());
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t k = 0; k < all[i].size(); ++k) {
        found.segment(all[i][k]) += p[i];
        if (k > 0) found.transitions(all[i][k - 1].tag, all[i][k].tag) += p[i];
      }
    }
    return found;
  }
};

inline SegmentArrays random_arrays(int positions, int longest, int tags, Random& random, double forbidden = 0.0) {
  std::normal_distribution<double> normal;
  std::bernoulli_distribution gone(forbidden);
  SegmentArrays f(positions, longest, tags);
  for (double& x : f.segments.reshaped()) x = gone(random) ? -HUGE_VAL : normal(random);
  for (double& x : f.transitions.reshaped()) x = gone(random) ? -HUGE_VAL : normal(random);
  f.segment({0, 1, 0}) = 0.5;  // so that there always is a segmentation
  for (int t = 0; t < positions; ++t) f.segment({t, 1, 0}) = 0.25 * t;
  f.transitions(0, 0) = -0.5;
  return f;
}

inline void expect_close(const SegmentArrays& a, const SegmentArrays& b, double tolerance) {
  EXPECT_TRUE(a.segments.isApprox(b.segments, tolerance) ||
              (a.segments - b.segments).cwiseAbs().maxCoeff() < tolerance);
  EXPECT_LT((a.transitions - b.transitions).cwiseAbs().maxCoeff(), tolerance);
}

/// The derivative of f(scores + h direction) at h = 0.
inline double slope(const SegmentArrays& scores, const SegmentArrays& direction,
                    const std::function<double(const SegmentDistribution&)>& f) {
  const auto at = [&](double h) {
    SegmentArrays moved = scores;
    moved.segments += h * direction.segments;
    moved.transitions += h * direction.transitions;
    return f(SegmentDistribution(moved));
  };
  const double h = 1e-4;
  return (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
}
inline double dot(const SegmentArrays& a, const SegmentArrays& b) {
  return a.segments.cwiseProduct(b.segments).sum() + a.transitions.cwiseProduct(b.transitions).sum();
}

}  // namespace kirchhoff::segment_oracle
