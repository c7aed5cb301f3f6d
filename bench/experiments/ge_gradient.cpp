// The experiment of [Zmigrod21, section 6.4]: gradient of the generalized-expectation objective by T2 (the library)
// against T2^h, which visits every pair of arcs [Druck09]; English test sentences of 5 to 150 words, 20 features.
// As in Druck et al. (2009) a feature says "a word of this tag hangs to this side of that tag": the 20 most frequent in
// the treebank, with the gold tree's counts as targets. Weights are random, N(0,1) log-weights.
//
//   ge_gradient FOLDER      writes FOLDER/ge_gradient.svg
#include "arc_features.hpp"
#include "check.hpp"
#include "experiments/experiment.hpp"
#include "experiments/sentence_times.hpp"
#include "graphs.hpp"
#include "treebank.hpp"

#include <cmath>
#include <cstdio>
#include <exception>
#include <map>

namespace kirchhoff::bench {
namespace {

constexpr const char* kTreebank = "en_ewt-ud-test";
constexpr int kFeatures = 20, kShortest = 5, kLongest = 150;
constexpr double kPaperSpeedUp = 9;

using Vocabulary = std::map<std::string, int>;

std::string template_of(const Sentence& sentence, int head, int dependent) {
  return sentence.tags[head] + (head < dependent ? ">" : "<") + sentence.tags[dependent];
}

Vocabulary most_frequent(const std::vector<Sentence>& sentences) {
  std::map<std::string, int> counts;
  for (const Sentence& sentence : sentences) {
    for (int d = 1; d <= sentence.words(); ++d) ++counts[template_of(sentence, sentence.heads[d], d)];
  }
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& [name, count] : counts) ranked.emplace_back(-count, name);
  std::sort(ranked.begin(), ranked.end());
  Vocabulary vocabulary;
  for (int f = 0; f < kFeatures; ++f) vocabulary[ranked[f].second] = f;
  return vocabulary;
}

Features features_of(const Sentence& sentence, const Vocabulary& vocabulary) {
  std::vector<FeatureEntry> entries;
  for (int head = 0; head <= sentence.words(); ++head) {
    for (int d = 1; d <= sentence.words(); ++d) {
      const auto found = vocabulary.find(template_of(sentence, head, d));
      if (head != d && found != vocabulary.end()) entries.push_back({head, d, found->second, 1.0});
    }
  }
  return Features(sentence.words(), kFeatures, std::move(entries));
}

std::vector<double> gold_counts(const Sentence& sentence, const Features& features) {
  std::vector<double> counts(kFeatures);
  for (const FeatureEntry& e : features.entries()) {
    if (sentence.heads[e.dependent] == e.head) counts[e.feature] += e.value;
  }
  return counts;
}

struct Result {
  Race race;
  double featured_ms = 0;  ///< the sum over sentences for T2^h without the arcs that have no feature
  double difference = 0;   ///< the largest between the gradients
};

void measure(const Sentence& sentence, const Vocabulary& vocabulary, std::uint64_t seed, Result& result) {
  const int n = sentence.words();
  const Matrix scores = random_scores(n, 1.0, seed);
  const Features f = features_of(sentence, vocabulary);
  const ArcFeatures arcs = by_arc(f);
  const std::vector<double> target = gold_counts(sentence, f);
  const Vector target_vector = Vector::Map(target.data(), kFeatures);

  Matrix ours;
  std::vector<double> old;
  const double our_time = fastest(
      3, [&] { ours = generalized_expectation_gradient(TreeDistribution(scores, Root::single), f, target_vector); });
  const double old_time = fastest(3, [&] { old = hessian_ge_gradient(scores.data(), n, arcs, target); });
  const double featured = fastest(3, [&] { hessian_ge_gradient(scores.data(), n, arcs, target, ArcPairs::featured); });
  result.race.add(n, our_time, old_time);
  result.featured_ms += 1e3 * featured;
  const double difference = (ours - MatrixView(old.data(), n + 1, n + 1)).cwiseAbs().maxCoeff();
  result.difference = std::max(result.difference, difference);
}

std::vector<Sentence> of_right_length(const std::vector<Sentence>& sentences) {
  std::vector<Sentence> kept;
  for (const Sentence& s : sentences) {
    if (s.words() >= kShortest && s.words() <= kLongest) kept.push_back(s);
  }
  return kept;
}

void print(const Result& result) {
  const double count = static_cast<double>(result.race.ours.size());
  const double t2 = mean_y(result.race.ours), hessian = mean_y(result.race.old), featured = result.featured_ms / count;
  std::printf("GE gradient, %d features: all %.0f sentences of %s with %d to %d words (mean %.1f)\n\n", kFeatures,
              count, kTreebank, kShortest, kLongest, mean_x(result.race.ours));
  std::printf("%-46s %12s %10s %10s\n", "", "ms/sentence", "speed-up", "paper");
  std::printf("%-46s %12.4f\n", "T2, O(n^3 + n^2 F')", t2);
  std::printf("%-46s %12.4f %9.1fx %9.0fx\n", "T2^h, every pair of arcs, O(n^4 F')", hessian, hessian / t2,
              kPaperSpeedUp);
  std::printf("%-46s %12.4f %9.1fx\n", "T2^h, first arc only where it has a feature", featured, featured / t2);
  std::printf("\nlargest difference between the gradients: %.2g (paper: 1e-16)\n", result.difference);
}

Plot plot_of(const Race& race) {
  return {"Gradient of the generalized-expectation objective",
          std::to_string(race.ours.size()) + " English sentences, 20 features; lines are medians",
          "words in the sentence",
          "milliseconds",
          {{"", kOldColour, Mark::dots, race.old},
           {"", kOurColour, Mark::dots, race.ours},
           {"T2ʰ (Druck & Smith 2009), every pair of arcs", kOldColour, Mark::line, median_line(race.old)},
           {"T2, Kirchhoff", kOurColour, Mark::line, median_line(race.ours)}}};
}

}  // namespace

int run_experiment(const std::string& folder) {
  const std::vector<Sentence> all = read_treebank(kTreebank);
  if (all.empty()) {
    std::printf("GE gradient: skipped, no %s in %s\n", kTreebank, treebank_folder().c_str());
    return 0;
  }
  const Vocabulary vocabulary = most_frequent(all);
  const std::vector<Sentence> usable = of_right_length(all);
  Result result;
  std::uint64_t seed = 0;
  for (const Sentence& sentence : usable) measure(sentence, vocabulary, ++seed, result);
  require_agreement(result.difference, "gradients by T2 and by T2^h");
  print(result);
  write_svg(plot_of(result.race), folder + "/ge_gradient.svg");
  std::printf("plot: %s/ge_gradient.svg\n", folder.c_str());
  return 0;
}

}  // namespace kirchhoff::bench
