// ROOTED-TREE: its shape, the tables that its dynamic programme needs, and the scores of its parts.
#include "factor/factors/rooted_tree.hpp"

#include "base/check.hpp"

#include <limits>
#include <utility>

namespace kirchhoff::factor {
std::size_t RootedTreeFactor::size(const Slots& slots, const std::vector<int>& parents) {
  std::size_t sum = 0;
  for (int i = 0; i < slots.count(); ++i) {
    if (parents[i] >= 0) sum += static_cast<std::size_t>(slots.states(parents[i])) * slots.states(i);
  }
  return sum;
}

RootedTreeFactor::RootedTreeFactor(Shape shape, std::vector<double> transitions, std::vector<double> count_scores)
    : PartsFactor(shape.slots.arity() + static_cast<int>(shape.both.size())),
      shape_(std::move(shape)),
      transitions_(std::move(transitions)),
      count_scores_(std::move(count_scores)),
      first_(static_cast<std::size_t>(nodes())),
      both_input_(static_cast<std::size_t>(nodes()), -1),
      children_(static_cast<std::size_t>(nodes())),
      is_counted_(static_cast<std::size_t>(nodes()), 0),
      count_first_(static_cast<std::size_t>(nodes()), -1),
      stages_(static_cast<std::size_t>(nodes())),
      ups_(static_cast<std::size_t>(nodes())) {
  std::size_t transition = 0;
  for (int i = 0; i < nodes(); ++i) {
    const int parent = shape_.parents[i];
    first_[i] = transition;
    if (parent < 0) {
      order_.push_back(i);
      continue;
    }
    children_[parent].push_back(i);
    transition += static_cast<std::size_t>(slots().states(parent)) * slots().states(i);
  }
  for (std::size_t k = 0; k < order_.size(); ++k) {
    order_.insert(order_.end(), children_[order_[k]].begin(), children_[order_[k]].end());
  }
  for (std::size_t k = 0; k < shape_.both.size(); ++k) {
    both_input_[shape_.both[k]] = slots().arity() + static_cast<int>(k);
  }
  for (int t = 0; t < nodes(); ++t) {
    if (slots().inputs[t] == 1) continue;
    for (int i = slots().first[t]; i < slots().first[t + 1]; ++i) grouped_inputs_.push_back(i);
    group_first_.push_back(static_cast<int>(grouped_inputs_.size()));
  }
  shape_.counted.resize(static_cast<std::size_t>(nodes()), -1);
  lay_out_tables();
}

/// A table has as many counts as there may be, under the scores of the node and of those above it. What no score
/// depends on is not counted.
void RootedTreeFactor::lay_out_tables() {
  constexpr int kAny = std::numeric_limits<int>::max();
  std::vector<int> most(static_cast<std::size_t>(nodes()), kAny);
  int first = 0;
  for (const CountScores& scored : shape_.scored) {
    count_first_[scored.node] = first;
    first += scored.size;
    most[scored.node] = scored.size - 1;
  }
  for (const int i : order_) {
    if (shape_.parents[i] >= 0) most[i] = std::min(most[i], most[shape_.parents[i]]);
    is_counted_[i] = shape_.counted[i] >= 0 && most[i] < kAny ? 1 : 0;
  }
  for (std::size_t k = order_.size(); k-- > 0;) {
    const int i = order_[k], states = slots().states(i);
    int highest = is_counted_[i] != 0 ? std::min(most[i], 1) : 0;
    stages_[i].push_back(new_table(states, highest + 1));
    for (const int j : children_[i]) {
      ups_[j] = new_table(states, whole(j).width);
      highest = std::min(most[i], highest + whole(j).width - 1);
      stages_[i].push_back(new_table(states, highest + 1));
    }
    if (count_first_[i] >= 0) stages_[i].push_back(new_table(states, highest + 1));
  }
}

RootedTreeFactor::Table RootedTreeFactor::new_table(int states, int width) {
  const Table table{cells_, states, width};
  cells_ += static_cast<std::size_t>(states) * static_cast<std::size_t>(width);
  if (static_cast<double>(cells_) > kMaxCells) {
    base::input_error("add_rooted_tree", "counted: more than 2^26 cells of nodes by values by counts; count fewer");
  }
  return table;
}

/// Calls visit(part) for each part of a configuration, and returns false when it is not one of the tree.
template <class Visit>
bool RootedTreeFactor::for_each_part(Configuration y, Visit visit) const {
  thread_local std::vector<int> count;  // by node, how many of it and those below it count
  count.assign(static_cast<std::size_t>(nodes()), 0);
  for (int i = 0; i < nodes(); ++i) {
    const int own = slots().state(i, y);
    if (own < 0) return false;
    if (shape_.counted[i] == own) count[i] = 1;
    if (shape_.parents[i] < 0) continue;
    const int above = slots().state(shape_.parents[i], y);
    if (above < 0) return false;
    if (both_input_[i] >= 0 && y[both_input_[i]] != (own == 1 && above == 1 ? 1 : 0)) return false;
    visit(place(i, above, own));
  }
  if (shape_.scored.empty()) return true;
  for (std::size_t k = order_.size(); k-- > 1;) count[shape_.parents[order_[k]]] += count[order_[k]];
  for (const CountScores& scored : shape_.scored) {
    if (count[scored.node] >= scored.size) return false;
    visit(transitions_.size() + static_cast<std::size_t>(count_first_[scored.node] + count[scored.node]));
  }
  return true;
}

double RootedTreeFactor::score(Configuration y) const {
  double sum = 0.0;
  const bool allowed = for_each_part(y, [&](std::size_t part) {
    sum += part < transitions_.size() ? transitions_[part] : count_scores_[part - transitions_.size()];
  });
  return allowed ? sum : -HUGE_VAL;
}

double RootedTreeFactor::least_score() const {
  const auto least = [](auto begin, auto end) {
    double low = HUGE_VAL;
    for (; begin != end; ++begin) low = *begin == -HUGE_VAL ? low : std::min(low, *begin);
    return low == HUGE_VAL ? 0.0 : low;
  };
  double sum = 0.0;
  for (const CountScores& scored : shape_.scored) {
    const double* own = count_scores_.data() + count_first_[scored.node];
    sum += least(own, own + scored.size);
  }
  for (int i = 0; i < nodes(); ++i) {
    if (shape_.parents[i] < 0) continue;
    const double* own = transitions_.data() + first_[i];
    sum += least(own, own + static_cast<std::size_t>(slots().states(shape_.parents[i])) * slots().states(i));
  }
  return sum;
}

std::vector<double> RootedTreeFactor::own_scores() const {
  std::vector<double> scores = transitions_;
  scores.insert(scores.end(), count_scores_.begin(), count_scores_.end());
  return scores;
}

void RootedTreeFactor::add_own_parts(Configuration y, double weight, std::span<double> parts) const {
  for_each_part(y, [&](std::size_t part) { parts[part] += weight; });
}

std::shared_ptr<const PartsFactor> RootedTreeFactor::with_own_scores(std::vector<double> scores) const {
  const auto end = scores.begin() + static_cast<std::ptrdiff_t>(transitions_.size());
  return std::make_shared<RootedTreeFactor>(shape_, std::vector<double>(scores.begin(), end),
                                            std::vector<double>(end, scores.end()));
}

}  // namespace kirchhoff::factor
