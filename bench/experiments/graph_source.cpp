// Where the programs about sampling take their graphs from: arc scores of a trained parser, or random weights.
#include "experiments/graph_source.hpp"

#include "graphs.hpp"
#include "treebank.hpp"

#include <kirchhoff/parser.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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
  std::ifstream in(data);
  if (!in) throw std::runtime_error("cannot open " + data);
  std::vector<kirchhoff::Sentence> sentences = read_sentences(in, data, ConllFormat::conllu);
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

Arguments::Arguments(int argc, char** argv, const std::vector<std::string>& known) {
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i], name = option.substr(std::min<std::size_t>(2, option.size()));
    if (option.rfind("--", 0) != 0 || std::find(known.begin(), known.end(), name) == known.end()) {
      throw std::runtime_error("unknown option " + option);
    }
    if (i + 1 == argc) throw std::runtime_error(option + " has no value");
    values_[name] = argv[i + 1];
  }
}

const std::string& Arguments::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::runtime_error("--" + name + " is missing");
  return found->second;
}

double Arguments::number(const std::string& name, double fallback) const {
  if (!has(name)) return fallback;
  char* end = nullptr;
  const double value = std::strtod(text(name).c_str(), &end);
  if (text(name).empty() || *end != '\0') throw std::runtime_error("--" + name + " is not a number: " + text(name));
  return value;
}

void for_each_graph(const Arguments& arguments, const std::function<void(const Matrix&)>& use) {
  if (arguments.has("model")) {
    parsed_graphs_of(arguments, use);
  } else {
    random_graphs_of(arguments, use);
  }
}

int report_errors(const char* program, const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", std::filesystem::path(program).filename().c_str(), error.what());
    return 1;
  }
}

}  // namespace kirchhoff::bench
