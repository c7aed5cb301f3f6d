// What other implementations need, in microseconds per call, as a table. Measured once by us on one core of a Zen 3
// virtual machine (AVX2, FMA peak 51.8 GFLOP/s), float64, single root, dense N(0,1) log-weights: orders of magnitude,
// not ratios to this machine.
#pragma once

#include <array>
#include <cstdio>
#include <string>

namespace kirchhoff::bench {

/// Microseconds at n = 10, 25, 50, 100; 0 where nothing was measured.
struct Peer {
  const char* name;
  std::array<double, 4> microseconds;
};

inline constexpr Peer kMarginalPeers[] = {
    {"Eigen", {1.5, 9.1, 38, 309}},
    {"OpenBLAS", {1.6, 9.0, 34, 160}},
    {"NumPy", {54, 81, 120, 440}},
    {"PyTorch", {264, 330, 392, 548}},
    {"torch-struct in batch of 64", {8.7, 22, 95, 518}},
    {"SuPar in batch of 64", {30, 61, 210, 833}},
    {"SynJax on 16 cores", {0, 18, 81, 237}},
    {"tree_expectations", {2351, 17467, 51566, 220449}},
};

inline constexpr Peer kEntropyGradientPeers[] = {
    {"PyTorch double backward", {610, 631, 899, 1577}},
    {"tree_expectations", {60060, 1.0e6, 1.3e7, 8.6e7}},
};

inline constexpr Peer kGeGradientPeers[] = {
    {"PyTorch", {772, 710, 1090, 1446}},
    {"tree_expectations", {60535, 1.3e6, 9.6e6, 1.0e8}},
};

inline constexpr Peer kCovariancePeers[] = {
    {"20 PyTorch double backwards", {7659, 7867, 7881, 13311}},
    {"materialised Hessian", {44800, 217790, 1.4e6, 0}},
    {"tree_expectations T2", {62458, 1.3e6, 1.2e7, 1.0e8}},
};

/// One sample by the reference code of [Stanojevic22].
inline constexpr Peer kWilsonMarginalPeers[] = {{"treesample", {347, 1023, 2506, 4987}}};
inline constexpr Peer kWilsonRejectPeers[] = {{"treesample", {937, 2766, 5462, 10701}}};
inline constexpr Peer kColbournPeers[] = {{"treesample", {706, 3029, 6452, 20278}}};
/// 100 and 1000 distinct trees by stochastic beam search.
inline constexpr Peer kBeam100Peers[] = {{"SynJax on 16 cores", {0, 0, 148000, 615000}},
                                         {"SynJax on an H200", {0, 0, 4700, 11300}}};
inline constexpr Peer kBeam1000Peers[] = {{"SynJax on 16 cores", {0, 0, 0, 9.2e6}},
                                          {"SynJax on an H200", {0, 0, 0, 35500}}};

/// "Eigen 9.1, OpenBLAS 9, ..." for n words; empty when n is not in the table.
template <std::size_t N>
std::string peers_at(const Peer (&peers)[N], int words) {
  constexpr std::array<int, 4> kWords = {10, 25, 50, 100};
  std::string text;
  for (const Peer& peer : peers) {
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      if (kWords[i] != words || peer.microseconds[i] == 0) continue;
      char figure[64];
      std::snprintf(figure, sizeof figure, "%s%s %.6g", text.empty() ? "" : ", ", peer.name, peer.microseconds[i]);
      text += figure;
    }
  }
  return text;
}

}  // namespace kirchhoff::bench
