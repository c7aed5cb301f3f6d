// Weighted finite-state machines: distributions over trajectories, p(path) = product of its weights / Z.
//
// A machine has states 0 .. N-1, log-weights of starting and of ending in each, and transitions with a symbol (0 is
// epsilon) and a log-weight; -inf means impossible. Cycles are normal. A trajectory's weight is the product of a start
// weight, its transitions' weights and a final weight; Z is the sum over all trajectories. Method:
// docs/methods/wfsm.md, after [ZmigrodW21]. This header has the machine, its strings and its paths; derivatives,
// expectations and text have headers of their own.
#pragma once

#include "kirchhoff/accuracy.hpp"
#include "kirchhoff/parallel.hpp"
#include "kirchhoff/types.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kirchhoff {

inline constexpr int kEpsilon = 0;       ///< the symbol that leaves no trace in a string
inline constexpr int kSameAsInput = -1;  ///< the value of Transition::output in an acceptor

struct Transition {
  int from = 0;
  int to = 0;
  int symbol = kEpsilon;
  double log_weight = 0.0;
  int output = kSameAsInput;  ///< a transducer's output symbol, which compose() reads
  friend bool operator==(const Transition&, const Transition&) = default;
};

/// Names for symbols, which are numbers >= 0. Each number has at most one name, and each name one number.
class SymbolTable {
 public:
  /// Throws InputError when the number is negative, or when the name or the number is taken.
  void add(std::string name, int symbol);
  /// Returns -1 when no symbol has this name.
  int find(std::string_view name) const;
  /// Returns an empty string when the symbol has no name.
  const std::string& name(int symbol) const;
  bool empty() const { return names_.empty(); }
  std::size_t size() const { return names_.size(); }
  /// The numbers of all symbols in ascending order.
  std::vector<int> symbols() const;

 private:
  std::unordered_map<int, std::string> names_;
  std::unordered_map<std::string, int> numbers_;
};

/// One number for each transition, start weight and final weight: log-weights, gradients, expected counts, or the
/// values of an additive function.
struct WfsmWeights {
  Vector transitions;
  Vector start;
  Vector final;
};

/// Z is infinite, or too close to infinity to be computed.
class InfiniteSum : public InputError {
 public:
  InfiniteSum(const std::string& message, int of_cycle) : InputError(message), transition(of_cycle) {}
  int transition;  ///< a transition of the cycle that the message names
};

struct WfsmSymbols {
  SymbolTable input;
  SymbolTable output;
};

/// A machine is immutable and is solved once, when it is built. Copies share everything, and all functions may be
/// called from several threads at once.
///
/// States that no trajectory visits are left out of all computations, and transitions with weight -inf count as absent:
/// results for them are 0. Only derivatives of Z (wfsm_derivatives.hpp) know them.
class Wfsm {
 public:
  int states() const;
  const std::vector<Transition>& transitions() const;
  WfsmWeights log_weights() const;
  const WfsmSymbols& symbols() const;
  /// The number of states that no trajectory visits.
  int useless_states() const;
  const Accuracy& accuracy() const;
  const Report& report() const;
  /// The same states and transitions with other log-weights. Throws as WfsmBuilder::build does.
  Wfsm with_log_weights(const WfsmWeights& log_weights) const;

  double log_partition() const;
  /// The expected number of times that a trajectory uses each transition. This is a count, and above 1 where cycles
  /// repeat.
  const Vector& transition_marginals() const;
  /// The expected number of visits to each state.
  const Vector& state_visits() const;
  /// The transitions' expected counts together with the probabilities of starting and of ending in each state.
  WfsmWeights counts() const;

 private:
  friend struct WfsmAccess;
  struct State;
  explicit Wfsm(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

/// Collects states, weights and transitions, then solves the machine they make.
///
///     WfsmBuilder builder;
///     const int a = builder.add_state(), b = builder.add_state();
///     builder.set_start(a).set_final(b).add_transition({a, b, 1, -0.5});
///     const Wfsm machine = builder.build();
class WfsmBuilder {
 public:
  WfsmBuilder() = default;
  /// Begins with everything that a machine has.
  explicit WfsmBuilder(const Wfsm& machine);
  /// Returns the number of the new state.
  int add_state();
  WfsmBuilder& add_states(int count);
  WfsmBuilder& add_transition(const Transition& transition);
  WfsmBuilder& set_start(int state, double log_weight = 0.0);
  WfsmBuilder& set_final(int state, double log_weight = 0.0);
  WfsmBuilder& set_symbols(WfsmSymbols symbols);

  int states() const { return static_cast<int>(start_.size()); }
  const std::vector<Transition>& transitions() const { return transitions_; }
  const WfsmSymbols& symbols() const { return symbols_; }

  /// Throws InputError when a state is unknown, a symbol is negative, a log-weight is NaN, +inf or finite and beyond
  /// 1e9 in size, or Z is infinite (InfiniteSum, which names a cycle and its weight), and Infeasible when there is no
  /// trajectory at all. O(arcs) without cycles; each strongly connected component adds a sparse elimination, which is
  /// at worst cubic in its size.
  Wfsm build(Accuracy accuracy = {}) const;

 private:
  friend struct WfsmAccess;
  std::vector<Transition> transitions_;
  std::vector<double> start_, final_;
  WfsmSymbols symbols_;
};

/// The logarithm of the total weight of the trajectories that read exactly this string of symbols (without epsilons),
/// or -inf if there is none. O(length * arcs) without epsilon cycles.
double log_weight(const Wfsm& machine, const std::vector<int>& string);
/// The logarithm of the probability that a trajectory reads exactly this string.
double log_prob(const Wfsm& machine, const std::vector<int>& string);

/// A trajectory.
struct Path {
  int start = 0;                 ///< the state where it begins
  std::vector<int> transitions;  ///< the numbers of its transitions, in order
  double log_weight = 0.0;
  double log_prob = 0.0;
};

/// The path's symbols without epsilons.
std::vector<int> yield(const Wfsm& machine, const Path& path);

/// The k trajectories of largest weight, best first, or all if there are fewer. `stop` is called after each path and
/// may end the list.
std::vector<Path> best_paths(const Wfsm& machine, int k, const Stop& stop = {});

/// Sample number `index` of the stream that `seed` names: the same path wherever and in whatever order it is drawn.
/// Throws InputError when trajectories have more than 1e7 transitions on average.
Path sample_path(const Wfsm& machine, std::uint64_t seed, std::uint64_t index = 0);
/// Samples 0 .. count-1 of the stream. They do not depend on the number of threads.
std::vector<Path> sample_paths(const Wfsm& machine, int count, std::uint64_t seed, int threads = kAllCores);

}  // namespace kirchhoff
