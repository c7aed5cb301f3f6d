// Time and memory of the Hessian, of second-order expectations and of all derivatives of an order, by the library and
// by the older methods, for [ZmigrodW21]: a line for each method and size. A method stops before the size at which a
// call would take longer than the limit, judged by how its last two sizes grew.
//
//   machine_costs --over states|symbols|features|sparse|order --limit SECONDS
//
// Machines are complete, with random weights. Our times have making and solving the machine in them.
#include "experiments/measuring.hpp"
#include "machines.hpp"
#include "memory.hpp"
#include "timing.hpp"

#include <kirchhoff/wfsm_derivatives.hpp>

#include <cmath>
#include <cstdio>

namespace kirchhoff::bench {
namespace {

constexpr double kBudget = 0.05;  // seconds for a measurement of short calls

/// One size: N states, A symbols, R = T features of which R' fire on a transition, and the order m.
struct Size {
  int states = 10, symbols = 2, features = 10, density = 10, order = 2;
};

struct Problem {
  Size size;
  DenseMachine dense = dense_machine(size.states, size.symbols);
  std::vector<double> values = machine_features(dense, size.features, size.density);
  WfsmFeatures features = features_of(build(dense), size.features, values);
};

/// Returns some number of the result, so that nothing is left out.
using Compute = std::function<double(const Problem&)>;
struct Method {
  const char* name;
  Compute compute;
};

std::vector<Method> hessians() {
  return {{"hessian", [](const Problem& p) { return hessian(build(p.dense))(0, 0); }},
          {"hessian_reverse", [](const Problem& p) { return hessian_by_reverse_mode(p.dense)[0]; }},
          {"hessian_forward", [](const Problem& p) { return hessian_by_dual_numbers(p.dense)[0]; }}};
}

std::vector<Method> expectations() {
  const auto ours = [](const Problem& p) { return second_order(build(p.dense), p.features, p.features)(0, 0); };
  const auto semiring = [](const Problem& p) {
    return second_order_by_semiring(p.dense, p.size.features, p.values, p.size.features, p.values)[0];
  };
  const auto hessian = [](const Problem& p) {
    return second_order_by_hessian(p.dense, p.size.features, p.values, p.size.features, p.values)[0];
  };
  return {{"e2", ours}, {"e2_semiring", semiring}, {"e2_hessian", hessian}};
}

std::vector<Method> all_orders() {
  return {{"dm", [](const Problem& p) { return derivatives(build(p.dense), p.size.order)[0]; }},
          {"dm_permutations", [](const Problem& p) { return derivatives_by_permutations(p.dense, p.size.order)[0]; }}};
}

/// What a sweep changes, the sizes it takes, and the methods that depend on it.
struct Sweep {
  std::vector<int> values;
  std::function<Size(int)> size;
  std::vector<Method> methods;
};

Sweep sweep_over(const std::string& what) {
  std::vector<Method> both = hessians();
  for (const Method& method : expectations()) both.push_back(method);
  const std::vector<int> numbers = {1, 2, 5, 10, 20, 50, 100, 200};
  if (what == "states") return {{3, 4, 6, 8, 11, 16, 22, 32, 45, 64}, [](int n) { return Size{.states = n}; }, both};
  if (what == "symbols") {
    return {{1, 2, 4, 8, 16, 32}, [](int a) { return Size{.states = 8, .symbols = a}; }, both};
  }
  if (what == "features") {
    return {numbers, [](int r) { return Size{.features = r, .density = r}; }, expectations()};
  }
  if (what == "sparse") return {numbers, [](int r) { return Size{.features = r, .density = 1}; }, expectations()};
  if (what == "order") {
    return {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, [](int m) { return Size{2, 1, 1, 1, m}; }, all_orders()};
  }
  throw std::runtime_error("--over " + what + ": states, symbols, features, sparse or order");
}

volatile double sink = 0;

void measure_method(const Method& method, const Sweep& sweep, double limit) {
  double last = 0, before = 0;
  for (const int value : sweep.values) {
    if (before > 0 && last * std::max(2.0, last / before) > limit) return;
    const Problem problem{sweep.size(value)};
    const auto call = [&] { sink = method.compute(problem); };
    const double seconds = seconds_per_call(call, kBudget);
    const Size& s = problem.size;
    std::printf("%s,%d,%d,%d,%d,%d,%.6g,%.4g\n", method.name, s.states, s.symbols, s.features, s.density, s.order,
                1e3 * seconds, peak_mebibytes(call));
    std::fflush(stdout);
    before = last;
    last = seconds;
  }
}

void run(const Arguments& arguments) {
  check_machines();
  const Sweep sweep = sweep_over(arguments.text("over"));
  std::puts("method,states,symbols,features,density,order,ms,mib");
  for (const Method& method : sweep.methods) measure_method(method, sweep, arguments.number("limit"));
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  using namespace kirchhoff::bench;
  return measure(argc, argv, {"over", "limit"}, run);
}
