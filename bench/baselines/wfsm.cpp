// Derivatives of a machine by reverse mode, dual numbers and permutations, and second-order expectations by a semiring
// and by the Hessian.
// Source: [ZmigrodW21], [LiEisner09]. Each function's cost is in wfsm.hpp.
#include "baselines/wfsm.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace kirchhoff::bench {
namespace {

using Values = std::vector<double>;

/// (I - W)^-1 by Kleene's elimination in place: W* = closure of W, then + I.
template <class T, class Star>
std::vector<T> closure(std::vector<T> w, int n, Star star) {
  for (int k = 0; k < n; ++k) {
    const T s = star(w[k * n + k]);
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const T c = w[i * n + k] * s;
      for (int j = 0; j < n; ++j) {
        if (j != k) w[i * n + j] += c * w[k * n + j];
      }
      w[i * n + k] = c;
    }
    for (int j = 0; j < n; ++j) w[k * n + j] = j == k ? s : s * w[k * n + j];
  }
  return w;  // the diagonal holds s = 1 + ..., so this is I + W + W^2 + ...
}

Values sums(const DenseMachine& m) {
  Values w(m.states * m.states, 0.0);
  for (std::size_t i = 0; i < m.weights.size(); ++i) w[i / m.symbols] += m.weights[i];
  return w;
}

Values star_of(const DenseMachine& m) {
  return closure(sums(m), m.states, [](double x) { return 1 / (1 - x); });
}

/// s = start W* and e = W* final.
struct Sides {
  Values s, e;
  Sides(const DenseMachine& m, const Values& star) : s(m.states, 0.0), e(m.states, 0.0) {
    for (int i = 0; i < m.states; ++i) {
      for (int j = 0; j < m.states; ++j) {
        s[j] += m.start[i] * star[i * m.states + j];
        e[i] += star[i * m.states + j] * m.final[j];
      }
    }
  }
};

/// value + x r + y t + xy rt.
struct Dual {
  double p = 0, r = 0, t = 0, rt = 0;
};
Dual operator*(const Dual& a, const Dual& b) {
  return {a.p * b.p, a.p * b.r + a.r * b.p, a.p * b.t + a.t * b.p, a.p * b.rt + a.r * b.t + a.t * b.r + a.rt * b.p};
}
Dual& operator+=(Dual& a, const Dual& b) {
  a.p += b.p;
  a.r += b.r;
  a.t += b.t;
  a.rt += b.rt;
  return a;
}
Dual star(const Dual& x) {
  const double s = 1 / (1 - x.p);
  return {s, s * s * x.r, s * s * x.t, s * s * (x.rt + 2 * s * x.r * x.t)};
}

/// Values [transition][feature] without their zeros.
struct SparseRows {
  std::vector<std::size_t> start{0}, feature;
  Values value;
  SparseRows(const Values& values, std::size_t features) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] != 0) {
        feature.push_back(i % features);
        value.push_back(values[i]);
      }
      if ((i + 1) % features == 0) start.push_back(feature.size());
    }
  }
};

/// The same with R and T directions at once.
struct Element {
  double p = 0;
  Values r, t, rt;
};
Element zero(int r, int t) { return {0, Values(r, 0.0), Values(t, 0.0), Values(r * t, 0.0)}; }
Element operator*(const Element& a, const Element& b) {
  const std::size_t rs = a.r.size(), ts = a.t.size();
  Element c = zero(static_cast<int>(rs), static_cast<int>(ts));
  c.p = a.p * b.p;
  for (std::size_t i = 0; i < rs; ++i) c.r[i] = a.p * b.r[i] + a.r[i] * b.p;
  for (std::size_t k = 0; k < ts; ++k) c.t[k] = a.p * b.t[k] + a.t[k] * b.p;
  for (std::size_t i = 0; i < rs; ++i) {
    for (std::size_t k = 0; k < ts; ++k) {
      c.rt[i * ts + k] = a.p * b.rt[i * ts + k] + a.r[i] * b.t[k] + a.t[k] * b.r[i] + a.rt[i * ts + k] * b.p;
    }
  }
  return c;
}
Element& operator+=(Element& a, const Element& b) {
  a.p += b.p;
  for (std::size_t i = 0; i < a.r.size(); ++i) a.r[i] += b.r[i];
  for (std::size_t i = 0; i < a.t.size(); ++i) a.t[i] += b.t[i];
  for (std::size_t i = 0; i < a.rt.size(); ++i) a.rt[i] += b.rt[i];
  return a;
}
Element star(const Element& x) {
  Element y = x;
  const double s = 1 / (1 - x.p);
  const std::size_t ts = x.t.size();
  y.p = s;
  for (double& v : y.r) v *= s * s;
  for (double& v : y.t) v *= s * s;
  for (std::size_t i = 0; i < y.rt.size(); ++i) y.rt[i] = s * s * (x.rt[i] + 2 * s * x.r[i / ts] * x.t[i % ts]);
  return y;
}

}  // namespace

std::vector<double> hessian_by_reverse_mode(const DenseMachine& m) {
  const int n = m.states, a = m.symbols;
  const std::size_t size = m.weights.size();
  const Values star = star_of(m);
  const auto [s, e] = Sides(m, star);
  Values adjoint(n * n), half(n * n), slope(n * n), result(size * size);
  for (std::size_t t = 0; t < size; ++t) {  // the gradient of s_i e_j
    const int i = static_cast<int>(t) / a / n, j = static_cast<int>(t) / a % n;
    adjoint.assign(n * n, 0.0);
    for (int k = 0; k < n; ++k) adjoint[k * n + i] += m.start[k] * e[j];
    for (int k = 0; k < n; ++k) adjoint[j * n + k] += s[i] * m.final[k];
    half.assign(n * n, 0.0);  // W*^T adjoint W*^T
    slope.assign(n * n, 0.0);
    for (int k = 0; k < n; ++k)
      for (int p = 0; p < n; ++p)
        for (int q = 0; q < n; ++q) half[p * n + q] += star[k * n + p] * adjoint[k * n + q];
    for (int p = 0; p < n; ++p)
      for (int q = 0; q < n; ++q)
        for (int k = 0; k < n; ++k) slope[p * n + q] += half[p * n + k] * star[q * n + k];
    for (std::size_t u = 0; u < size; ++u) result[t * size + u] = slope[u / a];
  }
  return result;
}

std::vector<double> hessian_by_dual_numbers(const DenseMachine& m) {
  const int n = m.states, a = m.symbols;
  const std::size_t size = m.weights.size();
  const Values w = sums(m);
  std::vector<Dual> duals(n * n);
  Values result(size * size);
  for (std::size_t t = 0; t < size; ++t) {
    for (std::size_t u = 0; u < size; ++u) {
      for (int i = 0; i < n * n; ++i) duals[i] = {w[i], 0, 0, 0};
      duals[t / a].r += 1;
      duals[u / a].t += 1;
      const std::vector<Dual> closed = closure(duals, n, [](const Dual& x) { return star(x); });
      double sum = 0;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) sum += m.start[i] * closed[i * n + j].rt * m.final[j];
      }
      result[t * size + u] = sum;
    }
  }
  return result;
}

std::vector<double> second_order_by_semiring(const DenseMachine& m, int r_size, const std::vector<double>& r,
                                             int t_size, const std::vector<double>& t) {
  const int n = m.states;
  std::vector<Element> w(n * n, zero(r_size, t_size));
  for (std::size_t x = 0; x < m.weights.size(); ++x) {  // <w, w r, w t, w r t>
    Element& sum = w[x / m.symbols];
    sum.p += m.weights[x];
    for (int i = 0; i < r_size; ++i) {
      const double wr = m.weights[x] * r[x * r_size + i];
      sum.r[i] += wr;
      for (int k = 0; k < t_size; ++k) sum.rt[i * t_size + k] += wr * t[x * t_size + k];
    }
    for (int k = 0; k < t_size; ++k) sum.t[k] += m.weights[x] * t[x * t_size + k];
  }
  const std::vector<Element> closed = closure(w, n, [](const Element& x) { return star(x); });
  Element total = zero(r_size, t_size);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      Element scaled = closed[i * n + j];
      const double c = m.start[i] * m.final[j];
      scaled.p *= c;
      for (Values* v : {&scaled.r, &scaled.t, &scaled.rt}) {
        for (double& x : *v) x *= c;
      }
      total += scaled;
    }
  }
  for (double& x : total.rt) x /= total.p;
  return total.rt;
}

std::vector<double> second_order_by_hessian(const DenseMachine& m, int r_size, const std::vector<double>& r, int t_size,
                                            const std::vector<double>& t) {
  const std::size_t size = m.weights.size();
  const Values hessian = hessian_by_reverse_mode(m), star = star_of(m);
  const auto [s, e] = Sides(m, star);
  const SparseRows rs(r, r_size), ts(t, t_size);
  Values total(static_cast<std::size_t>(r_size) * t_size, 0.0);
  for (std::size_t x = 0; x < size; ++x) {
    for (std::size_t y = 0; y < size; ++y) {
      double weight = hessian[x * size + y] * m.weights[x] * m.weights[y];
      if (x == y) weight += s[x / m.symbols / m.states] * m.weights[x] * e[x / m.symbols % m.states];
      for (std::size_t a = rs.start[x]; a < rs.start[x + 1]; ++a) {
        for (std::size_t b = ts.start[y]; b < ts.start[y + 1]; ++b) {
          total[rs.feature[a] * t_size + ts.feature[b]] += weight * rs.value[a] * ts.value[b];
        }
      }
    }
  }
  double z = 0;
  for (int i = 0; i < m.states; ++i) z += s[i] * m.final[i];
  for (double& value : total) value /= z;
  return total;
}

std::vector<double> derivatives_by_permutations(const DenseMachine& m, int order) {
  const int n = m.states, a = m.symbols;
  const Values star = star_of(m);
  const auto [s, e] = Sides(m, star);
  const std::size_t size = m.weights.size();
  std::size_t tuples = 1;
  for (int k = 0; k < order; ++k) tuples *= size;
  Values result(tuples, 0.0);
  std::vector<int> places(order), tuple(order);
  for (std::size_t index = 0; index < tuples; ++index) {
    std::size_t rest = index;
    for (int k = order - 1; k >= 0; --k, rest /= size) tuple[k] = static_cast<int>(rest % size) / a;
    std::iota(places.begin(), places.end(), 0);
    do {
      double product = s[tuple[places[0]] / n];
      for (int k = 1; k < order; ++k) product *= star[tuple[places[k - 1]] % n * n + tuple[places[k]] / n];
      result[index] += product * e[tuple[places[order - 1]] % n];
    } while (std::next_permutation(places.begin(), places.end()));
  }
  return result;
}

}  // namespace kirchhoff::bench
