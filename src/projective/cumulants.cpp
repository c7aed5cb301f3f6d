// Cumulants of projective trees: Eisner's inside pass in numbers that are power series, O(order^2 n^3).
#include "expectation/cumulants.hpp"

#include "projective/charts.hpp"
#include "projective/reading.hpp"

namespace kirchhoff {
namespace expectations {

template <>
struct LogPartitionSeries<ProjectiveTreeDistribution> {
  template <std::size_t kOrder>
  static std::array<double, kOrder + 1> of(SeriesWeights<kOrder> weights, Root root) {
    using Number = numeric::ExtendedSeries<kOrder>;
    const projective::Charts<Number> charts(weights.words(), root, Number::one(),
                                            [&](int head, int dependent) { return weights(head, dependent); });
    return numeric::log_coefficients(charts.total());
  }
};

}  // namespace expectations

template Vector cumulants(const ProjectiveTreeDistribution&, const Matrix&, int);
template Vector cumulants(const LabelledProjectiveTreeDistribution&, const LabelledMatrix&, int);

}  // namespace kirchhoff
