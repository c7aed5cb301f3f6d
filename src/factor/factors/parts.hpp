// What factors share whose score is the sum of the scores of parts, such as the transitions of a sequence.
#pragma once

#include "kirchhoff/factor.hpp"

#include <memory>
#include <span>
#include <vector>

namespace kirchhoff::factor {

/// Parts are numbered from 0 by the factor itself. -inf forbids the configurations that have the part.
class PartsFactor : public Factor {
 public:
  virtual std::vector<double> own_scores() const = 0;
  /// Adds `weight` to each part that a configuration has, which is allowed.
  virtual void add_own_parts(Configuration y, double weight, std::span<double> parts) const = 0;
  /// Adds the probability of each part, given the messages to this factor; nothing when they leave no configuration.
  virtual void add_own_marginals(std::span<const double> q, std::span<double> marginals) const = 0;
  /// The same factor with other scores of its parts, as many.
  virtual std::shared_ptr<const PartsFactor> with_own_scores(std::vector<double> scores) const = 0;

 protected:
  using Factor::Factor;
};

}  // namespace kirchhoff::factor
