// Losses over labelled trees become losses over trees, since an arc has one label whatever the other arcs are:
//
//   L(s; y) = 1/beta log sum over labelled trees y' of exp beta [s(y') - s(y) + gamma cost(y')]
//           = 1/beta log sum over trees t of exp beta [sum over arcs a of t of theta_a] - s(y)
//   theta_a = 1/beta log sum over labels l of exp beta [s_al + gamma cost_al]
//
// A word costs 1 when its head or its label is wrong, as LAS counts. With p_a the probability of the arc and c_al =
// exp beta [s_al + gamma cost_al - theta_a], the derivative by s_al is p_a c_al, less 1 for gold: that by theta_a times
// c_al, and for the gold label l of a gold arc g besides c_gk - [k = l]. The expected cost, for which beta is 1 and
// gamma 0, is n - sum of p_g c_gl over the gold arcs; its derivative by theta is one of marginals along a direction,
// and what there is besides is p_g c_gl (c_gk - [k = l]). Nothing of this asks how the trees are scored, so that models
// of parts fold and unfold in the same way.
#include "learn/labelled_loss.hpp"

#include "base/check.hpp"
#include "kirchhoff/projective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kirchhoff {
namespace learn {
namespace {

constexpr Accuracy kEnough{.tolerance = 1e-9, .floor = 1e-3};

void check(const char* function, const LabelledArcs& all, const Gold& gold, Root root, const Loss& loss) {
  check_tree(gold.heads, all.words, root, function);
  if (gold.labels.size() != gold.heads.size()) base::input_error(function, "gold: must have a label for each word");
  for (std::size_t d = 1; d < gold.labels.size(); ++d) {
    if (gold.labels[d] < 0 || gold.labels[d] >= all.labels) base::input_error(function, "gold: has an unknown label");
  }
  if (!(loss.beta > 0.0) || !(loss.gamma >= 0.0) || std::isinf(loss.gamma)) {
    base::input_error(function, "beta must be above 0 and gamma finite and not negative");
  }
}

Matrix matrix_of(const LabelledArcs& all, const std::vector<double>& by_arc, double others) {
  Matrix matrix = Matrix::Constant(all.words + 1, all.words + 1, others);
  for (std::size_t a = 0; a < all.arcs.size(); ++a) matrix(all.arcs[a].head, all.arcs[a].dependent) = by_arc[a];
  return matrix;
}

std::vector<double> list_of(const LabelledArcs& all, const MatrixRef& matrix) {
  std::vector<double> list;
  for (const auto& [h, d] : all.arcs) list.push_back(matrix(h, d));
  return list;
}

template <class Distribution>
LabelledArcsObjective expected_cost(const LabelledArcs& all, const FoldedArcs& f, const Gold& gold, Root root) {
  const Distribution p(matrix_of(all, f.theta, -HUGE_VAL), root, kEnough);
  const std::vector<double> marginals = list_of(all, p.marginals());
  std::vector<double> of_gold;
  LabelledArcsObjective result{static_cast<double>(all.words), {}};
  for (const std::size_t a : f.gold) {
    of_gold.push_back(marginals[a] * f.right[a]);
    result.value -= of_gold.back();
  }
  result.value = std::max(0.0, result.value);  // what is below 0 is rounding
  std::vector<double> by_theta = list_of(all, p.marginals_along(matrix_of(all, f.right, 0.0)));
  for (double& slope : by_theta) slope = -slope;
  result.gradient = unfold(f, gold, by_theta, of_gold);
  return result;
}

}  // namespace

double fold_labels(std::span<double> scores, double beta) {
  const auto best = std::max_element(scores.begin(), scores.end());
  const double highest = *best;
  if (std::isinf(highest) || std::isinf(beta)) {
    std::fill(scores.begin(), scores.end(), 0.0);
    if (!std::isinf(highest)) *best = 1.0;
    return highest;
  }
  double sum = 0.0;
  for (double& s : scores) sum += s = std::exp(beta * (s - highest));
  for (double& s : scores) s /= sum;
  return highest + std::log(sum) / beta;
}

FoldedArcs fold_arcs(const char* function, const LabelledArcs& all, const Gold& gold, const Loss& loss) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  const auto labels = static_cast<std::size_t>(all.labels);
  FoldedArcs f{{},
               all.scores,
               std::vector<std::size_t>(static_cast<std::size_t>(all.words), kNone),
               std::vector<double>(all.arcs.size(), 0.0),
               0.0};
  const double gamma = loss.kind == Loss::Kind::expected_cost ? 0.0 : loss.gamma;
  const double beta = loss.kind == Loss::Kind::expected_cost ? 1.0 : loss.beta;
  for (std::size_t a = 0; a < all.arcs.size(); ++a) {
    const auto w = static_cast<std::size_t>(all.arcs[a].dependent);
    const bool is_gold = gold.heads[w] == all.arcs[a].head;
    const auto label = static_cast<std::size_t>(gold.labels[w]);
    const std::span<double> own(f.given.data() + a * labels, labels);
    const double gold_score = is_gold ? own[label] : 0.0;
    for (std::size_t l = 0; l < labels; ++l) {
      if (!is_gold || l != label) own[l] += gamma;
    }
    f.theta.push_back(fold_labels(own, beta));
    if (!is_gold) continue;
    f.gold[w - 1] = a;
    f.right[a] = own[label];
    f.excess += f.theta[a] - gold_score;
  }
  if (std::find(f.gold.begin(), f.gold.end(), kNone) != f.gold.end() || !std::isfinite(f.excess)) {
    base::input_error(function, "gold: has an impossible arc or label");
  }
  return f;
}

std::vector<double> unfold(const FoldedArcs& f, const Gold& gold, std::span<const double> by_theta,
                           std::span<const double> of_gold) {
  const std::size_t labels = f.given.size() / f.theta.size();
  std::vector<double> gradient(f.given.size());
  for (std::size_t a = 0; a < f.theta.size(); ++a) {
    for (std::size_t i = a * labels; i < (a + 1) * labels; ++i) gradient[i] = by_theta[a] * f.given[i];
  }
  for (std::size_t w = 0; w < f.gold.size(); ++w) {
    const std::size_t first = f.gold[w] * labels;
    for (std::size_t i = first; i < first + labels; ++i) gradient[i] += of_gold[w] * f.given[i];
    gradient[first + static_cast<std::size_t>(gold.labels[w + 1])] -= of_gold[w];
  }
  return gradient;
}

LabelledArcsObjective labelled_loss(const char* function, const LabelledArcs& all, const Gold& gold, Root root,
                                    Loss loss, bool projective) {
  check(function, all, gold, root, loss);
  const FoldedArcs f = fold_arcs(function, all, gold, loss);
  if (loss.kind == Loss::Kind::expected_cost) {
    return projective ? expected_cost<ProjectiveTreeDistribution>(all, f, gold, root)
                      : expected_cost<TreeDistribution>(all, f, gold, root);
  }
  loss.gamma = 0.0;  // The costs are in theta.
  const Matrix theta = matrix_of(all, f.theta, -HUGE_VAL);
  const ArcObjective of_trees = projective ? structured_projective_loss(theta, gold.heads, root, loss)
                                           : structured_loss(theta, gold.heads, root, loss);
  const std::vector<double> ones(f.gold.size(), 1.0);
  return {std::max(0.0, of_trees.value + f.excess), unfold(f, gold, list_of(all, of_trees.gradient), ones)};
}

}  // namespace learn

namespace {

LabelledArcObjective loss_of_matrix(const char* function, const LabelledMatrix& scores, const Gold& gold, Root root,
                                    Loss loss, bool projective) {
  const int n = scores.words(), labels = scores.labels();
  learn::LabelledArcs all{n, labels, {}, {}};
  for (int d = 1; d <= n; ++d) {
    for (int h = 0; h <= n; ++h) {
      if (h == d) continue;
      all.arcs.push_back({h, d});
      for (int l = 0; l < labels; ++l) {
        const double s = scores(h, d, l);
        if (std::isnan(s) || s == HUGE_VAL) base::input_error(function, "scores: must be finite or -inf");
        all.scores.push_back(s);
      }
    }
  }
  const learn::LabelledArcsObjective found = learn::labelled_loss(function, all, gold, root, loss, projective);
  LabelledArcObjective result{found.value, LabelledMatrix(n, labels)};
  for (std::size_t a = 0; a < all.arcs.size(); ++a) {
    const auto [h, d] = all.arcs[a];
    for (int l = 0; l < labels; ++l) {
      result.gradient(h, d, l) = found.gradient[a * static_cast<std::size_t>(labels) + static_cast<std::size_t>(l)];
    }
  }
  return result;
}

}  // namespace

LabelledArcObjective structured_loss(const LabelledMatrix& scores, const Gold& gold, Root root, Loss loss) {
  return loss_of_matrix("structured_loss", scores, gold, root, loss, false);
}

LabelledArcObjective structured_projective_loss(const LabelledMatrix& scores, const Gold& gold, Root root, Loss loss) {
  return loss_of_matrix("structured_projective_loss", scores, gold, root, loss, true);
}

}  // namespace kirchhoff
