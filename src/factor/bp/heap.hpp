// A binary heap of 0 ... n-1 by priority, which can change.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

namespace kirchhoff::factor {

class Heap {
 public:
  /// All with priority 1.
  explicit Heap(int size) : priority_(size, 1.0), order_(size), place_(size) {
    std::iota(order_.begin(), order_.end(), 0);
    std::iota(place_.begin(), place_.end(), 0);
  }
  int top() const { return order_.front(); }
  double highest() const { return priority_[top()]; }
  /// To `priority` if that is higher than what it has.
  void raise(int item, double priority) {
    if (priority <= priority_[item]) return;
    priority_[item] = priority;
    for (int at = place_[item]; at > 0 && higher(at, (at - 1) / 2); at = (at - 1) / 2) exchange(at, (at - 1) / 2);
  }
  void lower(int item, double priority) {
    priority_[item] = priority;
    const int size = static_cast<int>(order_.size());
    for (int at = place_[item]; 2 * at + 1 < size;) {
      int child = 2 * at + 1;
      if (child + 1 < size && higher(child + 1, child)) ++child;
      if (!higher(child, at)) return;
      exchange(at, child);
      at = child;
    }
  }

 private:
  bool higher(int a, int b) const { return priority_[order_[a]] > priority_[order_[b]]; }
  void exchange(int a, int b) {
    std::swap(order_[a], order_[b]);
    place_[order_[a]] = a;
    place_[order_[b]] = b;
  }
  std::vector<double> priority_;
  std::vector<int> order_, place_;
};

}  // namespace kirchhoff::factor
