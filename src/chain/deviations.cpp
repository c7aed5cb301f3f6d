// Derivatives of the marginals, along one additive function and along two.
#include "chain/deviations.hpp"

#include "chain/state.hpp"
#include "kirchhoff/chain_expectation.hpp"
#include "numeric/sum.hpp"

#include <cmath>

namespace kirchhoff {
namespace chain {
namespace {

using Block = Eigen::Block<const Matrix>;
using Row = Eigen::RowVectorXd;
using Column = Eigen::VectorXd;

/// The K x K block of pairs at position t >= 1.
Block pairs(const ChainArrays& array, int t) {
  const Eigen::Index tags = array.tags();
  return array.transitions.block((t - 1) * tags, 0, tags, tags);
}

/// The values where p is positive, and 0 elsewhere, where they may be anything.
template <class P, class Values>
auto where_possible(const P& p, const Values& values) {
  return (p.array() > 0.0).select(values.array(), 0.0);
}

/// sums / p, and 0 where p is.
template <class P, class Sums>
Row divided(const Sums& sums, const P& p) {
  return (p.array() > 0.0).select(sums.array() / p.array(), 0.0).matrix();
}

}  // namespace

Deviations::Deviations(const ChainArrays& p, const ChainArrays& f)
    : local(p.length(), p.tags()), before(Matrix::Zero(p.length(), p.tags())), after(before) {
  const Eigen::Index length = p.length(), tags = p.tags();
  numeric::Sum sum;
  for (int t = 0; t < length; ++t) {
    const auto here = p.emissions.row(t);
    const Row values = where_possible(here, f.emissions.row(t)).matrix();
    double centre = here.dot(values);
    if (t == 0) {
      local.emissions.row(0) = where_possible(here, (values.array() - centre).matrix()).matrix();
    } else {
      const auto p_t = pairs(p, t);
      auto g = local.transitions.block((t - 1) * tags, 0, tags, tags);
      g = where_possible(p_t, pairs(f, t)).matrix();
      centre += p_t.cwiseProduct(g).sum();
      g = where_possible(p_t, ((g.rowwise() + values).array() - centre).matrix()).matrix().eval();
    }
    sum.add(centre);
  }
  mean = sum.value();
  before.row(0) = local.emissions.row(0);
  for (int t = 1; t < length; ++t) {
    const Row sums = before.row(t - 1) * pairs(p, t) + pairs(p, t).cwiseProduct(pairs(local, t)).colwise().sum();
    before.row(t) = divided(sums, p.emissions.row(t));
  }
  for (int t = p.length() - 1; t > 0; --t) {
    const Column sums =
        pairs(p, t) * after.row(t).transpose() + pairs(p, t).cwiseProduct(pairs(local, t)).rowwise().sum();
    after.row(t - 1) = divided(sums.transpose(), p.emissions.row(t - 1));
  }
}

ChainArrays along(const ChainArrays& p, const ChainArrays& f) {
  const Deviations e(p, f);
  ChainArrays out(p.length(), p.tags());
  out.emissions = p.emissions.cwiseProduct(e.before + e.after);
  const Eigen::Index tags = p.tags();
  for (int t = 1; t < p.length(); ++t) {
    out.transitions.block((t - 1) * tags, 0, tags, tags) =
        ((pairs(e.local, t).colwise() + e.before.row(t - 1).transpose()).rowwise() + e.after.row(t))
            .cwiseProduct(pairs(p, t));
  }
  return out;
}

}  // namespace chain

ChainArrays ChainDistribution::marginals_along(const ChainArrays& direction) const {
  chain::check_function("marginals_along", "direction", direction, *this);
  return chain::along(state_->marginals, direction);
}

ChainArrays covariance_gradient(const ChainDistribution& distribution, const ChainArrays& r, const ChainArrays& s) {
  chain::check_function("covariance_gradient", "r", r, distribution);
  chain::check_function("covariance_gradient", "s", s, distribution);
  const ChainArrays& p = distribution.marginals();
  const chain::Deviations x(p, r), y(p, s);
  const int length = p.length(), tags = p.tags();
  // E[rs of the prefix | tag] and E[rs of the suffix | tag]; prefix and suffix are independent given the tag.
  Matrix before = Matrix::Zero(length, tags), after = before;
  before.row(0) = x.before.row(0).cwiseProduct(y.before.row(0));
  for (int t = 1; t < length; ++t) {
    const Matrix p_t = chain::pairs(p, t), a = p_t.cwiseProduct(chain::pairs(x.local, t)),
                 b = p_t.cwiseProduct(chain::pairs(y.local, t)), ab = a.cwiseProduct(chain::pairs(y.local, t));
    const chain::Row sums =
        before.row(t - 1) * p_t + x.before.row(t - 1) * b + y.before.row(t - 1) * a + chain::Row(ab.colwise().sum());
    before.row(t) = chain::divided(sums, p.emissions.row(t));
  }
  for (int t = length - 1; t > 0; --t) {
    const Matrix p_t = chain::pairs(p, t), a = p_t.cwiseProduct(chain::pairs(x.local, t)),
                 b = p_t.cwiseProduct(chain::pairs(y.local, t)), ab = a.cwiseProduct(chain::pairs(y.local, t));
    const chain::Column sums = p_t * after.row(t).transpose() + b * x.after.row(t).transpose() +
                               a * y.after.row(t).transpose() + chain::Column(ab.rowwise().sum());
    after.row(t - 1) = chain::divided(sums.transpose(), p.emissions.row(t - 1));
  }
  double covariance = 0.0;
  for (int j = 0; j < tags; ++j) covariance += p.emission(length - 1, j) * before(length - 1, j);
  ChainArrays out(length, tags);
  for (int t = 0; t < length; ++t) {
    for (int j = 0; j < tags; ++j) {
      const double cross = x.before(t, j) * y.after(t, j) + x.after(t, j) * y.before(t, j);
      out.emission(t, j) = p.emission(t, j) * (before(t, j) + after(t, j) + cross - covariance);
      for (int i = 0; t > 0 && i < tags; ++i) {
        const double a = x.local.transition(t, i, j), b = y.local.transition(t, i, j);
        const double rs = before(t - 1, i) + after(t, j) + x.before(t - 1, i) * (b + y.after(t, j)) +
                          (a + x.after(t, j)) * y.before(t - 1, i) + a * b + a * y.after(t, j) + x.after(t, j) * b;
        out.transition(t, i, j) = p.transition(t, i, j) * (rs - covariance);
      }
    }
  }
  return out;
}

}  // namespace kirchhoff
