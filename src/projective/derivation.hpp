// The choices that make a projective tree, one after the other, from the top down.
//
// A derivation keeps a stack of spans whose inside is not known yet. Each choice splits the last of them as one term of
// Eisner's sums does (charts.hpp), so that trees and sequences of choices are one and the same.
#pragma once

#include "projective/charts.hpp"

#include <vector>

namespace kirchhoff::projective {

template <class Number>
class Derivation {
 public:
  explicit Derivation(const Charts<Number>& charts) : charts_(&charts) { restart(); }

  void restart() {
    const int n = charts_->words();
    heads_.assign(n + 1, -1);
    open_.clear();
    open_.push_back({charts_->single() ? Kind::root : Kind::right, 0, n});
  }
  /// All heads are chosen.
  bool done() const { return open_.empty(); }
  const Heads& heads() const { return heads_; }

  /// The options of the next choice are first_option() ... last_option().
  int first_option() const { return open_.back().a + (open_.back().kind <= Kind::right ? 1 : 0); }
  int last_option() const { return open_.back().b - (open_.back().kind <= Kind::right ? 0 : 1); }
  /// The sum over the trees that follow an option of the weights of what they choose from here on; so for an arc, its
  /// own weight is part of it.
  Number weight(int k) const {
    const Charts<Number>& c = *charts_;
    const auto [kind, a, b] = open_.back();
    switch (kind) {
      case Kind::root:
        return c.weight(0, k) * (c.left(1, k) * c.right(k, b));
      case Kind::right:
        return c.weight(a, k) * c.split(a, k) * c.right(k, b);
      case Kind::left:
        return c.left(a, k) * (c.weight(b, k) * c.split(k, b));
      case Kind::split:
        break;
    }
    return c.right(a, k) * c.left(k + 1, b);
  }
  void choose(int k) {
    const auto [kind, a, b] = open_.back();
    open_.pop_back();
    switch (kind) {
      case Kind::root:
        heads_[k] = 0;
        open(Kind::left, 1, k);
        open(Kind::right, k, b);
        break;
      case Kind::right:
        heads_[k] = a;
        open(Kind::right, k, b);
        if (k > a + 1) open(Kind::split, a, k);
        break;
      case Kind::left:
        heads_[k] = b;
        open(Kind::left, a, k);
        if (b > k + 1) open(Kind::split, k, b);
        break;
      case Kind::split:
        open(Kind::right, a, k);
        open(Kind::left, k + 1, b);
        break;
    }
  }

 private:
  enum class Kind { root, right, left, split };  // the first two have their dependents among a+1 .. b
  struct Span {
    Kind kind;
    int a, b;
  };
  void open(Kind kind, int a, int b) {
    if (a < b) open_.push_back({kind, a, b});
  }

  const Charts<Number>* charts_;
  std::vector<Span> open_;
  Heads heads_;
};

}  // namespace kirchhoff::projective
