// Samples against the CPU's samplers, whose trees they must be, and by chi-square against the list of all trees.
#include "cuda/ask_trees.hpp"
#include "cuda/executor.hpp"
#include "sample/counting.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace kirchhoff::cuda {
namespace {

using graphs::kInf;

TreeSampler cpu_s_sampler(const LabelledMatrix& scores, Root root, Sampler method) {
  if (scores.labels() > 1) return TreeSampler(LabelledTreeDistribution(scores, root), method);
  return TreeSampler(TreeDistribution(unlabelled(scores), root), method);
}

/// The same heads, labels and scores as the CPU's sampler of the same name draws for seed + i.
void expect_cpu_s_samples(const Asked& asked, Root root, const TreeDraws& draws) {
  const AnsweredTrees answered = ask_samples(asked, root, draws);
  for (std::size_t i = 0; i < asked.scores.size(); ++i) {
    SCOPED_TRACE(testing::Message() << name(draws.method) << ", " << graphs::name(root) << ", graph " << i
                                    << ", n = " << asked.scores[i].words());
    ASSERT_LE(answered.status[i], GraphStatus::extended);
    ASSERT_EQ(answered.trees[i].size(), static_cast<std::size_t>(draws.count));
    const TreeSampler sampler = cpu_s_sampler(asked.scores[i], root, draws.method);
    for (int k = 0; k < draws.count; ++k) {
      const Tree expected = sampler.sample(draws.seed + i, k), &found = answered.trees[i][k];
      ASSERT_EQ(found.heads, expected.heads) << "sample " << k;
      ASSERT_EQ(found.labels, expected.labels.empty() ? std::vector<int>(found.heads.size(), 0) : expected.labels);
      ASSERT_NEAR(found.score, expected.score, 1e-12 * std::max(1.0, std::abs(expected.score)));
    }
  }
}

std::vector<Sampler> named_samplers(Root root) {
  std::vector<Sampler> methods = samplers(root);
  methods.erase(methods.begin());  // automatic
  return methods;
}

TEST(CudaSamples, AreThoseOfTheCpu) {
  graphs::Random random(91);
  for (const int labels : {1, 3}) {
    Asked asked;
    for (const int n : {1, 2, 5, 33, 63, 64, 130}) {
      asked.scores.push_back(graphs::normal(n, labels, 0.7, random));
      asked.scores.push_back(graphs::masked_feasible(graphs::normal(n, labels, 0.5, random), 0.8, random));
    }
    for (Root root : graphs::kRoots) {
      for (const Sampler method : named_samplers(root)) {
        expect_cpu_s_samples(asked, root, {.count = 9, .seed = 12, .method = method});
      }
    }
  }
}

/// More samples than a team draws at a time, and the same trees whatever their number.
TEST(CudaSamples, ManyOfOneGraph) {
  graphs::Random random(92);
  Asked asked;
  asked.scores = {graphs::normal(20, 2, 0.7, random)};
  expect_cpu_s_samples(asked, Root::multi, {.count = 1100, .seed = 5, .method = Sampler::wilson});
  expect_cpu_s_samples(asked, Root::single,
                       {.count = 600, .seed = ~std::uint64_t{0}, .method = Sampler::wilson_marginal});
  EXPECT_TRUE(ask_samples(asked, Root::multi, {.count = 0}).trees[0].empty());
}

TEST(CudaSamples, InAllLayoutsAndPrecisions) {
  graphs::Random random(93);
  for (const int labels : {1, 3}) {
    Asked asked;
    for (const int n : {5, 1, 34, 12}) {
      asked.scores.push_back(graphs::normal(n, labels, 0.5, random));
      LabelledMatrix& scores = asked.scores.back();
      for (std::size_t i = 0; i < scores.size(); ++i) scores.data()[i] = static_cast<float>(scores.data()[i]);
    }
    for (const Layout layout : kLayouts) {
      for (const bool single_precision : {false, true}) {
        asked.layout = layout;
        asked.single_precision = single_precision;
        expect_cpu_s_samples(asked, Root::single, {.count = 4, .method = Sampler::wilson_marginal});
        expect_cpu_s_samples(asked, Root::multi, {.count = 4, .method = Sampler::wilson});
      }
    }
  }
}

/// The p-value of samples of one graph.
double p_value(const LabelledMatrix& scores, Root root, Sampler method, int count) {
  Asked asked;
  asked.scores = {scores};
  const Trees trees(scores, root);
  const AnsweredTrees answered = ask_samples(asked, root, {.count = count, .seed = 9, .method = method});
  std::vector<std::size_t> numbers;
  for (const Tree& tree : answered.trees[0]) numbers.push_back(trees.number(tree));
  return fit(numbers, trees);
}

TEST(CudaSamples, HaveTheRightDistribution) {
  graphs::Random random(94);
  for (Root root : graphs::kRoots) {
    for (const Sampler method : samplers(root)) {
      for (const double s : {0.0, 1.0, 3.0}) {
        const LabelledMatrix scores = graphs::normal(4, 2, s, random);
        EXPECT_GT(p_value(scores, root, method, repeats(40000)), kFalseAlarm) << name(method) << ", " << s;
      }
      const LabelledMatrix sparse = graphs::masked_feasible(graphs::normal(5, 1, 1.0, random), 0.5, random);
      EXPECT_GT(p_value(sparse, root, method, repeats(40000)), kFalseAlarm) << name(method) << ", sparse";
    }
  }
}

/// Words that prefer each other by so much that a walk does not leave their ring before its budget is spent, in some of
/// the samples or in all. Which child the root has decides how long it takes, and must not be biased by that.
TEST(CudaSamples, OfWalksThatStallHaveTheRightDistribution) {
  graphs::Random random(95);
  for (Root root : graphs::kRoots) {
    for (const double gap : {9.0, 10.5, 40.0}) {
      Matrix scores = graphs::strong_cycle(5, 3, gap, random);
      scores(4, 5) += gap;  // below word 4 or 5 the walk is short for these two, below the others it is not
      EXPECT_GT(p_value(labelled(scores), root, Sampler::automatic, repeats(1500)), kFalseAlarm) << gap;
    }
  }
}

/// The methods with a name have a large budget, and Colbourn's sampler after it, as on the CPU.
TEST(CudaSamples, OfWalksThatStallAreThoseOfTheCpu) {
  graphs::Random random(96);
  Asked asked;
  for (const double gap : {1.0, 11.0, 13.0, 300.0}) {
    asked.scores.push_back(labelled(graphs::strong_cycle(12, 12, gap, random)));
  }
  for (Root root : graphs::kRoots) {
    for (const Sampler method : named_samplers(root)) {
      expect_cpu_s_samples(asked, root, {.count = 3, .seed = 1, .method = method});
    }
  }
}

TEST(CudaSamples, OfGraphsWithoutTreesAndOfNoGraphs) {
  graphs::Random random(97);
  for (const int labels : {1, 2}) {
    Asked asked;
    for (const int n : {3, 20, 40}) {
      for (int kind = 0; kind < 4; ++kind) asked.scores.push_back(graphs::normal(n, labels, 1.0, random));
      LabelledMatrix* const some = &asked.scores.back() - 3;
      for (int h = 0; h < n; ++h) {
        for (int y = 0; y < labels; ++y) some[1](h, n, y) = -kInf;
      }
      some[2](1, 2, labels - 1) = std::numeric_limits<double>::quiet_NaN();
      some[3](0, 1, 0) = -1.01e9;
    }
    for (const Layout layout : kLayouts) {
      asked.layout = layout;
      for (Root root : graphs::kRoots) {
        for (const Sampler method : samplers(root)) {
          const AnsweredTrees answered = ask_samples(asked, root, {.count = 2, .method = method});
          for (std::size_t i = 0; i < asked.scores.size(); ++i) {
            const GraphStatus expected = i % 4 == 0   ? GraphStatus::certified
                                         : i % 4 == 1 ? GraphStatus::infeasible
                                                      : GraphStatus::invalid;
            EXPECT_EQ(answered.status[i], expected) << name(method) << ", graph " << i;
            EXPECT_EQ(answered.trees[i].size(), i % 4 == 0 ? 2u : 0u);
          }
        }
      }
    }
  }
}

/// So much room for words that graphs are solved one after the other, and lengths of which some are none.
TEST(CudaSamples, OfGraphsThatAreNotSolvedTogether) {
  constexpr int kWords = 3000, kCount = 3;
  graphs::Random random(98);
  const std::vector<std::int32_t> words = {4, 6, 0, 5, kWords + 1};
  std::vector<double> numbers;
  std::vector<std::int64_t> begins;
  std::vector<Matrix> matrices;
  for (const int n : words) {
    const int size = n > kWords ? 0 : n;
    begins.push_back(static_cast<std::int64_t>(numbers.size()));
    matrices.push_back(graphs::normal(size, 0.5, random));
    numbers.insert(numbers.end(), matrices.back().data(), matrices.back().data() + matrices.back().size());
  }
  TestArray<double> scores(numbers), score(std::vector<double>(words.size() * kCount));
  TestArray<std::int32_t> lengths(words), heads(std::vector<std::int32_t>(words.size() * kCount * (kWords + 1), 7));
  TestArray<std::int64_t> offsets(begins);
  TestArray<GraphStatus> status(std::vector<GraphStatus>(words.size()));
  TreeQuestion question{.root = Root::single, .graphs = 5, .words = kWords};
  question.lengths = lengths.get();
  question.offsets = offsets.get();
  question.scores.values = scores.get();
  question.heads = heads.get();
  question.score = score.get();
  question.status = status.get();
  sample_trees(question, {.count = kCount, .seed = 3, .method = Sampler::wilson_marginal},
               {.executor = test_executor()});
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool fine = words[i] >= 1 && words[i] <= kWords;
    EXPECT_EQ(status.fetch()[i], fine ? GraphStatus::certified : GraphStatus::invalid) << i;
    for (int k = 0; k < kCount; ++k) {
      const auto row = heads.fetch().begin() + static_cast<std::ptrdiff_t>((i * kCount + k) * (kWords + 1));
      const Heads expected =
          fine ? TreeSampler(TreeDistribution(matrices[i], Root::single), Sampler::wilson_marginal).walk(3 + i, k).heads
               : Heads{};
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), row)) << "graph " << i << ", sample " << k;
      EXPECT_EQ(std::count(row + static_cast<std::ptrdiff_t>(expected.size()), row + kWords + 1, -1),
                kWords + 1 - static_cast<std::ptrdiff_t>(expected.size()));
    }
  }
}

TEST(CudaSamples, OfAQuestionThatMakesNoSense) {
  TestArray<double> scores(std::vector<double>(9, 0.0)), score({0.0});
  TestArray<std::int32_t> heads({7, 7, 7});
  TestArray<GraphStatus> status({GraphStatus::invalid});
  const auto message = [&](const std::function<void(TreeQuestion&, TreeDraws&)>& spoil) {
    TreeQuestion question{.root = Root::single, .graphs = 1, .words = 2};
    question.scores = contiguous(scores.get(), 2);
    question.heads = heads.get();
    question.status = status.get();
    TreeDraws draws;
    spoil(question, draws);
    return message_of<InputError>([&] { sample_trees(question, draws, {.executor = test_executor()}); });
  };
  EXPECT_EQ(message([](TreeQuestion&, TreeDraws&) {}), "no error");
  EXPECT_EQ(message([](TreeQuestion& q, TreeDraws&) { q.heads = nullptr; }), "[cuda::sample_trees] no room for heads");
  EXPECT_EQ(message([](TreeQuestion&, TreeDraws& d) { d.count = -2; }),
            "[cuda::sample_trees] -2 samples, expected 0 or more");
  EXPECT_EQ(message([](TreeQuestion&, TreeDraws& d) { d.method = Sampler::wilson; }),
            "[cuda::sample_trees] wilson is for the other root mode");
  EXPECT_EQ(message([](TreeQuestion& q, TreeDraws& d) {
              q.root = Root::multi;
              d.method = Sampler::wilson_reject;
            }),
            "[cuda::sample_trees] wilson_reject is for the other root mode");
  EXPECT_EQ(message([](TreeQuestion& q, TreeDraws&) { q.words = 65536; }),
            "[cuda::sample_trees] 65536 words, expected up to 65535");
  EXPECT_EQ(message([&](TreeQuestion& q, TreeDraws&) {
              q.labels = 2;
              q.score = score.get();
            }),
            "[cuda::sample_trees] no room for labels, which scores depend on");
}

}  // namespace
}  // namespace kirchhoff::cuda
