// Measures what chance does to scores. The bootstrap [Efron79] draws as many units as there are, with replacement.
// Approximate randomization [Yeh00] exchanges the two systems' answers to a unit, which would change nothing if they
// were equally good; the p-value is (1 + samples with at least the observed difference) / (1 + samples), and never 0.
//
// Each sample has its own stream of random numbers, so results depend on the seed only. Both take O(samples
// units) time.
#include "base/check.hpp"
#include "base/random.hpp"
#include "kirchhoff/evaluate.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff {
namespace {

enum Purpose : std::uint64_t { kBootstrap = 11, kCompare = 12 };

/// The counts gold, system and correct of every metric.
using Counts = std::array<std::int64_t, std::size_t{3} * kMetrics>;

Counts counts_of(const Scores& scores) {
  Counts counts;
  for (std::size_t m = 0; m < kMetrics; ++m) {
    counts[3 * m] = scores[m].gold;
    counts[3 * m + 1] = scores[m].system;
    counts[3 * m + 2] = scores[m].correct;
  }
  return counts;
}

double f1(const Counts& counts, std::size_t m) {
  return Score{counts[3 * m], counts[3 * m + 1], counts[3 * m + 2]}.f1();
}

Counts& operator+=(Counts& a, const Counts& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Counts operator-(Counts a, const Counts& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

void check(const char* function, const ResamplingOptions& options) {
  if (options.samples < 1) base::input_error(function, "samples: " + std::to_string(options.samples) + " < 1");
  if (!(options.confidence > 0.0 && options.confidence < 1.0)) {
    base::input_error(function, "confidence: " + std::to_string(options.confidence) + " is not between 0 and 1");
  }
}

/// A uniform number from 0 ... count - 1; a bias of count / 2^53 does not matter.
std::size_t draw(base::Random& random, std::size_t count) {
  return static_cast<std::size_t>(random.uniform() * static_cast<double>(count));
}

/// Interpolates between the two nearest of the sorted values.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Scores of both systems for stretches of text that are units of both.
struct PairedUnits {
  std::vector<Counts> a;
  std::vector<Counts> b;
};

PairedUnits paired(const Evaluation& a, const Evaluation& b) {
  PairedUnits out;
  std::size_t j = 0;
  int balance = 0;  // The gold sentences of a's units minus those of b's.
  for (const EvaluatedUnit& unit : a.units) {
    if (balance == 0) {
      out.a.push_back({});
      out.b.push_back({});
    }
    out.a.back() += counts_of(unit.scores);
    for (balance += unit.gold_sentences; balance > 0 && j < b.units.size(); ++j) {
      out.b.back() += counts_of(b.units[j].scores);
      balance -= b.units[j].gold_sentences;
    }
  }
  const auto gold_words = [](const Evaluation& e) { return e[Metric::words].gold; };
  if (balance != 0 || j != b.units.size() || gold_words(a) != gold_words(b)) {
    base::input_error("compare", "the systems were not evaluated against the same gold sentences");
  }
  return out;
}

}  // namespace

std::array<Interval, kMetrics> bootstrap_intervals(const Evaluation& evaluation, const ResamplingOptions& options) {
  check("bootstrap_intervals", options);
  if (evaluation.units.empty()) base::input_error("bootstrap_intervals", "no units");
  std::vector<Counts> units;
  for (const EvaluatedUnit& unit : evaluation.units) units.push_back(counts_of(unit.scores));
  std::array<std::vector<double>, kMetrics> values;
  for (int sample = 0; sample < options.samples; ++sample) {
    base::Random random(options.seed, static_cast<std::uint64_t>(sample), kBootstrap);
    Counts sum{};
    for (std::size_t i = 0; i < units.size(); ++i) sum += units[draw(random, units.size())];
    for (std::size_t m = 0; m < kMetrics; ++m) values[m].push_back(f1(sum, m));
  }
  std::array<Interval, kMetrics> intervals;
  for (std::size_t m = 0; m < kMetrics; ++m) {
    std::sort(values[m].begin(), values[m].end());
    const double tail = (1.0 - options.confidence) / 2.0;
    intervals[m] = {quantile(values[m], tail), quantile(values[m], 1.0 - tail)};
  }
  return intervals;
}

std::array<Comparison, kMetrics> compare(const Evaluation& a, const Evaluation& b, const ResamplingOptions& options) {
  check("compare", options);
  const PairedUnits units = paired(a, b);
  const Counts total_a = counts_of(a.total);
  const Counts total_b = counts_of(b.total);
  std::vector<Counts> changes;  // What exchanging a unit adds to a and takes from b.
  for (std::size_t i = 0; i < units.a.size(); ++i) {
    if (units.a[i] != units.b[i]) changes.push_back(units.b[i] - units.a[i]);
  }
  std::array<int, kMetrics> as_large{};
  for (int sample = 0; sample < options.samples; ++sample) {
    base::Random random(options.seed, static_cast<std::uint64_t>(sample), kCompare);
    Counts change{};
    for (const Counts& unit : changes) {
      if (random.bits() >> 63) change += unit;
    }
    Counts sum_a = total_a;
    sum_a += change;
    const Counts sum_b = total_b - change;
    for (std::size_t m = 0; m < kMetrics; ++m) {
      constexpr double kRounding = 1e-12;
      const double observed = std::abs(f1(total_b, m) - f1(total_a, m));
      as_large[m] += std::abs(f1(sum_b, m) - f1(sum_a, m)) >= observed - kRounding ? 1 : 0;
    }
  }
  std::array<Comparison, kMetrics> out;
  for (std::size_t m = 0; m < kMetrics; ++m) {
    out[m] = {f1(total_b, m) - f1(total_a, m), (1.0 + as_large[m]) / (1.0 + options.samples)};
  }
  return out;
}

}  // namespace kirchhoff
