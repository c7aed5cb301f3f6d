// Asks a library that has kernels neither for a device nor for the host: each question says what to build. The test is
// linked with all stubs, as `pip install .` is with those for the host, and cannot be if one is missing.
#include "kirchhoff/cuda_beam.hpp"
#include "kirchhoff/cuda_gold.hpp"
#include "kirchhoff/cuda_trees.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace kirchhoff::cuda {
namespace {

/// Two words, and room for all that can be asked about them.
struct TwoWords {
  double scores[9] = {}, numbers[9] = {};
  std::int32_t heads[3] = {};
  std::int64_t gold_heads[3] = {-1, 0, 1};
  GraphStatus status = {};
  std::uint8_t wrong = 0;

  std::vector<std::function<void(Executor)>> questions() {
    MatrixBatch graphs;
    graphs.add(MatrixView(scores, 3, 3));
    const ArcArray arcs = contiguous(scores, 2);
    const TreeQuestion trees{
        .root = Root::single, .graphs = 1, .words = 2, .scores = arcs, .heads = heads, .status = &status};
    const GoldTrees gold{.root = Root::single, .graphs = 1, .words = 2, .heads = gold_heads};
    return {[=](Executor e) { solve(graphs, Root::single, e); },
            [=](Executor e) { best_trees(trees, {.executor = e}); },
            [=](Executor e) { sample_trees(trees, {}, {.executor = e}); },
            [=](Executor e) { beam_sample(graphs, Root::single, 1, 0, e); },
            [=, this](Executor e) { score_trees(gold, arcs, numbers, &wrong, {.executor = e}); },
            [=, this](Executor e) { subtract_from_trees(gold, numbers, arcs, {.executor = e}); }};
  }
};

TEST(WithoutKernels, EveryQuestionSaysWhatToBuild) {
  TwoWords two;
  for (const auto& ask : two.questions()) {
    const std::string host = message_of<std::runtime_error>([&] { ask(Executor::host); });
    EXPECT_NE(host.find("-DKIRCHHOFF_CUDA_ON_HOST=ON"), std::string::npos) << host;
    const std::string device = message_of<std::runtime_error>([&] { ask(Executor::device); });
    EXPECT_NE(device.find("-DKIRCHHOFF_WITH_CUDA=ON"), std::string::npos) << device;
  }
}

TEST(WithoutKernels, ThereIsNoDevice) {
  EXPECT_FALSE(available());
  EXPECT_NE(description().find("-DKIRCHHOFF_WITH_CUDA=ON"), std::string::npos) << description();
}

}  // namespace
}  // namespace kirchhoff::cuda
