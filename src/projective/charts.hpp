// Eisner's inside and outside passes for any kind of number, one span at a time: Boolean, or of extended range.
//
// kernels/spans.cpp has the recursions, and their notation, for doubles in vectors.
#pragma once

#include "base/stop.hpp"
#include "kirchhoff/types.hpp"

#include <cstddef>
#include <vector>

namespace kirchhoff::projective {

/// A number is 0 when default-constructed and has += and *. Nodes are 0 .. n; single-root charts have spans of words
/// only, and the root's arc is added on top of them.
template <class Number>
class Charts {
 public:
  /// weight(head, dependent) gives the weight of an arc, `one` is the number 1. O(n^3), without subtraction.
  template <class Weight>
  Charts(int words, Root root, const Number& one, const Weight& weight)
      : size_(words + 1), first_(root == Root::single ? 1 : 0), one_(one) {
    for (auto* chart : {&weight_, &right_, &left_, &split_}) chart->resize(size_ * size_);
    for (int h = 0; h <= words; ++h) {
      for (int d = 1; d <= words; ++d) {
        if (h != d) at(weight_, h, d) = weight(h, d);
      }
    }
    for (int a = 0; a <= words; ++a) at(right_, a, a) = at(left_, a, a) = one_;
    for (int w = 1; w <= words - first_; ++w) {
      StopScope::check();
      for (int a = first_; a + w <= words; ++a) inside(a, a + w);
    }
  }

  int words() const { return static_cast<int>(size_) - 1; }
  bool single() const { return first_ == 1; }
  /// The weight of the arc.
  const Number& weight(int head, int dependent) const { return at(weight_, head, dependent); }
  /// The sum over trees of the words a+1 .. b below a, and of a .. b-1 below b; of both halves below an arc.
  const Number& right(int a, int b) const { return at(right_, a, b); }
  const Number& left(int a, int b) const { return at(left_, a, b); }
  const Number& split(int a, int b) const { return at(split_, a, b); }

  /// The sum over all trees.
  Number total() const {
    if (!single()) return right(0, words());
    Number sum{};
    for (int k = 1; k <= words(); ++k) sum += weight(0, k) * (left(1, k) * right(k, words()));
    return sum;
  }

  /// Calls visit(head, dependent, weight * derivative of the total with respect to it) for every arc. O(n^3).
  template <class Visit>
  void for_each_arc(const Visit& visit) {
    for (auto* chart : {&right_bar_, &left_bar_, &split_bar_}) chart->assign(size_ * size_, Number{});
    const int n = words();
    if (single()) {
      for (int k = 1; k <= n; ++k) {
        at(right_bar_, k, n) += weight(0, k) * left(1, k);
        at(left_bar_, 1, k) += weight(0, k) * right(k, n);
        visit(0, k, weight(0, k) * (left(1, k) * right(k, n)));
      }
    } else {
      at(right_bar_, 0, n) = one_;
    }
    for (int w = n - first_; w > 0; --w) {
      StopScope::check();
      for (int a = first_; a + w <= n; ++a) outside(a, a + w, visit);
    }
  }

 private:
  Number& at(std::vector<Number>& chart, int a, int b) { return chart[a * size_ + b]; }
  const Number& at(const std::vector<Number>& chart, int a, int b) const { return chart[a * size_ + b]; }

  void inside(int a, int b) {
    Number sum{};
    for (int k = a; k < b; ++k) sum += right(a, k) * left(k + 1, b);
    at(split_, a, b) = sum;
    Number& r = at(right_, a, b);
    Number& l = at(left_, a, b);
    for (int k = a + 1; k <= b; ++k) r += weight(a, k) * split(a, k) * right(k, b);
    for (int k = a; k < b; ++k) l += left(a, k) * (weight(b, k) * split(k, b));
  }

  template <class Visit>
  void outside(int a, int b, const Visit& visit) {
    Number& r = at(right_bar_, a, b);
    Number& l = at(left_bar_, a, b);
    for (int i = first_; i < a; ++i) {
      r += at(right_bar_, i, b) * (weight(i, a) * split(i, a));
      l += at(split_bar_, i, b) * right(i, a - 1);
    }
    for (int j = b + 1; j <= words(); ++j) {
      r += at(split_bar_, a, j) * left(b + 1, j);
      l += at(left_bar_, a, j) * (weight(j, b) * split(b, j));
    }
    Number arc_right{}, arc_left{};
    for (int j = b; j <= words(); ++j) arc_right += at(right_bar_, a, j) * right(b, j);
    for (int i = first_; i <= a; ++i) arc_left += at(left_bar_, i, b) * left(i, a);
    at(split_bar_, a, b) = arc_right * weight(a, b);
    visit(a, b, arc_right * (weight(a, b) * split(a, b)));
    if (a == 0) return;
    at(split_bar_, a, b) += arc_left * weight(b, a);
    visit(b, a, arc_left * (weight(b, a) * split(a, b)));
  }

  std::size_t size_;
  int first_;
  Number one_;
  std::vector<Number> weight_, right_, left_, split_;
  std::vector<Number> right_bar_, left_bar_, split_bar_;
};

}  // namespace kirchhoff::projective
