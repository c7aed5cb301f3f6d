// Scores the labels of each word and chooses the best one that was seen in its position.
#include "parser/inference/labeller.hpp"

#include "base/random.hpp"
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

void Labeller::score_arc(Arc arc) {
  Nodes nodes;
  nodes.fill(-1);
  nodes[0] = arc.head;
  nodes[1] = arc.dependent;
  score(nodes);
}

Labeller::Folded Labeller::fold(Arc arc) {
  score_arc(arc);
  std::vector<double>& allowed = allowed_;
  allowed.clear();
  for (std::size_t l = 0; l < scores_.size(); ++l) {
    if (label_allowed(model_->label_use[l], arc.head == 0)) allowed.push_back(scores_[l]);
  }
  if (allowed.empty()) return {};  // label() has a label for it, too
  const double best = *std::max_element(allowed.begin(), allowed.end());
  return {learn::fold_labels(allowed, 1.0), best};
}

Labeller::Choice Labeller::choice(Arc arc, int gold) {
  score_arc(arc);
  Choice choice;
  bool found = false;
  for (std::size_t l = 0; l < scores_.size(); ++l) {
    if (!label_allowed(model_->label_use[l], arc.head == 0)) continue;
    if (static_cast<int>(l) == gold) {
      choice.gold = choice.scores.size();
      found = true;
    }
    choice.scores.push_back(scores_[l]);
  }
  return found ? choice : Choice{};
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
    const double sum = weigh(heads[d] == 0);
    result.probabilities[d] = best < 0 ? 1.0 : 1.0 / sum;
  }
  return result;
}

/// weights_ become the probabilities of labels but for a factor, exp((score - highest) / temperature), and 0 for labels
/// that the word cannot have. Returns the factor, their sum.
double Labeller::weigh(bool below_root) {
  weights_.assign(scores_.size(), 0.0);
  double highest = -HUGE_VAL;
  for (std::size_t l = 0; l < scores_.size(); ++l) {
    if (label_allowed(model_->label_use[l], below_root)) highest = std::max(highest, static_cast<double>(scores_[l]));
  }
  double sum = 0.0;
  for (std::size_t l = 0; l < scores_.size(); ++l) {
    if (!label_allowed(model_->label_use[l], below_root)) continue;
    sum += weights_[l] = std::exp((scores_[l] - highest) / model_->settings.label_temperature);
  }
  return sum;
}

std::vector<int> Labeller::labels_of(const Heads& heads, std::size_t k, const ParseOptions& options) {
  constexpr std::uint64_t kLabels = 0x6c6162656cULL;  // Names the random numbers that choose them.
  if (options.samples == 0 || !model_->settings.joint) return label(heads, false).labels;
  base::Random random(options.seed, k, kLabels);
  const std::vector<Nodes> nodes = label_nodes(heads);
  std::vector<int> labels(heads.size(), 0);
  for (std::size_t d = 1; d < heads.size(); ++d) {
    score(nodes[d]);
    double left = weigh(heads[d] == 0) * random.uniform();
    for (std::size_t l = 0; l < weights_.size(); ++l) {
      if (weights_[l] == 0.0) continue;
      labels[d] = static_cast<int>(l);  // the last one, if rounding leaves something
      left -= weights_[l];
      if (left < 0.0) break;
    }
  }
  return labels;
}

}  // namespace kirchhoff::parser
