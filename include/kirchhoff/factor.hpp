// One factor of a factor graph: a potential over a few binary inputs, and the questions that the solvers ask about it.
//
// To make a factor of your own, derive from Factor and write score(). Up to kEnumerable inputs the rest is computed by
// listing all configurations; override what you can do faster, or for more inputs (examples/user_factor.cpp).
//
// A log-ratio q belongs to each input: log M(1)/M(0) of the message to the factor. +inf and -inf fix the input to 1 and
// to 0, and count nothing in sums of log-ratios. Negated inputs are the graph's business: a factor never sees them.
// Answers go into storage that the solver lends, so that an iteration allocates nothing.
#pragma once

#include "kirchhoff/types.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace kirchhoff {

/// A configuration has 0 or 1 for each input.
using Configuration = std::span<const std::uint8_t>;

/// The convex hull of a factor's configurations (or something larger with the same integer points), for linear
/// programming: columns 0 ... arity-1 are the inputs, within 0 and 1; then `costs.size()` columns of its own, at least
/// 0. The best sum of costs is the score.
struct Relaxation {
  struct Row {
    std::vector<std::pair<int, double>> terms;  ///< column, coefficient
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
  };
  std::vector<double> costs;
  std::vector<Row> rows;
};

/// Immutable, and safe to ask from several threads at once.
class Factor {
 public:
  static constexpr int kEnumerable = 16;  ///< the most inputs for which all configurations are listed

  virtual ~Factor() = default;
  Factor(const Factor&) = delete;
  Factor& operator=(const Factor&) = delete;

  int arity() const { return arity_; }
  virtual std::string_view name() const { return "custom"; }

  /// The log-potential of a configuration; -inf forbids it.
  virtual double score(Configuration y) const = 0;
  /// A bound: no configuration that is allowed has a lower score. -inf says that none is known.
  virtual double least_score() const;
  /// True when no configuration is forbidden.
  virtual bool soft() const { return false; }

  struct Sum {
    double log_partition = -std::numeric_limits<double>::infinity();  ///< -inf: the fixed inputs leave nothing
    double expected_score = 0.0;
  };
  /// p(y) ~ exp(q.y + score(y)): log Z, E[score], and in messages[i] the log-ratio of the message to input i, which
  /// does not depend on q_i: log p(y_i = 1) / p(y_i = 0) - q_i. O(2^arity arity) unless overridden.
  virtual Sum sum_product(std::span<const double> q, std::span<double> messages) const;
  /// The same with max for sum: the best value of q.y + score(y), -inf if there is none.
  virtual double max_product(std::span<const double> q, std::span<double> messages) const;

  /// Groups of inputs of which exactly one is 1 in every configuration that is allowed; group g has the inputs
  /// inputs[first[g]] ... inputs[first[g + 1] - 1].
  struct OneHot {
    std::span<const int> inputs;
    std::span<const int> first;
    std::size_t size() const { return first.empty() ? 0 : first.size() - 1; }
    std::span<const int> operator[](std::size_t g) const {
      return inputs.subspan(static_cast<std::size_t>(first[g]), static_cast<std::size_t>(first[g + 1] - first[g]));
    }
  };
  /// When a group has all the values of a multi-valued variable, belief propagation attaches the factor to that
  /// variable as a whole.
  virtual OneHot one_hot() const { return {}; }
  /// The same as sum_product and max_product, but with log-weights of values in the messages to one-hot groups:
  /// log p(y_i = 1) - q_i up to a constant for each group.
  virtual Sum sum_product_of_values(std::span<const double> q, std::span<double> messages) const;
  virtual double max_product_of_values(std::span<const double> q, std::span<double> messages) const;

  /// A configuration with the best value, which is returned.
  virtual double best(std::span<const double> q, std::span<std::uint8_t> y) const;
  /// The highest value over the factor's relaxation, of which bounds are made: that of best() where the relaxation is
  /// the convex hull. `y` is scratch.
  virtual double relaxed_best(std::span<const double> q, std::span<std::uint8_t> y) const { return best(q, y); }
  /// The point u of the relaxation that minimises |u - target|^2 / 2 - weight * score, where the score is the best one
  /// among mixtures of configurations with mean u, and is returned. Nothing: not in closed form; the solver then finds
  /// u by asking best() again and again, and the relaxation is the convex hull.
  virtual std::optional<double> project(std::span<const double> target, double weight, std::span<double> u) const;
  /// The relaxation is exact unless the factor says otherwise.
  virtual Relaxation relaxation() const;

 protected:
  /// Throws InputError unless arity >= 1.
  explicit Factor(int arity);

 private:
  int arity_;
};

/// The entropy of the factor's distribution, H = log Z - E[q.y] - E[score], from what sum_product answered.
double entropy(const Factor::Sum& sum, std::span<const double> q, std::span<const double> messages);

}  // namespace kirchhoff
