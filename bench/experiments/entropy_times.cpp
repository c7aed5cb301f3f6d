// Entropy by T1 (the library) against [SmithEisner07], O(n^3) : O(n^4), for [Zmigrod21, table 1]: a line for each
// sentence with its words, the entropy in nats, the CPU time of both methods in milliseconds, and whether T1 needed the
// robust method.
//
//   entropy_times --data FILE [--model M]      weights of that parser; without one, N(0,1) log-weights
#include "baselines/smith_eisner.hpp"
#include "check.hpp"
#include "experiments/measuring.hpp"
#include "graphs.hpp"
#include "timing.hpp"

#include <kirchhoff/expectation.hpp>

#include <cmath>
#include <cstdio>
#include <optional>

namespace kirchhoff::bench {
namespace {

constexpr double kBudget = 1e-3;  // seconds for a sentence and a method

void run(const Arguments& arguments) {
  std::optional<Parser> parser;
  if (arguments.has("model")) parser.emplace(ParserModel::open(arguments.text("model")));
  std::puts("words,nats,t1_ms,past_ms,robust");
  std::uint64_t seed = 0;
  for (const kirchhoff::Sentence& sentence : sentences_of(arguments.text("data"))) {
    const int n = sentence.size();
    if (n == 0) continue;
    const Matrix scores = parser ? scores_of(*parser, sentence) : random_scores(n, 1.0, ++seed);
    double ours = 0, past = 0;
    const double our_time = seconds_per_call([&] { ours = entropy(TreeDistribution(scores, Root::single)); }, kBudget);
    const double past_time = seconds_per_call([&] { past = smith_eisner_entropy(scores.data(), n); }, kBudget);
    require_agreement(std::abs(ours - past), "entropy and smith_eisner_entropy");
    const bool robust = TreeDistribution(scores, Root::single).report().method == Method::robust;
    std::printf("%d,%.9g,%.6g,%.6g,%d\n", n, ours, 1e3 * our_time, 1e3 * past_time, robust);
  }
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  using namespace kirchhoff::bench;
  return measure(argc, argv, {"data", "model"}, run);
}
