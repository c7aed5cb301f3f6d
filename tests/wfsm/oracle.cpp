// The judges of machines: paths one by one, and elimination with 100 digits.
#include "wfsm/oracle.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::wfsm_oracle {

Wfsm Parts::build(Accuracy accuracy) const {
  WfsmBuilder builder;
  builder.add_states(states);
  for (const Transition& t : transitions) builder.add_transition(t);
  for (int s = 0; s < states; ++s) builder.set_start(s, start[s]).set_final(s, final[s]);
  return builder.build(accuracy);
}

Parts Parts::of(const Wfsm& machine) {
  const WfsmWeights w = machine.log_weights();
  return {machine.states(), machine.transitions(), {w.start.begin(), w.start.end()}, {w.final.begin(), w.final.end()}};
}

std::vector<double> flat(const WfsmWeights& w) {
  std::vector<double> all(w.transitions.begin(), w.transitions.end());
  all.insert(all.end(), w.start.begin(), w.start.end());
  all.insert(all.end(), w.final.begin(), w.final.end());
  return all;
}

WfsmWeights weights_of(const Parts& parts, const std::vector<double>& places) {
  const auto a = static_cast<Eigen::Index>(parts.transitions.size());
  const Eigen::Map<const Vector> all(places.data(), static_cast<Eigen::Index>(places.size()));
  return {all.head(a), all.segment(a, parts.states), all.tail(parts.states)};
}

std::vector<Trajectory> trajectories(const Parts& parts, int length) {
  std::vector<Trajectory> found;
  Trajectory now;
  now.counts.assign(parts.places(), 0);
  const auto a = static_cast<int>(parts.transitions.size());
  const std::function<void(int)> extend = [&](int state) {
    if (parts.final[state] != -HUGE_VAL) {
      Trajectory done = now;
      done.log_weight += parts.final[state];
      ++done.counts[a + parts.states + state];
      found.push_back(done);
    }
    if (static_cast<int>(now.transitions.size()) == length) return;
    for (int t = 0; t < a; ++t) {
      const Transition& x = parts.transitions[t];
      if (x.from != state || x.log_weight == -HUGE_VAL) continue;
      const long double before = now.log_weight;
      now.log_weight += x.log_weight;
      now.transitions.push_back(t);
      ++now.counts[t];
      extend(x.to);
      --now.counts[t];
      now.transitions.pop_back();
      now.log_weight = before;
    }
  };
  for (int s = 0; s < parts.states; ++s) {
    if (parts.start[s] == -HUGE_VAL) continue;
    now.start = s;
    now.log_weight = parts.start[s];
    ++now.counts[a + s];
    extend(s);
    --now.counts[a + s];
  }
  return found;
}

Exact::Exact(const Parts& parts) : parts_(parts) {
  for (const Transition& t : parts.transitions) theta_.emplace_back(t.log_weight);
  for (const double x : parts.start) theta_.emplace_back(x);
  for (const double x : parts.final) theta_.emplace_back(x);
  zero_.assign(theta_.size(), Real(0));
}

namespace {

/// Solves m x = last column by elimination with the largest pivot first.
template <class R>
std::vector<R> eliminate(std::vector<std::vector<R>> m) {
  const int n = static_cast<int>(m.size());
  for (int k = 0; k < n; ++k) {
    int best = k;
    for (int i = k; i < n; ++i) {
      if (abs(m[i][k]) > abs(m[best][k])) best = i;
    }
    std::swap(m[k], m[best]);
    for (int i = 0; i < n; ++i) {
      if (i == k || m[i][k] == 0) continue;
      const R c = m[i][k] / m[k][k];
      for (int j = k; j <= n; ++j) m[i][j] -= c * m[k][j];
    }
  }
  std::vector<R> x;
  for (int i = 0; i < n; ++i) x.push_back(m[i][n] / m[i][i]);
  return x;
}

}  // namespace

Real Exact::z(const std::vector<Real>& theta, const std::vector<Real>& extra) const {
  const int n = parts_.states;
  const std::size_t a = parts_.transitions.size();
  const auto weight = [&](std::size_t place) {
    return (isinf(theta[place]) ? Real(0) : Real(exp(theta[place]))) + extra[place];
  };
  std::vector<std::vector<Real>> m(n, std::vector<Real>(n + 1, Real(0)));
  for (int i = 0; i < n; ++i) {
    m[i][i] = 1;
    m[i][n] = weight(a + n + i);
  }
  for (std::size_t t = 0; t < a; ++t) m[parts_.transitions[t].from][parts_.transitions[t].to] -= weight(t);
  const std::vector<Real> e = eliminate(std::move(m));
  Real sum = 0;
  for (int i = 0; i < n; ++i) sum += weight(a + i) * e[i];
  return sum;
}

std::vector<long double> exact_counts(const Parts& parts) {
  using Long = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<400>>;
  const int n = parts.states;
  const auto weight = [](double x) { return x == -HUGE_VAL ? Long(0) : Long(exp(Long(x))); };
  std::vector<std::vector<Long>> ends(n, std::vector<Long>(n + 1, Long(0))), starts = ends;
  for (int i = 0; i < n; ++i) {
    ends[i][i] = starts[i][i] = 1;
    ends[i][n] = weight(parts.final[i]);
    starts[i][n] = weight(parts.start[i]);
  }
  for (const Transition& t : parts.transitions) {
    ends[t.from][t.to] -= weight(t.log_weight);
    starts[t.to][t.from] -= weight(t.log_weight);
  }
  const std::vector<Long> e = eliminate(std::move(ends)), s = eliminate(std::move(starts));
  Long z = 0;
  for (int i = 0; i < n; ++i) z += weight(parts.start[i]) * e[i];
  std::vector<long double> counts;
  const auto add = [&](const Long& x) { counts.push_back(static_cast<long double>(Long(x / z))); };
  for (const Transition& t : parts.transitions) add(weight(t.log_weight) * s[t.from] * e[t.to]);
  for (int i = 0; i < n; ++i) add(weight(parts.start[i]) * e[i]);
  for (int i = 0; i < n; ++i) add(weight(parts.final[i]) * s[i]);
  return counts;
}

Real Exact::derivative(const std::vector<std::size_t>& places) const {
  const std::size_t m = places.size();
  const Real h = m <= 2 ? Real("1e-25") : Real("1e-15");
  // Relative steps where a weight is not 0: it may be tiny or huge.
  const auto scale = [&](std::size_t place) { return isinf(theta_[place]) ? Real(1) : Real(exp(theta_[place])); };
  Real sum = 0;
  for (std::size_t signs = 0; signs < std::size_t{1} << m; ++signs) {
    std::vector<Real> extra = zero_;
    int sign = 1;
    for (std::size_t k = 0; k < m; ++k) {
      const bool minus = signs >> k & 1;
      extra[places[k]] += (minus ? -h : h) * scale(places[k]);
      if (minus) sign = -sign;
    }
    sum += sign * z(theta_, extra);
  }
  for (const std::size_t p : places) sum /= 2 * h * scale(p);
  return sum;
}

Real Exact::second_order(const std::vector<double>& r, const std::vector<double>& t) const {
  const Real h("1e-25");
  const auto at = [&](int x, int y) {
    std::vector<Real> theta = theta_;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      if (!isinf(theta[i])) theta[i] += h * (x * r[i] + y * t[i]);
    }
    return z(theta, zero_);
  };
  return (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * h * h * z());
}

Real Exact::expectation(const std::vector<double>& r) const {
  return nth_derivative(
      [&](const Real& x) {
        std::vector<Real> theta = theta_;
        for (std::size_t i = 0; i < theta.size(); ++i) {
          if (!isinf(theta[i])) theta[i] += x * r[i];
        }
        return log_z_at(theta);
      },
      1, Real("1e-30"));
}

Real nth_derivative(const std::function<Real(const Real&)>& f, int n, const Real& h) {
  Real sum = 0, choose = 1;
  for (int k = 0; k <= n; ++k) {
    sum += (k % 2 == 0 ? choose : -choose) * f((n - 2 * k) * h);
    choose = choose * (n - k) / (k + 1);
  }
  return sum / pow(2 * h, n);
}

namespace {

double normal(double s, Random& random) { return std::normal_distribution<double>(0, s)(random); }
int below(int n, Random& random) { return std::uniform_int_distribution<int>(0, n - 1)(random); }

void add_ends(Parts& parts, double s, Random& random) {
  parts.start.assign(parts.states, -HUGE_VAL);
  parts.final.assign(parts.states, -HUGE_VAL);
  for (int i = 0; i < parts.states; ++i) {
    if (i == 0 || below(4, random) == 0) parts.start[i] = normal(s, random);
    if (i == parts.states - 1 || below(4, random) == 0) parts.final[i] = normal(s, random);
  }
}

}  // namespace

Parts random_acyclic(int states, int arcs, int symbols, double s, Random& random) {
  Parts parts{states, {}, {}, {}};
  for (int i = 0; i + 1 < states; ++i)
    parts.transitions.push_back({i, i + 1, below(symbols + 1, random), normal(s, random)});
  while (static_cast<int>(parts.transitions.size()) < arcs) {
    int i = below(states, random), j = below(states, random);
    if (i == j) continue;
    if (i > j) std::swap(i, j);
    const double weight = below(10, random) == 0 ? -HUGE_VAL : normal(s, random);
    parts.transitions.push_back({i, j, below(symbols + 1, random), weight});
  }
  add_ends(parts, s, random);
  return parts;
}

Parts random_cyclic(int states, int arcs, int symbols, double s, double row_sum, Random& random) {
  Parts parts{states, {}, {}, {}};
  for (int i = 0; i + 1 < states; ++i)
    parts.transitions.push_back({i, i + 1, below(symbols + 1, random), normal(s, random)});
  while (static_cast<int>(parts.transitions.size()) < arcs) {
    const double weight = below(10, random) == 0 ? -HUGE_VAL : normal(s, random);
    parts.transitions.push_back({below(states, random), below(states, random), below(symbols + 1, random), weight});
  }
  add_ends(parts, s, random);
  std::vector<double> sums(states, 0.0);
  for (const Transition& t : parts.transitions) sums[t.from] += std::exp(t.log_weight);
  const double shift = std::log(row_sum / *std::max_element(sums.begin(), sums.end()));
  for (Transition& t : parts.transitions) t.log_weight += shift;
  return parts;
}

std::vector<double> random_values(std::size_t n, Random& random) {
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(normal(1.0, random));
  return values;
}

}  // namespace kirchhoff::wfsm_oracle
