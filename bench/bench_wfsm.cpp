// Weighted finite-state machines: the bars and the peers' sizes. How costs grow is measured by
// experiments/machine_costs.cpp.
#include "machines.hpp"
#include "timing.hpp"

#include <kirchhoff/wfsm_derivatives.hpp>
#include <kirchhoff/wfsm_expectation.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>

namespace kirchhoff::bench {
namespace {

using Random = std::mt19937_64;

volatile double sink = 0;

Work work(std::function<double()> call) {
  return {[call = std::move(call)](std::size_t) { sink = call(); }, 1, Clock::cpu};
}

double seconds_of(const Work& w) {
  const Comparison c = compare(w, w);
  return std::min(c.a, c.b);
}

void row(const char* what, double ours, double other, double ratio, const char* bar, bool passes) {
  std::printf("%-58s %12.1f %12.1f %9.2f  %-8s %s\n", what, ours * 1e6, other * 1e6, ratio, bar,
              passes ? "ok" : "MISSED");
}

/// Times our Hessian against writing as many doubles to fresh memory.
void hessian_bar(int states, int symbols, bool demanded) {
  const Wfsm machine = build(dense_machine(states, symbols));
  const auto size = static_cast<Eigen::Index>(machine.transitions().size());
  const Comparison c = compare(work([=] {
                                 Matrix m(size, size);
                                 std::fill_n(m.data(), m.size(), 1.0);
                                 return m(size / 2, size / 2);
                               }),
                               work([&] { return hessian(machine)(0, 0); }));
  char what[100];
  std::snprintf(what, sizeof what, "Hessian : writing it, N=%d A=%d", states, symbols);
  row(what, c.b, c.a, c.ratio, demanded ? "<= 2" : "", !demanded || c.ratio <= 2);
}

void peer_bar(const char* what, const Work& ours, double peer) {
  const double seconds = seconds_of(ours);
  row(what, seconds, peer, peer / seconds, ">= 20", peer / seconds >= 20);
}

void peer_bars() {
  const DenseMachine m = dense_machine(20, 5);
  peer_bar("machine + Hessian : peer, N=20 A=5", work([&] { return hessian(build(m))(0, 0); }), 374595e-6);
  const Wfsm machine = build(m);
  const WfsmFeatures r = features_of(machine, 20, machine_features(m, 20, 20));
  peer_bar("E_2, R=T=20 dense : peer, N=20 A=5", work([&] { return second_order(machine, r, r)(0, 0); }), 14365e-6);
}

Wfsm sparse_machine(int states, int arcs, bool cyclic) {
  Random random(5);
  WfsmBuilder builder;
  builder.add_states(states).set_start(0).set_final(states - 1);
  const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
  for (int i = 0; i < arcs; ++i) {
    int from = i < states - 1 ? i : below(states), to = i < states - 1 ? i + 1 : below(states);
    if (!cyclic && from >= to) std::swap(from, to);
    if (!cyclic && from == to) continue;
    builder.add_transition({from, to, 1 + below(50), -3.0 - 0.001 * below(1000)});
  }
  return builder.build();
}

void large_rows() {
  const double begin = seconds_now(Clock::cpu);
  const Wfsm acyclic = sparse_machine(100000, 1000000, false);
  const double seconds = seconds_now(Clock::cpu) - begin;
  row("100,000 states, 1,000,000 arcs without cycles, all of it", seconds, 1.0, seconds, "<= 1", seconds <= 1.0);
  const double middle = seconds_now(Clock::cpu);
  const Wfsm sparse = sparse_machine(2000, 6000, true);
  const double built = seconds_now(Clock::cpu) - middle;
  const WfsmFeatures one = features_of(sparse, 1, std::vector<double>(sparse.transitions().size(), 1.0));
  const double e2 = seconds_of(work([&] { return second_order(sparse, one, one)(0, 0); }));
  row("E_2, R=1, 2,000 states in a cycle : making the machine", e2, built, e2 / built, "", true);
}

int run() {
  check_machines();
  std::printf("%-58s %12s %12s %9s  %s\n", "what", "ours us", "other us", "ratio", "bar");
  for (const auto& [states, symbols] : {std::pair(10, 2), {20, 1}, {20, 2}, {20, 5}, {30, 2}}) {
    hessian_bar(states, symbols, states >= 20);
  }
  peer_bars();
  large_rows();
  return 0;
}

}  // namespace
}  // namespace kirchhoff::bench

int main() {
  try {
    return kirchhoff::bench::run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_wfsm: %s\n", e.what());
    return 1;
  }
}
