// ROOTED-TREE: its shape, the tables that its dynamic programme needs, and the scores of its parts.
#include "factor/factors/rooted_tree.hpp"

#include "base/check.hpp"

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
  const auto counted = std::count_if(shape_.counted.begin(), shape_.counted.end(), [](int v) { return v >= 0; });
  is_counting_ = !count_scores_.empty() && counted > 0;
  if (is_counting_) most_ = std::min(static_cast<int>(counted), static_cast<int>(count_scores_.size()) - 1);
  for (std::size_t k = order_.size(); k-- > 0;) {
    const int i = order_[k], states = slots().states(i);
    int highest = is_counting_ && shape_.counted[i] >= 0 ? std::min(most_, 1) : 0;
    stages_[i].push_back(new_table(states, highest + 1));
    for (const int j : children_[i]) {
      ups_[j] = new_table(states, whole(j).width);
      highest = std::min(most_, highest + whole(j).width - 1);
      stages_[i].push_back(new_table(states, highest + 1));
    }
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
  std::size_t count = 0;
  for (int i = 0; i < nodes(); ++i) {
    const int own = slots().state(i, y);
    if (own < 0) return false;
    if (shape_.counted[i] == own) ++count;
    if (shape_.parents[i] < 0) continue;
    const int above = slots().state(shape_.parents[i], y);
    if (above < 0) return false;
    if (both_input_[i] >= 0 && y[both_input_[i]] != (own == 1 && above == 1 ? 1 : 0)) return false;
    visit(place(i, above, own));
  }
  if (count_scores_.empty()) return true;
  if (count >= count_scores_.size()) return false;
  visit(transitions_.size() + count);
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
  double sum = least(count_scores_.begin(), count_scores_.end());
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
