// Is this sample from that distribution? P-values of goodness-of-fit tests, for samplers. A p-value is the probability
// that a right sampler does as badly; tests fail below kFalseAlarm, and their seeds are fixed.
#pragma once

#include <cstdint>
#include <vector>

namespace kirchhoff::statistics {

inline constexpr double kFalseAlarm = 1e-6;

using Counts = std::vector<std::int64_t>;

/// P(X >= x) for X chi-square distributed: the regularised incomplete gamma function.
double chi_square_tail(double x, int degrees);

/// Counts of a multinomial sample against the probabilities of its cells, which add up to 1. 0 when something of
/// probability 0 was seen; 1 when there is nothing to compare.
double fit(const Counts& counts, const std::vector<long double>& probabilities);

/// Independence of the row and the column of each observation; also: do all rows come from one distribution?
double independence(const std::vector<Counts>& table);

/// Values in [0, 1] against the uniform distribution.
double uniform(const std::vector<double>& values);

/// The mean of many independent values of finite variance against its expectation (Student's t).
double mean(const std::vector<double>& values, double expected);

/// A number of successes against its binomial distribution.
double binomial(std::int64_t successes, std::int64_t trials, double probability);

}  // namespace kirchhoff::statistics
