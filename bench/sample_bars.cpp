// The bars of sampling. Floors are flops at the peak, timed in turn with ours, or nanoseconds.
#include "bars.hpp"
#include "peak.hpp"
#include "peers.hpp"
#include "works.hpp"

#include <cmath>

namespace kirchhoff::bench {
namespace {

using Bars = std::vector<Bar>;

const char* name(Root root) { return root == Root::single ? "single root" : "multi root"; }

std::string row(const std::string& what, Root root, const std::string& other) {
  return what + ", " + name(root) + " : " + other;
}

/// 15 ns for each draw of a random walk; the row tells how many draws a tree takes.
Bar walk_bar(int n, Root root, const char* method_name, Sampler method) {
  const Work walk = walk_work(random_graphs(n), root, method);
  const std::string draws = std::to_string(std::lround(walk.units));
  return {row(std::string("draw by ") + method_name + " (" + draws + " a tree)", root, "1 ns"),
          n,
          Demand::at_most,
          15,
          0,
          walk,
          fixed_time(1e-9),
          ""};
}

/// Elimination on the way from word to word: n^3 flops.
Bar colbourn_bar(int n, Root root) {
  return {row("tree by colbourn", root, "n^3 flops at the peak"),
          n,
          n == 100 ? Demand::at_most : Demand::none,
          4,
          0,
          sample_work(random_graphs(n), root, Sampler::colbourn),
          flops_at_peak(std::pow(n, 3)),
          peers_at(kColbournPeers, n)};
}

Bar beam_bar(int n, Root root, int k, const std::string& peers) {
  const Demand demand = n == 100 ? Demand::at_most : Demand::none;
  return {row(std::to_string(k) + " distinct trees by beam", root, "k n^3 flops at 1/4 of the peak"),
          n,
          demand,
          2,
          0,
          beam_work(random_graphs(n), root, k),
          flops_at_peak(4 * k * std::pow(n, 3)),
          peers};
}

Bar one_by_one_bar(int n, Root root, int k) {
  const Graphs graphs = random_graphs(n);
  return {row(std::to_string(k) + " distinct trees one by one", root, "by beam"),
          n,
          Demand::at_most,
          2,
          0,
          one_by_one_work(graphs, root, k),
          beam_work(graphs, root, k),
          ""};
}

/// Against a trie whose masses are subtracted [Shi20].
Bar mass_trie_bar(int n, int k, const std::string& peers) {
  const Graphs graphs = random_graphs(n);
  return {row(std::to_string(k) + " distinct trees by beam", Root::single, "by a mass-subtracting trie"),
          n,
          Demand::none,
          0,
          0,
          beam_work(graphs, Root::single, k),
          mass_trie_work(graphs, k),
          peers};
}

using DistinctWork = Work (*)(const Graphs&, Root, int);

/// Linear in k: ten times the trees in ten times the time, and 10 % for noise and larger memory.
Bar linear_bar(int n, const std::string& method, DistinctWork work) {
  const Graphs graphs = random_graphs(n);
  return {row("1000 distinct trees " + method, Root::single, "100"),
          n,
          Demand::at_most,
          11,
          0,
          work(graphs, Root::single, 1000),
          work(graphs, Root::single, 100),
          method == "by beam" ? peers_at(kBeam1000Peers, n) : ""};
}

/// Trees that share their first heads share the work for them. Made-up peaked scores against 0.
Bar sharing_bar(int n, const std::string& method, DistinctWork work) {
  const Graphs uniform = {Matrix::Zero(n + 1, n + 1)};
  Graphs peaked;
  for (std::uint64_t seed = 0; seed < 4; ++seed) peaked.push_back(peaked_scores(n, seed));
  return {row("100 distinct trees " + method + ", made-up peaked weights", Root::single, "uniform weights"),
          n,
          Demand::at_most,
          1,
          0,
          work(peaked, Root::single, 100),
          work(uniform, Root::single, 100),
          ""};
}

}  // namespace

Bars sample_bars(int n) {
  const Graphs graphs = random_graphs(n);
  const auto tree = [&](const char* method_name, Root root, Sampler method, const std::string& peers) {
    return Bar{row(std::string("tree by ") + method_name, root, "marginals"),
               n,
               Demand::none,
               0,
               0,
               sample_work(graphs, root, method),
               constructor(graphs, kAutomatic),
               peers};
  };
  const std::string marginal_peers = peers_at(kWilsonMarginalPeers, n), reject_peers = peers_at(kWilsonRejectPeers, n);
  return {
      walk_bar(n, Root::multi, "wilson", Sampler::wilson),
      walk_bar(n, Root::single, "wilson_marginal", Sampler::wilson_marginal),
      walk_bar(n, Root::single, "wilson_reject", Sampler::wilson_reject),
      tree("wilson", Root::multi, Sampler::wilson, ""),
      tree("wilson_marginal", Root::single, Sampler::wilson_marginal, marginal_peers),
      tree("wilson_reject", Root::single, Sampler::wilson_reject, reject_peers),
      colbourn_bar(n, Root::single),
      colbourn_bar(n, Root::multi),
      {row("set-up of a TreeSampler", Root::single, "marginals"), n, Demand::none, 0, 0,
       sampler_work(graphs, Root::single, Sampler::automatic), constructor(graphs, kAutomatic), ""},
      {"WilsonRC with alias tables : with cumulative search", n, Demand::none, 0, 0, wilson_rc_work(graphs, true),
       wilson_rc_work(graphs, false), ""},
  };
}

Bars distinct_bars() {
  return {
      beam_bar(100, Root::single, 100, peers_at(kBeam100Peers, 100)),
      beam_bar(100, Root::multi, 100, ""),
      linear_bar(100, "by beam", beam_work),
      linear_bar(100, "one by one", one_by_one_work),
      mass_trie_bar(14, 100, "treesample's trie 124000"),
      mass_trie_bar(100, 100, ""),
      one_by_one_bar(100, Root::single, 100),
      one_by_one_bar(100, Root::multi, 100),
      one_by_one_bar(100, Root::single, 1000),
      sharing_bar(100, "by beam", beam_work),
      sharing_bar(100, "one by one", one_by_one_work),
  };
}

}  // namespace kirchhoff::bench
