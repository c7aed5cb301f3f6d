// What one root child costs, and what WilsonRC gets wrong [Stanojevic22]:
// figure 7, the ratio of the mean weight of all trees to that of trees with one root child, over distributions of
// weights; the expected number of tries Z_T / Z_D of WilsonReject; figure 1, the trees that WilsonRC prefers.
//
//   single_root FOLDER      writes FOLDER/mean_weights.svg and FOLDER/tries.svg
#include "baselines/wilson_rc.hpp"
#include "check.hpp"
#include "experiments/experiment.hpp"
#include "experiments/plot.hpp"
#include "experiments/sentence_times.hpp"
#include "graphs.hpp"

#include <kirchhoff/sample.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>

namespace kirchhoff::bench {
namespace {

constexpr std::array kWords = {5, 10, 20, 50, 100};
constexpr Accuracy kAbsolute{Method::automatic, 1e-9, 1.0};

using MakeScores = std::function<Matrix(int, std::uint64_t)>;

struct Weights {
  const char* name;
  MakeScores scores;
};

MakeScores truncated_normal(double mean, double deviation) {
  return [=](int words, std::uint64_t seed) {
    std::normal_distribution<double> normal(mean, deviation);
    const auto positive = [&](std::mt19937_64& rng) {
      double weight = normal(rng);
      while (weight <= 0) weight = normal(rng);
      return weight;
    };
    return random_weights(words, positive, seed);
  };
}

Matrix exponential(int words, std::uint64_t seed) {
  std::exponential_distribution<double> draw(1.0);
  return random_weights(
      words, [&](std::mt19937_64& rng) { return draw(rng); }, seed);
}

/// Z_T / Z_D.
double tries(const Matrix& scores) {
  return std::exp(TreeDistribution(scores, Root::multi, kAbsolute).log_partition() -
                  TreeDistribution(scores, Root::single, kAbsolute).log_partition());
}

/// |T| / |D| = (1 + 1/n)^(n-1).
double count_ratio(int words) { return std::pow(1.0 + 1.0 / words, words - 1); }

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

std::vector<double> mean_weight_ratios(const Weights& weights, int words) {
  const int graphs = words <= 50 ? 10000 : 2000;
  std::vector<double> ratios;
  for (int g = 0; g < graphs; ++g) ratios.push_back(tries(weights.scores(words, g)) / count_ratio(words));
  return ratios;
}

/// The share of the values in each of 60 bins between 1/2.5 and 2.5, as a line; rare ones are left out.
std::vector<Point> histogram(const std::vector<double>& values) {
  constexpr int kBins = 60;
  constexpr double kLargest = 2.5, kFewest = 1e-3;
  std::array<double, kBins> counts{};
  for (const double value : values) {
    const double position = 0.5 + 0.5 * std::log(value) / std::log(kLargest);
    if (position >= 0 && position < 1) counts[static_cast<int>(kBins * position)] += 1;
  }
  std::vector<Point> line;
  for (int b = 0; b < kBins; ++b) {
    const double share = counts[b] / static_cast<double>(values.size());
    if (share >= kFewest) line.push_back({std::pow(kLargest, (2 * b + 1.0) / kBins - 1), share});
  }
  return line;
}

void figure7(const std::string& folder) {
  const std::array<Weights, 5> all = {{{"normal(1, 0.5), truncated", truncated_normal(1, 0.5)},
                                       {"normal(1, 1), truncated", truncated_normal(1, 1)},
                                       {"normal(0, 1), truncated", truncated_normal(0, 1)},
                                       {"uniform(0, 1)", untrained_scores},
                                       {"exponential(1)", exponential}}};
  const std::array colours = {kOurColour, "", "", kFourthColour, kOldColour};  // "": in the table only
  std::printf("Mean weight of all trees / of trees with one root child [Stanojevic22, figure 7; there: about 1].\n");
  std::printf("\n| weights | n | mean | 5 %% | 95 %% | above 2, %% |\n|---|--:|--:|--:|--:|--:|\n");
  Plot plot{"Mean weight of all trees / of trees with one root child",
            "random graphs; lines: 10 words, dashes: 50 words",
            "ratio",
            "share of graphs",
            {}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const int words : kWords) {
      const std::vector<double> ratios = mean_weight_ratios(all[i], words);
      const auto above = std::count_if(ratios.begin(), ratios.end(), [](double r) { return r > 2; });
      std::printf("| %s | %d | %.3f | %.3f | %.3f | %.2f |\n", all[i].name, words, mean(ratios), quantile(ratios, 0.05),
                  quantile(ratios, 0.95), 100.0 * above / static_cast<double>(ratios.size()));
      if (*colours[i] == '\0' || (words != 10 && words != 50)) continue;
      const bool first = words == 10;
      plot.series.push_back(
          {first ? all[i].name : "", colours[i], first ? Mark::line : Mark::dashes, histogram(ratios)});
    }
  }
  write_svg(plot, folder + "/mean_weights.svg");
  std::printf("\nplot: %s/mean_weights.svg\n\n", folder.c_str());
}

/// Tries that WilsonReject really took.
double counted_tries(const Matrix& scores, int samples, std::uint64_t seed) {
  const TreeSampler sampler(TreeDistribution(scores, Root::single), Sampler::wilson_reject);
  double sum = 0;
  for (int i = 0; i < samples; ++i) sum += sampler.walk(seed, i).tries;
  return sum / samples;
}

void expected_tries(const std::string& folder) {
  constexpr int kGraphs = 200, kSamples = 100;
  const std::array<Weights, 3> all = {
      {{"uniform(0, 1)", untrained_scores},
       {"exp of normal(0, 1)", [](int words, std::uint64_t seed) { return random_scores(words, 1.0, seed); }},
       {"like a trained parser's", trained_scores}}};
  const std::array colours = {kFourthColour, kThirdColour, kOurColour};
  const std::array paper = {"< e = 2.718", "< e = 2.718", "about 1.06"};
  std::printf("Tries of WilsonReject, mean over %d graphs: Z_T / Z_D, and counted in %d samples of each.\n", kGraphs,
              kSamples);
  std::printf("\n| weights | n | Z_T / Z_D | counted | number of trees, T / D | paper |\n|---|--:|--:|--:|--:|---|\n");
  Plot plot{"Expected number of tries of WilsonReject", "mean over 200 graphs", "words in the sentence", "tries", {}};
  std::vector<Point> limit;
  for (const int words : kWords) limit.push_back({static_cast<double>(words), std::exp(1.0)});
  plot.series.push_back({"e", kOldColour, Mark::dashes, limit});
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Point> line;
    for (const int words : kWords) {
      std::vector<double> exact, counted;
      for (int g = 0; g < kGraphs; ++g) {
        const Matrix scores = all[i].scores(words, g);
        exact.push_back(tries(scores));
        counted.push_back(counted_tries(scores, kSamples, g));
      }
      // 20,000 samples: 6 standard errors of a geometric distribution, whose deviation is below its mean.
      require(std::abs(mean(counted) - mean(exact)) < 6 * mean(exact) / std::sqrt(kGraphs * kSamples),
              "WilsonReject does not take Z_T / Z_D tries");
      std::printf("| %s | %d | %.3f | %.3f | %.3f | %s |\n", all[i].name, words, mean(exact), mean(counted),
                  count_ratio(words), paper[i]);
      line.push_back({static_cast<double>(words), mean(exact)});
    }
    plot.series.push_back({all[i].name, colours[i], Mark::line, line});
  }
  write_svg(plot, folder + "/tries.svg");
  std::printf("\nplot: %s/tries.svg\n\n", folder.c_str());
}

/// Figure 1: root -> A, C; A -> B, C; B -> C; C -> A, all of weight 1. Two trees start with A, one with C.
Matrix figure1_scores() {
  Matrix scores = Matrix::Constant(4, 4, -HUGE_VAL);
  for (const Arc arc : {Arc{0, 1}, Arc{0, 3}, Arc{1, 2}, Arc{1, 3}, Arc{2, 3}, Arc{3, 1}}) {
    scores(arc.head, arc.dependent) = 0.0;
  }
  return scores;
}

using Frequencies = std::map<Heads, double>;

void figure1() {
  constexpr int kSamples = 100000;
  const Matrix scores = figure1_scores();
  const WilsonRc biased(scores.data(), 3);
  const TreeSampler marginal(TreeDistribution(scores, Root::single), Sampler::wilson_marginal);
  std::mt19937_64 rng(1);
  Frequencies by_rc, ours;
  for (int i = 0; i < kSamples; ++i) {
    by_rc[biased.sample(rng)] += 1.0 / kSamples;
    ours[marginal.walk(1, i).heads] += 1.0 / kSamples;
  }
  std::printf("Three trees of equal weight [Stanojevic22, figure 1], frequencies in %d samples.\n", kSamples);
  std::printf("\n| heads of A, B, C | WilsonRC | WilsonMarginal | probability |\n|---|--:|--:|--:|\n");
  for (const auto& [heads, frequency] : by_rc) {
    std::printf("| %d %d %d | %.3f | %.3f | 0.333 |\n", heads[1], heads[2], heads[3], frequency, ours[heads]);
    require(std::abs(ours[heads] - 1.0 / 3) < 0.01, "WilsonMarginal is biased");
    require(std::abs(frequency - (heads[3] == 0 ? 0.5 : 0.25)) < 0.01, "WilsonRC is not biased as it should be");
  }
}

/// WilsonRC is wrong in the root's child only, so the distance between distributions of trees is that of the child's.
double distance_of_rc(const Matrix& scores) {
  const Eigen::Index n = scores.rows() - 1;
  const TreeDistribution p(scores, Root::single, kAbsolute);
  const Eigen::RowVectorXd weights = scores.row(0).tail(n).array().exp();
  return 0.5 * (weights / weights.sum() - p.marginals().row(0).tail(n)).cwiseAbs().sum();
}

void bias() {
  constexpr int kGraphs = 200;
  std::printf("\nTotal variation distance between WilsonRC's trees and the right ones, mean over %d graphs.\n",
              kGraphs);
  std::printf("\n| n | random weights | like a trained parser's |\n|---|--:|--:|\n");
  for (const int words : kWords) {
    std::vector<double> random, trained;
    for (int g = 0; g < kGraphs; ++g) {
      random.push_back(distance_of_rc(untrained_scores(words, g)));
      trained.push_back(distance_of_rc(trained_scores(words, g)));
    }
    std::printf("| %d | %.3f | %.3f |\n", words, mean(random), mean(trained));
  }
}

}  // namespace

int run_experiment(const std::string& folder) {
  figure7(folder);
  expected_tries(folder);
  figure1();
  bias();
  return 0;
}

}  // namespace kirchhoff::bench
