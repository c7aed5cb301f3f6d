// Projection on a factor's convex hull by asking for its best configuration again and again.
#pragma once

#include "kirchhoff/solve.hpp"

#include <cmath>
#include <span>
#include <vector>

namespace kirchhoff::factor {

/// minimise |u - t|^2 / 2 - w * sum of a_k s_k, where u = sum of a_k y_k is a mixture (a >= 0, sum 1) of configurations
/// y_k with scores s_k. Keeps the configurations of the last call: between neighbouring problems few change.
class ActiveSet {
 public:
  struct Member {
    std::vector<int> ones;  ///< inputs that are 1
    double score = 0.0;
    double weight = 0.0;  ///< a
    double gain = 0.0;    ///< t.y + w s
  };

  /// Writes u and returns the score of the mixture. The factor must have a configuration. After max_steps new
  /// configurations the best mixture so far is the answer. It is optimal when no configuration is better than those of
  /// the mixture by more than tolerance * max(1, their value).
  double project(const Factor& factor, std::span<const double> target, double weight, std::span<double> u,
                 int max_steps = 1000, double tolerance = 1e-12);

  // About the last projection:
  int steps() const { return steps_; }
  /// By how much the best configuration was better than the mixture, which is what the mixture may lack at most; +inf
  /// when max_steps ended it.
  double gap() const { return gap_; }
  /// True when no configuration could have made it better.
  bool is_optimal() const { return gap_ < HUGE_VAL; }
  /// What is in the mixture, affinely independent.
  std::span<const Member> members() const { return {members_.data(), count_}; }

  /// Adds a configuration with weight 0. False when it is a mixture of members already (with weights of any sign).
  bool include(const Factor& factor, Configuration y);
  /// The derivative of u as the target moves along `direction`: du = Y' da, the projection of the direction on the
  /// differences of members. Returns da, of sum 0, which is valid until the next call.
  std::span<const double> along(std::span<const double> direction, std::span<double> du);
  /// The same when each member's w s moves by its own number in the place of direction.y.
  std::span<const double> along_gains(std::span<const double> gains, std::span<double> du);

 private:
  void mix(std::span<double> u);
  bool add(const Factor& factor, std::span<const std::uint8_t> y);
  void remove(std::size_t k);
  static void set_gain(Member& member, double weight, std::span<const double> target);
  void set_gains(double weight, std::span<const double> target);
  double solve();
  std::span<const double> solve_along(std::span<double> du);
  bool append();
  void toward(const std::vector<double>& direction, std::size_t size);
  double* row(std::size_t i) { return cholesky_.data() + i * stride_; }
  const double* row(std::size_t i) const { return cholesky_.data() + i * stride_; }

  std::vector<Member> members_;  ///< the first count_; the others are kept for their storage
  std::size_t count_ = 0;
  std::size_t factored_ = 0;      ///< the first so many have rows in cholesky_: all, or all but the last
  std::vector<double> cholesky_;  ///< lower triangle L, by rows: L L' = Y Y' + 1 1'
  std::size_t stride_ = 0;
  std::vector<double> ones_;   ///< inverse of L times 1
  std::vector<double> gains_;  ///< inverse of L times the gains
  std::vector<double> x_, direction_, q_, mark_;
  std::vector<std::uint8_t> y_;
  int steps_ = 0;
  double gap_ = 0.0;
};

/// Adds the members with a weight, the likeliest first, to a posterior that has its inputs.
void add_members(const ActiveSet& set, FactorPosterior& posterior);

}  // namespace kirchhoff::factor
