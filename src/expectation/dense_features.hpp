// The values of functions that have many, laid out for matrix products.
#pragma once

#include "kirchhoff/expectation.hpp"

#include <vector>

namespace kirchhoff {

/// The library's own access to what Features hold.
struct FeaturesAccess {
  /// When at least half the values of an unlabelled function are not 0, this is all of them: [dependent - 1][head]
  /// [feature], with features padded with zeros to a multiple of base::kPad. Else it is empty.
  static const std::vector<double>& dense(const Features& f) { return f.dense_; }
};

namespace expectations {

inline bool is_dense(const Features& f) { return !FeaturesAccess::dense(f).empty(); }

/// A dense function's values as a matrix with one row per arc, ordered by dependent and then head.
inline MatrixView dense_rows(const Features& f) {
  const std::vector<double>& values = FeaturesAccess::dense(f);
  const Eigen::Index arcs = static_cast<Eigen::Index>(f.words()) * (f.words() + 1);
  return {values.data(), arcs, static_cast<Eigen::Index>(values.size()) / arcs};
}

}  // namespace expectations
}  // namespace kirchhoff
