// Building machines, and reading their numbers.
#include "base/check.hpp"
#include "wfsm/wfsm_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kirchhoff {
namespace {

constexpr double kLargestLogWeight = 1e9;

void check_log_weight(const char* function, const std::string& what, double x) {
  if (x == -HUGE_VAL || std::abs(x) <= kLargestLogWeight) return;
  const char* problem = std::isnan(x) ? " is not a number" : std::isinf(x) ? " is +inf" : " is beyond 1e9 in size";
  base::input_error(function, "log-weight of " + what + problem + (x < 0 ? "; -inf makes it impossible" : ""));
}

void check_state(const char* what, int state, std::size_t states) {
  if (state >= 0 && static_cast<std::size_t>(state) < states) return;
  base::input_error("WfsmBuilder", std::string(what) + ": state " + std::to_string(state) + " is not one of the " +
                                       std::to_string(states) + " states");
}

void check_vector(const char* function, const char* what, const Vector& x, std::size_t size) {
  if (static_cast<std::size_t>(x.size()) == size) return;
  base::input_error(function,
                    std::string(what) + ": " + std::to_string(x.size()) + " numbers, expected " + std::to_string(size));
}

void check_sizes(const char* function, const wfsm::Machine& m, const WfsmWeights& weights) {
  check_vector(function, "transitions", weights.transitions, m.transitions.size());
  check_vector(function, "start", weights.start, m.states);
  check_vector(function, "final", weights.final, m.states);
}

}  // namespace

void SymbolTable::add(std::string name, int symbol) {
  if (symbol < 0) base::input_error("SymbolTable", "symbol " + std::to_string(symbol) + " is negative");
  if (names_.contains(symbol)) {
    base::input_error("SymbolTable", "symbol " + std::to_string(symbol) + " has a name, '" + names_[symbol] + "'");
  }
  if (numbers_.contains(name)) base::input_error("SymbolTable", "'" + name + "' names two symbols");
  numbers_.emplace(name, symbol);
  names_.emplace(symbol, std::move(name));
}

int SymbolTable::find(std::string_view name) const {
  const auto found = numbers_.find(std::string(name));
  return found == numbers_.end() ? -1 : found->second;
}

const std::string& SymbolTable::name(int symbol) const {
  static const std::string kNone;
  const auto found = names_.find(symbol);
  return found == names_.end() ? kNone : found->second;
}

std::vector<int> SymbolTable::symbols() const {
  std::vector<int> symbols;
  for (const auto& [symbol, name] : names_) symbols.push_back(symbol);
  std::sort(symbols.begin(), symbols.end());
  return symbols;
}

WfsmBuilder::WfsmBuilder(const Wfsm& machine)
    : transitions_(machine.transitions()),
      start_(wfsm::machine_of(machine).start),
      final_(wfsm::machine_of(machine).final),
      symbols_(machine.symbols()) {}

int WfsmBuilder::add_state() {
  add_states(1);
  return static_cast<int>(start_.size()) - 1;
}

WfsmBuilder& WfsmBuilder::add_states(int count) {
  const std::size_t most = std::numeric_limits<int>::max() / 4;
  if (count < 0 || start_.size() + static_cast<std::size_t>(count) > most) {
    base::input_error("WfsmBuilder", std::to_string(count) + " more states are none or too many");
  }
  start_.resize(start_.size() + count, -HUGE_VAL);
  final_.resize(start_.size(), -HUGE_VAL);
  return *this;
}

WfsmBuilder& WfsmBuilder::add_transition(const Transition& t) {
  check_state("transition", t.from, start_.size());
  check_state("transition", t.to, start_.size());
  if (t.symbol < 0 || t.output < kSameAsInput) base::input_error("WfsmBuilder", "transition: a symbol is negative");
  check_log_weight("WfsmBuilder", "transition " + std::to_string(transitions_.size()), t.log_weight);
  transitions_.push_back(t);
  return *this;
}

WfsmBuilder& WfsmBuilder::set_start(int state, double log_weight) {
  check_state("start", state, start_.size());
  check_log_weight("WfsmBuilder", "start in state " + std::to_string(state), log_weight);
  start_[state] = log_weight;
  return *this;
}

WfsmBuilder& WfsmBuilder::set_final(int state, double log_weight) {
  check_state("final", state, start_.size());
  check_log_weight("WfsmBuilder", "end in state " + std::to_string(state), log_weight);
  final_[state] = log_weight;
  return *this;
}

WfsmBuilder& WfsmBuilder::set_symbols(WfsmSymbols symbols) {
  symbols_ = std::move(symbols);
  return *this;
}

Wfsm WfsmBuilder::build(Accuracy accuracy) const {
  wfsm::Machine machine = WfsmAccess::machine(*this);
  if (machine.transitions.size() > std::numeric_limits<int>::max() / 2) {
    base::input_error("WfsmBuilder", "too many transitions");
  }
  const wfsm::TrimGraph graph = wfsm::trim(machine);
  if (graph.state.empty()) throw Infeasible("[Wfsm] no trajectory leads from a start state to a final state");
  return WfsmAccess::make(std::move(machine), graph, accuracy);
}

Wfsm WfsmAccess::make(wfsm::Machine machine, const wfsm::TrimGraph& graph, const Accuracy& accuracy) {
  if (!(accuracy.tolerance > 0.0)) base::input_error("Wfsm", "tolerance must be above 0");
  auto state = std::make_shared<State>();
  wfsm::SolvedChain solved = wfsm::solve(machine, graph, accuracy);
  state->machine = std::move(machine);
  state->chain = std::move(solved.chain);
  state->accuracy = accuracy;
  state->report = solved.report;
  const wfsm::MarkovChain& chain = state->chain;
  const wfsm::TrimGraph& g = chain.graph();
  state->state_visits = Vector::Zero(state->machine.states);
  for (int v = 1; v < g.sink(); ++v) state->state_visits(g.state[v]) = chain.visits()[v];
  const auto transitions = static_cast<int>(state->machine.transitions.size());
  state->transition_marginals = Vector::Zero(transitions);
  for (std::size_t a = 0; a < g.arcs.size(); ++a) {
    if (g.arcs[a].place < transitions) {
      state->transition_marginals(g.arcs[a].place) = chain.visits()[g.from[a]] * chain.p()[a];
    }
  }
  return Wfsm(std::move(state));
}

int Wfsm::states() const { return state_->machine.states; }
const std::vector<Transition>& Wfsm::transitions() const { return state_->machine.transitions; }
const WfsmSymbols& Wfsm::symbols() const { return state_->machine.symbols; }
int Wfsm::useless_states() const { return states() - (state_->chain.graph().nodes() - 2); }
const Accuracy& Wfsm::accuracy() const { return state_->accuracy; }
const Report& Wfsm::report() const { return state_->report; }
double Wfsm::log_partition() const { return log(state_->chain.total()[0]); }
const Vector& Wfsm::transition_marginals() const { return state_->transition_marginals; }
const Vector& Wfsm::state_visits() const { return state_->state_visits; }

WfsmWeights Wfsm::log_weights() const {
  std::vector<double> places(state_->machine.places());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = log_weight_at(state_->machine, static_cast<int>(i));
  return wfsm::unflatten(state_->machine, places);
}

WfsmWeights Wfsm::counts() const {
  const wfsm::MarkovChain& chain = state_->chain;
  std::vector<double> counts(state_->machine.places(), 0.0);
  for (std::size_t a = 0; a < chain.p().size(); ++a) {
    counts[chain.graph().arcs[a].place] = chain.visits()[chain.graph().from[a]] * chain.p()[a];
  }
  return wfsm::unflatten(state_->machine, counts);
}

Wfsm Wfsm::with_log_weights(const WfsmWeights& weights) const {
  check_sizes("with_log_weights", state_->machine, weights);
  WfsmBuilder builder;
  builder.add_states(states()).set_symbols(symbols());
  for (std::size_t i = 0; i < transitions().size(); ++i) {
    Transition t = transitions()[i];
    t.log_weight = weights.transitions(static_cast<Eigen::Index>(i));
    builder.add_transition(t);
  }
  for (int s = 0; s < states(); ++s) builder.set_start(s, weights.start(s)).set_final(s, weights.final(s));
  return builder.build(accuracy());
}

namespace wfsm {

std::vector<double> flatten(const char* function, const Wfsm& machine, const WfsmWeights& weights) {
  check_sizes(function, machine_of(machine), weights);
  std::vector<double> places;
  places.reserve(machine_of(machine).places());
  for (const Vector* part : {&weights.transitions, &weights.start, &weights.final}) {
    places.insert(places.end(), part->data(), part->data() + part->size());
  }
  const auto bad = std::find_if_not(places.begin(), places.end(), [](double x) { return std::abs(x) <= 1e100; });
  if (bad != places.end()) base::input_error(function, "a number is not finite or beyond 1e100 in size");
  return places;
}

WfsmWeights unflatten(const Machine& m, const std::vector<double>& places) {
  using Map = Eigen::Map<const Vector>;
  const auto transitions = static_cast<Eigen::Index>(m.transitions.size());
  return {Map(places.data(), transitions), Map(places.data() + transitions, m.states),
          Map(places.data() + transitions + m.states, m.states)};
}

double log_p(const Wfsm& machine, std::size_t arc) {
  const MarkovChain& chain = chain_of(machine);
  const TrimGraph& g = chain.graph();
  if (chain.p()[arc] > 1e-290) return std::log(chain.p()[arc]);
  return log_weight_at(machine_of(machine), g.arcs[arc].place) + chain.log_ratio(g.from[arc], g.arcs[arc].to);
}

}  // namespace wfsm
}  // namespace kirchhoff
