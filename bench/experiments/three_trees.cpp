// Figure 1 of [Stanojevic22]: a graph with three trees of equal weight, and how often each sampler draws them.
//
//   three_trees [--samples N]      CSV: the heads of A, B and C, and the share of each sampler's trees that has them
#include "baselines/wilson_rc.hpp"
#include "check.hpp"
#include "experiments/measuring.hpp"

#include <kirchhoff/sample.hpp>

#include <array>
#include <cmath>
#include <cstdio>

namespace kirchhoff::bench {
namespace {

constexpr std::array kSamplers = {Sampler::wilson_marginal, Sampler::wilson_reject, Sampler::colbourn};

/// root -> A, C; A -> B, C; B -> C; C -> A, all of weight 1. Two trees start with A, one with C.
Matrix figure1_scores() {
  Matrix scores = Matrix::Constant(4, 4, -HUGE_VAL);
  for (const Arc arc : {Arc{0, 1}, Arc{0, 3}, Arc{1, 2}, Arc{1, 3}, Arc{2, 3}, Arc{3, 1}}) {
    scores(arc.head, arc.dependent) = 0.0;
  }
  return scores;
}

void run(const Arguments& arguments) {
  const int samples = arguments.whole("samples", 100000);
  const Matrix scores = figure1_scores();
  const TreeDistribution p(scores, Root::single);
  const WilsonRc biased(scores.data(), 3);
  std::mt19937_64 rng(1);
  std::map<Heads, std::array<double, 1 + kSamplers.size()>> shares;
  for (int i = 0; i < samples; ++i) shares[biased.sample(rng)][0] += 1.0 / samples;
  for (std::size_t s = 0; s < kSamplers.size(); ++s) {
    const TreeSampler sampler(p, kSamplers[s]);
    for (int i = 0; i < samples; ++i) shares[sampler.walk(1, i).heads][1 + s] += 1.0 / samples;
  }
  std::printf("head_a,head_b,head_c,probability,wilson_rc,wilson_marginal,wilson_reject,colbourn\n");
  const double error = 6 * std::sqrt(0.25 / samples);
  for (const auto& [heads, share] : shares) {
    const double probability = std::exp(p.log_prob(heads));
    require(std::abs(share[0] - (heads[3] == 0 ? 0.5 : 0.25)) < error, "WilsonRC is not biased as it should be");
    std::printf("%d,%d,%d,%.6f", heads[1], heads[2], heads[3], probability);
    for (std::size_t s = 0; s < share.size(); ++s) {
      require(s == 0 || std::abs(share[s] - probability) < error, "a sampler is biased");
      std::printf(",%.6f", share[s]);
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace kirchhoff::bench

int main(int argc, char** argv) {
  using namespace kirchhoff::bench;
  return measure(argc, argv, {"samples"}, run);
}
