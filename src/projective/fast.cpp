// Inside and outside in doubles. Each word's weights sum to 1, which bounds every number in the charts, and with it
// what underflow can do.
//
// Z is then the probability that words which choose their heads independently form a projective tree; every inside and
// every outside value is a probability of the same kind, at most 1. A span below kNegligibleSpan = 2^-511 counts as 0,
// so no product of two is below the normal doubles. Setting one of the 9 numbers of a span to 0 changes Z, and each
// numerator of a marginal, by at most 2^-511 times a number that is at most 1, so the error of a marginal is at most
// 9 n^2 2^-511 / Z besides rounding: where Z >= kSmallestSum = 1e-130 that is 2e-23 n^2. There is no subtraction, so
// the relative error of rounding is some n 1e-16 for each of the at most 4n factors. Other graphs take the robust
// method.
#include "base/buffer.hpp"
#include "projective/kernels/spans.hpp"
#include "projective/state.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kirchhoff::projective {
namespace {

constexpr double kSmallestSum = 1e-130;
constexpr int kCharts = 9;

// Storage for charts, used again by the thread's next graph.
class SpanStorage {
 public:
  const SpanCharts& take(std::size_t nodes, int components) {
    charts_.nodes = nodes;
    charts_.components = components;
    rows_.resize(nodes + 1);
    std::size_t row = kRowPad;
    for (std::size_t w = 0; w <= nodes; ++w) {
      rows_[w] = row;
      row += nodes - w + kRowPad;
    }
    charts_.rows = rows_.data();
    charts_.size = rows_[nodes] + kRowPad;
    const std::size_t each = charts_.size * components;
    double* memory = memory_.take(each * kCharts);
    std::fill_n(memory, each * kCharts, 0.0);
    for (double** chart :
         {&charts_.weight_right, &charts_.weight_left, &charts_.right, &charts_.left, &charts_.arc_right,
          &charts_.arc_left, &charts_.right_bar, &charts_.left_bar, &charts_.split_bar}) {
      *chart = memory;
      memory += each;
    }
    return charts_;
  }

 private:
  SpanCharts charts_;
  std::vector<std::size_t> rows_;
  base::Buffer memory_;
};

SpanStorage& span_storage() {
  thread_local SpanStorage storage;
  return storage;
}

// A value, its tangents along r and s, and the mixed derivative: what components of a chart hold for one span.
struct Jet {
  double x = 0.0, r = 0.0, s = 0.0, rs = 0.0;
};
Jet operator*(const Jet& a, const Jet& b) {
  return {a.x * b.x, a.x * b.r + a.r * b.x, a.x * b.s + a.s * b.x, a.x * b.rs + a.r * b.s + a.s * b.r + a.rs * b.x};
}
Jet operator/(const Jet& a, const Jet& b) {
  const double q = a.x / b.x, r = (a.r - q * b.r) / b.x, s = (a.s - q * b.s) / b.x;
  return {q, r, s, (a.rs - r * b.s - s * b.r - q * b.rs) / b.x};
}
Jet& operator+=(Jet& a, const Jet& b) { return a = {a.x + b.x, a.r + b.r, a.s + b.s, a.rs + b.rs}; }

// The passes for one graph, whose weights are jets; the kernels do the work between.
class Passes {
 public:
  template <class Weight>
  Passes(int words, Root root, int components, const Weight& weight)
      : words_(words), first_(root == Root::single ? 1 : 0), x_(span_storage().take(words + 1 - first_, components)) {
    for (int h = first_; h <= words; ++h) {
      for (int d = 1; d <= words; ++d) {
        if (h != d) put(h < d ? x_.weight_right : x_.weight_left, std::min(h, d), std::max(h, d), weight(h, d));
      }
    }
    inside_spans(x_);
    if (first_ == 0) {
      total_ = get(x_.right, 0, words);
      return;
    }
    for (int k = 1; k <= words; ++k) {
      root_.push_back(weight(0, k));
      total_ += root_.back() * (get(x_.left, 1, k) * get(x_.right, k, words));
    }
  }
  const Jet& total() const { return total_; }

  // Calls visit(head, dependent, marginal).
  template <class Visit>
  void for_each_marginal(const Visit& visit) const {
    if (first_ == 0) put(x_.right_bar, 0, words_, {1.0, 0.0, 0.0, 0.0});
    for (int k = 1; first_ == 1 && k <= words_; ++k) {
      const Jet left = get(x_.left, 1, k), right = get(x_.right, k, words_);
      put(x_.right_bar, k, words_, root_[k - 1] * left);
      put(x_.left_bar, 1, k, root_[k - 1] * right);
      visit(0, k, root_[k - 1] * (left * right) / total_);
    }
    outside_spans(x_);
    for (int w = 1; w <= words_ - first_; ++w) {
      for (int a = first_; a + w <= words_; ++a) {
        visit(a, a + w, get(x_.weight_right, a, a + w) / total_);
        if (a > 0) visit(a + w, a, get(x_.weight_left, a, a + w) / total_);
      }
    }
  }

 private:
  std::size_t place(int a, int b) const { return x_.rows[b - a] + a - first_; }
  Jet get(const double* chart, int a, int b) const {
    const double* x = chart + place(a, b);
    if (x_.components == 1) return {x[0]};
    if (x_.components == 2) return {x[0], x[x_.size]};
    return {x[0], x[x_.size], x[2 * x_.size], x[3 * x_.size]};
  }
  void put(double* chart, int a, int b, const Jet& value) const {
    double* x = chart + place(a, b);
    const std::array<double, 4> all = {value.x, value.r, value.s, value.rs};
    for (int c = 0; c < x_.components; ++c) x[c * x_.size] = all[c];
  }

  int words_, first_;
  const SpanCharts& x_;
  std::vector<Jet> root_;
  Jet total_;
};

}  // namespace

FastAnswer fast_marginals(int words, Root root, double* marginals, std::size_t stride) {
  const Passes passes(words, root, 1, [&](int h, int d) { return Jet{marginals[h * stride + d]}; });
  const double z = passes.total().x;
  if (!(z >= kSmallestSum)) return {};
  passes.for_each_marginal([&](int h, int d, const Jet& p) { marginals[h * stride + d] = std::min(p.x, 1.0); });
  return {true, std::log(z)};
}

bool fast_derivatives(const Matrix& normalised_log_weights, Root root, const Matrix& r, const Matrix* s,
                      Matrix& derivatives) {
  const int n = static_cast<int>(normalised_log_weights.rows()) - 1;
  const Passes passes(n, root, s ? 4 : 2, [&](int h, int d) {
    const double w = std::exp(normalised_log_weights(h, d)), along_s = s ? (*s)(h, d) : 0.0;
    return Jet{w, w * r(h, d), w * along_s, w * r(h, d) * along_s};
  });
  if (!(passes.total().x >= kSmallestSum)) return false;
  derivatives.setZero(n + 1, n + 1);
  passes.for_each_marginal([&](int h, int d, const Jet& p) { derivatives(h, d) = s ? p.rs : p.r; });
  return true;
}

}  // namespace kirchhoff::projective
