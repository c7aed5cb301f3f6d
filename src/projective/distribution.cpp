// The public face of projective distributions: checks arguments and asks the methods that know the answer.
#include "base/check.hpp"
#include "projective/state.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kirchhoff {
namespace {

using projective::ProjectiveState;

std::string arc_name(Arc arc) { return std::to_string(arc.head) + " -> " + std::to_string(arc.dependent); }

Matrix with_one_head(Matrix scores, Arc arc) {
  const double score = scores(arc.head, arc.dependent);
  scores.col(arc.dependent).setConstant(-HUGE_VAL);
  scores(arc.head, arc.dependent) = score;
  return scores;
}

}  // namespace

bool is_projective(const Heads& heads) {
  const int n = static_cast<int>(heads.size()) - 1;
  check_tree(heads, n, Root::multi, "is_projective");
  for (int d = 1; d <= n; ++d) {
    const int low = std::min(d, heads[d]), high = std::max(d, heads[d]);
    for (int k = low + 1; k < high; ++k) {
      if (heads[k] < low || heads[k] > high) return false;
    }
  }
  return true;
}

ProjectiveTreeDistribution::ProjectiveTreeDistribution(const MatrixRef& scores, Root root, Accuracy accuracy) {
  const auto state = std::make_shared<State>();
  projective::solve(scores, root, accuracy, *state);
  state_ = state;
}

int ProjectiveTreeDistribution::words() const { return state_->words; }
Root ProjectiveTreeDistribution::root() const { return state_->root; }
const Accuracy& ProjectiveTreeDistribution::accuracy() const { return state_->accuracy; }
const Report& ProjectiveTreeDistribution::report() const { return state_->report; }
double ProjectiveTreeDistribution::log_partition() const { return state_->log_z; }

MatrixView ProjectiveTreeDistribution::scores() const& { return {state_->scores.data(), words() + 1, words() + 1}; }
Matrix ProjectiveTreeDistribution::scores() && { return state_->scores; }
MatrixView ProjectiveTreeDistribution::marginals() const& {
  return {state_->marginals.data(), words() + 1, words() + 1};
}
Matrix ProjectiveTreeDistribution::marginals() && { return state_->marginals; }

Matrix ProjectiveTreeDistribution::log_marginals() const {
  Matrix result;
  projective::robust_log_marginals(projective::log_weights(*state_), root(), result);
  return result;
}

double ProjectiveTreeDistribution::log_prob(const Heads& heads) const {
  check_tree(heads, words(), root(), "log_prob");
  if (!is_projective(heads)) return -HUGE_VAL;
  numeric::Sum sum;
  sum.add(-state_->log_z_scaled.high);
  sum.add(-state_->log_z_scaled.low);
  for (int d = 1; d <= words(); ++d) {
    if (scores()(heads[d], d) == -HUGE_VAL) return -HUGE_VAL;
    const numeric::TwoSum scaled = state_->shifts.shifted(scores()(heads[d], d), heads[d], d);
    sum.add(scaled.high);
    sum.add(scaled.low);
  }
  return std::min(sum.value(), 0.0);
}

double ProjectiveTreeDistribution::pair_marginal(Arc a, Arc b) const {
  base::check_arc("pair_marginal", a, words());
  base::check_arc("pair_marginal", b, words());
  const double p = marginals()(a.head, a.dependent);
  if (a == b || p == 0.0) return p;
  if (a.dependent == b.dependent) return 0.0;
  return p * require(a).marginals()(b.head, b.dependent);
}

Matrix ProjectiveTreeDistribution::pair_marginals(int max_words) const {
  const int n = words(), size = n + 1;
  if (n > max_words) {
    base::input_error("pair_marginals", "the table for " + std::to_string(n) + " words has (n+1)^4 entries; limit is " +
                                            std::to_string(max_words) + " words (max_words), or ask pair_marginal");
  }
  Matrix table = Matrix::Zero(size * size, size * size);
  projective::for_each_place(n, [&](int h, int d) {
    const double p = marginals()(h, d);
    if (p == 0.0) return;
    const ProjectiveTreeDistribution given = require({h, d});
    table.row(h * size + d) = p * Eigen::Map<const Eigen::RowVectorXd>(given.marginals().data(), size * size);
    table(h * size + d, h * size + d) = p;
  });
  return table;
}

double ProjectiveTreeDistribution::log_count() const {
  return with_scores(scores().unaryExpr([](double x) { return x == -HUGE_VAL ? x : 0.0; })).log_partition();
}

ProjectiveTreeDistribution ProjectiveTreeDistribution::with_scores(const MatrixRef& other) const {
  base::check_shape("with_scores", "scores", other, words());
  return {other, root(), accuracy()};
}

ProjectiveTreeDistribution ProjectiveTreeDistribution::with_temperature(double temperature) const {
  if (!(temperature > 0.0) || !std::isfinite(temperature)) {
    base::input_error("with_temperature",
                      "temperature must be positive and finite, not " + std::to_string(temperature));
  }
  return with_scores(scores() / temperature);
}

ProjectiveTreeDistribution ProjectiveTreeDistribution::require(Arc arc) const {
  base::check_arc("require", arc, words());
  if (scores()(arc.head, arc.dependent) == -HUGE_VAL) {
    throw Infeasible("required arc " + arc_name(arc) + " is impossible");
  }
  return with_scores(with_one_head(scores(), arc));
}

ProjectiveTreeDistribution ProjectiveTreeDistribution::forbid(Arc arc) const {
  base::check_arc("forbid", arc, words());
  Matrix other = scores();
  other(arc.head, arc.dependent) = -HUGE_VAL;
  return with_scores(other);
}

Matrix ProjectiveTreeDistribution::marginals_along(const MatrixRef& direction) const {
  base::check_shape("marginals_along", "direction", direction, words());
  base::check_finite("marginals_along", "direction", direction);
  return projective::along(*state_, direction);
}

double log_projective_mass(const TreeDistribution& p) {
  try {
    return std::min(ProjectiveTreeDistribution(p.scores(), p.root()).log_partition() - p.log_partition(), 0.0);
  } catch (const Infeasible&) {
    return -HUGE_VAL;
  }
}
double log_projective_mass(const LabelledTreeDistribution& p) { return log_projective_mass(p.tree()); }

}  // namespace kirchhoff
