// Steps over dense weights: the aggressive one of [Martins10, alg. 1] and AdaGrad's [Duchi11], O(weights) each.
#include "learn/steps.hpp"

#include "base/check.hpp"

#include <cmath>
#include <string>

namespace kirchhoff {

double aggressive_step(double loss, double squared_norm, double cap) {
  if (!(squared_norm > 0.0) || loss < 0.0) return 0.0;
  return loss > 0.0 ? std::min(cap, loss / squared_norm) : cap;
}

DenseLearner::DenseLearner(Eigen::Index size, StepRule rule)
    : rule_(rule), weights_(Vector::Zero(size)), drift_(Vector::Zero(size)), squares_(Vector::Zero(size)) {
  if (!(rule.rate > 0.0) || !(rule.cap > 0.0)) base::input_error("DenseLearner", "rule: rate and cap must be above 0");
}

void DenseLearner::step(double loss, const Eigen::Ref<const Vector>& gradient) {
  if (gradient.size() != weights_.size()) {
    base::input_error("DenseLearner::step", "gradient: " + std::to_string(gradient.size()) + " numbers for " +
                                                std::to_string(weights_.size()) + " weights");
  }
  if (!std::isfinite(loss) || !gradient.allFinite()) base::input_error("DenseLearner::step", "not finite");
  ++steps_;
  Vector change;
  if (rule_.kind == StepRule::Kind::aggressive) {
    change = -aggressive_step(loss, gradient.squaredNorm(), rule_.cap) * gradient;
  } else {
    squares_ += gradient.cwiseAbs2();
    change = -rule_.rate * gradient.array() / (squares_.array() + learn::kAdaGradFloor).sqrt();
  }
  weights_ += change;
  drift_ += static_cast<double>(steps_) * change;
}

Vector DenseLearner::averaged() const {
  return weights_ - drift_ / static_cast<double>(learn::averaged_iterates(rule_.kind, steps_));
}

}  // namespace kirchhoff
