// Scores the labels of each word and chooses the best one that was seen in its position.
#include "parser/inference/labeller.hpp"

#include "learn/labelled_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kirchhoff::parser {

std::vector<Nodes> label_nodes(const Heads& heads) {
  enum Role { kHead, kWord, kGrandparent, kLeft, kRight, kFirst, kLast };
  const std::size_t n = heads.size() - 1;
  std::vector<Nodes> nodes(n + 1);
  std::vector<int> last_child(n + 1, -1);
  for (Nodes& node : nodes) node.fill(-1);
  for (std::size_t d = 1; d <= n; ++d) {
    const auto h = static_cast<std::size_t>(heads[d]);
    nodes[d][kHead] = heads[d];
    nodes[d][kWord] = static_cast<int>(d);
    nodes[d][kGrandparent] = heads[h];
    nodes[d][kLeft] = last_child[h];
    if (last_child[h] < 0) {
      nodes[h][kFirst] = static_cast<int>(d);
    } else {
      nodes[static_cast<std::size_t>(last_child[h])][kRight] = static_cast<int>(d);
    }
    nodes[h][kLast] = static_cast<int>(d);
    last_child[h] = static_cast<int>(d);
  }
  return nodes;
}

bool label_allowed(std::uint8_t use, bool below_root) { return (use & (below_root ? kRootLabel : kWordLabel)) != 0; }

/// Writes the sum of the weights of the word's features into scores_, label by label.
void Labeller::score(const Nodes& nodes) {
  keys_.clear();
  features_.append(nodes, keys_);
  scores_.assign(model_->label_use.size(), 0.0F);
  model_->labels.add(keys_, lists_, scores_);
}

Labeller::Folded Labeller::fold(Arc arc) {
  Nodes nodes;
  nodes.fill(-1);
  nodes[0] = arc.head;
  nodes[1] = arc.dependent;
  score(nodes);
  std::vector<double>& allowed = allowed_;
  allowed.clear();
  for (std::size_t l = 0; l < scores_.size(); ++l) {
    if (label_allowed(model_->label_use[l], arc.head == 0)) allowed.push_back(scores_[l]);
  }
  if (allowed.empty()) return {};  // label() has a label for it, too
  const double best = *std::max_element(allowed.begin(), allowed.end());
  return {learn::fold_labels(allowed, 1.0), best};
}

Labeller::Labels Labeller::label(const Heads& heads, bool probabilities) {
  const std::vector<Nodes> nodes = label_nodes(heads);
  Labels result{std::vector<int>(heads.size(), 0), {}};
  if (probabilities) result.probabilities.assign(heads.size(), 0.0);
  for (std::size_t d = 1; d < heads.size(); ++d) {
    score(nodes[d]);
    int best = -1;
    for (std::size_t l = 0; l < scores_.size(); ++l) {
      if (!label_allowed(model_->label_use[l], heads[d] == 0)) continue;
      if (best < 0 || scores_[l] > scores_[static_cast<std::size_t>(best)]) best = static_cast<int>(l);
    }
    result.labels[d] = std::max(best, 0);
    if (!probabilities) continue;
    double sum = 0.0;
    for (std::size_t l = 0; l < scores_.size(); ++l) {
      if (!label_allowed(model_->label_use[l], heads[d] == 0)) continue;
      sum += std::exp(static_cast<double>(scores_[l]) - scores_[static_cast<std::size_t>(best)]);
    }
    result.probabilities[d] = best < 0 ? 1.0 : 1.0 / sum;
  }
  return result;
}

}  // namespace kirchhoff::parser
