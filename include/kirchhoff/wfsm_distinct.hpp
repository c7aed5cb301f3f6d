// Trajectories of a machine without replacement.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kirchhoff {

/// Trajectories without replacement, one after the other: each is drawn from the machine given that it is none of the
/// earlier ones.
///
///     DistinctPaths paths(machine, seed);
///     while (const std::optional<Path> path = paths.next()) print(*path);
///
/// A trajectory takes O(length * transitions of a state * log), and less where it begins like an earlier one. Of a
/// machine with cycles there are infinitely many, unless they all have weight 0. The list can be moved but not copied.
class DistinctPaths {
 public:
  explicit DistinctPaths(const Wfsm& machine, std::uint64_t seed = 0);
  ~DistinctPaths();
  DistinctPaths(DistinctPaths&&) noexcept;
  DistinctPaths& operator=(DistinctPaths&&) noexcept;

  /// Returns nothing when all trajectories have been given.
  std::optional<Path> next();
  /// The log-probability plus standard Gumbel noise of what next() gave last: paths come in descending order of it.
  double perturbed() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Distinct trajectories drawn at once, with what importance weights need [Kool19].
struct PerturbedPaths {
  std::vector<Path> paths;        ///< in the order of their perturbed log-probabilities, highest first
  std::vector<double> perturbed;  ///< each path's log-probability plus standard Gumbel noise
  double threshold = 0.0;         ///< the highest one of a path not among them; -inf when these are all
};
/// The first k trajectories of DistinctPaths, or all if there are fewer. Throws InputError when k < 0. `stop` is called
/// after each path and may end the list, which is then a sample of as many.
PerturbedPaths sample_without_replacement(const Wfsm& machine, int k, std::uint64_t seed = 0, const Stop& stop = {});

}  // namespace kirchhoff
