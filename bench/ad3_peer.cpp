// The AD3 library's example simple_coref, and larger graphs like it, solved by the library and by solve_ad3. Its
// sources are no part of this project: docs/methods/factor_graphs.md has the commands that fetch and compile them.
//
// Each pair of words is a variable. Transitivity is three IMPLY factors for each triple of words, and every pronoun
// must corefer with a word that is none, by an OR.
#include <ad3/FactorGraph.h>
#include <kirchhoff/solve.hpp>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <random>
#include <vector>

namespace {

using Pairs = std::vector<std::vector<int>>;

constexpr double kPronouns = 0.8;
constexpr int kGraphs = 9;
constexpr double kOnceFrom = 0.05;  // seconds from which a graph is solved once and not three times

double seconds(const std::function<void()>& work) {
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    const double begin = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    work();
    const double took = static_cast<double>(std::clock()) / CLOCKS_PER_SEC - begin;
    best = std::min(best, took);
    if (took > kOnceFrom) break;
  }
  return best;
}

/// The same graph for both, made side by side.
struct Coreference {
  Coreference(int words, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> score(-0.5, 0.5), chance(0.0, 1.0);
    std::vector<char> pronoun(words, 0);
    for (int i = 2; i < words; ++i) pronoun[i] = chance(random) < kPronouns;
    Pairs pair(words, std::vector<int>(words));
    for (int i = 0; i < words; ++i) {
      for (int j = 0; j < i; ++j) {
        pair[i][j] = pair[j][i] = static_cast<int>(variables.size());
        const double s = score(random);
        variables.push_back(ours.add_variable(s));
        peers.push_back(theirs.CreateBinaryVariable());
        peers.back()->SetLogPotential(s);
      }
    }
    for (int i = 0; i < words; ++i) {
      for (int j = 0; j < i; ++j) {
        for (int k = 0; k < j; ++k) {
          add_imply(pair[i][j], pair[j][k], pair[i][k]);
          add_imply(pair[j][k], pair[i][k], pair[i][j]);
          add_imply(pair[i][k], pair[i][j], pair[j][k]);
        }
      }
    }
    for (int i = 0; i < words; ++i) {
      if (!pronoun[i]) continue;
      kirchhoff::Literals some;
      std::vector<AD3::BinaryVariable*> same;
      for (int j = 0; j < words; ++j) {
        if (pronoun[j]) continue;
        some.push_back(variables[pair[i][j]]);
        same.push_back(peers[pair[i][j]]);
      }
      ours.add_or(some);
      theirs.CreateFactorOR(same);
    }
    theirs.SetVerbosity(0);
    theirs.SetEtaAD3(0.1);
    theirs.AdaptEtaAD3(true);
    theirs.SetMaxIterationsAD3(kirchhoff::Ad3Options{}.max_iterations);
  }

  void add_imply(int a, int b, int c) {
    std::vector<AD3::BinaryVariable*> all = {peers[a], peers[b], peers[c]};
    theirs.CreateFactorIMPLY(all);
    ours.add_imply(kirchhoff::Literals{variables[a], variables[b]}, variables[c]);
  }

  kirchhoff::FactorGraph ours;
  AD3::FactorGraph theirs;
  std::vector<kirchhoff::Variable> variables;
  std::vector<AD3::BinaryVariable*> peers;
};

void compare(int words, unsigned first_seed) {
  std::vector<double> their_times, our_times, ratios;
  for (unsigned seed = first_seed; seed < first_seed + kGraphs; ++seed) {
    Coreference graph(words, seed);
    std::vector<double> posteriors, additional;
    double value = 0.0;
    kirchhoff::MapResult result;
    their_times.push_back(seconds([&] { graph.theirs.SolveLPMAPWithAD3(&posteriors, &additional, &value); }));
    our_times.push_back(seconds([&] { result = kirchhoff::solve_ad3(graph.ours); }));
    ratios.push_back(their_times.back() / our_times.back());
    std::printf("  seed %3u: theirs %9.3f ms, value %9.6f; ours %9.3f ms, bound %9.6f, %5d iterations; %.2fx\n", seed,
                1e3 * their_times.back(), value, 1e3 * our_times.back(), result.bound, result.iterations,
                ratios.back());
  }
  for (std::vector<double>* v : {&their_times, &our_times, &ratios}) std::sort(v->begin(), v->end());
  std::printf("coref, %d words, seeds from %u: theirs %.2f ms, ours %.2f ms, %.2fx (%.2f, %.2f)\n", words, first_seed,
              1e3 * their_times[kGraphs / 2], 1e3 * our_times[kGraphs / 2], ratios[kGraphs / 2], ratios.front(),
              ratios.back());
}

}  // namespace

int main() {
  for (const int words : {10, 20}) {
    for (const unsigned first_seed : {1U, 101U}) compare(words, first_seed);
  }
}
