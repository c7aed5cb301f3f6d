// What first- and second-order expectations cost by each method, over the length of the sentence or over the number of
// features, for [Zmigrod21, section 5.2] and [Druck09]: a line for each method and size. A method stops before the size
// at which a call would take longer than the limit, judged by how its last two sizes grew.
//
//   expectation_costs --over words|features --limit SECONDS [--methods A,B,...] [--model M --data FILE]
//
// Weights are those of the parser on the sentence that is nearest in length or, without one, N(0,1) log-weights; all
// trees have a single root. Of the sparse features one fires on each arc; dense ones are N(0,1) on each arc.
#include "arc_features.hpp"
#include "baselines/conditioning.hpp"
#include "baselines/jvp_covariance.hpp"
#include "check.hpp"
#include "experiments/measuring.hpp"
#include "graphs.hpp"
#include "timing.hpp"

#include <cmath>
#include <cstdio>
#include <optional>

namespace kirchhoff::bench {
namespace {

constexpr double kBudget = 0.05;  // seconds for a measurement of short calls
constexpr int kFeatures = 20, kWords = 25;
constexpr int kLengths[] = {7, 10, 14, 20, 28, 40, 56, 80, 112};
constexpr int kNumbers[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000};
constexpr int kLongestTable = 80;  // words for which a table of all pairs of arcs is made: 345 MB

/// What there is to compute at one size.
struct Problem {
  Matrix scores;
  Features sparse;
  ArcFeatures sparse_by_arc;
  std::vector<Matrix> dense;
  Features dense_features;

  Problem(Matrix weights, int features)
      : scores(std::move(weights)),
        sparse(random_indicators(words(), features, 1)),
        sparse_by_arc(by_arc(sparse)),
        dense(random_features(words(), std::min(features, kFeatures), 2)),
        dense_features(Features::from_matrices(dense)) {}
  int words() const { return static_cast<int>(scores.rows()) - 1; }
  TreeDistribution tree(Accuracy accuracy = {}) const { return {scores, Root::single, accuracy}; }
  /// One matrix for each of the sparse features.
  std::vector<Matrix> matrices() const {
    std::vector<Matrix> result(sparse.size(), Matrix::Zero(scores.rows(), scores.cols()));
    for (const FeatureEntry& e : sparse.entries()) result[e.feature](e.head, e.dependent) = e.value;
    return result;
  }
};

/// Returns some number of the result, so that nothing is left out.
using Compute = std::function<double(const Problem&)>;
struct Method {
  const char* name;
  Compute compute;
  bool table = false;  ///< writes (n+1)^4 numbers
};

std::vector<Method> methods() {
  const auto t1 = [](const Problem& p) { return expectation(p.tree(), p.sparse)(0); };
  const auto sparse = [](const Problem& p) { return covariance(p.tree(), p.sparse, p.sparse)(0, 0); };
  const auto dense = [](const Problem& p) { return covariance(p.tree(), p.dense_features, p.dense_features)(0, 0); };
  const auto jvp = [](const Problem& p) {
    const std::vector<Matrix> r = p.matrices();
    return jvp_covariance(p.tree(), r, r)(0, 0);
  };
  const auto hessian = [](const Problem& p) {
    return hessian_covariance(p.scores.data(), p.words(), p.sparse_by_arc, p.sparse_by_arc)[0];
  };
  const auto conditioned = [](const Problem& p) {
    return conditioned_covariance(p.scores.data(), p.words(), p.sparse_by_arc, p.sparse_by_arc)[0];
  };
  const auto ge = [](const Problem& p) {
    return generalized_expectation_gradient(p.tree(), p.sparse, Vector::Constant(p.sparse.size(), 1.0))(0, 1);
  };
  const auto pairs = [](const Problem& p) { return p.tree().pair_marginals(p.words())(1, 1); };
  const auto absolute = [](const Problem& p) { return p.tree({.floor = 1.0}).pair_marginals(p.words())(1, 1); };
  const auto equation_3 = [](const Problem& p) { return hessian_pair_marginals(p.scores.data(), p.words())[1]; };
  const auto older = [](const Problem& p) { return conditioned_pair_marginals(p.scores.data(), p.words())[1]; };
  const auto empty = [](const Problem& p) {
    const auto arcs = static_cast<std::size_t>(p.scores.size());
    return std::vector<double>(arcs * arcs)[1];
  };
  return {{"t1", t1},
          {"t2_sparse", sparse},
          {"t2_dense", dense},
          {"t2v", jvp},
          {"t2h", hessian},
          {"covariance_conditioned", conditioned},
          {"ge_gradient", ge},
          {"pairs", pairs, true},
          {"pairs_absolute", absolute, true},
          {"pairs_equation_3", equation_3, true},
          {"pairs_conditioned", older, true},
          {"pairs_empty", empty, true}};
}

/// Where weights come from: a parser's sentences by their length, or nothing.
class Weights {
 public:
  explicit Weights(const Arguments& arguments) {
    if (!arguments.has("model")) return;
    parser_.emplace(ParserModel::open(arguments.text("model")));
    for (auto& sentence : sentences_of(arguments.text("data"))) by_length_.emplace(sentence.size(), sentence);
  }
  /// Of about so many words; nothing where no sentence is off by at most this part of them.
  std::optional<Matrix> of(int words, double part) {
    if (!parser_) return random_scores(words, 1.0, words);
    for (int off = 0; off <= part * words; ++off) {
      for (const int length : {words - off, words + off}) {
        if (const auto found = by_length_.find(length); found != by_length_.end()) {
          return scores_of(*parser_, found->second);
        }
      }
    }
    return std::nullopt;
  }
  const char* name() const { return parser_ ? "trained" : "random"; }

 private:
  std::optional<Parser> parser_;
  std::map<int, kirchhoff::Sentence> by_length_;
};

/// How long a call at the next size will take, if it grows as between the last two sizes, and at least linearly.
class Forecast {
 public:
  double at(double size) const {
    if (times_.empty()) return 0;
    const auto [x, y] = times_.back();
    double power = 4;
    if (times_.size() > 1) {
      const auto [a, b] = times_[times_.size() - 2];
      power = std::max(1.0, std::log(y / b) / std::log(x / a));
    }
    return y * std::pow(size / x, power);
  }
  void add(double size, double seconds) { times_.emplace_back(size, seconds); }

 private:
  std::vector<std::pair<double, double>> times_;
};

volatile double sink = 0;

void measure_method(const Method& method, Weights& weights, bool over_words, double limit) {
  Forecast forecast;
  const std::vector<int> sizes = over_words ? std::vector<int>(std::begin(kLengths), std::end(kLengths))
                                            : std::vector<int>(std::begin(kNumbers), std::end(kNumbers));
  for (const int size : sizes) {
    std::optional<Matrix> scores = over_words ? weights.of(size, 0.1) : weights.of(kWords, 1.0);
    if (!scores || (method.table && scores->rows() - 1 > kLongestTable)) continue;
    const int features = over_words ? kFeatures : size;
    const Problem problem(std::move(*scores), features);
    const double x = over_words ? problem.words() : size;
    if (forecast.at(x) > limit) return;
    const double seconds = seconds_per_call([&] { sink = method.compute(problem); }, kBudget);
    forecast.add(x, seconds);
    std::printf("%s,%s,%d,%d,%.6g\n", method.name, weights.name(), problem.words(), features, 1e3 * seconds);
    std::fflush(stdout);
  }
}

bool chosen(const Arguments& arguments, const std::string& method) {
  return !arguments.has("methods") ||
         ("," + arguments.text("methods") + ",").find("," + method + ",") != std::string::npos;
}

void run(const Arguments& arguments) {
  const std::string over = arguments.text("over");
  if (over != "words" && over != "features") throw std::runtime_error("--over " + over + ": words or features");
  check_baselines();
  Weights weights(arguments);
  std::puts("method,weights,words,features,ms");
  for (const Method& method : methods()) {
    if (chosen(arguments, method.name)) measure_method(method, weights, over == "words", arguments.number("limit"));
  }
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  using namespace kirchhoff::bench;
  return measure(argc, argv, {"over", "limit", "methods", "model", "data"}, run);
}
