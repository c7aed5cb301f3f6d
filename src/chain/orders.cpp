// Scores of runs of tags. O(positions * runs^2) to fill in what is impossible, and O(positions * runs * tags) besides.
#include "kirchhoff/chain_orders.hpp"

#include "base/check.hpp"

#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

constexpr int kMostRuns = 30'000;

/// tags^order, which is the number of runs.
int runs_of(const char* function, int tags, int order) {
  if (order < 1 || tags < 1) {
    base::input_error(function, "order " + std::to_string(order) + " and " + std::to_string(tags) +
                                    " tags, expected at least 1 of each");
  }
  int runs = 1;
  for (int k = 0; k < order && tags > 1; ++k) {
    if (runs > kMostRuns / tags) {
      base::input_error(function, std::to_string(tags) + "^" + std::to_string(order) + " runs of tags, more than " +
                                      std::to_string(kMostRuns));
    }
    runs *= tags;
  }
  return runs;
}

}  // namespace

ChainArrays higher_order(const MatrixRef& emissions, const MatrixRef& ngrams, int order) {
  const int length = static_cast<int>(emissions.rows()), tags = static_cast<int>(emissions.cols());
  if (order > length) {
    base::input_error("higher_order",
                      "order " + std::to_string(order) + " is more than the " + std::to_string(length) + " positions");
  }
  const int runs = runs_of("higher_order", tags, order), others = runs / tags;
  const Eigen::Index rows = static_cast<Eigen::Index>(length - order) * runs;
  if (ngrams.rows() != rows || (rows > 0 && ngrams.cols() != tags)) {
    base::input_error("higher_order",
                      "ngrams: " + base::shape(ngrams.rows(), ngrams.cols()) + ", expected " + base::shape(rows, tags));
  }
  ChainArrays out(length - order + 1, runs, -HUGE_VAL);
  for (int t = 0; t < out.length(); ++t) {
    for (int run = 0; run < runs; ++run) out.emission(t, run) = emissions(t + order - 1, run % tags);
  }
  for (int run = 0; run < runs; ++run) {  // the first run has the emissions of all of its tags
    for (int k = order - 1, left = run / tags; k-- > 0; left /= tags) out.emission(0, run) += emissions(k, left % tags);
  }
  for (int t = 1; t < out.length(); ++t) {
    for (int run = 0; run < runs; ++run) {
      for (int tag = 0; tag < tags; ++tag) {
        out.transition(t, run, run % others * tags + tag) = ngrams(static_cast<Eigen::Index>(t - 1) * runs + run, tag);
      }
    }
  }
  return out;
}

Tags tags_of_states(const Tags& states, int tags, int order) {
  const int runs = runs_of("tags_of_states", tags, order);
  Tags out;
  for (std::size_t t = 0; t < states.size(); ++t) {
    if (states[t] < 0 || states[t] >= runs) {
      base::input_error("tags_of_states",
                        "there is no run " + std::to_string(states[t]) + " among " + std::to_string(runs));
    }
    if (t == 0) {
      for (int k = 0, part = runs / tags; k < order; ++k, part /= tags) out.push_back(states[t] / part % tags);
      continue;
    }
    if (states[t] / tags != states[t - 1] % (runs / tags)) {
      base::input_error("tags_of_states", "run " + std::to_string(states[t]) + " does not go on from run " +
                                              std::to_string(states[t - 1]));
    }
    out.push_back(states[t] % tags);
  }
  return out;
}

}  // namespace kirchhoff
