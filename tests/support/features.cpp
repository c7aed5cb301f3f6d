// Makes random features, and sums second-order expectations over the materialised table of pair marginals.
#include "support/features.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::features {
namespace {

/// One row per feature, one column per labelled arc.
Matrix as_rows(const Features& features) {
  const oracle::ArcArray at(features.words(), features.labels());
  Matrix rows = Matrix::Zero(features.size(), static_cast<Eigen::Index>(at.size()));
  for (const FeatureEntry& e : features.entries()) rows(e.feature, at.index(e.head, e.dependent, e.label)) += e.value;
  return rows;
}

}  // namespace

Features random(int words, int labels, int num_features, double density, graphs::Random& random) {
  std::bernoulli_distribution present(density);
  std::normal_distribution<double> value;
  std::vector<FeatureEntry> entries;
  for (int i = 0; i <= words; ++i)
    for (int j = 1; j <= words; ++j)
      for (int f = 0; f < num_features && i != j; ++f)
        for (int y = 0; y < labels; ++y)
          if (present(random)) entries.push_back({i, j, f, value(random), y});
  return Features(words, num_features, std::move(entries), labels);
}

Features random_matrices(int words, int num_features, graphs::Random& random) {
  std::vector<Matrix> matrices;
  for (int f = 0; f < num_features; ++f) matrices.push_back(graphs::normal(words, 1, random));
  return Features::from_matrices(matrices);
}

std::vector<oracle::ArcArray> dense(const Features& features) {
  std::vector<oracle::ArcArray> result(features.size(), oracle::ArcArray(features.words(), features.labels()));
  for (const FeatureEntry& e : features.entries()) result[e.feature](e.head, e.dependent, e.label) += e.value;
  return result;
}

Matrix labelled_pairs(const TreeDistribution& p) { return p.pair_marginals(); }

Matrix labelled_pairs(const LabelledTreeDistribution& p) {
  const Matrix pairs = p.tree().pair_marginals();
  const int arcs = static_cast<int>(pairs.rows()), labels = p.labels();
  // p(y | arc) = exp(theta_arc,y - logsumexp_y theta_arc,y), docs/methods/trees.md.
  const auto given = [&](int arc, int y) {
    const double* const scores = p.scores().data() + arc * labels;
    const double top = *std::max_element(scores, scores + labels);
    if (!std::isfinite(top)) return 0.0;
    double total = 0.0;
    for (int z = 0; z < labels; ++z) total += std::exp(scores[z] - top);
    return std::exp(scores[y] - top) / total;
  };
  Matrix result = Matrix::Zero(arcs * labels, arcs * labels);
  for (int a = 0; a < arcs; ++a)
    for (int b = 0; b < arcs; ++b)
      for (int y = 0; y < labels && pairs(a, b) != 0; ++y)
        for (int z = 0; z < labels; ++z) {
          const double both = a == b ? (y == z ? given(a, y) : 0.0) : given(a, y) * given(b, z);
          result(a * labels + y, b * labels + z) = pairs(a, b) * both;
        }
  return result;
}

Matrix hessian_second_order(const Matrix& pairs, const Features& r, const Features& s) {
  return as_rows(r) * pairs * as_rows(s).transpose();
}

Matrix hessian_covariance(const Matrix& pairs, const Features& r, const Features& s) {
  const Vector p = pairs.diagonal();
  return as_rows(r) * (pairs - p * p.transpose()) * as_rows(s).transpose();
}

}  // namespace kirchhoff::features
