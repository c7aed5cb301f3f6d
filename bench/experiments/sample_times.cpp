// Figure 2 of [Stanojevic22]: time for 100 trees with one root child against the number of words, with random weights
// (uniform, as there) and with weights like a trained parser's. Each time is from the scores: log Z, marginals and the
// sampler's set-up are in it.
//
//   sample_times FOLDER      writes FOLDER/sample_times.svg
#include "baselines/wilson_rc.hpp"
#include "experiments/experiment.hpp"
#include "experiments/sentence_times.hpp"
#include "graphs.hpp"
#include "peers.hpp"

#include <kirchhoff/sample.hpp>

#include <array>
#include <cstdio>
#include <exception>

namespace kirchhoff::bench {
namespace {

constexpr int kTrees = 100, kGraphs = 15, kRepetitions = 5;
constexpr std::array kWords = {5, 10, 20, 30, 40, 50, 75, 100};

void sample_ours(const Matrix& scores, Sampler method) {
  TreeSampler(TreeDistribution(scores, Root::single), method).samples(kTrees, {.threads = 1});
}

void sample_rc(const Matrix& scores) {
  const WilsonRc sampler(scores.data(), static_cast<int>(scores.rows()) - 1, Draw::alias);
  std::mt19937_64 rng(1);
  for (int t = 0; t < kTrees; ++t) sampler.sample(rng);
}

struct Method {
  const char* name;
  void (*run)(const Matrix&);
};

constexpr std::array kMethods = {
    Method{"Colbourn", [](const Matrix& scores) { sample_ours(scores, Sampler::colbourn); }},
    Method{"WilsonMarginal", [](const Matrix& scores) { sample_ours(scores, Sampler::wilson_marginal); }},
    Method{"WilsonReject", [](const Matrix& scores) { sample_ours(scores, Sampler::wilson_reject); }},
    Method{"automatic", [](const Matrix& scores) { sample_ours(scores, Sampler::automatic); }},
    Method{"WilsonRC (biased)", sample_rc},
};
using Times = std::array<std::vector<Point>, kMethods.size()>;  // milliseconds against words

/// Medians over several graphs; the methods take turns.
template <class MakeScores>
Times measure(const MakeScores& make_scores) {
  Times times;
  for (const int words : kWords) {
    std::array<std::vector<double>, kMethods.size()> seconds;
    for (int g = 0; g < kGraphs; ++g) {
      const Matrix scores = make_scores(words, g);
      for (std::size_t m = 0; m < kMethods.size(); ++m) {
        seconds[m].push_back(fastest(kRepetitions, [&] { kMethods[m].run(scores); }));
      }
    }
    for (std::size_t m = 0; m < kMethods.size(); ++m) {
      times[m].push_back({static_cast<double>(words), 1e3 * median(seconds[m])});
    }
  }
  return times;
}

void print(const char* weights, const Times& times) {
  std::printf("\n| n, %s |", weights);
  for (const Method& method : kMethods) std::printf(" %s |", method.name);
  std::printf("\n|---|");
  for (std::size_t m = 0; m < kMethods.size(); ++m) std::printf("--:|");
  for (std::size_t i = 0; i < kWords.size(); ++i) {
    std::printf("\n| %d |", kWords[i]);
    for (const std::vector<Point>& line : times) std::printf(" %.3f |", line[i].y);
  }
  std::printf("\n");
}

double ratio(const Times& times, std::size_t a, std::size_t b) { return mean_y(times[a]) / mean_y(times[b]); }

void print_claims(const Times& random, const Times& trained) {
  std::printf(
      "\n| times over WilsonMarginal's, mean over n | ours, random | ours, trained | paper |\n|---|--:|--:|---|\n");
  std::printf("| Colbourn | %.1f | %.1f | far slower |\n", ratio(random, 0, 1), ratio(trained, 0, 1));
  std::printf("| WilsonReject | %.1f | %.1f | random: slower; trained: the same |\n", ratio(random, 2, 1),
              ratio(trained, 2, 1));
}

/// The reference code's time for 100 trees, at 10, 25, 50 and 100 words.
std::vector<Point> reference(const Peer& peer) {
  std::vector<Point> points;
  constexpr std::array kPeerWords = {10, 25, 50, 100};
  for (std::size_t i = 0; i < kPeerWords.size(); ++i) {
    points.push_back({static_cast<double>(kPeerWords[i]), 1e-3 * kTrees * peer.microseconds[i]});
  }
  return points;
}

Plot plot_of(const Times& random, const Times& trained) {
  Plot plot{"100 trees with one root child",
            "from the scores, set-up included; lines: random weights, dashes: like a trained parser's",
            "words in the sentence",
            "milliseconds",
            {}};
  const std::array colours = {kOldColour, kOurColour, kThirdColour};
  for (std::size_t m = 0; m < colours.size(); ++m) {
    plot.series.push_back({kMethods[m].name, colours[m], Mark::line, random[m]});
    plot.series.push_back({"", colours[m], Mark::dashes, trained[m]});
  }
  plot.series.push_back(
      {"the same in the paper's code (NumPy)", kOurColour, Mark::diamonds, reference(kWilsonMarginalPeers[0])});
  plot.series.push_back({"", kThirdColour, Mark::diamonds, reference(kWilsonRejectPeers[0])});
  plot.series.push_back({"", kOldColour, Mark::diamonds, reference(kColbournPeers[0])});
  return plot;
}

/// How long walks are, and when Sampler::automatic walks at all.
void print_draws() {
  const std::pair<const char*, std::function<Matrix(int, std::uint64_t)>> all[] = {
      {"uniform(0, 1)", untrained_scores},
      {"like a trained parser's", trained_scores},
      {"exp of normal(0, 1)", [](int n, std::uint64_t seed) { return random_scores(n, 1.0, seed); }},
      {"exp of normal(0, 3^2)", [](int n, std::uint64_t seed) { return random_scores(n, 3.0, seed); }},
      {"exp of normal(0, 5^2)", [](int n, std::uint64_t seed) { return random_scores(n, 5.0, seed); }}};
  std::printf("\n| mean draws a tree (median of %d graphs); graphs where automatic walks |", kGraphs);
  for (const int words : kWords) std::printf(" n = %d |", words);
  std::printf("\n|---|");
  for (std::size_t i = 0; i < kWords.size(); ++i) std::printf("--:|");
  for (const auto& [name, make_scores] : all) {
    std::printf("\n| %s |", name);
    for (const int words : kWords) {
      std::vector<double> draws;
      int walks = 0;
      for (int g = 0; g < kGraphs; ++g) {
        const TreeDistribution p(make_scores(words, g), Root::single);
        draws.push_back(TreeSampler(p, Sampler::wilson_marginal).expected_draws());
        walks += TreeSampler(p).method() == Sampler::wilson_marginal ? 1 : 0;
      }
      std::printf(" %.3g; %d |", median(draws), walks);
    }
  }
  std::printf("\n");
}

}  // namespace

int run_experiment(const std::string& folder) {
  std::printf("Milliseconds for %d trees with one root child, from the scores [Stanojevic22, figure 2].\n", kTrees);
  const Times random = measure(untrained_scores), trained = measure(trained_scores);
  print("random weights", random);
  print("like a trained parser's", trained);
  print_claims(random, trained);
  print_draws();
  write_svg(plot_of(random, trained), folder + "/sample_times.svg");
  std::printf("\nplot: %s/sample_times.svg\n", folder.c_str());
  return 0;
}

}  // namespace kirchhoff::bench
