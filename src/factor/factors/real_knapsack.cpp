// KNAPSACK with real weights: sum w_i y_i <= k. The relaxation is the polytope {0 <= u <= 1, w.u <= k}, as in AD3's own
// library; the hull of its whole points has no short description.
//   projection: u_i = clip(t_i - tau w_i) with the least tau >= 0 at which w.u <= k, by sorting the places where
//     entries start or stop moving, O(n log n)
//   the relaxation's best point: the inputs by q_i / w_i, the last of them in part [Dantzig57], O(n log n)
//   best configuration: lists of weight and value of what may be chosen among the first inputs by q_i / w_i, without
//     what is heavier and worth less than another, or cannot become the best [Nemhauser69]
// Lists may grow exponentially, which is an error beyond 2^22 entries. Sums are in real_knapsack_sums.cpp.
#include "factor/factors/real_knapsack.hpp"

#include <numeric>
#include <utility>

namespace kirchhoff::factor {
namespace {

constexpr double kAbove = 1e-12;

/// What is chosen among the first inputs: `item` after what `before` says.
struct Choice {
  int before, item;
};
struct Partial {
  double weight, value;
  int choice;
};

/// The best choice of inputs sorted by value for weight, all of both positive.
class Search {
 public:
  Search(std::span<const double> weights, std::span<const double> values, double room) : room_(room) {
    weights_.resize(weights.size() + 1, 0.0);
    values_.resize(values.size() + 1, 0.0);
    std::partial_sum(weights.begin(), weights.end(), weights_.begin() + 1);
    std::partial_sum(values.begin(), values.end(), values_.begin() + 1);
    std::vector<Partial> list = {{0.0, 0.0, -1}};
    for (std::size_t i = 0; i < weights.size(); ++i) list = extended(list, i, weights[i], values[i]);
  }

  double value() const { return highest_; }
  /// Calls visit(item) for each that is chosen.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (int c = choice_; c >= 0; c = choices_[c].before) visit(static_cast<std::size_t>(choices_[c].item));
    for (std::size_t i = from_; i < to_; ++i) visit(i);
  }

 private:
  /// Keeps the choice with all that follows from item i on and fits, if that is the best. Returns a bound on what may
  /// become of it.
  double bound(const Partial& p, std::size_t i) {
    const double room = room_ - p.weight;
    const auto begin = weights_.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = std::upper_bound(begin, weights_.end(), *begin + room);
    const std::size_t j = static_cast<std::size_t>(end - weights_.begin()) - 1;  // items i ... j - 1 fit
    const double value = p.value + (values_[j] - values_[i]);
    if (value > highest_) {
      highest_ = value;
      choice_ = p.choice;
      from_ = i;
      to_ = j;
    }
    if (j + 1 == weights_.size()) return value;
    const double part = (room - (weights_[j] - weights_[i])) / (weights_[j + 1] - weights_[j]);
    return value + std::clamp(part, 0.0, 1.0) * (values_[j + 1] - values_[j]);
  }

  /// The choices among one item more, by weight, each worth more than those before it.
  std::vector<Partial> extended(const std::vector<Partial>& list, std::size_t item, double weight, double value) {
    std::vector<Partial> next;
    double highest = -HUGE_VAL;
    const auto add = [&](Partial p, bool is_new) {
      if (p.weight > room_ || p.value <= highest) return;
      highest = p.value;
      if (is_new) {
        if (choices_.size() == RealKnapsackFactor::kMostEntries) RealKnapsackFactor::fail();
        choices_.push_back({p.choice, static_cast<int>(item)});
        p.choice = static_cast<int>(choices_.size()) - 1;
      }
      if (bound(p, item + 1) > highest_) next.push_back(p);
    };
    std::size_t with = 0;
    const auto add_lighter = [&](double limit) {
      for (; with < list.size() && list[with].weight + weight < limit; ++with) {
        add({list[with].weight + weight, list[with].value + value, list[with].choice}, true);
      }
    };
    for (const Partial& p : list) {
      add_lighter(p.weight);
      add(p, false);
    }
    add_lighter(HUGE_VAL);
    return next;
  }

  double room_;
  std::vector<double> weights_, values_;  // sums of the first ones
  std::vector<Choice> choices_;
  double highest_ = -HUGE_VAL;
  int choice_ = -1;
  std::size_t from_ = 0, to_ = 0;
};

}  // namespace

RealKnapsackFactor::RealKnapsackFactor(std::vector<double> weights, double capacity)
    : HardFactor(static_cast<int>(weights.size())),
      weights_(std::move(weights)),
      capacity_(capacity * (1.0 + kAbove)) {}

bool RealKnapsackFactor::allows(Configuration y) const {
  double used = 0.0;
  for (std::size_t i = 0; i < y.size(); ++i) used += y[i] ? weights_[i] : 0.0;
  return used <= capacity_;
}

/// Decides what is required and what is better there or not whatever else is; the others are left open, by value for
/// weight. Adds the value of what is there, and returns the room that is left, which is negative if there is none.
double RealKnapsackFactor::split(std::span<const double> q, std::span<std::uint8_t> y, double& value,
                                 std::vector<int>& open) const {
  open.clear();
  double used = 0.0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    const bool is_there = q[i] == HUGE_VAL || (q[i] > 0.0 && weights_[i] == 0.0);
    y[i] = is_there ? 1 : 0;
    if (is_there) {
      used += weights_[i];
      value += numeric::finite_part(q[i]);
    } else if (q[i] > 0.0 && weights_[i] <= capacity_) {
      open.push_back(static_cast<int>(i));
    }
  }
  const double room = capacity_ - used;
  std::erase_if(open, [&](int i) { return weights_[i] > room; });
  std::sort(open.begin(), open.end(), [&](int a, int b) {
    const double left = q[a] * weights_[b], right = q[b] * weights_[a];
    return left != right ? left > right : a < b;
  });
  return room;
}

double RealKnapsackFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  double value = 0.0;
  std::vector<int> open;
  const double room = split(q, y, value, open);
  if (room < 0.0) return -HUGE_VAL;
  std::vector<double> weights, values;
  for (const int i : open) {
    weights.push_back(weights_[i]);
    values.push_back(q[i]);
  }
  if (open.empty()) return value;
  const Search search(weights, values, room);
  search.for_each([&](std::size_t k) { y[open[k]] = 1; });
  value = 0.0;
  for (std::size_t i = 0; i < q.size(); ++i) value += y[i] ? numeric::finite_part(q[i]) : 0.0;
  return value;
}

double RealKnapsackFactor::relaxed_best(std::span<const double> q, std::span<std::uint8_t> y) const {
  double used = 0.0, value = 0.0;
  std::vector<int> open;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (q[i] == HUGE_VAL) used += weights_[i];
  }
  if (used > capacity_) return -HUGE_VAL;
  for (std::size_t i = 0; i < q.size(); ++i) {
    y[i] = 0;
    if (q[i] > 0.0 && q[i] != HUGE_VAL) open.push_back(static_cast<int>(i));
  }
  std::sort(open.begin(), open.end(), [&](int a, int b) { return q[a] * weights_[b] > q[b] * weights_[a]; });
  for (const int i : open) {
    const double room = capacity_ - used;
    const double part = weights_[i] <= room ? 1.0 : room / weights_[i];
    value += part * q[i];
    used += part * weights_[i];
    if (part < 1.0) break;
  }
  return value;
}

double RealKnapsackFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  std::vector<std::uint8_t> y(q.size()), other(q.size());
  std::vector<double> changed(q.begin(), q.end());
  const double highest = best(q, y);
  if (highest == -HUGE_VAL) return highest;
  for (std::size_t i = 0; i < q.size(); ++i) {
    changed[i] = y[i] ? -HUGE_VAL : HUGE_VAL;
    const double value = best(changed, other);
    messages[i] = y[i] ? highest - numeric::finite_part(q[i]) - value : value - highest;
    changed[i] = q[i];
  }
  return highest;
}

std::optional<double> RealKnapsackFactor::project(std::span<const double> target, double, std::span<double> u) const {
  struct Knot {
    double at, slope;
  };
  thread_local std::vector<Knot> knots;
  knots.clear();
  double sum = 0.0, slope = 0.0;  // of what is used, and how fast it falls with tau
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double w = weights_[i], t = target[i];
    u[i] = std::min(std::max(t, 0.0), 1.0);
    sum += w * u[i];
    if (w == 0.0 || t <= 0.0) continue;
    if (t > 1.0) knots.push_back({(t - 1.0) / w, w * w});
    if (t <= 1.0) slope += w * w;
    knots.push_back({t / w, -w * w});
  }
  if (sum <= capacity_) return 0.0;
  std::sort(knots.begin(), knots.end(), [](const Knot& a, const Knot& b) { return a.at < b.at; });
  double tau = 0.0;
  for (const Knot& knot : knots) {
    const double next = sum - slope * (knot.at - tau);
    if (next <= capacity_) break;
    sum = next;
    tau = knot.at;
    slope += knot.slope;
  }
  if (slope > 0.0) tau += (sum - capacity_) / slope;
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = std::min(std::max(target[i] - tau * weights_[i], 0.0), 1.0);
  return 0.0;
}

Relaxation RealKnapsackFactor::relaxation() const {
  Relaxation result;
  Relaxation::Row& row = result.rows.emplace_back();
  for (int i = 0; i < arity(); ++i) {
    if (weights_[i] != 0.0) row.terms.emplace_back(i, weights_[i]);
  }
  row.upper = capacity_;
  return result;
}

}  // namespace kirchhoff::factor
