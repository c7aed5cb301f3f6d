// The list of bars. Ratios are medians of interleaved repetitions within one run (timing.hpp).
#include "bars.hpp"

#include "peak.hpp"
#include "peers.hpp"
#include "treebank.hpp"
#include "works.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace kirchhoff::bench {
namespace {

using Bars = std::vector<Bar>;

/// Forced fast method against the obvious Eigen code: 2x at 10 words, 3x beyond; stretch 6x.
Bars fast_bars(int n) {
  const Graphs graphs = random_graphs(n);
  const double limit = n == 10 ? 2 : 3;
  const std::string peers = peers_at(kMarginalPeers, n);
  return {
      {"fast, batch path : Eigen", n, Demand::at_least, limit, 6, batch_path(graphs, kFast), eigen_baseline(graphs),
       peers, true},
      {"fast, constructor : Eigen", n, Demand::at_least, limit, 6, constructor(graphs, kFast), eigen_baseline(graphs),
       peers, true},
      {"fast, batch path : OpenBLAS", n, Demand::none, 0, 0, batch_path(graphs, kFast), lapack_baseline(graphs), "",
       true},
      {"automatic : fast (constructor)", n, Demand::none, 0, 0, constructor(graphs, kAutomatic),
       constructor(graphs, kFast), "", true},
  };
}

/// Whether the library's kernels have registers of eight doubles.
bool has_wide_registers() {
#if defined(__x86_64__)
  const char* const held = std::getenv("KIRCHHOFF_SIMD");
  return __builtin_cpu_supports("avx512dq") && (held == nullptr || std::strcmp(held, "avx3") == 0);
#else
  return false;
#endif
}

/// Batches of graphs of one size against the obvious Eigen code; the bars are those of wide registers and of others.
Bars batch_bars(int n) {
  const bool wide = has_wide_registers();
  const double limit = n == 10   ? (wide ? 6 : 5)
                       : n == 25 ? (wide ? 6 : 4.5)
                       : n == 50 ? (wide ? 5 : 3.3)
                       : wide    ? 4
                                 : 3;
  const Graphs graphs = random_graphs(n);
  return {{"batch, log Z and marginals : Eigen", n, Demand::at_least, limit, 0, batch_marginals_work(graphs),
           eigen_baseline(graphs), "", true}};
}

Bars large_bars(int n) {
  const Graphs graphs = random_graphs(n);
  return {
      {"fast, constructor : OpenBLAS, from weights", n, Demand::at_least, 0.8, 0, constructor(graphs, kFast),
       lapack_baseline(graphs), "", true},
      {"fast, constructor : bare getrf+getri", n, Demand::at_least, 0.8, 0, constructor(graphs, kFast),
       lapack_bare(graphs), "", true},
      {"fast, batch path : bare getrf+getri", n, Demand::at_least, 0.8, 0, batch_path(graphs, kFast),
       lapack_bare(graphs), "", true},
  };
}

/// The robust method, with doubles on N(0,1) scores and with extended-range scalars on N(0,300^2) scores.
Bars robust_bars(int n) {
  const Graphs graphs = random_graphs(n);
  const Graphs extreme = random_graphs(n, 300.0);
  const Demand demand = n == 25 || n == 50 ? Demand::at_most : Demand::none;
  Bars bars = {{"robust, doubles : fast (constructor)", n, demand, 8, 5, constructor(graphs, kRobust),
                constructor(graphs, kFast), "", true},
               {"robust, doubles : fast (batch path)", n, demand, 8, 5, batch_path(graphs, kRobust),
                batch_path(graphs, kFast), "", true}};
  if (demand == Demand::none) return bars;
  bars.push_back({"robust, extended : fast (constructor)", n, demand, 40, 0, constructor(extreme, kAutomatic),
                  constructor(graphs, kFast), "", true});
  bars.push_back({"robust, extended : fast (batch path)", n, demand, 40, 0, batch_path(extreme, kAutomatic),
                  batch_path(graphs, kFast), "", true});
  return bars;
}

/// A gradient, given the distribution, against making that distribution (= log Z and marginals).
Bars gradient_bars(int n) {
  const Graphs graphs = random_graphs(n);
  const Work marginals = constructor(graphs, kFast);
  const Demand demand = Demand::at_most;
  return {
      {"entropy gradient : marginals", n, demand, 3, 0, entropy_gradient_work(graphs), marginals,
       peers_at(kEntropyGradientPeers, n), true},
      {"KL gradients : marginals", n, demand, 3, 0, kl_gradient_work(graphs), marginals, "", true},
      {"risk gradient : marginals", n, demand, 3, 0, risk_gradient_work(graphs), marginals, "", true},
      {"GE gradient, 20 features, 1 per arc : marginals", n, demand, 3, 0, ge_gradient_work(graphs), marginals,
       peers_at(kGeGradientPeers, n), true},
      {"GE gradient, 20 dense features : marginals", n, Demand::none, 0, 0, ge_dense_gradient_work(graphs), marginals,
       "", true},
      {"entropies and gradients of a batch : its marginals", n, demand, 2.5, 0, batch_entropy_work(graphs),
       batch_marginals_work(graphs), "", true},
      {"KL and gradients of two batches : their marginals", n, demand, 2.5, 0, batch_kl_work(graphs),
       batch_marginals_work(graphs), "", true},
  };
}

Bars covariance_bars(int n) {
  const Graphs graphs = random_graphs(n);
  const Work marginals = constructor(graphs, kFast);
  Bars bars = {{"covariance 20x20 dense, T2 : marginals", n, n == 25 ? Demand::at_most : Demand::none, 25, 0,
                covariance_work(graphs), marginals, peers_at(kCovariancePeers, n)},
               {"the same by 20 JVPs, T2^v : T2", n, Demand::none, 0, 0, covariance_jvp_work(graphs),
                covariance_work(graphs), ""}};
  if (n <= 25) {
    bars.push_back({"the same by the Hessian, T2^h : T2", n, Demand::none, 0, 0, covariance_hessian_work(graphs),
                    covariance_work(graphs), ""});
  }
  return bars;
}

constexpr const char* kBestSingle = "best_tree, single root : column maxima";
constexpr const char* kBestMulti = "best_tree, multi root : column maxima";

/// The best tree against reading the scores once; ten best trees against one.
Bars decode_bars(int n) {
  const Graphs graphs = random_graphs(n);
  const Work floor = column_maxima_work(graphs);
  Bars bars = {{kBestSingle, n, Demand::at_most, 6, 0, best_tree_work(graphs), floor, n == 100 ? "a peer 647" : ""},
               {kBestMulti, n, Demand::at_most, 6, 0, best_tree_work(graphs, Root::multi), floor, ""}};
  if (n == 100) {
    bars.push_back({"10 best trees : best_tree", n, Demand::at_most, 40, 0, k_best_work(graphs, 10),
                    best_tree_work(graphs), "a peer 900000"});
  }
  return bars;
}

Bars thread_bars() {
  const Lengths lengths = english_lengths(10000);
  const MatrixBatch batch = random_batch(lengths.values, 1);
  const std::string what =
      std::to_string(batch.size()) + " sentences, " + lengths.source + " lengths: 2 threads : 1 (per sentence)";
  return {{what, 0, Demand::at_least, 1.8, 0, threaded(batch, 2), threaded(batch, 1), ""}};
}

/// One line on a terminal that is written over and over.
void show_progress(const std::string& what) {
  if (isatty(fileno(stderr)) != 0) std::fprintf(stderr, "\r\033[K%s", what.c_str());
}

Outcome measure(const Bar& bar, double peak) {
  show_progress(bar.what);
  // Cost bars ask for ours / other, speed bars for other / ours: compare() gives second / first.
  const bool speed = bar.demand == Demand::at_least;
  const Comparison c = speed ? compare(bar.ours, bar.other) : compare(bar.other, bar.ours);
  Outcome outcome{bar.what,          bar.words, bar.demand,     bar.limit,       bar.stretch, speed ? c.a : c.b,
                  speed ? c.b : c.a, c.ratio,   c.lowest_ratio, c.highest_ratio, 0,           bar.peers};
  if (bar.flop_limit) outcome.flop_distance = distance_to_flop_limit(outcome.ours_seconds, bar.words, peak);
  return outcome;
}

/// How the time of a row grows with n, as an exponent: least squares through the logarithms of all its sizes.
Outcome slope_of(const std::string& row, double limit, const std::vector<Outcome>& outcomes) {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Outcome& o : outcomes) {
    if (o.what != row) continue;
    const double log_n = std::log(o.words), log_time = std::log(o.ours_seconds);
    count += 1;
    x += log_n;
    y += log_time;
    xx += log_n * log_n;
    xy += log_n * log_time;
  }
  Outcome outcome;
  outcome.what = "exponent of n in the time of " + row.substr(0, row.find(" :"));
  outcome.demand = Demand::at_most;
  outcome.limit = limit;
  outcome.ratio = outcome.lowest_ratio = outcome.highest_ratio = (count * xy - x * y) / (count * xx - x * x);
  return outcome;
}

bool measured(const std::string& row, const std::vector<Outcome>& outcomes) {
  return std::any_of(outcomes.begin(), outcomes.end(), [&](const Outcome& o) { return o.what == row; });
}

}  // namespace

bool Outcome::passes() const {
  if (demand == Demand::at_least) return ratio >= limit;
  return demand == Demand::none || ratio <= limit;
}

bool Outcome::reaches_stretch() const {
  if (stretch == 0) return false;
  return demand == Demand::at_least ? ratio >= stretch : ratio <= stretch;
}

std::vector<Outcome> measure_bars(double peak, const std::string& only) {
  std::vector<Outcome> outcomes;
  const auto measure_all = [&](const Bars& bars) {
    for (const Bar& bar : bars) {
      if (bar.what.find(only) != std::string::npos) outcomes.push_back(measure(bar, peak));
    }
  };
  for (const int n : {10, 25, 50, 100}) measure_all(fast_bars(n));
  for (const int n : {10, 25, 50, 100}) measure_all(batch_bars(n));
  for (const int n : {500, 1000}) measure_all(large_bars(n));
  for (const int n : {10, 25, 50, 100}) measure_all(robust_bars(n));
  for (const int n : {10, 25, 50, 100}) measure_all(gradient_bars(n));
  for (const int n : {10, 25, 50}) measure_all(covariance_bars(n));
  for (const int n : {25, 100, 500}) measure_all(decode_bars(n));
  for (const char* row : {kBestSingle, kBestMulti}) {
    if (measured(row, outcomes)) outcomes.push_back(slope_of(row, 2.1, outcomes));
  }
  for (const int n : {25, 100}) measure_all(sample_bars(n));
  measure_all(distinct_bars());
  measure_all(thread_bars());
  show_progress("");
  return outcomes;
}

}  // namespace kirchhoff::bench
