// Labels of sampled trees. Given the tree they are independent, and p(label | arc) is proportional to the exponential
// of its score.
#include "sample/labels.hpp"

#include "numeric/sum.hpp"
#include "tree/log_probabilities.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::sample {

std::vector<double> label_logs(const LabelledMatrix& scores, Arc arc) {
  const std::size_t cell = static_cast<std::size_t>(arc.head) * (scores.words() + 1) + arc.dependent;
  const double* first = scores.data() + cell * scores.labels();
  std::vector<double> logs(first, first + scores.labels());
  const double best = *std::max_element(logs.begin(), logs.end());
  double total = 0.0;
  for (double& x : logs) total += std::exp(x -= best);
  for (double& x : logs) x -= std::log(total);
  return logs;
}

std::vector<int> sample_labels(const LabelledMatrix& scores, const Heads& heads, base::Random& random) {
  std::vector<int> labels(heads.size(), 0);
  for (int word = 1; word < static_cast<int>(heads.size()); ++word) {
    const std::vector<double> logs = label_logs(scores, {heads[word], word});
    double left = random.uniform();
    for (int label = 0; label < scores.labels() && left >= 0.0; ++label) {
      if (logs[label] == -HUGE_VAL) continue;
      labels[word] = label;
      left -= std::exp(logs[label]);
    }
  }
  return labels;
}

Tree tree_of(const TreeDistribution& p, Heads heads) {
  const MatrixView scores = p.scores();
  numeric::Sum score;
  for (int word = 1; word <= p.words(); ++word) score.add(scores(heads[word], word));
  const double log_prob = tree::log_prob(TreeAccess::state(p), heads);
  return {std::move(heads), {}, score.value(), log_prob};
}

Tree tree_of(const LabelledTreeDistribution& p, Heads heads, std::vector<int> labels) {
  numeric::Sum score;
  for (int word = 1; word <= p.words(); ++word) score.add(p.scores()(heads[word], word, labels[word]));
  const double log_prob = p.log_prob(heads, labels);
  return {std::move(heads), std::move(labels), score.value(), log_prob};
}

}  // namespace kirchhoff::sample
