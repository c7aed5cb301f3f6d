// What projective distributions tell about themselves to the functions of expectation/.
#pragma once

#include "expectation/view.hpp"
#include "projective/state.hpp"

namespace kirchhoff::expectations {

template <>
struct Reading<ProjectiveTreeDistribution> {
  static View view(const ProjectiveTreeDistribution& p) {
    const auto& state = ProjectiveAccess::state(p);
    return {state.words, 1, state.scores.data(), state.marginals.data(), state.shifts, state.log_z_scaled};
  }
  static Matrix expectation_gradient(const ProjectiveTreeDistribution& p, const Matrix& r) {
    return projective::along(ProjectiveAccess::state(p), r);
  }
  static std::vector<bool> possible_arcs(const ProjectiveTreeDistribution& p) {
    return projective::usable_arcs(p.scores(), p.root());
  }
};

}  // namespace kirchhoff::expectations
