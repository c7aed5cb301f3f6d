// Gradients of covariances with labels.
//
// Let q be the label's share of its arc, r' = E_q[r] and c = Cov_q(r, s) of each arc, and write M(f) for the derivative
// of the arcs' marginals m along f. Given the tree, labels are independent, so the derivative of
// q_y [M(r') + m (r_y - r')] along s is
//     q_y { (s_y - s') [M(r') + m (r_y - r')] + (r_y - r') M(s') - m c + M(c) + gradient of Cov(r', s') }.
#pragma once

#include "base/check.hpp"
#include "kirchhoff/expectation.hpp"

#include <cmath>
#include <string>

namespace kirchhoff::expectations {

// For each arc, E_q of two functions of the label and their covariance.
struct LabelMoments {
  Matrix r, s, covariance;
};

template <class T, class Visit>
void for_each_probable_arc(const LabelledOf<T>& p, Visit visit) {
  for (int head = 0; head <= p.words(); ++head) {
    for (int dependent = 1; dependent <= p.words(); ++dependent) {
      const double m = head == dependent ? 0.0 : p.tree().marginals()(head, dependent);
      if (m > 0.0) visit(head, dependent, m);
    }
  }
}

template <class T>
LabelMoments label_moments(const LabelledOf<T>& p, const LabelledMatrix& r, const LabelledMatrix& s) {
  const Matrix zero = Matrix::Zero(p.words() + 1, p.words() + 1);
  LabelMoments out{zero, zero, zero};
  for_each_probable_arc(p, [&](int head, int dependent, double m) {
    const auto mean = [&](auto value) {
      double sum = 0.0;
      for (int y = 0; y < p.labels(); ++y) {
        const double share = p.marginals()(head, dependent, y) / m;
        if (share > 0.0) sum += share * value(y);
      }
      return sum;
    };
    const double mean_r = mean([&](int y) { return r(head, dependent, y); });
    const double mean_s = mean([&](int y) { return s(head, dependent, y); });
    if (!std::isfinite(mean_r) || !std::isfinite(mean_s)) {
      base::input_error("covariance_gradient", "r and s must be finite on every possible arc; they are not on " +
                                                   std::to_string(head) + " -> " + std::to_string(dependent));
    }
    out.r(head, dependent) = mean_r;
    out.s(head, dependent) = mean_s;
    out.covariance(head, dependent) =
        mean([&](int y) { return (r(head, dependent, y) - mean_r) * (s(head, dependent, y) - mean_s); });
  });
  return out;
}

template <class T>
LabelledMatrix labelled_covariance_gradient(const LabelledOf<T>& p, const LabelledMatrix& r, const LabelledMatrix& s) {
  for (const LabelledMatrix* x : {&r, &s}) {
    if (x->words() != p.words() || x->labels() != p.labels()) {
      base::input_error("covariance_gradient", std::string(x == &r ? "r" : "s") + " has another shape than the scores");
    }
  }
  const LabelMoments mean = label_moments(p, r, s);
  const Matrix along_r = p.tree().marginals_along(mean.r), along_s = p.tree().marginals_along(mean.s);
  const Matrix rest = p.tree().marginals_along(mean.covariance) + covariance_gradient<T>(p.tree(), mean.r, mean.s);
  LabelledMatrix result(p.words(), p.labels());
  for_each_probable_arc(p, [&](int h, int d, double m) {
    for (int y = 0; y < p.labels(); ++y) {
      const double share = p.marginals()(h, d, y) / m;
      if (share == 0.0) continue;
      const double dr = r(h, d, y) - mean.r(h, d), ds = s(h, d, y) - mean.s(h, d);
      result(h, d, y) =
          share * (ds * along_r(h, d) + dr * along_s(h, d) + m * (dr * ds - mean.covariance(h, d)) + rest(h, d));
    }
  });
  return result;
}

}  // namespace kirchhoff::expectations
