// The public face of tree distributions: checks arguments and asks the modules that know the answer.
#include "kirchhoff/tree.hpp"

#include "base/check.hpp"
#include "kirchhoff/tree_batch.hpp"
#include "tree/log_probabilities.hpp"
#include "tree/marginals_along.hpp"
#include "tree/pair_marginal.hpp"
#include "tree/solve.hpp"

#include <cmath>
#include <optional>
#include <string>

namespace kirchhoff {
namespace {

std::string name(Arc arc) { return std::to_string(arc.head) + " -> " + std::to_string(arc.dependent); }

// The scores with no other arc into the arc's dependent.
Matrix with_only_head(Matrix scores, Arc arc) {
  const double score = scores(arc.head, arc.dependent);
  scores.col(arc.dependent).setConstant(-HUGE_VAL);
  scores(arc.head, arc.dependent) = score;
  return scores;
}

std::shared_ptr<const tree::TreeState> make_state(const MatrixRef& scores, Root root, const Accuracy& accuracy) {
  const std::shared_ptr<tree::TreeState> state = tree::shared_state();
  tree::solve(scores, root, accuracy, *state);
  tree::keep_scores(*state);
  return state;
}

}  // namespace

TreeDistribution::TreeDistribution(const MatrixRef& scores, Root root, Accuracy accuracy)
    : state_(make_state(scores, root, accuracy)) {}

int TreeDistribution::words() const { return state_->words; }
Root TreeDistribution::root() const { return state_->root; }
const Accuracy& TreeDistribution::accuracy() const { return state_->accuracy; }
const Report& TreeDistribution::report() const { return state_->report; }
double TreeDistribution::log_partition() const { return state_->log_z; }

MatrixView TreeDistribution::scores() const& { return {state_->scores, state_->words + 1, state_->words + 1}; }

MatrixView TreeDistribution::marginals() const& {
  return {state_->marginals.data(), state_->words + 1, state_->words + 1};
}

Matrix TreeDistribution::scores() && { return static_cast<const TreeDistribution&>(*this).scores(); }
Matrix TreeDistribution::marginals() && { return static_cast<const TreeDistribution&>(*this).marginals(); }

Matrix TreeDistribution::log_marginals() const { return tree::log_marginals(*state_); }

double TreeDistribution::log_prob(const Heads& heads) const {
  check_tree(heads, words(), root(), "log_prob");
  return tree::log_prob(*state_, heads);
}

double TreeDistribution::log_count() const {
  const Matrix zeros = scores().unaryExpr([](double x) { return x == -HUGE_VAL ? x : 0.0; });
  return with_scores(zeros).log_partition();
}

// The distribution given an arc, by the robust method, for where the fast one is not good enough.
TreeDistribution TreeDistribution::given(Arc arc) const {
  return {with_only_head(scores(), arc), root(), {Method::robust, accuracy().tolerance, accuracy().floor}};
}

double TreeDistribution::pair_marginal(Arc a, Arc b) const {
  base::check_arc("pair_marginal", a, words());
  base::check_arc("pair_marginal", b, words());
  const auto p = marginals();
  if (a == b) return p(a.head, a.dependent);
  if (a.dependent == b.dependent || p(a.head, a.dependent) == 0.0 || p(b.head, b.dependent) == 0.0) return 0.0;
  const double pair = tree::pair_marginal(*state_, a, b);
  if (pair >= 0.0) return pair;
  return p(a.head, a.dependent) * given(a).marginals()(b.head, b.dependent);
}

Matrix TreeDistribution::pair_marginals(int max_words) const {
  const int n = words();
  if (n > max_words) {
    base::input_error("pair_marginals", "the table for " + std::to_string(n) + " words has (n+1)^4 entries; limit is " +
                                            std::to_string(max_words) + " words (max_words), or ask pair_marginal");
  }
  const int size = n + 1;
  const auto p = marginals();
  Matrix table = Matrix::Zero(size * size, size * size);
  std::optional<tree::PairRows> rows;
  if (tree::has_pair_terms(*state_)) rows.emplace(*state_);
  for (int j = 1; j <= n; ++j) {
    if (rows) rows->into(j);
    std::vector<int> left;  // heads for which the bound of some error is too large
    for (int i = 0; i <= n; ++i) {
      if (p(i, j) == 0.0) continue;
      if (!rows || !rows->from(i, table.row(i * size + j).data())) left.push_back(i);
    }
    MatrixBatch conditioned;
    for (const int i : left) conditioned.add(with_only_head(scores(), {i, j}));
    const TreeBatch given_arc(conditioned, root(),
                              {.threads = 1, .accuracy = {Method::automatic, accuracy().tolerance, 0.0}});
    for (std::size_t k = 0; k < left.size(); ++k) {
      table.row(left[k] * size + j) =
          p(left[k], j) * Eigen::Map<const Eigen::RowVectorXd>(given_arc.marginals(k).data(), size * size);
    }
    for (int i = 0; i <= n; ++i) table(i * size + j, i * size + j) = p(i, j);
  }
  return table;
}

TreeDistribution TreeDistribution::with_scores(const MatrixRef& other) const {
  base::check_shape("with_scores", "scores", other, words());
  return {other, root(), accuracy()};
}

TreeDistribution TreeDistribution::with_temperature(double temperature) const {
  if (!(temperature > 0.0) || !std::isfinite(temperature)) {
    base::input_error("with_temperature",
                      "temperature must be positive and finite, not " + std::to_string(temperature));
  }
  return with_scores(scores() / temperature);
}

TreeDistribution TreeDistribution::require(Arc arc) const {
  base::check_arc("require", arc, words());
  if (scores()(arc.head, arc.dependent) == -HUGE_VAL) {
    throw Infeasible("required arc " + name(arc) + " is impossible");
  }
  return with_scores(with_only_head(scores(), arc));
}

TreeDistribution TreeDistribution::forbid(Arc arc) const {
  base::check_arc("forbid", arc, words());
  Matrix other = scores();
  other(arc.head, arc.dependent) = -HUGE_VAL;
  return with_scores(other);
}

Matrix TreeDistribution::marginals_along(const MatrixRef& direction) const {
  base::check_shape("marginals_along", "direction", direction, words());
  base::check_finite("marginals_along", "direction", direction);
  Matrix result(words() + 1, words() + 1);
  tree::marginals_along(*state_, direction, result.data());
  return result;
}

}  // namespace kirchhoff
