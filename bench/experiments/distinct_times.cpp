// Figures 3 and 5 of [Stanojevic22]: time for k distinct trees with one root child against k, from the scores.
//
//   distinct_times (--model FILE --data FILE | --weights NAME --words N) [--graphs N] [--largest K] [--list 1]
//
// CSV with one line for each method and k: the milliseconds (the median over the graphs of the fastest repetitions; the
// methods take turns), and in how many graphs the method gave k different trees. Methods: `beam` and `one_by_one` are
// the library's (sample_without_replacement and DistinctTrees), `trie` subtracts masses from a trie [Shi20] and, with
// --list 1, `list` subtracts them by going through all earlier trees [Zmigrod21s]: both our own code, in
// bench/baselines.
#include "baselines/list_sampling.hpp"
#include "baselines/trie_sampling.hpp"
#include "check.hpp"
#include "experiments/graph_source.hpp"
#include "graphs.hpp"
#include "timing.hpp"

#include <kirchhoff/sample.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>

namespace kirchhoff::bench {
namespace {

constexpr std::array kCounts = {10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
constexpr int kRepetitions = 2;

using Trees = std::vector<Heads>;
using Method = Trees (*)(const Matrix& scores, int k, std::uint64_t seed);

int words_of(const Matrix& scores) { return static_cast<int>(scores.rows()) - 1; }

Trees beam(const Matrix& scores, int k, std::uint64_t seed) {
  Trees trees;
  for (Tree& tree :
       sample_without_replacement(TreeDistribution(scores, Root::single), k, {.seed = seed, .threads = 1}).trees) {
    trees.push_back(std::move(tree.heads));
  }
  return trees;
}

Trees one_by_one(const Matrix& scores, int k, std::uint64_t seed) {
  DistinctTrees distinct(TreeDistribution(scores, Root::single), seed);
  Trees trees;
  while (static_cast<int>(trees.size()) < k) {
    std::optional<Tree> tree = distinct.next();
    if (!tree) break;
    trees.push_back(std::move(tree->heads));
  }
  return trees;
}

Trees trie(const Matrix& scores, int k, std::uint64_t seed) {
  MassTrie distinct(scores.data(), words_of(scores), seed);
  Trees trees;
  while (static_cast<int>(trees.size()) < k) {
    trees.push_back(distinct.next());
    if (!trees.back().empty()) continue;
    trees.pop_back();
    break;
  }
  return trees;
}

Trees list(const Matrix& scores, int k, std::uint64_t seed) {
  return list_sampling(scores.data(), words_of(scores), k, seed);
}

struct Named {
  const char* name;
  Method run;
};

/// All trees are trees with one root child, and no two are the same.
bool distinct(const Trees& trees) {
  for (const Heads& heads : trees) {
    if (tree_problem(heads, Root::single)) return false;
  }
  return std::set<Heads>(trees.begin(), trees.end()).size() == trees.size();
}

/// Each method draws the first two trees with the right joint probabilities p(x) p(y) / (1 - p(x)), and never one
/// twice: asked for more trees than there are, it gives them all once and ends. (The list may give some twice then:
/// rounding errors are left when everything has been subtracted.)
void check(const Named& method, bool exhaustive) {
  constexpr int kSamples = 20000, kWords = 3;
  const Matrix scores = untrained_scores(kWords, 1);
  const TreeDistribution p(scores, Root::single);
  std::map<std::pair<Heads, Heads>, int> counts;
  for (int i = 0; i < kSamples; ++i) {
    const Trees trees = method.run(scores, 2, static_cast<std::uint64_t>(i));
    ++counts[{trees[0], trees[1]}];
  }
  for (const auto& [pair, count] : counts) {
    const double first = std::exp(p.log_prob(pair.first)), second = std::exp(p.log_prob(pair.second));
    const double expected = pair.first == pair.second ? 0 : first * second / (1 - first);
    const double deviation = std::sqrt(expected * (1 - expected) / kSamples);
    require(std::abs(1.0 * count / kSamples - expected) < 6 * deviation, std::string(method.name) + " is biased");
  }
  constexpr int kTrees4 = 64;  // 4^3 trees of 4 words.
  const Matrix four = untrained_scores(4, 1);
  require(distinct(method.run(four, kTrees4 / 2, 1)), std::string(method.name) + " repeats trees");
  if (!exhaustive) return;
  const Trees all = method.run(four, kTrees4 + 10, 1);
  require(all.size() == kTrees4 && distinct(all), std::string(method.name) + " does not give all trees once");
}

struct Result {
  double milliseconds = HUGE_VAL;
  bool fine = false;
};

Result time_of(const Named& method, const Matrix& scores, int k) {
  Result result;
  for (int r = 0; r < kRepetitions; ++r) {
    const double begin = seconds_now(Clock::cpu);
    const Trees trees = method.run(scores, k, 1);
    result.milliseconds = std::min(result.milliseconds, 1e3 * (seconds_now(Clock::cpu) - begin));
    if (r == 0) result.fine = static_cast<int>(trees.size()) == k && distinct(trees);
  }
  return result;
}

void run(const Arguments& arguments) {
  std::vector<Named> methods = {{"beam", beam}, {"one_by_one", one_by_one}, {"trie", trie}};
  for (const Named& method : methods) check(method, true);
  if (arguments.whole("list", 0) != 0) {
    methods.push_back({"list", list});
    check(methods.back(), false);
  }
  std::vector<Matrix> graphs;
  for_each_graph(arguments, [&](const Matrix& scores) { graphs.push_back(scores); });
  std::printf("method,k,milliseconds,graphs,fine\n");
  for (const int k : kCounts) {
    if (k > arguments.whole("largest", 1000)) break;
    std::vector<std::vector<double>> times(methods.size());
    std::vector<int> fine(methods.size(), 0);
    for (const Matrix& scores : graphs) {
      for (std::size_t m = 0; m < methods.size(); ++m) {
        const Result result = time_of(methods[m], scores, k);
        times[m].push_back(result.milliseconds);
        fine[m] += result.fine ? 1 : 0;
      }
    }
    for (std::size_t m = 0; m < methods.size(); ++m) {
      std::printf("%s,%d,%.5g,%zu,%d\n", methods[m].name, k, median(times[m]), graphs.size(), fine[m]);
    }
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  using namespace kirchhoff::bench;
  return measure(argc, argv, graph_options({"largest", "list"}), run);
}
