// The derivatives of all marginals of a batch, for the files that instantiate them.
#pragma once

#include "base/check.hpp"
#include "tree/batch/along.hpp"
#include "tree/batch/rows.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace kirchhoff {

template <class D>
void BatchOf<D>::marginals_along(std::span<const GraphView> directions, std::span<double> derivatives,
                                 const Stop& stop) const {
  constexpr const char* kName = "marginals_along";
  if (directions.size() != size() || derivatives.size() != array_size()) {
    base::input_error(kName, std::to_string(directions.size()) + " directions and room for " +
                                 std::to_string(derivatives.size()) + " numbers, expected " + std::to_string(size()) +
                                 " and " + std::to_string(array_size()));
  }
  std::vector<std::size_t> rest = tree::every_graph(size());
  if constexpr (std::is_same_v<D, TreeDistribution>) {
    parallel_for(size(), options().threads, [&](std::size_t i) {
      with_scores<D>(directions[i], [&](const MatrixRef& direction) {
        base::check_shape(kName, "direction", direction, words(i));
        base::check_finite(kName, "direction", direction);
      });
    });
    rest = tree::along_in_lanes(*this, {directions, 1.0, derivatives}, stop);
  }
  visit(
      rest,
      [&](std::size_t i, const D& p) {
        const auto along = with_scores<D>(directions[i], [&](const auto& r) { return p.marginals_along(r); });
        tree::write_rows({along.data(), static_cast<std::size_t>(along.size())}, words(i), part(derivatives, i),
                         row_length(i));
      },
      [&](std::size_t i, const Infeasible&) { std::ranges::fill(part(derivatives, i), 0.0); }, stop);
}

}  // namespace kirchhoff
