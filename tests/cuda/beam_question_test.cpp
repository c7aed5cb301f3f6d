// What a beam search is asked and how it answers: layouts of scores, graphs without trees, questions that make no
// sense, and its parts, random numbers and the cut of a long list.
#include "cuda/executor.hpp"
#include "cuda/kernels/beam_random.hpp"
#include "cuda/kernels/beam_rank.hpp"
#include "kirchhoff/cuda_beam.hpp"
#include "support/graphs.hpp"
#include "support/message_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kirchhoff::cuda {
namespace {

using graphs::kInf;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Where the trees of a question go.
struct Answered {
  std::vector<std::int32_t> heads, count;
  std::vector<double> log_prob, perturbed, threshold;
  std::vector<GraphStatus> status;
};

/// Asks about scores that lie as the question says, and brings all answers back.
template <class T>
Answered ask(BeamQuestion question, std::vector<T> scores, std::vector<std::int32_t> lengths = {}) {
  const std::size_t graphs = question.graphs, trees = graphs * question.trees;
  TestArray<T> given(std::move(scores));
  TestArray<std::int32_t> words(std::move(lengths)), count(std::vector<std::int32_t>(graphs, 99));
  TestArray<std::int32_t> heads(std::vector<std::int32_t>(trees * (question.words + 1), 99));
  TestArray<double> log_prob(std::vector<double>(trees, kNaN)), perturbed(std::vector<double>(trees, kNaN));
  TestArray<double> threshold(std::vector<double>(graphs, kNaN));
  TestArray<GraphStatus> status(std::vector<GraphStatus>(graphs, GraphStatus::invalid));
  question.scores.values = given.get();
  question.lengths = words.get();
  question.heads = heads.get();
  question.count = count.get();
  question.log_prob = log_prob.get();
  question.perturbed = perturbed.get();
  question.threshold = threshold.get();
  question.status = status.get();
  beam_sample(question, {.executor = test_executor()});
  return {heads.fetch(), count.fetch(), log_prob.fetch(), perturbed.fetch(), threshold.fetch(), status.fetch()};
}

BeamQuestion question_of(int graphs, int words, int trees) {
  BeamQuestion question{.root = Root::single, .graphs = graphs, .words = words};
  question.scores = contiguous(static_cast<double*>(nullptr), words);
  question.trees = trees;
  question.seed = 3;
  return question;
}

/// Graphs with room for `words` words each; what is no arc is NaN.
std::vector<double> padded(const std::vector<Matrix>& graphs, int words) {
  const std::size_t nodes = words + 1;
  std::vector<double> scores(graphs.size() * nodes * nodes, kNaN);
  for (std::size_t g = 0; g < graphs.size(); ++g)
    for (Eigen::Index head = 0; head < graphs[g].rows(); ++head)
      for (Eigen::Index word = 1; word < graphs[g].cols(); ++word)
        if (head != word) scores[(g * nodes + head) * nodes + word] = graphs[g](head, word);
  return scores;
}

std::vector<Matrix> some_graphs(graphs::Random& random) {
  std::vector<Matrix> graphs;
  for (int n : {4, 9, 1, 7}) graphs.push_back(graphs::normal(n, 2.0, random));
  return graphs;
}

void expect_trees(const Answered& answered, std::size_t g, const PerturbedTrees& expected, int trees, int words) {
  ASSERT_EQ(answered.count[g], static_cast<int>(expected.trees.size()));
  EXPECT_EQ(answered.threshold[g], expected.threshold);
  for (int t = 0; t < trees; ++t) {
    const bool there = t < answered.count[g];
    const std::size_t tree = g * trees + t, begin = tree * (words + 1);
    EXPECT_EQ(answered.log_prob[tree], there ? *expected.trees[t].log_prob : -kInf);
    EXPECT_EQ(answered.perturbed[tree], there ? expected.perturbed[t] : -kInf);
    for (int v = 0; v <= words; ++v) {
      const bool word = there && v < static_cast<int>(expected.trees[t].heads.size());
      EXPECT_EQ(answered.heads[begin + v], word ? expected.trees[t].heads[v] : -1) << "tree " << t << ", word " << v;
    }
  }
}

TEST(CudaBeamQuestion, LayoutsDoNotMatter) {
  graphs::Random random(911);
  const std::vector<Matrix> graphs = some_graphs(random);
  const int words = 10, trees = 12, nodes = words + 1;
  MatrixBatch batch;
  for (const Matrix& scores : graphs) batch.add(scores);
  const std::vector<PerturbedTrees> expected = beam_sample(batch, Root::single, trees, 3, test_executor());
  const std::vector<double> scores = padded(graphs, words);
  BeamQuestion question = question_of(4, words, trees);
  const Answered plain = ask(question, scores, {4, 9, 1, 7});
  std::vector<double> transposed(2 * scores.size(), kNaN);
  for (int g = 0; g < 4; ++g)
    for (int head = 0; head < nodes; ++head)
      for (int word = 0; word < nodes; ++word)
        transposed[2 * ((g * nodes + word) * nodes + head)] = scores[(g * nodes + head) * nodes + word];
  question.scores = {{}, 2 * nodes * nodes, 2, 2 * nodes, 1};
  const Answered strided = ask(question, transposed, {4, 9, 1, 7});
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    SCOPED_TRACE(testing::Message() << "graph " << g);
    expect_trees(plain, g, expected[g], trees, words);
    expect_trees(strided, g, expected[g], trees, words);
  }
}

TEST(CudaBeamQuestion, FloatsAreReadAsTheyAre) {
  graphs::Random random(912);
  Matrix scores = graphs::normal(8, 3.0, random);
  scores = scores.cast<float>().cast<double>().eval();
  const std::vector<double> doubles = padded({scores}, 8);
  const Answered expected = ask(question_of(1, 8, 20), doubles);
  const Answered answered = ask(question_of(1, 8, 20), std::vector<float>(doubles.begin(), doubles.end()));
  EXPECT_EQ(answered.heads, expected.heads);
  EXPECT_EQ(answered.perturbed, expected.perturbed);
}

/// Graphs that are infeasible or invalid have no trees, and the others have all of theirs.
TEST(CudaBeamQuestion, GraphsWithoutTreesAreReported) {
  graphs::Random random(913);
  std::vector<Matrix> graphs(7, graphs::normal(5, 1.0, random));
  graphs[1].row(0).setConstant(-kInf);           // no root
  graphs[2](3, 4) = kNaN;                        // no number
  graphs[3](0, 2) = 2e9;                         // too large
  graphs[4].col(3).setConstant(-kInf);           // no head
  graphs[5] = graphs::normal(5, 300.0, random);  // extended range
  const Answered answered = ask(question_of(7, 5, 6), padded(graphs, 5), {5, 5, 5, 5, 5, 5, 6});
  using enum GraphStatus;
  const std::vector<GraphStatus> expected = {solved, infeasible, invalid, invalid, infeasible, extended, invalid};
  EXPECT_EQ(answered.status, expected);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    SCOPED_TRACE(testing::Message() << "graph " << g);
    if (expected[g] == solved || expected[g] == extended) {
      EXPECT_EQ(answered.count[g], 6);
      EXPECT_GT(answered.threshold[g], -kInf);
    } else {
      expect_trees(answered, g, {{}, {}, -kInf}, 6, 5);
    }
  }
}

/// Two words that only have each other and the root need two root arcs, if the others have the same.
TEST(CudaBeamQuestion, SingleRootsThatWouldNeedTwo) {
  Matrix scores = Matrix::Constant(5, 5, -kInf);
  scores.row(0).setZero();
  scores(1, 2) = scores(2, 1) = scores(3, 4) = scores(4, 3) = 0.0;
  for (Root root : graphs::kRoots) {
    BeamQuestion question = question_of(1, 4, 20);
    question.root = root;
    const Answered answered = ask(question, padded({scores}, 4));
    EXPECT_EQ(answered.status[0], root == Root::single ? GraphStatus::infeasible : GraphStatus::solved);
    EXPECT_EQ(answered.count[0], root == Root::single ? 0 : 9);
  }
}

TEST(CudaBeamQuestion, NonsenseIsRefused) {
  const Execution host{.executor = Executor::host};
  const auto message = [&](const BeamQuestion& question) {
    return message_of<InputError>([&] { beam_sample(question, host); });
  };
  BeamQuestion question = question_of(1, 3, 2);
  EXPECT_EQ(message(question), "[cuda::beam_sample] no room for the status of graphs");
  GraphStatus status{};
  question.status = &status;
  EXPECT_EQ(message(question), "[cuda::beam_sample] no scores");
  EXPECT_EQ(message(question_of(1, 3, -1)), "[cuda::beam_sample] -1 trees");
  EXPECT_EQ(message(question_of(1, 50, 1 << 30)), "[cuda::beam_sample] 1073741824 trees");
  EXPECT_EQ(message(question_of(1, 0, 2)), "[cuda::beam_sample] 0 words, expected 1 to 65535");
  EXPECT_EQ(message(question_of(-1, 3, 2)), "[cuda::beam_sample] -1 graphs");
  EXPECT_NO_THROW(beam_sample(question_of(0, 3, 2), host));
  EXPECT_TRUE(beam_sample(MatrixBatch(), Root::single, 3, 0, test_executor()).empty());
}

/// The known answers that Random123 publishes for this generator.
TEST(CudaBeamParts, PhiloxIsPhilox) {
  constexpr std::uint32_t kOnes = 0xffffffff;
  const FourWords zeros = philox({{0, 0, 0, 0}}, 0, 0), ones = philox({{kOnes, kOnes, kOnes, kOnes}}, kOnes, kOnes);
  const std::uint32_t of_zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const std::uint32_t of_ones[] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(zeros.x[i], of_zeros[i]);
    EXPECT_EQ(ones.x[i], of_ones[i]);
  }
}

TEST(CudaBeamParts, CutsLeaveWhatIsWanted) {
  graphs::Random random(914);
  std::normal_distribution<double> normal;
  std::vector<int> histogram(256);
  for (const double scale : {1.0, 1e-12, 1e300}) {
    std::vector<double> numbers(3000);
    for (double& x : numbers) x = scale * normal(random);
    numbers[5] = numbers[6];
    std::vector<double> sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    std::vector<Prefix> list;
    for (const double x : numbers) {
      EXPECT_EQ(from_ordered_bits(ordered_bits(x)), x);
      list.push_back({x, 0.0, 0, 0, 0});
    }
    for (const int wanted : {1, 2, 100, 1500, 2999})
      for (const int enough : {wanted, 2 * wanted}) {
        const std::uint64_t cut = find_cut(HostTeam<8>(), list.data(), 3000, wanted, enough, histogram.data());
        const auto left =
            std::count_if(numbers.begin(), numbers.end(), [&](double x) { return ordered_bits(x) >= cut; });
        EXPECT_GE(left, wanted);
        EXPECT_LE(left, enough + 1);  // two are equal
        EXPECT_LE(cut, ordered_bits(sorted[3000 - wanted]));
      }
  }
}

}  // namespace
}  // namespace kirchhoff::cuda
