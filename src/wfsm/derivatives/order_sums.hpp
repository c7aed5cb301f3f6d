// Sums over the orders in which a walk can use some transitions, which may repeat [ZmigrodW21, theorem 2].
//
// An order t1 ... tm has the weight first(t1) link(t1, t2) ... link(tm-1, tm) last(tm). Orders of the same transitions
// are not walked one by one: for every content, which says how often each transition is used, there is one sum for each
// last transition, and it follows from the content with that one less. Different transitions have 2^m contents; m equal
// ones have m + 1.
#pragma once

#include "numeric/extended.hpp"

#include <cstddef>
#include <vector>

namespace kirchhoff::wfsm {

inline bool is_zero(double x) { return x == 0.0; }
inline bool is_zero(const numeric::Extended& x) { return x.is_zero(); }

/// A Walk has a type Scalar and functions first(t), link(a, b) and last(t). Contents are numbers: the digit of a
/// transition is how often it is used, that of the transition pushed last is the highest, and content 0 is empty.
template <class Walk>
class OrderSums {
 public:
  using Scalar = typename Walk::Scalar;
  struct Used {
    std::size_t transition;
    std::size_t count;   ///< how often it was pushed
    std::size_t stride;  ///< what one use adds to the number of a content
  };

  /// For at most `order` transitions at a time.
  OrderSums(const Walk& walk, std::size_t order) : walk_(walk), slots_(order) {}

  /// Adds one use of a transition. Uses of the same transition must follow one another.
  void push(std::size_t transition) {
    if (used_.empty() || used_.back().transition != transition) used_.push_back({transition, 0, contents_});
    ++used_.back().count;
    const std::size_t block = used_.back().stride;
    sums_.resize((contents_ + block) * slots_);
    for (std::size_t content = contents_; content < contents_ + block; ++content) {
      for (std::size_t last = 0; last < used_.size(); ++last) {
        sums_[content * slots_ + last] =
            uses(content, last) > 0 ? followed(content - used_[last].stride, last) : Scalar{};
      }
    }
    contents_ += block;
  }
  /// Takes the last push back.
  void pop() {
    contents_ -= used_.back().stride;
    if (--used_.back().count == 0) used_.pop_back();
  }

  std::size_t contents() const { return contents_; }
  const std::vector<Used>& used() const { return used_; }
  /// How often a content has the i-th of the used transitions.
  std::size_t uses(std::size_t content, std::size_t i) const {
    return i + 1 == used_.size() ? content / used_[i].stride : content % used_[i + 1].stride / used_[i].stride;
  }
  /// The sum over all orders of a content that is not empty.
  Scalar sum(std::size_t content) const {
    Scalar total{};
    for (std::size_t last = 0; last < used_.size(); ++last) {
      total = total + sums_[content * slots_ + last] * walk_.last(used_[last].transition);
    }
    return total;
  }

 private:
  /// The sum over the orders of a content, followed by one more transition.
  Scalar followed(std::size_t content, std::size_t next) const {
    if (content == 0) return walk_.first(used_[next].transition);
    Scalar total{};
    for (std::size_t last = 0; last < used_.size(); ++last) {
      const Scalar& before = sums_[content * slots_ + last];
      if (!is_zero(before)) total = total + before * walk_.link(used_[last].transition, used_[next].transition);
    }
    return total;
  }

  const Walk& walk_;
  std::size_t slots_;
  std::size_t contents_ = 1;
  std::vector<Used> used_;
  std::vector<Scalar> sums_;  // sums_[content * slots_ + last]
};

}  // namespace kirchhoff::wfsm
