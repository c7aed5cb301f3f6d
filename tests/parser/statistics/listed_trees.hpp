// All trees of short sentences under a model, listed one by one: the judge of statistics and ranks.
#pragma once

#include "kirchhoff/train.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/training/small_training.hpp"

#include <cmath>
#include <functional>
#include <map>
#include <vector>

namespace kirchhoff {

/// A model of few heads for each word, so that trees can be listed.
inline ParserModel small_model(const PartSet& parts = kArcs) {
  TrainOptions options = small_options();
  options.parts = parts;
  options.pruning = {.threshold = 1e-3, .max_heads = 4};
  const std::vector<Sentence> sentences = ToyTreebank(1).sentences(30);
  return *train_parser(sentences, ToyTreebank(2).sentences(10), options).model;
}

/// Sentences of at most `longest` words.
inline std::vector<Sentence> short_sentences(std::size_t count, int longest = 8) {
  std::vector<Sentence> all = ToyTreebank(5).sentences(200);
  std::erase_if(all, [&](const Sentence& s) { return s.size() > longest; });
  all.resize(count);
  return all;
}

struct ListedTree {
  Heads heads;
  double score = 0.0, probability = 0.0;
};

/// The same model for all tests of a program.
inline const ParserModel& model() {
  static const ParserModel trained = small_model();
  return trained;
}

inline bool crosses(const Heads& heads) {
  const auto inside = [](int x, int low, int high) { return low < x && x < high; };
  for (std::size_t a = 1; a < heads.size(); ++a) {
    for (std::size_t b = 1; b < heads.size(); ++b) {
      const int low = std::min<int>(heads[a], static_cast<int>(a)), high = std::max<int>(heads[a], static_cast<int>(a));
      const int one = heads[b], other = static_cast<int>(b);
      if (inside(one, low, high) != inside(other, low, high) && one != low && one != high && other != low &&
          other != high) {
        return true;
      }
    }
  }
  return false;
}

/// The trees of finite score.
inline std::vector<ListedTree> list_trees(const Matrix& scores, Root root, bool projective = false) {
  const auto n = static_cast<int>(scores.rows()) - 1;
  std::vector<ListedTree> trees;
  Heads heads(static_cast<std::size_t>(n) + 1, -1);
  const std::function<void(int, double)> choose = [&](int d, double score) {
    if (d > n) {
      if (!tree_problem(heads, root) && !(projective && crosses(heads))) trees.push_back({heads, score, 0.0});
      return;
    }
    for (int h = 0; h <= n; ++h) {
      if (h == d || !std::isfinite(scores(h, d))) continue;
      heads[static_cast<std::size_t>(d)] = h;
      choose(d + 1, score + scores(h, d));
    }
  };
  choose(1, 0.0);
  double best = -HUGE_VAL, sum = 0.0;
  for (const ListedTree& tree : trees) best = std::max(best, tree.score);
  for (const ListedTree& tree : trees) sum += std::exp(tree.score - best);
  for (ListedTree& tree : trees) tree.probability = std::exp(tree.score - best) / sum;
  return trees;
}

/// The counts of features of a tree, by what `features_of` makes of its arcs.
template <class Key, class FeaturesOf>
std::map<Key, double> counts_of(const Heads& heads, const FeaturesOf& features_of) {
  std::map<Key, double> counts;
  for (std::size_t d = 1; d < heads.size(); ++d) {
    for (const Key& key : features_of(heads[d], static_cast<int>(d))) counts[key] += 1.0;
  }
  return counts;
}

}  // namespace kirchhoff
