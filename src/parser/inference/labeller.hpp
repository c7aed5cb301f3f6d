// Relations given the tree, by a multinomial logistic model over the features of each arc and its surroundings.
#pragma once

#include "parser/features/feature_keys.hpp"
#include "parser/file/model.hpp"

namespace kirchhoff::parser {

/// For each word the nodes of its label features: head, word, head's head, the head's other dependents next to the word
/// on the left and on the right, the word's first and last dependent; -1 where there is none. Takes O(n) time.
std::vector<Nodes> label_nodes(const Heads& heads);

/// Whether a label with this use was seen below the root, or elsewhere, as the word stands.
bool label_allowed(std::uint8_t use, bool below_root);

/// Chooses the labels of a tree, and gives the probability of each when that is asked for.
class Labeller {
 public:
  explicit Labeller(const Model& model) : model_(&model), features_(model.label_templates) {}

  struct Labels {
    std::vector<int> labels;            ///< [0] == 0.
    std::vector<double> probabilities;  ///< [0] is unused.
  };
  void read(const Encoded& sentence) { features_.read(sentence); }
  Labels label(const Heads& heads, bool probabilities);
  /// The labels of the k-th of several trees: the best ones, and joint labels of samples by their probabilities.
  std::vector<int> labels_of(const Heads& heads, std::size_t k, const ParseOptions& options);
  /// The scores of the labels that a word can have, and the place of one of them.
  struct Choice {
    std::vector<double> scores;
    std::size_t gold = 0;
  };
  /// The choice of joint labels of an arc, divided by no temperature; without scores when `gold` is none of them.
  Choice choice(Arc arc, int gold);
  /// Of an arc, when relations know of nothing else: the logarithm of the sum over its labels of exp(score), and the
  /// highest score.
  struct Folded {
    double sum = 0.0, best = 0.0;
  };
  Folded fold(Arc arc);

 private:
  void score(const Nodes& nodes);
  void score_arc(Arc arc);
  double weigh(bool below_root);

  const Model* model_;
  FeatureKeys features_;
  std::vector<std::uint64_t> keys_;
  std::vector<const LabelWeight*> lists_;
  std::vector<float> scores_;
  std::vector<double> allowed_, weights_;
};

}  // namespace kirchhoff::parser
