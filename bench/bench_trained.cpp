// What a user of a parser's scores waits for: log Z and marginals, gradients, covariances, best trees and samples, on
// the arc scores of a trained model and on random ones of the same sentences.
//
//   bench_trained DATA MODEL...    CSV: weights, words (the band of lengths), graphs, how many of them the robust
//                                 method answers and the baseline gets wrong, question, microseconds a graph
//
// The weights are N(0,1) log-weights, and those of each model. All questions are asked in turn, in passes over the
// graphs of a band, on one thread, and the fastest pass counts.
#include "baselines/eigen_marginals.hpp"
#include "experiments/measuring.hpp"
#include "graphs.hpp"
#include "timing.hpp"
#include "treebank.hpp"

#include <kirchhoff/decode.hpp>
#include <kirchhoff/sample.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>

namespace kirchhoff::bench {
namespace {

constexpr std::size_t kGraphs = 64;  // of each band
constexpr int kPasses = 9;
constexpr double kPassSeconds = 2e-3;  // A pass is repeated until it takes this long.
constexpr int kFeatures = 20, kTrees = 100, kDistinct = 10;
constexpr std::uint64_t kSeed = 1;
constexpr Accuracy kAbsolute{Method::automatic, 1e-9, 1.0};  // Without digits of improbable arcs.

struct Band {
  const char* name;
  int least, most;
};
constexpr Band kBands[] = {{"8-12", 8, 12}, {"20-30", 20, 30}, {"40-60", 40, 60}, {"all", 1, 1000}};

double sink = 0;  // Sums up what is computed, so that it must be.

struct Question {
  const char* name;
  std::function<void(const std::vector<Matrix>&)> ask;  // of all graphs
};

/// A question about the distribution of each graph, which is made first unless the answer needs none.
template <class Ask>
Question each(const char* name, Ask ask) {
  return {name, [ask](const std::vector<Matrix>& graphs) {
            for (const Matrix& scores : graphs) ask(scores);
          }};
}

int words_of(const Matrix& scores) { return static_cast<int>(scores.rows()) - 1; }

/// Two sets of features for sentences of so many words, made once.
const std::pair<Features, Features>& features_of(int words) {
  static std::map<int, std::pair<Features, Features>> made;
  const auto known = made.find(words);
  if (known != made.end()) return known->second;
  const auto features = [=](std::uint64_t seed) {
    return Features::from_matrices(random_features(words, kFeatures, seed));
  };
  return made.emplace(words, std::pair(features(100), features(200))).first->second;
}

TreeBatch batch_of(const std::vector<Matrix>& graphs) {
  std::vector<GraphView> views;
  for (const Matrix& scores : graphs) views.push_back(graph_view(scores));
  return {std::move(views), Root::single, {.threads = 1}};
}

std::vector<Question> questions() {
  const auto made = [](const Matrix& scores) { return TreeDistribution(scores, Root::single); };
  return {
      {"marginals, Eigen",
       [](const std::vector<Matrix>& graphs) {
         static Matrix marginals;
         for (const Matrix& scores : graphs) {
           if (marginals.size() < scores.size()) marginals.resize(scores.rows(), scores.cols());
           sink += eigen_marginals(scores.data(), words_of(scores), marginals.data());
         }
       }},
      each("marginals, one by one", [=](const Matrix& scores) { sink += made(scores).marginals()(0, 1); }),
      {"marginals, batch", [](const std::vector<Matrix>& graphs) { sink += batch_of(graphs).marginals()[1]; }},
      {"entropies and their gradients, batch",
       [](const std::vector<Matrix>& graphs) {
         const TreeBatch batch = batch_of(graphs);
         static std::vector<double> gradients;
         gradients.resize(batch.array_size());
         sink += entropies(batch, gradients)[0] + gradients[1];
       }},
      each("marginals, absolute error 1e-9",
           [](const Matrix& scores) { sink += TreeDistribution(scores, Root::single, kAbsolute).marginals()(0, 1); }),
      each("entropy and its gradient",
           [=](const Matrix& scores) {
             const TreeDistribution p = made(scores);
             sink += entropy_gradient(p)(0, 1) + entropy(p);
           }),
      each("covariance of 20 x 20 features",
           [=](const Matrix& scores) {
             const auto& [r, s] = features_of(words_of(scores));
             sink += covariance(made(scores), r, s)(0, 0);
           }),
      each("best tree", [](const Matrix& scores) { sink += best_tree(scores, Root::single).score; }),
      each("100 samples",
           [=](const Matrix& scores) {
             sink += sample_trees(made(scores), kTrees, {.seed = kSeed, .threads = 1})[0].score;
           }),
      each("10 distinct samples",
           [=](const Matrix& scores) {
             sink += sample_without_replacement(made(scores), kDistinct, {.seed = kSeed, .threads = 1}).trees[0].score;
           }),
  };
}

/// Microseconds a graph, of every question: the fastest of some passes, which are taken in turn.
std::vector<double> times_of(const std::vector<Question>& all, const std::vector<Matrix>& graphs) {
  std::vector<double> fastest(all.size(), HUGE_VAL);
  for (int pass = 0; pass < kPasses; ++pass) {
    for (std::size_t q = 0; q < all.size(); ++q) {
      int times = 0;
      const double start = seconds_now(Clock::cpu);
      double seconds = 0;
      do {
        all[q].ask(graphs);
        ++times;
        seconds = seconds_now(Clock::cpu) - start;
      } while (seconds < kPassSeconds);
      fastest[q] = std::min(fastest[q], 1e6 * seconds / (times * static_cast<double>(graphs.size())));
    }
  }
  return fastest;
}

/// Whether the baseline's marginals of a graph are off by more than 1e-6 somewhere, or no numbers.
bool eigen_is_wrong(const Matrix& scores) {
  Matrix marginals = scores;
  eigen_marginals(scores.data(), words_of(scores), marginals.data());
  return !((marginals - TreeDistribution(scores, Root::single).marginals()).cwiseAbs().maxCoeff() <= 1e-6) ||
         marginals.hasNaN();
}

/// Prints the rows of one kind of weights; scores(i) are those of sentence i.
template <class Scores>
void print_rows(const std::string& weights, const std::vector<kirchhoff::Sentence>& sentences, Scores scores) {
  static const std::vector<Question> all = questions();
  for (const Band& band : kBands) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      if (sentences[i].size() >= band.least && sentences[i].size() <= band.most) chosen.push_back(i);
    }
    std::vector<Matrix> graphs;
    for (const std::size_t i : subsample(chosen, kGraphs)) graphs.push_back(scores(i));
    if (graphs.empty()) continue;
    const std::vector<double> times = times_of(all, graphs);
    const auto robust = std::count_if(graphs.begin(), graphs.end(), [](const Matrix& s) {
      return TreeDistribution(s, Root::single).report().method == Method::robust;
    });
    const auto wrong = std::count_if(graphs.begin(), graphs.end(), eigen_is_wrong);
    for (std::size_t q = 0; q < all.size(); ++q) {
      std::printf("\"%s\",%s,%zu,%td,%td,\"%s\",%.4f\n", weights.c_str(), band.name, graphs.size(), robust, wrong,
                  all[q].name, times[q]);
    }
    std::fflush(stdout);
  }
}

void run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw std::runtime_error("usage: bench_trained DATA MODEL...");
  auto sentences = sentences_of(arguments[0]);
  std::erase_if(sentences, [](const auto& s) { return s.size() == 0; });
  std::printf("weights,words,graphs,robust,eigen_wrong,question,microseconds\n");
  times_of(questions(), random_graphs(25));  // The processor wakes up, and storage is found.
  print_rows("N(0,1)", sentences, [&](std::size_t i) { return random_scores(sentences[i].size(), 1.0, i); });
  for (std::size_t m = 1; m < arguments.size(); ++m) {
    const ParserModel model = ParserModel::open(arguments[m]);
    Parser parser(model);
    print_rows(std::filesystem::path(arguments[m]).stem(), sentences,
               [&](std::size_t i) { return parser.arc_scores(sentences[i]); });
  }
  if (std::isnan(sink)) std::fprintf(stderr, "bench_trained: a baseline gave NaN\n");
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  return kirchhoff::bench::report_errors(argv[0], [&] { kirchhoff::bench::run({argv + 1, argv + argc}); });
}
