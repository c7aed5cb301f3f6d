// The gradient of the generalized-expectation objective by T2 (the library) against T2^h, which visits every pair of
// arcs [Druck09], for [Zmigrod21, section 6.4]: a line for each sentence of 5 to 150 words.
//
// As in Druck et al. (2009) a feature says "a word of this tag hangs to this side of that tag". The most frequent ones
// of the training trees are taken, and a feature's target is the number of words of its dependent tag in the sentence
// times the part of such words that have the feature in the training trees: nothing is known of the measured trees.
//
//   ge_times --train FILE --data FILE --features 20 [--model M]      without a model, N(0,1) log-weights
#include "arc_features.hpp"
#include "experiments/measuring.hpp"
#include "graphs.hpp"
#include "timing.hpp"

#include <cstdio>
#include <optional>

namespace kirchhoff::bench {
namespace {

constexpr int kShortest = 5, kLongest = 150;
constexpr double kBudget = 3e-3;  // seconds for a sentence and a method

std::string tag_of(const kirchhoff::Sentence& sentence, int node) {
  return node == 0 ? "ROOT" : std::string(sentence.upos(node));
}

std::string template_of(const kirchhoff::Sentence& sentence, int head, int dependent) {
  return tag_of(sentence, head) + (head < dependent ? ">" : "<") + tag_of(sentence, dependent);
}

/// A feature's place, and how many of the words with its dependent tag have it.
struct Chosen {
  int feature = 0;
  double rate = 0;
};
using Vocabulary = std::map<std::string, Chosen>;

Vocabulary most_frequent(const std::vector<kirchhoff::Sentence>& sentences, int count) {
  std::map<std::string, int> arcs, words;
  for (const kirchhoff::Sentence& sentence : sentences) {
    const Heads heads = sentence.heads();
    for (int d = 1; d <= sentence.size(); ++d) {
      ++arcs[template_of(sentence, heads[d], d)];
      ++words[tag_of(sentence, d)];
    }
  }
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& [name, times] : arcs) ranked.emplace_back(-times, name);
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(count)));
  Vocabulary vocabulary;
  for (const auto& [times, name] : ranked) {
    const std::string tag = name.substr(name.find_first_of("<>") + 1);
    vocabulary.emplace(name, Chosen{static_cast<int>(vocabulary.size()), -1.0 * times / words[tag]});
  }
  return vocabulary;
}

Features features_of(const kirchhoff::Sentence& sentence, const Vocabulary& vocabulary) {
  std::vector<FeatureEntry> entries;
  for (int head = 0; head <= sentence.size(); ++head) {
    for (int d = 1; d <= sentence.size(); ++d) {
      const auto found = vocabulary.find(template_of(sentence, head, d));
      if (head != d && found != vocabulary.end()) entries.push_back({head, d, found->second.feature, 1.0});
    }
  }
  return Features(sentence.size(), static_cast<int>(vocabulary.size()), std::move(entries));
}

std::vector<double> targets_of(const kirchhoff::Sentence& sentence, const Vocabulary& vocabulary) {
  std::map<std::string, int> words;
  for (int d = 1; d <= sentence.size(); ++d) ++words[tag_of(sentence, d)];
  std::vector<double> targets(vocabulary.size());
  for (const auto& [name, chosen] : vocabulary) {
    targets[chosen.feature] = chosen.rate * words[name.substr(name.find_first_of("<>") + 1)];
  }
  return targets;
}

void measure_sentence(const Matrix& scores, const Features& f, const std::vector<double>& target) {
  const int n = f.words();
  const ArcFeatures arcs = by_arc(f);
  const Vector target_vector = Vector::Map(target.data(), f.size());
  Matrix ours;
  std::vector<double> past;
  const auto t2 = [&] {
    ours = generalized_expectation_gradient(TreeDistribution(scores, Root::single), f, target_vector);
  };
  const auto t2h = [&] { past = hessian_ge_gradient(scores.data(), n, arcs, target); };
  const auto featured = [&] { hessian_ge_gradient(scores.data(), n, arcs, target, ArcPairs::featured); };
  const double t2_time = seconds_per_call(t2, kBudget), t2h_time = seconds_per_call(t2h, kBudget);
  const double featured_time = seconds_per_call(featured, kBudget);
  const double difference = (ours - MatrixView(past.data(), n + 1, n + 1)).cwiseAbs().maxCoeff();
  std::printf("%d,%.6g,%.6g,%.6g,%.3g\n", n, 1e3 * t2_time, 1e3 * t2h_time, 1e3 * featured_time, difference);
}

void run(const Arguments& arguments) {
  const Vocabulary vocabulary =
      most_frequent(sentences_of(arguments.text("train")), static_cast<int>(arguments.number("features")));
  std::optional<Parser> parser;
  if (arguments.has("model")) parser.emplace(ParserModel::open(arguments.text("model")));
  std::puts("words,t2_ms,t2h_ms,t2h_featured_ms,difference");
  std::uint64_t seed = 0;
  for (const kirchhoff::Sentence& sentence : sentences_of(arguments.text("data"))) {
    if (sentence.size() < kShortest || sentence.size() > kLongest) continue;
    const Matrix scores = parser ? scores_of(*parser, sentence) : random_scores(sentence.size(), 1.0, ++seed);
    measure_sentence(scores, features_of(sentence, vocabulary), targets_of(sentence, vocabulary));
  }
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  using namespace kirchhoff::bench;
  return measure(argc, argv, {"train", "data", "features", "model"}, run);
}
