// ROOTED-TREE: dynamic programming over the tree, with tables by value and count. With r_i(a) the log-weight of value a
// at node i, s_j(a, b) the transition from a parent's value a to b at its child j, and k_i(c) the score of count c in
// the subtree of i:
//   P_i,0(a, c) = r_i(a) where c is 1 if a counts and else 0        the node itself
//   U_j(a, c)   = logsumexp over b of P_j,last(b, c) + s_j(a, b)    the subtree of a child, by the parent's value
//   P_i,m(a, c) = logsumexp over c' of P_i,m-1(a, c') + U_j(a, c - c')   with its m-th child j
//   P_i,last    = P_i,m(a, c) + k_i(c)                              after all its children, where i has such scores
//   Z           = sum over a and c of exp P_root,last(a, c)
// What is outside a table follows by the same sums backwards, so that no message is a difference; max-product has max
// for logsumexp. The relaxation is the flow through the steps of this programme [Martin90], which describes the hull.
// O(n^2 K + sum of products of neighbours' numbers of values times counts) for n nodes of K values, and O(n) where
// nothing counts; the projection is by the active set.
#include "factor/factors/rooted_tree.hpp"

#include <utility>

namespace kirchhoff::factor {
namespace {

struct TreeTables {
  std::vector<double> inside, outside;
  std::vector<std::pair<int, int>> chosen;  // value and count, by node
  static TreeTables& get() {
    thread_local TreeTables tables;
    return tables;
  }
};

}  // namespace

/// The transition with what the input of both says.
double RootedTreeFactor::edge(int node, int a, int b, std::span<const double> q) const {
  const double score = transitions_[place(node, a, b)];
  const int input = both_input_[node];
  if (input < 0) return score;
  const bool both = a == 1 && b == 1;
  if (numeric::is_infinite(q[input])) return (q[input] > 0.0) == both ? score : -HUGE_VAL;
  return both ? score + q[input] : score;
}

/// Fills the tables of P and U from the log-weights of values, which state_weights() has written; returns log Z or the
/// best value.
template <class Add>
double RootedTreeFactor::inside(std::span<const double> q, Add add) const {
  std::vector<double>& in = TreeTables::get().inside;
  in.assign(cells_, -HUGE_VAL);
  const std::vector<double>& r = EnumerationScratch::get().r;
  for (std::size_t k = order_.size(); k-- > 0;) {
    const int i = order_[k];
    for (int a = 0; a < slots().states(i); ++a) {
      if (may_count(i, a)) in[stages_[i][0].at(a, counts(i, a))] = r[slots().offset[i] + a];
    }
    for (std::size_t m = 0; m < children_[i].size(); ++m) {
      const int j = children_[i][m];
      const Table &before = stages_[i][m], &after = stages_[i][m + 1], &up = ups_[j], &child = whole(j);
      for (int a = 0; a < up.states; ++a) {
        for (int b = 0; b < child.states; ++b) {
          const double score = edge(j, a, b, q);
          if (score == -HUGE_VAL) continue;
          for (int c = 0; c < up.width; ++c) in[up.at(a, c)] = add(in[up.at(a, c)], in[child.at(b, c)] + score);
        }
        for (int c = 0; c < before.width; ++c) {
          const double own = in[before.at(a, c)];
          if (own == -HUGE_VAL) continue;
          for (int d = 0; d < std::min(up.width, after.width - c); ++d) {
            in[after.at(a, c + d)] = add(in[after.at(a, c + d)], own + in[up.at(a, d)]);
          }
        }
      }
    }
    if (count_first_[i] < 0) continue;
    const Table &last = stages_[i][children_[i].size()], &scored = whole(i);
    for (int a = 0; a < scored.states; ++a) {
      for (int c = 0; c < scored.width; ++c) in[scored.at(a, c)] = in[last.at(a, c)] + count_score(i, c);
    }
  }
  double all = -HUGE_VAL;
  const Table& root = whole(order_[0]);
  for (int a = 0; a < root.states; ++a) {
    for (int c = 0; c < root.width; ++c) all = add(all, in[root.at(a, c)]);
  }
  return all;
}

/// Fills tables of what is outside P and U: the sum over all of it, without what is in them.
template <class Add>
void RootedTreeFactor::outside(std::span<const double> q, Add add) const {
  auto& [in, out, chosen] = TreeTables::get();
  out.assign(cells_, -HUGE_VAL);
  const Table& root = whole(order_[0]);
  for (int a = 0; a < root.states; ++a) {
    for (int c = 0; c < root.width; ++c) out[root.at(a, c)] = 0.0;
  }
  for (const int i : order_) {
    if (count_first_[i] >= 0) {
      const Table &last = stages_[i][children_[i].size()], &scored = whole(i);
      for (int a = 0; a < scored.states; ++a) {
        for (int c = 0; c < scored.width; ++c) out[last.at(a, c)] = out[scored.at(a, c)] + count_score(i, c);
      }
    }
    for (std::size_t m = children_[i].size(); m-- > 0;) {
      const int j = children_[i][m];
      const Table &before = stages_[i][m], &after = stages_[i][m + 1], &up = ups_[j], &child = whole(j);
      for (int a = 0; a < up.states; ++a) {
        for (int c = 0; c < before.width; ++c) {
          for (int d = 0; d < std::min(up.width, after.width - c); ++d) {
            const double all = out[after.at(a, c + d)];
            out[up.at(a, d)] = add(out[up.at(a, d)], in[before.at(a, c)] + all);
            out[before.at(a, c)] = add(out[before.at(a, c)], in[up.at(a, d)] + all);
          }
        }
        for (int b = 0; b < child.states; ++b) {
          const double score = edge(j, a, b, q);
          if (score == -HUGE_VAL) continue;
          for (int c = 0; c < up.width; ++c) out[child.at(b, c)] = add(out[child.at(b, c)], out[up.at(a, c)] + score);
        }
      }
    }
  }
}

/// The sum over configurations in which the node's parent has value a and itself value b, without the transition.
template <class Add>
double RootedTreeFactor::edge_weight(int node, int a, int b, Add add) const {
  const auto& [in, out, chosen] = TreeTables::get();
  double sum = -HUGE_VAL;
  for (int c = 0; c < ups_[node].width; ++c) sum = add(sum, out[ups_[node].at(a, c)] + in[whole(node).at(b, c)]);
  return sum;
}

/// By value, the sum over all but the log-weight of the value itself.
void RootedTreeFactor::write_weights_without_own(std::vector<double>& weights) const {
  const std::vector<double>& out = TreeTables::get().outside;
  weights.assign(static_cast<std::size_t>(slots().state_count()), -HUGE_VAL);
  for (int i = 0; i < nodes(); ++i) {
    for (int a = 0; a < slots().states(i); ++a) {
      if (may_count(i, a)) weights[slots().offset[i] + a] = out[stages_[i][0].at(a, counts(i, a))];
    }
  }
}

template <class Add>
void RootedTreeFactor::messages_to_both(Add add, std::span<double> messages) const {
  for (const int node : shape_.both) {
    double on = -HUGE_VAL, off = -HUGE_VAL;
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b) {
        double& side = a == 1 && b == 1 ? on : off;
        side = add(side, edge_weight(node, a, b, add) + transitions_[place(node, a, b)]);
      }
    }
    messages[both_input_[node]] = on - off;
  }
}

/// Calls visit(part, p) for the probability of each part, and returns log Z, or -inf when there is no configuration.
template <class Visit>
double RootedTreeFactor::for_each_probability(std::span<const double> q, Visit visit) const {
  const double log_z = inside(q, numeric::log_add);
  if (log_z == -HUGE_VAL) return log_z;
  outside(q, numeric::log_add);
  for (const int i : order_) {
    if (shape_.parents[i] < 0) continue;
    for (int a = 0; a < ups_[i].states; ++a) {
      for (int b = 0; b < slots().states(i); ++b) {
        const double weight = edge_weight(i, a, b, numeric::log_add) + edge(i, a, b, q);
        visit(place(i, a, b), std::exp(weight - log_z));
      }
    }
  }
  const auto& [in, out, chosen] = TreeTables::get();
  for (const CountScores& scored : shape_.scored) {
    const Table& table = whole(scored.node);
    const std::size_t first = transitions_.size() + static_cast<std::size_t>(count_first_[scored.node]);
    for (int c = 0; c < table.width; ++c) {
      for (int a = 0; a < table.states; ++a) {
        visit(first + static_cast<std::size_t>(c), std::exp(in[table.at(a, c)] + out[table.at(a, c)] - log_z));
      }
    }
  }
  return log_z;
}

Factor::Sum RootedTreeFactor::sum_product(std::span<const double> q, std::span<double> messages) const {
  EnumerationScratch& scratch = EnumerationScratch::get();
  if (!state_weights(slots(), q, scratch)) return {};
  double expected = 0.0;
  const double log_z = for_each_probability(q, [&](std::size_t part, double p) {
    const std::size_t size = transitions_.size();
    if (p > 0.0) expected += p * (part < size ? transitions_[part] : count_scores_[part - size]);
  });
  if (log_z == -HUGE_VAL) return {};
  write_weights_without_own(scratch.sum);
  slot_messages(slots(), q, scratch.sum, scratch, messages);
  messages_to_both(numeric::log_add, messages);
  return {log_z + scratch.shift, expected};
}

double RootedTreeFactor::max_product(std::span<const double> q, std::span<double> messages) const {
  EnumerationScratch& scratch = EnumerationScratch::get();
  if (!state_weights(slots(), q, scratch)) return -HUGE_VAL;
  const double value = inside(q, larger);
  if (value == -HUGE_VAL) return value;
  outside(q, larger);
  write_weights_without_own(scratch.highest);
  max_slot_messages(slots(), q, scratch.highest, messages);
  messages_to_both(larger, messages);
  return value + scratch.shift;
}

double RootedTreeFactor::best(std::span<const double> q, std::span<std::uint8_t> y) const {
  EnumerationScratch& scratch = EnumerationScratch::get();
  if (!state_weights(slots(), q, scratch)) return -HUGE_VAL;
  const double value = inside(q, larger);
  if (value == -HUGE_VAL) return value;
  auto& [in, out, chosen] = TreeTables::get();
  chosen.assign(static_cast<std::size_t>(nodes()), {0, 0});
  const Table& root = whole(order_[0]);
  double highest = -HUGE_VAL;
  for (int a = 0; a < root.states; ++a) {
    for (int c = 0; c < root.width; ++c) {
      const double own = in[root.at(a, c)];
      if (!(own > highest)) continue;
      highest = own;
      chosen[order_[0]] = {a, c};
    }
  }
  scratch.state.resize(static_cast<std::size_t>(nodes()));
  for (const int i : order_) {
    const int a = chosen[i].first;
    int left = chosen[i].second;  // what the node and the children that are not yet decided count
    scratch.state[i] = a;
    for (std::size_t m = children_[i].size(); m-- > 0;) {
      const int j = children_[i][m];
      const Table &before = stages_[i][m], &up = ups_[j], &child = whole(j);
      int count = 0;
      highest = -HUGE_VAL;
      for (int d = std::max(0, left - before.width + 1); d <= std::min(left, up.width - 1); ++d) {
        const double own = in[before.at(a, left - d)] + in[up.at(a, d)];
        if (own > highest) count = d;
        highest = std::max(highest, own);
      }
      chosen[j] = {0, count};
      highest = -HUGE_VAL;
      for (int b = 0; b < child.states; ++b) {
        const double own = in[child.at(b, count)] + edge(j, a, b, q);
        if (own > highest) chosen[j].first = b;
        highest = std::max(highest, own);
      }
      left -= count;
    }
  }
  slots().write(scratch.state, y.first(static_cast<std::size_t>(slots().arity())));
  for (const int node : shape_.both) {
    y[both_input_[node]] = scratch.state[node] == 1 && scratch.state[shape_.parents[node]] == 1 ? 1 : 0;
  }
  return value + scratch.shift;
}

void RootedTreeFactor::add_own_marginals(std::span<const double> q, std::span<double> marginals) const {
  if (!state_weights(slots(), q, EnumerationScratch::get())) return;
  for_each_probability(q, [&](std::size_t part, double p) { marginals[part] += p; });
}

}  // namespace kirchhoff::factor
