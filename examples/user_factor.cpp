// A factor of your own, in a puzzle: light k of five lights in a row toggles itself and its neighbours. Which buttons
// to press, and as few as possible, so that all lights are on? Each light is a parity constraint on up to three
// buttons.
#include <kirchhoff/solve.hpp>

#include <algorithm>
#include <iostream>
#include <limits>
#include <memory>

/// Allows an odd number of ones. score() is all that is needed for a few inputs; the rest is enumerated.
class OddFactor final : public kirchhoff::Factor {
 public:
  explicit OddFactor(int arity) : Factor(arity) {}
  std::string_view name() const override { return "odd"; }
  double score(kirchhoff::Configuration y) const override {
    int ones = 0;
    for (const auto bit : y) ones += bit;
    return ones % 2 == 1 ? 0.0 : -std::numeric_limits<double>::infinity();
  }
};

int main() {
  constexpr int kLights = 5;
  kirchhoff::FactorGraph graph;
  std::vector<kirchhoff::Variable> press;
  for (int k = 0; k < kLights; ++k) press.push_back(graph.add_variable(-1.0));  // every press costs 1
  for (int light = 0; light < kLights; ++light) {
    kirchhoff::Literals buttons;
    for (int k = std::max(0, light - 1); k <= std::min(kLights - 1, light + 1); ++k) buttons.push_back(press[k]);
    graph.add_factor(std::make_shared<OddFactor>(static_cast<int>(buttons.size())), buttons);
  }
  const kirchhoff::MapResult best = kirchhoff::solve_ad3(graph, {.search = kirchhoff::Search::exact});
  std::cout << "press";
  for (int k = 0; k < kLights; ++k) {
    if (best.assignment[k] != 0) std::cout << ' ' << k + 1;
  }
  std::cout << "; presses " << -best.value << '\n';
}
