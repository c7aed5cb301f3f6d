// Labels of sampled arcs, and sampled trees with their scores.
#pragma once

#include "base/random.hpp"
#include "kirchhoff/sample.hpp"

namespace kirchhoff::sample {

/// The logarithms of p(label | arc) for all labels.
std::vector<double> label_logs(const LabelledMatrix& scores, Arc arc);
/// Draws one label for each word's arc; labels[0] is 0.
std::vector<int> sample_labels(const LabelledMatrix& scores, const Heads& heads, base::Random& random);

/// The tree with its score and log-probability.
Tree tree_of(const TreeDistribution& p, Heads heads);
Tree tree_of(const LabelledTreeDistribution& p, Heads heads, std::vector<int> labels);

}  // namespace kirchhoff::sample
