// Weighted finite-state machines: the bars, the peers' sizes, and the growth of each method with N beside the theory.
//
//   bench_wfsm FOLDER      writes FOLDER/wfsm.svg
#include "baselines/wfsm.hpp"
#include "check.hpp"
#include "experiments/plot.hpp"
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

/// A complete machine whose rows sum to 0.9.
DenseMachine dense_machine(int states, int symbols) {
  Random random(states * 100 + symbols);
  std::uniform_real_distribution<double> uniform(0.1, 1.0);
  DenseMachine m{states, symbols, {}, std::vector<double>(states, 1.0), std::vector<double>(states, 0.1)};
  for (int i = 0; i < states * states * symbols; ++i) m.weights.push_back(uniform(random) * 1.6 / (states * symbols));
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

std::vector<double> random_features(std::size_t size) {
  Random random(size);
  std::normal_distribution<double> normal;
  std::vector<double> values(size);
  for (double& x : values) x = normal(random);
  return values;
}

WfsmFeatures features_of(const Wfsm& machine, int size, const std::vector<double>& values) {
  std::vector<WfsmFeature> entries;
  for (std::size_t i = 0; i < values.size(); ++i) {
    entries.push_back({static_cast<int>(i) / size, static_cast<int>(i) % size, values[i]});
  }
  return {machine, size, entries};
}

volatile double sink = 0;

Work work(std::function<double()> call) {
  return {[call = std::move(call)](std::size_t) { sink = call(); }, 1, Clock::cpu};
}

double seconds_of(const Work& w) {
  const Comparison c = compare(w, w);
  return std::min(c.a, c.b);
}

double difference(const std::vector<double>& a, const double* b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]) / (1e-3 + std::abs(a[i])));
  return worst;
}

void check_agreement() {
  const DenseMachine m = dense_machine(4, 2);
  const Wfsm machine = build(m);
  const Matrix h = hessian(machine);
  require_agreement(difference(hessian_by_reverse_mode(m), h.data()), "Hessian by reverse mode");
  require_agreement(difference(hessian_by_dual_numbers(m), h.data()), "Hessian by dual numbers");
  const std::vector<double> r = random_features(m.weights.size() * 3), t = random_features(m.weights.size() * 2);
  const Matrix e2 = second_order(machine, features_of(machine, 3, r), features_of(machine, 2, t));
  require_agreement(difference(second_order_by_semiring(m, 3, r, 2, t), e2.data()), "E_2 by the semiring");
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
  const WfsmFeatures r = features_of(machine, 20, random_features(m.weights.size() * 20));
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
  const WfsmFeatures one = features_of(sparse, 1, random_features(sparse.transitions().size()));
  const double e2 = seconds_of(work([&] { return second_order(sparse, one, one)(0, 0); }));
  row("E_2, R=1, 2,000 states in a cycle : making the machine", e2, built, e2 / built, "", true);
}

/// Times one method over N, and compares the slope through the last sizes with the theory.
struct Growth {
  std::string name;
  const char* colour;
  double theory;
  std::vector<int> sizes;
  std::function<Work(int)> at;
};

std::vector<Growth> growths() {
  const auto dense = [](int n) { return std::make_shared<const DenseMachine>(dense_machine(n, 2)); };
  const auto ours = [=](int n) { return work([m = build(*dense(n))] { return hessian(m)(0, 0); }); };
  const auto reverse = [=](int n) { return work([m = dense(n)] { return hessian_by_reverse_mode(*m)[0]; }); };
  const auto duals = [=](int n) { return work([m = dense(n)] { return hessian_by_dual_numbers(*m)[0]; }); };
  const auto e2 = [=](int n) {
    const Wfsm machine = build(*dense(n));
    const WfsmFeatures r = features_of(machine, 10, random_features(machine.transitions().size() * 10));
    return work([=] { return second_order(machine, r, r)(0, 0); });
  };
  const auto semiring = [=](int n) {
    const auto m = dense(n);
    const auto r = std::make_shared<const std::vector<double>>(random_features(m->weights.size() * 10));
    return work([=] { return second_order_by_semiring(*m, 10, *r, 10, *r)[0]; });
  };
  return {{"Hessian, ours", "#1f6f8b", 4, {10, 14, 20, 28, 40}, ours},
          {"Hessian, reverse mode", "#c8553d", 5, {8, 11, 16, 22}, reverse},
          {"Hessian, dual numbers", "#8f2d56", 7, {3, 4, 5, 6}, duals},
          {"E2 10 x 10, ours", "#588157", 2, {20, 28, 40, 56, 80}, e2},
          {"E2 10 x 10, semiring", "#bc6c25", 3, {5, 7, 10, 14}, semiring}};
}

void measure_growth(const std::string& path) {
  Plot plot{"Second derivatives and second-order expectations of a machine",
            "A = 2 symbols, complete, one thread",
            "states N",
            "microseconds",
            {}};
  std::printf("\n%-26s %10s %10s   times in microseconds\n", "method", "slope", "theory");
  for (const Growth& g : growths()) {
    Series series{g.name, g.colour, Mark::line, {}};
    std::string times;
    for (const int n : g.sizes) {
      const double seconds = seconds_of(g.at(n));
      series.points.push_back({static_cast<double>(n), seconds * 1e6});
      times += " N=" + std::to_string(n) + ": " + std::to_string(std::lround(seconds * 1e6));
    }
    const Point &a = series.points.front(), &b = series.points.back();
    std::printf("%-26s %10.2f %10.0f  %s\n", g.name.c_str(), std::log(b.y / a.y) / std::log(b.x / a.x), g.theory,
                times.c_str());
    plot.series.push_back(std::move(series));
  }
  write_svg(plot, path);
}

int run(const std::string& folder) {
  check_agreement();
  std::printf("%-58s %12s %12s %9s  %s\n", "what", "ours us", "other us", "ratio", "bar");
  for (const auto& [states, symbols] : {std::pair(10, 2), {20, 1}, {20, 2}, {20, 5}, {30, 2}}) {
    hessian_bar(states, symbols, states >= 20);
  }
  peer_bars();
  large_rows();
  measure_growth(folder + "/wfsm.svg");
  return 0;
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: bench_wfsm FOLDER\n");
    return 2;
  }
  try {
    return kirchhoff::bench::run(argv[1]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_wfsm: %s\n", e.what());
    return 1;
  }
}
