// Losses over labelled trees become losses over trees, since an arc has one label whatever the other arcs are:
//
//   L(s; y) = 1/beta log sum over labelled trees y' of exp beta [s(y') - s(y) + gamma cost(y')]
//           = 1/beta log sum over trees t of exp beta [sum over arcs a of t of theta_a] - s(y)
//   theta_a = 1/beta log sum over labels l of exp beta [s_al + gamma cost_al]
//
// A word costs 1 when its head or its label is wrong, as LAS counts. With p_a the probability of the arc and c_al =
// exp beta [s_al + gamma cost_al - theta_a], the derivative by s_al is p_a c_al, less 1 for gold. The expected cost,
// for which beta is 1 and gamma 0, is n - sum of p_g c_gl over the gold arcs; its derivative by theta is one of
// marginals along a direction, that of c_gl by s_gk is c_gl ([k = l] - c_gk).
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

/// What is left of labelled arcs when their labels are summed out.
struct Folded {
  Matrix theta;                   ///< by arc; -inf where there is none
  std::vector<double> given;      ///< c, as LabelledArcs::scores lie
  std::vector<std::size_t> gold;  ///< where the gold arcs are: gold[d - 1] is that of word d
  double gold_score = 0.0;
};

Folded fold(const char* function, const LabelledArcs& all, const Gold& gold, const Loss& loss) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  const auto labels = static_cast<std::size_t>(all.labels);
  Folded f{Matrix::Constant(all.words + 1, all.words + 1, -HUGE_VAL), all.scores,
           std::vector<std::size_t>(static_cast<std::size_t>(all.words), kNone), 0.0};
  const double gamma = loss.kind == Loss::Kind::expected_cost ? 0.0 : loss.gamma;
  const double beta = loss.kind == Loss::Kind::expected_cost ? 1.0 : loss.beta;
  for (std::size_t a = 0; a < all.arcs.size(); ++a) {
    const auto [h, d] = all.arcs[a];
    const auto w = static_cast<std::size_t>(d);
    const bool is_gold = gold.heads[w] == h;
    const std::span<double> own(f.given.data() + a * labels, labels);
    if (is_gold) {
      f.gold[w - 1] = a;
      f.gold_score += own[static_cast<std::size_t>(gold.labels[w])];
    }
    for (std::size_t l = 0; l < labels; ++l) {
      if (!is_gold || l != static_cast<std::size_t>(gold.labels[w])) own[l] += gamma;
    }
    f.theta(h, d) = fold_labels(own, beta);
  }
  if (std::find(f.gold.begin(), f.gold.end(), kNone) != f.gold.end() || !std::isfinite(f.gold_score)) {
    base::input_error(function, "gold: has an impossible arc or label");
  }
  return f;
}

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

template <class Distribution>
LabelledArcsObjective expected_cost(const LabelledArcs& all, const Folded& f, const Gold& gold, Root root) {
  const auto labels = static_cast<std::size_t>(all.labels);
  const Distribution p(f.theta, root, kEnough);
  const auto marginals = p.marginals();
  const auto c_of = [&](std::size_t arc, int label) { return f.given[arc * labels + static_cast<std::size_t>(label)]; };
  LabelledArcsObjective result{static_cast<double>(all.words), std::vector<double>(all.scores.size(), 0.0)};
  Matrix right = Matrix::Zero(all.words + 1, all.words + 1);
  for (std::size_t w = 1; w < gold.heads.size(); ++w) {
    const auto d = static_cast<Eigen::Index>(w);
    right(gold.heads[w], d) = c_of(f.gold[w - 1], gold.labels[w]);
    result.value -= marginals(gold.heads[w], d) * right(gold.heads[w], d);
  }
  result.value = std::max(0.0, result.value);  // what is below 0 is rounding
  const Matrix slopes = p.marginals_along(right);
  for (std::size_t a = 0; a < all.arcs.size(); ++a) {
    const auto [h, d] = all.arcs[a];
    const auto w = static_cast<std::size_t>(d);
    for (int k = 0; k < all.labels; ++k) {
      double& g = result.gradient[a * labels + static_cast<std::size_t>(k)];
      g = -slopes(h, d) * c_of(a, k);
      if (gold.heads[w] != h) continue;
      g -= marginals(h, d) * right(h, d) * ((k == gold.labels[w] ? 1.0 : 0.0) - c_of(a, k));
    }
  }
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

LabelledArcsObjective labelled_loss(const char* function, const LabelledArcs& all, const Gold& gold, Root root,
                                    Loss loss, bool projective) {
  check(function, all, gold, root, loss);
  const Folded f = fold(function, all, gold, loss);
  if (loss.kind == Loss::Kind::expected_cost) {
    return projective ? expected_cost<ProjectiveTreeDistribution>(all, f, gold, root)
                      : expected_cost<TreeDistribution>(all, f, gold, root);
  }
  loss.gamma = 0.0;  // The costs are in theta.
  const ArcObjective of_trees = projective ? structured_projective_loss(f.theta, gold.heads, root, loss)
                                           : structured_loss(f.theta, gold.heads, root, loss);
  const auto labels = static_cast<std::size_t>(all.labels);
  LabelledArcsObjective result{of_trees.value - f.gold_score, std::vector<double>(all.scores.size(), 0.0)};
  for (std::size_t w = 1; w < gold.heads.size(); ++w)
    result.value += f.theta(gold.heads[w], static_cast<Eigen::Index>(w));
  result.value = std::max(0.0, result.value);
  for (std::size_t a = 0; a < all.arcs.size(); ++a) {
    const auto [h, d] = all.arcs[a];
    const auto w = static_cast<std::size_t>(d);
    const bool is_gold = gold.heads[w] == h;
    const double p = of_trees.gradient(h, d) + (is_gold ? 1.0 : 0.0);
    double* own = result.gradient.data() + a * labels;
    for (std::size_t l = 0; l < labels; ++l) own[l] = p * f.given[a * labels + l];
    if (is_gold) own[gold.labels[w]] -= 1.0;
  }
  return result;
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
