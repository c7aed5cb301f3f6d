// Figure 2 of [Stanojevic22]: time for 100 trees with one root child, drawn independently. Each time is from the
// scores: log Z, marginals and the sampler's set-up are in it.
//
//   sample_times (--model FILE --data FILE | --weights NAME --words N) [--graphs N] [--repetitions N]
//
// CSV with one line for each graph: its words, for each method the milliseconds (the fastest repetition; the methods
// take turns), and how many tries and draws WilsonReject took for a tree. A method that has not drawn its trees after
// kPatience stops, and its time is scaled up: WilsonReject can need 1e10 tries for one tree, of which the library makes
// as many as kLargestWalk draws allow before it answers with a tree of Colbourn's; `given_up` is the share of those.
#include "baselines/wilson_rc.hpp"
#include "experiments/graph_source.hpp"
#include "timing.hpp"

#include <kirchhoff/sample.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

namespace kirchhoff::bench {
namespace {

constexpr int kTrees = 100;
constexpr double kPatience = 0.2;  // Seconds for the trees of one graph by one method.

struct Measured {
  double milliseconds = HUGE_VAL;
  double tries = 0;     ///< for a tree, on average
  double given_up = 0;  ///< share of trees for which the walk's budget did not suffice
};

/// Time for the set-up plus kTrees times the mean time of a tree. `set_up()` returns what draws tree i.
template <class SetUp>
Measured time_of(const SetUp& set_up) {
  Measured measured;
  const double begin = seconds_now(Clock::cpu);
  auto draw = set_up();
  const double ready = seconds_now(Clock::cpu);
  int trees = 0;
  double now = ready;
  while (trees < kTrees && (trees == 0 || now - ready < kPatience)) {
    const Walk walk = draw(trees++);
    measured.tries += walk.tries;
    measured.given_up += walk.budget_spent ? 1 : 0;
    if (trees % 10 == 0 || walk.draws > 10000 || walk.budget_spent) now = seconds_now(Clock::cpu);
  }
  now = seconds_now(Clock::cpu);
  measured.milliseconds = 1e3 * ((ready - begin) + (now - ready) * kTrees / trees);
  measured.tries /= trees;
  measured.given_up /= trees;
  return measured;
}

Measured measure_ours(const Matrix& scores, Sampler method) {
  return time_of([&] {
    return [sampler = TreeSampler(TreeDistribution(scores, Root::single), method)](int i) {
      return sampler.walk(1, static_cast<std::uint64_t>(i));
    };
  });
}

/// Whether no arc was pruned.
bool complete(const Matrix& scores) {
  for (Eigen::Index head = 0; head < scores.rows(); ++head) {
    for (Eigen::Index word = 1; word < scores.cols(); ++word) {
      if (head != word && !std::isfinite(scores(head, word))) return false;
    }
  }
  return true;
}

/// The biased sampler, where its walks are sure to end: in complete graphs.
std::optional<Measured> measure_rc(const Matrix& scores) {
  if (!complete(scores)) return {};
  return time_of([&] {
    return [sampler = WilsonRc(scores.data(), static_cast<int>(scores.rows()) - 1, Draw::alias),
            rng = std::mt19937_64(1)](int) mutable { return Walk{sampler.sample(rng)}; };
  });
}

constexpr std::array kMethods = {Sampler::colbourn, Sampler::wilson_marginal, Sampler::wilson_reject,
                                 Sampler::automatic};
constexpr std::size_t kReject = 2;

void print_graph(const Matrix& scores, int repetitions) {
  std::array<Measured, kMethods.size()> best;
  double rc = HUGE_VAL;
  for (int r = 0; r < repetitions; ++r) {
    for (std::size_t m = 0; m < kMethods.size(); ++m) {
      if (best[m].given_up > 0) continue;  // 20 million draws for a tree: once is enough
      const Measured measured = measure_ours(scores, kMethods[m]);
      if (measured.milliseconds < best[m].milliseconds) best[m] = measured;
    }
    if (const auto measured = measure_rc(scores)) rc = std::min(rc, measured->milliseconds);
  }
  std::printf("%d", static_cast<int>(scores.rows()) - 1);
  for (const Measured& measured : best) std::printf(",%.5g", measured.milliseconds);
  if (std::isfinite(rc)) {
    std::printf(",%.5g", rc);
  } else {
    std::printf(",");
  }
  std::printf(",%.5g,%.3g\n", best[kReject].tries, best[kReject].given_up);
}

void run(const Arguments& arguments) {
  std::printf("words,colbourn,wilson_marginal,wilson_reject,automatic,wilson_rc,tries,given_up\n");
  const int repetitions = arguments.whole("repetitions", 3);
  for_each_graph(arguments, [&](const Matrix& scores) { print_graph(scores, repetitions); });
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  using namespace kirchhoff::bench;
  return measure(argc, argv, graph_options({"repetitions"}), run);
}
