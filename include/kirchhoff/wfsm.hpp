// Weighted finite-state machines: distributions over trajectories, p(path) = product of its weights / Z.
//
// A machine has states 0 .. N-1, log-weights of starting and of ending in each, and transitions with a symbol (0 is
// epsilon) and a log-weight; -inf means impossible. Cycles are normal. A trajectory's weight is the product of a start
// weight, its transitions' weights and a final weight; Z is the sum over all trajectories. Method:
// docs/methods/wfsm.md, after [ZmigrodW21].
#pragma once

#include "kirchhoff/accuracy.hpp"
#include "kirchhoff/types.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kirchhoff {

inline constexpr int kEpsilon = 0;       ///< the symbol that leaves no trace in a string
inline constexpr int kSameAsInput = -1;  ///< Transition::output of an acceptor

struct Transition {
  int from = 0;
  int to = 0;
  int symbol = kEpsilon;
  double log_weight = 0.0;
  int output = kSameAsInput;  ///< a transducer's output symbol: kept, printed, and otherwise without effect
  friend bool operator==(const Transition&, const Transition&) = default;
};

/// Names of symbols, numbers >= 0. One name for each number.
class SymbolTable {
 public:
  /// InputError when the number is negative, or name or number is taken.
  void add(std::string name, int symbol);
  /// -1 when there is none.
  int find(std::string_view name) const;
  /// Empty when there is none.
  const std::string& name(int symbol) const;
  bool empty() const { return names_.empty(); }
  std::size_t size() const { return names_.size(); }
  /// Ascending.
  std::vector<int> symbols() const;

 private:
  std::unordered_map<int, std::string> names_;
  std::unordered_map<std::string, int> numbers_;
};

/// One number for each transition, start weight and final weight: log-weights, gradients, expected counts, the values
/// of an additive function.
struct WfsmWeights {
  Vector transitions;
  Vector start;
  Vector final;
};

/// Z is infinite, or too close to it to be computed.
class InfiniteSum : public InputError {
 public:
  InfiniteSum(const std::string& message, int of_cycle) : InputError(message), transition(of_cycle) {}
  int transition;  ///< one of the cycle that the message names
};

struct WfsmSymbols {
  SymbolTable input;
  SymbolTable output;
};

namespace detail {
struct WfsmState;
struct WfsmAccess;
}  // namespace detail

/// Immutable: solved once, when built. Copies share everything; all functions may be called from several threads.
///
/// States that no trajectory visits are left out of all computations, and transitions with weight -inf count as absent:
/// results for them are 0.
class Wfsm {
 public:
  int states() const;
  const std::vector<Transition>& transitions() const;
  WfsmWeights log_weights() const;
  const WfsmSymbols& symbols() const;
  /// States that no trajectory visits.
  int useless_states() const;
  const Accuracy& accuracy() const;
  const Report& report() const;
  /// The same states and transitions with other log-weights. Throws as WfsmBuilder::build.
  Wfsm with_log_weights(const WfsmWeights& log_weights) const;

  double log_partition() const;
  /// Expected number of times that a trajectory uses each transition: a count, above 1 where cycles repeat.
  const Vector& transition_marginals() const;
  /// Expected number of visits to each state.
  const Vector& state_visits() const;
  /// Both the transitions' counts and the probabilities of starting and of ending in each state.
  WfsmWeights counts() const;

 private:
  friend struct detail::WfsmAccess;
  explicit Wfsm(std::shared_ptr<const detail::WfsmState> state) : state_(std::move(state)) {}
  std::shared_ptr<const detail::WfsmState> state_;
};

///   WfsmBuilder builder;
///   const int a = builder.add_state(), b = builder.add_state();
///   builder.set_start(a).set_final(b).add_transition({a, b, 1, -0.5});
///   const Wfsm machine = builder.build();
class WfsmBuilder {
 public:
  /// Number of the new state.
  int add_state();
  WfsmBuilder& add_states(int count);
  WfsmBuilder& add_transition(const Transition& transition);
  WfsmBuilder& set_start(int state, double log_weight = 0.0);
  WfsmBuilder& set_final(int state, double log_weight = 0.0);
  WfsmBuilder& set_symbols(WfsmSymbols symbols);

  /// InputError: an unknown state, a negative symbol, a log-weight that is NaN, +inf or finite and beyond 1e9 in size,
  /// or an infinite Z (InfiniteSum), naming a cycle and its weight. Infeasible: no trajectory at all. O(arcs) without
  /// cycles; else plus a sparse elimination for each strongly connected component, at worst cubic in its size.
  Wfsm build(Accuracy accuracy = {}) const;

 private:
  std::vector<Transition> transitions_;
  std::vector<double> start_, final_;
  WfsmSymbols symbols_;
};

// --- strings and paths -----------------------------------------------------------------------------------------------

/// Log of the total weight of the trajectories that read exactly this string of symbols (without epsilons); -inf if
/// there is none. O(length * arcs) without epsilon cycles.
double log_weight(const Wfsm& machine, const std::vector<int>& string);
double log_prob(const Wfsm& machine, const std::vector<int>& string);

struct Path {
  int start = 0;
  std::vector<int> transitions;  ///< their numbers, in order
  double log_weight = 0.0;
  double log_prob = 0.0;
};

/// The path's symbols without epsilons.
std::vector<int> yield(const Wfsm& machine, const Path& path);

/// The k trajectories of largest weight, best first, or all if there are fewer. `stop` is asked after each: true ends
/// the list.
std::vector<Path> best_paths(const Wfsm& machine, int k, const Stop& stop = {});

/// Sample number `index` of the stream that `seed` names: the same path wherever and in whatever order it is drawn.
/// InputError when trajectories have more than 1e7 transitions on average.
Path sample_path(const Wfsm& machine, std::uint64_t seed, std::uint64_t index = 0);
/// Samples 0 .. count-1; threads = 0: all cores.
std::vector<Path> sample_paths(const Wfsm& machine, int count, std::uint64_t seed, int threads = 1);

// --- derivatives of Z with respect to the weights (not their logarithms)
// ----------------------------------------------

/// dZ/dw. InputError, here and below, when a result is beyond the range of doubles.
WfsmWeights gradient(const Wfsm& machine);

/// A limit on what is materialised; functions below say how many bytes they would need.
inline constexpr double kMaxBytes = 4e9;

/// d2Z / dw dw for all pairs of transitions. O(A^2) for A transitions, given the N x N expected visits. Throws Stopped.
Matrix hessian(const Wfsm& machine, double max_bytes = kMaxBytes, const Stop& stop = {});
/// Rows first .. first+count-1 of it: the way to a Hessian that does not fit into memory.
Matrix hessian_rows(const Wfsm& machine, int first, int count, const Stop& stop = {});
/// The Hessian times a vector, start and final weights included, without materialising it. Two solves.
WfsmWeights hessian_vector(const Wfsm& machine, const WfsmWeights& direction);

/// The m-th derivative of Z with respect to the weights of these transitions, m <= 16, and its logarithm (all
/// derivatives are >= 0). O(m^2 2^m) after m solves.
double derivative(const Wfsm& machine, const std::vector<int>& transitions);
double log_derivative(const Wfsm& machine, const std::vector<int>& transitions);
/// D_m of [ZmigrodW21]: all A^m derivatives, the last index fastest. Throws Stopped.
std::vector<double> derivatives(const Wfsm& machine, int order, double max_bytes = kMaxBytes, const Stop& stop = {});

// --- expectations ----------------------------------------------------------------------------------------------------

enum class WfsmPart { transition, start, final };

/// One non-zero value of one feature: on a transition, or on starting or ending in a state.
struct WfsmFeature {
  int index = 0;
  int feature = 0;
  double value = 0.0;
  WfsmPart part = WfsmPart::transition;
};

/// An additive function of trajectories with values in R^F: a sparse list. Entries for the same place add up.
class WfsmFeatures {
 public:
  /// InputError when an index is out of range or a value is not finite or beyond 1e100.
  WfsmFeatures(const Wfsm& machine, int num_features, const std::vector<WfsmFeature>& entries);

  struct Entry {
    int place;  ///< transitions, then start weights, then final weights
    int feature;
    double value;
  };
  int size() const { return size_; }
  int places() const { return places_; }
  const std::vector<Entry>& entries() const { return entries_; }  ///< sorted by feature, place

 private:
  int size_;
  int places_;
  std::vector<Entry> entries_;
};

/// E[r]. O(nnz).
Vector expectation(const Wfsm& machine, const WfsmFeatures& r);
/// E_2: E[r t^T] and Cov(r, t), R x T. Two solves for each of min(R, T) features, and O(min(R, T) (A + nnz)).
Matrix second_order(const Wfsm& machine, const WfsmFeatures& r, const WfsmFeatures& t);
Matrix covariance(const Wfsm& machine, const WfsmFeatures& r, const WfsmFeatures& t);

/// Directional derivative of the counts when the log-weights move along `direction`; also the gradient of E[direction]
/// with respect to the log-weights: Cov(direction, count). Two solves.
WfsmWeights counts_along(const Wfsm& machine, const WfsmWeights& direction);

/// Orders 0 .. m: E[f^k], E[(f - E f)^k], and the k-th cumulant (0 at k = 0).
struct Moments {
  Vector raw;
  Vector central;
  Vector cumulants;
};
/// m solves; 1 <= order <= 30.
Moments moments(const Wfsm& machine, const WfsmWeights& f, int order);

// --- information, with gradients w.r.t. the log-weights --------------------------------------------------------------

/// Entropy of the trajectory, nats.
double entropy(const Wfsm& machine);
WfsmWeights entropy_gradient(const Wfsm& machine);

/// KL(p || q) >= 0 of machines with the same states and transitions (symbols too); +inf when q forbids a trajectory
/// that p allows (the gradient then throws InputError).
double kl(const Wfsm& p, const Wfsm& q);
struct WfsmPairGradient {
  WfsmWeights p;
  WfsmWeights q;
};
WfsmPairGradient kl_gradient(const Wfsm& p, const Wfsm& q);

/// Renyi entropy of order alpha >= 0; +inf where the sum of p^alpha diverges (alpha = 0 and cycles, for instance).
double renyi(const Wfsm& machine, double alpha);
WfsmWeights renyi_gradient(const Wfsm& machine, double alpha);

/// Expected number of transitions.
double expected_length(const Wfsm& machine);
WfsmWeights expected_length_gradient(const Wfsm& machine);

}  // namespace kirchhoff
