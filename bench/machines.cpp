// Random complete machines, and whether the baselines agree with the library on one.
#include "machines.hpp"

#include "check.hpp"

#include <kirchhoff/wfsm_derivatives.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace kirchhoff::bench {
namespace {

double difference(const std::vector<double>& a, const double* b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]) / (1e-3 + std::abs(a[i])));
  return worst;
}

}  // namespace

DenseMachine dense_machine(int states, int symbols) {
  std::mt19937_64 random(states * 100 + symbols);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  DenseMachine m{states, symbols, {}, std::vector<double>(states, 1.0), std::vector<double>(states, 0.1)};
  for (int i = 0; i < states; ++i) {
    std::vector<double> row(static_cast<std::size_t>(states) * symbols);
    for (double& w : row) w = uniform(random);
    const double sum = std::accumulate(row.begin(), row.end(), 0.0);
    for (const double w : row) m.weights.push_back(0.9 * w / sum);
  }
  return m;
}

Wfsm build(const DenseMachine& m) {
  WfsmBuilder builder;
  builder.add_states(m.states);
  for (int i = 0; i < m.states; ++i) builder.set_start(i, std::log(m.start[i])).set_final(i, std::log(m.final[i]));
  for (std::size_t x = 0; x < m.weights.size(); ++x) {
    const int pair = static_cast<int>(x) / m.symbols;
    builder.add_transition(
        {pair / m.states, pair % m.states, 1 + static_cast<int>(x) % m.symbols, std::log(m.weights[x])});
  }
  return builder.build();
}

std::vector<double> machine_features(const DenseMachine& m, int features, int density) {
  std::mt19937_64 random(features);
  std::normal_distribution<double> normal;
  std::vector<double> values(m.weights.size() * features);
  for (std::size_t x = 0; x < m.weights.size(); ++x) {
    const std::size_t first = density < features ? random() % features : 0;
    for (int k = 0; k < density; ++k) values[x * features + (first + k) % features] = normal(random);
  }
  return values;
}

WfsmFeatures features_of(const Wfsm& machine, int size, const std::vector<double>& values) {
  std::vector<WfsmFeature> entries;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) entries.push_back({static_cast<int>(i) / size, static_cast<int>(i) % size, values[i]});
  }
  return {machine, size, entries};
}

void check_machines() {
  const DenseMachine m = dense_machine(4, 2);
  const Wfsm machine = build(m);
  const Matrix h = hessian(machine);
  require_agreement(difference(hessian_by_reverse_mode(m), h.data()), "Hessian by reverse mode");
  require_agreement(difference(hessian_by_dual_numbers(m), h.data()), "Hessian by dual numbers");
  require_agreement(difference(derivatives_by_permutations(m, 2), h.data()), "Hessian by permutations");
  const DenseMachine small = dense_machine(2, 1);
  require_agreement(difference(derivatives_by_permutations(small, 5), derivatives(build(small), 5).data()),
                    "fifth derivatives by permutations");
  for (const int density : {1, 2}) {
    const std::vector<double> r = machine_features(m, 3, density), t = machine_features(m, 2, density);
    const Matrix e2 = second_order(machine, features_of(machine, 3, r), features_of(machine, 2, t));
    require_agreement(difference(second_order_by_semiring(m, 3, r, 2, t), e2.data()), "E_2 by the semiring");
    require_agreement(difference(second_order_by_hessian(m, 3, r, 2, t), e2.data()), "E_2 by the Hessian");
  }
}

}  // namespace kirchhoff::bench
