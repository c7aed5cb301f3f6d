// All PAIR factors of a graph side by side, for the innermost loops of AD3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kirchhoff::factor {

/// The widest vector; the arrays are padded to it.
inline constexpr std::size_t kPairsAtOnce = 8;

/// What the vector loops see of PairFactors.
struct PairArrays {
  std::size_t size;
  std::size_t awake;  ///< so many at the front are awake
  const std::int32_t *a, *b;
  const double* score;
  double *q_a, *q_b, *u_a, *u_b, *sum_a, *sum_b;
};

/// Each pair has for its variables a and b: local scores q, and its own idea u of them. Points and sums have one entry
/// for each variable and a last one that stands for none. Pairs that are asleep (sleeping_pairs.cpp) keep their q and
/// agree with every p.
class PairFactors {
 public:
  explicit PairFactors(int variables) : none_(variables) {}
  /// Adds a pair. All must be added before anything else is asked.
  void add(int a, int b, double score);
  /// Must be called after the last pair was added.
  void finish();
  std::size_t size() const { return size_; }

  /// Puts pairs to sleep whose score is linear around p, if `may_sleep`, and wakes those for which that is no longer
  /// so: true when any was. Adds to `moved` what was taken from q. Variables without a `home` (< 0) keep their pairs.
  bool update_sleepers(std::span<const double> p, bool may_sleep, std::span<const int> home, std::span<double> moved);
  void wake_all() { awake_ = score_.size(); }     ///< a call of start_mean() must follow
  void add_voices(std::span<double> sums) const;  ///< adds 1 for each pair that is awake

  /// u <- argmin |u - t|^2 / 2 - score both(u) / penalty, t = p + q / penalty; adds u to the sums.
  void project(std::span<const double> p, double penalty, std::span<double> sums);

  struct Step {
    double squares = 0.0;  ///< sum of (u - p)^2
    double work = 0.0;     ///< sum of q (u - p), with the new q
  };
  /// q <- q - penalty (u - p). Counts the new q in its mean.
  Step update(std::span<const double> p, double penalty);

  /// The sum over pairs of the highest q.y + score after each has moved to its variables what it has to say: first
  /// about a, so that its best value is the same with a = 0 and a = 1, then about b. Adds to `moved` what was taken
  /// from q.
  double bound(std::span<double> moved);
  /// The sum of score both(u), with u = p where the pair is asleep.
  double mixture_score(std::span<const double> p);
  /// The sum of score both(z).
  double value_at(std::span<const double> z);

  /// From here on q is counted in its mean.
  void start_mean();
  double updates() const { return updates_; }  ///< updates since then
  /// Puts the mean in the place of q, for bound().
  void enter_mean();
  void leave_mean();

  double add_local(std::span<double> sums) const;    ///< adds q to the sums; returns the sum of its sizes
  void set_local(std::span<const double> q);         ///< the other way round
  void copy_local(std::span<double> q) const;        ///< writes q_a and q_b of the k-th pair added to 2 k and 2 k + 1
  void shift_local(std::span<const double> shifts);  ///< adds the variable's shift to q

 private:
  PairArrays arrays();
  std::size_t first_to_wake(std::span<const double> p, std::size_t begin);
  bool try_to_sleep(std::size_t k, std::span<const double> p, std::span<double> moved);
  void wake(std::size_t k);
  void exchange(std::size_t k, std::size_t l);

  int none_;
  std::size_t size_ = 0;
  std::size_t awake_ = 0;
  std::vector<std::int32_t> a_, b_;
  std::vector<std::int32_t> number_;  ///< when it was added
  std::vector<double> score_, q_a_, q_b_, u_a_, u_b_;
  double updates_ = 0.0;                 ///< updates since start_mean()
  std::vector<double> sum_a_, sum_b_;    ///< sums of q over these, less updates_ q where the pair went to sleep
  std::vector<double> mean_a_, mean_b_;  ///< the means of q; or q, while the mean is in its place
};

}  // namespace kirchhoff::factor
