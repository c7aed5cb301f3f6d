// Puts graphs where the executor under test can read them, asks for trees, and brings them back.
#include "cuda/ask_trees.hpp"

#include "cuda/executor.hpp"
#include "cuda/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff::cuda {
namespace {

constexpr std::int32_t kUnwrittenHead = -77;

/// The arrays of a batch, where the executor under test has them.
template <class Real>
class Arrays {
 public:
  Arrays(const Asked& asked, int trees)
      : asked_(asked),
        places_(places_of(asked)),
        words_(words_of(asked)),
        nodes_(*std::max_element(words_.begin(), words_.end()) + 1),
        count_(trees),
        lengths_(words_),
        offsets_(places_.offsets),
        scores_(packed<Real>(asked, places_, asked.scores)),
        heads_(std::vector<std::int32_t>(asked.scores.size() * trees * nodes_, kUnwrittenHead)),
        labels_(heads_.fetch()),
        score_(std::vector<double>(asked.scores.size() * trees, kUnwritten)),
        status_(std::vector<GraphStatus>(asked.scores.size())) {}

  TreeQuestion question(Root root) {
    TreeQuestion question{.root = root, .graphs = static_cast<std::int64_t>(asked_.scores.size())};
    question.words = nodes_ - 1;
    question.labels = asked_.scores[0].labels();
    question.lengths = lengths_.get();
    if (places_.ragged) question.offsets = offsets_.get();
    question.scores = places_.strides;
    question.scores.values = scores_.get();
    question.heads = heads_.get();
    question.tree_labels = labels_.get();
    question.score = score_.get();
    question.status = status_.get();
    return question;
  }

  AnsweredTrees answers() {
    heads_.fetch();
    labels_.fetch();
    score_.fetch();
    AnsweredTrees answered{std::vector<std::vector<Tree>>(asked_.scores.size()), status_.fetch()};
    for (std::size_t g = 0; g < asked_.scores.size(); ++g) {
      const bool solved = answered.status[g] <= GraphStatus::extended;
      for (std::size_t k = 0; k < count_; ++k) {
        expect_rest(g, k, solved ? words_[g] : -1);
        if (solved) answered.trees[g].push_back(tree(g, k));
      }
    }
    return answered;
  }

 private:
  std::size_t at(std::size_t g, std::size_t k) const { return (g * count_ + k) * nodes_; }

  /// Numbers beyond the words are -1, and without a tree all are.
  void expect_rest(std::size_t g, std::size_t k, int words) {
    for (int word = words + 1; word < nodes_; ++word) {
      EXPECT_EQ(heads_.fetched()[at(g, k) + word], -1) << "graph " << g << ", tree " << k << ", word " << word;
      EXPECT_EQ(labels_.fetched()[at(g, k) + word], -1) << "graph " << g << ", tree " << k << ", word " << word;
    }
    if (words >= 0) return;
    EXPECT_EQ(score_.fetched()[g * count_ + k], -HUGE_VAL) << "graph " << g;
  }
  Tree tree(std::size_t g, std::size_t k) {
    const auto part = [&](const std::vector<std::int32_t>& all) {
      return std::vector<int>(all.begin() + at(g, k), all.begin() + at(g, k) + words_[g] + 1);
    };
    return {part(heads_.fetched()), part(labels_.fetched()), score_.fetched()[g * count_ + k], {}};
  }

  const Asked& asked_;
  const Places places_;
  const std::vector<std::int32_t> words_;
  const int nodes_;
  const std::size_t count_;
  TestArray<std::int32_t> lengths_;
  TestArray<std::int64_t> offsets_;
  TestArray<Real> scores_;
  TestArray<std::int32_t> heads_, labels_;
  TestArray<double> score_;
  TestArray<GraphStatus> status_;
};

template <class Real>
AnsweredTrees ask_best_with(const Asked& asked, Root root) {
  Arrays<Real> arrays(asked, 1);
  best_trees(arrays.question(root), {.executor = test_executor()});
  return arrays.answers();
}

template <class Real>
AnsweredTrees ask_samples_with(const Asked& asked, Root root, const TreeDraws& draws) {
  Arrays<Real> arrays(asked, draws.count);
  sample_trees(arrays.question(root), draws, {.executor = test_executor()});
  return arrays.answers();
}

}  // namespace

AnsweredTrees ask_best(const Asked& asked, Root root) {
  return asked.single_precision ? ask_best_with<float>(asked, root) : ask_best_with<double>(asked, root);
}

AnsweredTrees ask_samples(const Asked& asked, Root root, const TreeDraws& draws) {
  return asked.single_precision ? ask_samples_with<float>(asked, root, draws)
                                : ask_samples_with<double>(asked, root, draws);
}

}  // namespace kirchhoff::cuda
