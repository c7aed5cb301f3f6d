// Intersection and composition, with the epsilon filter of [Allauzen09] that puts epsilons in sequence.
//
// A state is a pair of states and a bit. Between two symbols both machines may take epsilons of their own, in any
// order that the filter lets pass: those of the first machine come first, and once the second has moved alone (the bit
// is set), the first must wait for the next common symbol. So each pair of trajectories has one trajectory. States are
// made when they are reached, from the machines' useful states only. O(pairs of transitions that meet).
#include "kirchhoff/wfsm_product.hpp"

#include "base/check.hpp"
#include "base/stop.hpp"
#include "wfsm/wfsm_state.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace kirchhoff {
namespace {

using wfsm::TrimGraph;

int output_of(const Transition& t) { return t.output == kSameAsInput ? t.symbol : t.output; }
int input_of(const Transition& t) { return t.symbol; }

bool is_transducer(const wfsm::Machine& machine) {
  return std::any_of(machine.transitions.begin(), machine.transitions.end(),
                     [](const Transition& t) { return output_of(t) != t.symbol; });
}

/// The useful transitions of each state, sorted by the symbol that must agree, and its final weights.
class Side {
 public:
  Side(const wfsm::Machine& m, int (*symbol)(const Transition&)) : machine(m), useful(m.states, 0) {
    const std::vector<int> node = wfsm::trim(m).node;
    begin_.assign(m.states + 1, 0);
    for (int s = 0; s < m.states; ++s) useful[s] = node[s] >= 0;
    const std::vector<Transition>& all = m.transitions;
    for (int t = 0; t < static_cast<int>(all.size()); ++t) {
      const bool has = useful[all[t].from] && useful[all[t].to] && all[t].log_weight != -HUGE_VAL;
      if (has) moves_.push_back({symbol(all[t]), t});
    }
    std::stable_sort(moves_.begin(), moves_.end(), [&](const Move& x, const Move& y) {
      return all[x.transition].from != all[y.transition].from ? all[x.transition].from < all[y.transition].from
                                                              : x.symbol < y.symbol;
    });
    for (const Move& move : moves_) ++begin_[all[move.transition].from + 1];
    for (int s = 0; s < m.states; ++s) begin_[s + 1] += begin_[s];
  }

  struct Move {
    int symbol;
    int transition;
  };
  struct Moves {
    const Move* first;
    const Move* last;
    const Move* begin() const { return first; }
    const Move* end() const { return last; }
  };
  Moves from(int state) const { return {moves_.data() + begin_[state], moves_.data() + begin_[state + 1]}; }
  Moves from(int state, int symbol) const {
    const Moves all = from(state);
    const auto less = [](const Move& a, const Move& b) { return a.symbol < b.symbol; };
    const auto [first, last] = std::equal_range(all.first, all.last, Move{symbol, 0}, less);
    return {first, last};
  }
  const Transition& operator[](const Move& move) const { return machine.transitions[move.transition]; }

  const wfsm::Machine& machine;
  std::vector<char> useful;

 private:
  std::vector<Move> moves_;
  std::vector<std::size_t> begin_;
};

class ProductSearch {
 public:
  ProductSearch(const wfsm::Machine& a, const wfsm::Machine& b, bool acceptor, const Stop& stop)
      : a_(a, output_of), b_(b, input_of), right_size_(static_cast<std::uint64_t>(b.states)), acceptor_(acceptor) {
    for (int i = 0; i < a.states; ++i) {
      for (int j = 0; j < b.states && starts(a_, i); ++j) {
        if (starts(b_, j)) machine.start[number(i, j, false)] = a.start[i] + b.start[j];
      }
    }
    for (std::size_t k = 0; k < states_.size(); ++k) {
      base::check_stop(stop);
      expand(static_cast<int>(k));
    }
  }

  /// Leaves out the states from which no end can be reached. Throws Infeasible when none is left.
  WfsmProduct finish(const char* function, WfsmSymbols symbols, const Accuracy& accuracy) const {
    const std::vector<int> node = wfsm::trim(machine).node;
    WfsmBuilder builder;
    std::vector<int> kept(node.size(), -1), left_states, right_states, left, right;
    for (std::size_t k = 0; k < node.size(); ++k) {
      if (node[k] < 0) continue;
      kept[k] = builder.add_state();
      builder.set_start(kept[k], machine.start[k]).set_final(kept[k], machine.final[k]);
      left_states.push_back(states_[k].left);
      right_states.push_back(states_[k].right);
    }
    if (left_states.empty()) throw Infeasible(std::string("[") + function + "] no string is common to both machines");
    for (std::size_t t = 0; t < machine.transitions.size(); ++t) {
      Transition transition = machine.transitions[t];
      transition.from = kept[transition.from];
      transition.to = kept[transition.to];
      if (transition.from < 0 || transition.to < 0) continue;
      builder.add_transition(transition);
      left.push_back(left_[t]);
      right.push_back(right_[t]);
    }
    return {builder.set_symbols(std::move(symbols)).build(accuracy), std::move(left_states), std::move(right_states),
            std::move(left), std::move(right)};
  }

 private:
  struct Pair {
    int left, right;
    bool right_moved;
  };
  static bool starts(const Side& side, int state) {
    return side.useful[state] && side.machine.start[state] != -HUGE_VAL;
  }

  int number(int left, int right, bool right_moved) {
    const std::uint64_t key =
        (static_cast<std::uint64_t>(left) * right_size_ + static_cast<std::uint64_t>(right)) * 2 + right_moved;
    const auto [found, is_new] = numbers_.try_emplace(key, static_cast<int>(states_.size()));
    if (is_new) {
      states_.push_back({left, right, right_moved});
      machine.start.push_back(-HUGE_VAL);
      machine.final.push_back(a_.machine.final[left] + b_.machine.final[right]);
      ++machine.states;
    }
    return found->second;
  }

  void add(int from, int to, const Side::Move* left, const Side::Move* right) {
    const int input = left ? a_[*left].symbol : kEpsilon;
    const int output = acceptor_ ? kSameAsInput : right ? output_of(b_[*right]) : kEpsilon;
    const double weight = (left ? a_[*left].log_weight : 0.0) + (right ? b_[*right].log_weight : 0.0);
    machine.transitions.push_back({from, to, input, weight, output});
    left_.push_back(left ? left->transition : -1);
    right_.push_back(right ? right->transition : -1);
  }

  void expand(int k) {
    const Pair pair = states_[k];
    for (const Side::Move& move : a_.from(pair.left)) {
      const int to = a_[move].to;
      if (move.symbol == kEpsilon) {
        if (!pair.right_moved) add(k, number(to, pair.right, false), &move, nullptr);
        continue;
      }
      for (const Side::Move& other : b_.from(pair.right, move.symbol)) {
        add(k, number(to, b_[other].to, false), &move, &other);
      }
    }
    for (const Side::Move& move : b_.from(pair.right, kEpsilon)) {
      add(k, number(pair.left, b_[move].to, true), nullptr, &move);
    }
  }

  Side a_, b_;
  std::uint64_t right_size_;
  bool acceptor_;
  std::unordered_map<std::uint64_t, int> numbers_;
  std::vector<Pair> states_;
  std::vector<int> left_, right_;

 public:
  wfsm::Machine machine;
};

/// The names of the symbols that a machine writes.
const SymbolTable& output_names(const wfsm::Machine& m) {
  return is_transducer(m) || !m.symbols.output.empty() ? m.symbols.output : m.symbols.input;
}

void check_symbols(const char* function, const SymbolTable& a, const SymbolTable& b) {
  for (const int symbol : a.symbols()) {
    const std::string &x = a.name(symbol), &y = b.name(symbol);
    if (!y.empty() && x != y) {
      base::input_error(function, "symbol " + std::to_string(symbol) + " is '" + x + "' in the first machine and '" +
                                      y + "' in the second");
    }
  }
}

WfsmProduct intersection(const wfsm::Machine& a, const wfsm::Machine& b, const Accuracy& accuracy, const Stop& stop) {
  if (is_transducer(a) || is_transducer(b)) {
    base::input_error("intersect", "one of the machines is a transducer; compose() takes them");
  }
  check_symbols("intersect", a.symbols.input, b.symbols.input);
  return ProductSearch(a, b, true, stop).finish("intersect", (a.symbols.input.empty() ? b : a).symbols, accuracy);
}

WfsmProduct composition(const wfsm::Machine& a, const wfsm::Machine& b, const Accuracy& accuracy, const Stop& stop) {
  check_symbols("compose", output_names(a), b.symbols.input);
  return ProductSearch(a, b, false, stop).finish("compose", {a.symbols.input, output_names(b)}, accuracy);
}

}  // namespace

WfsmProduct intersect(const Wfsm& a, const Wfsm& b, const Stop& stop) {
  return intersection(wfsm::machine_of(a), wfsm::machine_of(b), a.accuracy(), stop);
}
WfsmProduct compose(const Wfsm& a, const Wfsm& b, const Stop& stop) {
  return composition(wfsm::machine_of(a), wfsm::machine_of(b), a.accuracy(), stop);
}
WfsmProduct intersect(const WfsmBuilder& a, const WfsmBuilder& b, const Accuracy& accuracy, const Stop& stop) {
  return intersection(WfsmAccess::machine(a), WfsmAccess::machine(b), accuracy, stop);
}
WfsmProduct compose(const WfsmBuilder& a, const WfsmBuilder& b, const Accuracy& accuracy, const Stop& stop) {
  return composition(WfsmAccess::machine(a), WfsmAccess::machine(b), accuracy, stop);
}

Wfsm project_output(const Wfsm& machine) {
  WfsmBuilder builder;
  builder.add_states(machine.states()).set_symbols({output_names(wfsm::machine_of(machine)), {}});
  const WfsmWeights weights = machine.log_weights();
  for (int s = 0; s < machine.states(); ++s) builder.set_start(s, weights.start(s)).set_final(s, weights.final(s));
  for (const Transition& t : machine.transitions()) builder.add_transition({t.from, t.to, output_of(t), t.log_weight});
  return builder.build(machine.accuracy());
}

Wfsm string_acceptor(const std::vector<int>& string) {
  WfsmBuilder builder;
  builder.add_states(static_cast<int>(string.size()) + 1).set_start(0).set_final(static_cast<int>(string.size()));
  for (std::size_t i = 0; i < string.size(); ++i) {
    if (string[i] <= kEpsilon) {
      base::input_error("string_acceptor",
                        "symbol " + std::to_string(string[i]) + " cannot be in a string (0 is epsilon)");
    }
    builder.add_transition({static_cast<int>(i), static_cast<int>(i) + 1, string[i], 0.0});
  }
  return builder.build();
}

}  // namespace kirchhoff
