// Whether a distribution allows all trees of another.
#pragma once

#include "base/check.hpp"
#include "expectation/view.hpp"

#include <cmath>
#include <vector>

namespace kirchhoff::expectations {

// Decides by structure whether some tree of p has an arc that q forbids.
template <class D>
bool leaves_support(const D& p, const D& q) {
  const View a = view(p), b = view(q);
  bool sure = false, unsure = false;
  for (std::size_t i = 0; i < a.size(); ++i) {  // no branches: nearly always nothing is forbidden
    const bool forbidden = (b.scores[i] == -HUGE_VAL) & (a.scores[i] != -HUGE_VAL);
    unsure |= forbidden;
    sure |= forbidden & (a.marginals[i] > 1e-3);
  }
  if (sure || !unsure) return sure;
  const std::vector<bool> possible = Reading<D>::possible_arcs(p);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (b.scores[i] == -HUGE_VAL && a.scores[i] != -HUGE_VAL && possible[i / a.labels]) return true;
  }
  return false;
}

template <class D>
void require_support(const char* function, const D& p, const D& q) {
  if (leaves_support(p, q)) {
    base::input_error(function, "q forbids a tree that p allows: the value is +inf and has no gradient");
  }
}

}  // namespace kirchhoff::expectations
