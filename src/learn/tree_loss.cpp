// Computes losses and their gradients with respect to the arc scores s.
//
//   L_{beta,gamma}(s; y) = 1/beta log sum over trees y' of exp beta [s(y') - s(y) + gamma cost(y')] [Martins10, eq. 22]
//
// For beta < inf the gradient is the marginals of the tempered, cost-augmented distribution minus the gold tree's arcs;
// for beta = inf a best tree takes the place of the marginals. The expected cost is n times one minus the expected
// attachment score, and so is its gradient. All take O(n^3) time, and O(n^2) for beta = inf.
#include "base/check.hpp"

#include "kirchhoff/learn.hpp"
#include "kirchhoff/projective.hpp"

#include <cmath>

namespace kirchhoff {
namespace {

/// Raises the scores by gamma where the arc is not gold, because the cost is a sum over arcs.
Matrix augmented(const MatrixRef& scores, const Heads& gold, double gamma) {
  Matrix s = scores;
  s.array() += gamma;
  for (Eigen::Index d = 1; d < s.cols(); ++d)
    s(gold[static_cast<std::size_t>(d)], d) = scores(gold[static_cast<std::size_t>(d)], d);
  return s;
}

double score_of(const MatrixRef& scores, const Heads& heads) {
  double sum = 0.0;
  for (Eigen::Index d = 1; d < scores.cols(); ++d) sum += scores(heads[static_cast<std::size_t>(d)], d);
  return sum;
}

void subtract_tree(Matrix& gradient, const Heads& heads) {
  for (Eigen::Index d = 1; d < gradient.cols(); ++d) gradient(heads[static_cast<std::size_t>(d)], d) -= 1.0;
}

/// The loss over the trees of a kind of distribution, the best of which best(scores, root) finds.
template <class Distribution, class Best>
ArcObjective loss_over(const char* function, const MatrixRef& scores, const Heads& gold, Root root, Loss loss,
                       const Best& best) {
  constexpr Accuracy kEnough{.tolerance = 1e-9, .floor = 1e-3};
  const int n = base::check_square(function, "scores", scores);
  check_tree(gold, n, root, function);
  if (!(loss.beta > 0.0) || !(loss.gamma >= 0.0) || std::isinf(loss.gamma)) {
    base::input_error(function, "beta must be above 0 and gamma finite and not negative");
  }
  if (!std::isfinite(score_of(scores, gold))) base::input_error(function, "gold: has an impossible arc");
  if (loss.kind == Loss::Kind::expected_cost) {
    const Distribution p(scores, root, kEnough);
    return {n * (1.0 - risk(p, Gold{gold, {}})), -n * risk_gradient(p, Gold{gold, {}})};
  }
  // Inference is exact, so what is below 0 is rounding.
  Matrix s = augmented(scores, gold, loss.gamma);
  if (std::isinf(loss.beta)) {
    const Tree found = best(s, root);
    ArcObjective result{std::max(0.0, found.score - score_of(s, gold)), Matrix::Zero(n + 1, n + 1)};
    for (int d = 1; d <= n; ++d) result.gradient(found.heads[static_cast<std::size_t>(d)], d) += 1.0;
    subtract_tree(result.gradient, gold);
    return result;
  }
  s *= loss.beta;
  const Distribution p(s, root, kEnough);
  ArcObjective result{std::max(0.0, -p.log_prob(gold)) / loss.beta, p.marginals()};
  subtract_tree(result.gradient, gold);
  return result;
}

}  // namespace

ArcObjective structured_loss(const MatrixRef& scores, const Heads& gold, Root root, Loss loss) {
  return loss_over<TreeDistribution>("structured_loss", scores, gold, root, loss,
                                     [](const Matrix& s, Root mode) { return best_tree(s, mode); });
}

ArcObjective structured_projective_loss(const MatrixRef& scores, const Heads& gold, Root root, Loss loss) {
  constexpr const char* kName = "structured_projective_loss";
  check_tree(gold, static_cast<int>(scores.rows()) - 1, root, kName);
  if (!is_projective(gold)) base::input_error(kName, "gold: two of its arcs cross");
  return loss_over<ProjectiveTreeDistribution>(
      kName, scores, gold, root, loss, [](const Matrix& s, Root mode) { return best_projective_tree(s, mode); });
}

}  // namespace kirchhoff
