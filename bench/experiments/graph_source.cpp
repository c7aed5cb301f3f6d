// Where the programs about sampling take their graphs from: arc scores of a trained parser, or random weights.
#include "experiments/graph_source.hpp"

#include "graphs.hpp"
#include "treebank.hpp"

#include <map>
#include <stdexcept>

namespace kirchhoff::bench {
namespace {

using MakeScores = std::function<Matrix(int words, std::uint64_t seed)>;

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

/// Distributions of independent weights.
const std::map<std::string, MakeScores>& makers() {
  static const std::map<std::string, MakeScores> all = {
      {"uniform", untrained_scores},
      {"exponential", exponential},
      {"normal(1,0.5)", truncated_normal(1, 0.5)},
      {"normal(1,1)", truncated_normal(1, 1)},
      {"normal(0,1)", truncated_normal(0, 1)},
      {"exp-normal", [](int words, std::uint64_t seed) { return random_scores(words, 1.0, seed); }}};
  return all;
}

void random_graphs_of(const Arguments& arguments, const std::function<void(const Matrix&)>& use) {
  const auto maker = makers().find(arguments.text("weights"));
  if (maker == makers().end()) {
    std::string names;
    for (const auto& [name, make] : makers()) names += (names.empty() ? "" : ", ") + name;
    throw std::runtime_error("--weights " + arguments.text("weights") + " is none of " + names);
  }
  const int words = arguments.whole("words", 10), graphs = arguments.whole("graphs", 100);
  for (int g = 0; g < graphs; ++g) use(maker->second(words, static_cast<std::uint64_t>(g)));
}

void parsed_graphs_of(const Arguments& arguments, const std::function<void(const Matrix&)>& use) {
  const std::string& data = arguments.text("data");
  std::vector<kirchhoff::Sentence> sentences = sentences_of(data);
  std::erase_if(sentences, [](const kirchhoff::Sentence& sentence) { return sentence.size() < 2; });
  if (arguments.has("words")) {
    const int words = arguments.whole("words", 0);
    std::erase_if(sentences, [&](const kirchhoff::Sentence& sentence) { return sentence.size() < words; });
  }
  if (sentences.empty()) throw std::runtime_error(data + " has no sentence that is long enough");
  const auto count = static_cast<std::size_t>(arguments.whole("graphs", static_cast<int>(sentences.size())));
  Parser parser(ParserModel::open(arguments.text("model")));
  const bool softmax = arguments.whole("softmax", 0) != 0;
  for (const kirchhoff::Sentence& sentence : subsample(sentences, count)) {
    const Matrix scores = parser.arc_scores(sentence);
    use(softmax ? TreeDistribution(scores, Root::single).log_marginals() : scores);
  }
}

}  // namespace

std::vector<std::string> graph_options(std::initializer_list<std::string> others) {
  std::vector<std::string> all = {"model", "data", "weights", "words", "graphs", "softmax"};
  all.insert(all.end(), others);
  return all;
}

void for_each_graph(const Arguments& arguments, const std::function<void(const Matrix&)>& use) {
  if (arguments.has("model")) {
    parsed_graphs_of(arguments, use);
  } else {
    random_graphs_of(arguments, use);
  }
}

}  // namespace kirchhoff::bench
