// What can be asked about a machine: a table of wants, each with the library call that answers it.
#include "answers/wfsm_wants.hpp"

#include "answers/wfsm_paths.hpp"

#include <kirchhoff/wfsm_derivatives.hpp>
#include <kirchhoff/wfsm_expectation.hpp>
#include <kirchhoff/wfsm_semiring.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff::cli {
namespace {

using X = const WfsmSubject&;
using A = const Ask&;
using Out = JsonWriter&;

/// The inputs that wants need, as bits of WantForm::needs.
enum WfsmInput : unsigned { no_input = 0, features_input = 1, other_input = 2 };
/// Wants that use other options besides, by their names.
constexpr std::array<std::string_view, 2> kFunctionsOfFeatures = {"moments", "cumulants"};
constexpr std::string_view kSamples = "samples", kDistinct = "distinct";
/// Those that need no sum over trajectories.
constexpr std::string_view kPaths = "paths", kTrajectories = "log_trajectories";
constexpr std::array<std::string_view, 2> kFunctionsOfTwo = {"second_order", "covariance"};
constexpr std::array<std::string_view, 2> kInputNames = {"--features", "--other"};

/// Whether a want of the list has one of these names.
template <std::size_t count>
bool has_name(const WantList& wants, const std::array<std::string_view, count>& names);

const WfsmFeatures& features_of(X x) {
  if (!x.features) throw InputError("needs --features");
  return *x.features;
}

const WfsmFeatures& second_of(X x) { return x.second_features ? *x.second_features : features_of(x); }

const Wfsm& other_of(X x) {
  if (!x.other) throw InputError("needs --other");
  return *x.other;
}

void write_pair(X x, WfsmPairGradient (*gradient)(const Wfsm&, const Wfsm&), Out out) {
  if (std::isinf(kl(*x.machine, other_of(x)))) return out.raw("null");
  const WfsmPairGradient both = gradient(*x.machine, other_of(x));
  out.object([&] {
    out.key("p");
    out.write(both.p.transitions);
    out.key("q");
    out.write(both.q.transitions);
  });
}

/// The functions whose moments are asked for: the features, or the number of transitions where there are none.
std::vector<WfsmWeights> functions_of(X x) {
  const auto zero = [&]() -> WfsmWeights {
    return {Vector::Zero(static_cast<Eigen::Index>(x.machine->transitions().size())), Vector::Zero(x.machine->states()),
            Vector::Zero(x.machine->states())};
  };
  if (!x.features) {
    WfsmWeights length = zero();
    length.transitions.setOnes();
    return {length};
  }
  std::vector<WfsmWeights> functions(x.features->size(), zero());
  const auto arcs = static_cast<int>(x.machine->transitions().size());
  for (const auto& e : x.features->entries()) {
    WfsmWeights& f = functions[e.feature];
    const int state = e.place - arcs;
    if (state < 0) {
      f.transitions(e.place) = e.value;
    } else {
      (state < x.machine->states() ? f.start(state) : f.final(state - x.machine->states())) = e.value;
    }
  }
  return functions;
}

/// Writes a list of orders 1 .. M for each function.
void write_orders(X x, A ask, Out out, Vector Moments::*which) {
  const std::vector<WfsmWeights> functions = functions_of(x);
  const int order = static_cast<int>(ask.number);
  out.list(functions.size(),
           [&](std::size_t i) { out.write(Vector((moments(*x.machine, functions[i], order).*which).tail(order))); });
}

constexpr ArgumentRule kManyPaths{ArgumentRule::Kind::whole_number,  0, 1e6, true, -1,
                                  "a whole number from 0 to 1000000"};
constexpr ArgumentRule kText{ArgumentRule::Kind::text};
constexpr ArgumentRule kTransitions{
    ArgumentRule::Kind::list, 0, 0, true, -1, "the number of a transition, which count from 0"};
constexpr ArgumentRule kRenyiOrder{ArgumentRule::Kind::number, 0, 1e6, true, -1, "a number from 0 to 1e6"};
constexpr ArgumentRule kTensorOrder{ArgumentRule::Kind::whole_number, 1, 16, true, -1, "a whole number from 1 to 16"};

constexpr std::array kWfsmWants = {
    Want<WfsmSubject>{{"log_partition", "log of the sum over trajectories of their weights"},
                      [](X x, A, Out out) { out.write(x.machine->log_partition()); }},
    Want<WfsmSubject>{{"counts", "expected count of every transition, in the order of the file"},
                      [](X x, A, Out out) { out.write(x.machine->transition_marginals()); }},
    Want<WfsmSubject>{{"entropy", "entropy of the trajectory in nats"},
                      [](X x, A, Out out) { out.write(entropy(*x.machine)); }},
    Want<WfsmSubject>{{"expected_length", "expected number of transitions"},
                      [](X x, A, Out out) { out.write(expected_length(*x.machine)); }},
    Want<WfsmSubject>{{"gradient", "dZ/dw for every transition (w is the weight, not its logarithm)"},
                      [](X x, A, Out out) { out.write(gradient(*x.machine).transitions); }},
    Want<WfsmSubject>{{"hessian", "d2Z/dw dw for every pair of transitions", no_input, "", {}, true},
                      [](X x, A, Out out) { out.write(hessian(*x.machine)); }},
    Want<WfsmSubject>{
        {"derivative", "dZ/dw dw ... for some transitions, which may repeat", no_input, "\"0 1 1\"", kTransitions},
        [](X x, A ask, Out out) { out.write(derivative(*x.machine, ask.list)); }},
    Want<WfsmSubject>{
        {"derivatives", "all derivatives of order M, the last index fastest", no_input, "M", kTensorOrder, true},
        [](X x, A ask, Out out) {
          const std::vector<double> all = derivatives(*x.machine, static_cast<int>(ask.number));
          out.list(all.size(), [&](std::size_t i) { out.write(all[i]); });
        }},
    Want<WfsmSubject>{
        {"joint_count", "expected product of the counts of some transitions", no_input, "\"0 1 1\"", kTransitions},
        [](X x, A ask, Out out) { out.write(joint_count(*x.machine, ask.list)); }},
    Want<WfsmSubject>{
        {"contains", "probability that one of some transitions is used", no_input, "\"0 1\"", kTransitions},
        [](X x, A ask, Out out) { out.write(contains_probability(*x.machine, ask.list)); }},
    Want<WfsmSubject>{
        {"renyi", "Renyi entropy of order ALPHA, null where it is infinite", no_input, "ALPHA", kRenyiOrder},
        [](X x, A ask, Out out) { out.write(renyi(*x.machine, ask.number)); }},
    Want<WfsmSubject>{{"entropy_gradient", "dH/dlog w for every transition"},
                      [](X x, A, Out out) { out.write(entropy_gradient(*x.machine).transitions); }},
    Want<WfsmSubject>{
        {"renyi_gradient", "the same for the Renyi entropy of order ALPHA", no_input, "ALPHA", kRenyiOrder},
        [](X x, A ask, Out out) { out.write(renyi_gradient(*x.machine, ask.number).transitions); }},
    Want<WfsmSubject>{{"expectation", "E[f] of the features", features_input},
                      [](X x, A, Out out) { out.write(expectation(*x.machine, features_of(x))); }},
    Want<WfsmSubject>{{"second_order", "E[f g^T], where g is f without --second-features", features_input},
                      [](X x, A, Out out) { out.write(second_order(*x.machine, features_of(x), second_of(x))); }},
    Want<WfsmSubject>{{"covariance", "Cov(f, g) likewise", features_input},
                      [](X x, A, Out out) { out.write(covariance(*x.machine, features_of(x), second_of(x))); }},
    Want<WfsmSubject>{
        {"moments", "E[f], ..., E[f^M] of each feature, or of the length without --features", no_input, "M", kMaxOrder},
        [](X x, A ask, Out out) { write_orders(x, ask, out, &Moments::raw); }},
    Want<WfsmSubject>{{"cumulants", "the first M cumulants likewise", no_input, "M", kMaxOrder},
                      [](X x, A ask, Out out) { write_orders(x, ask, out, &Moments::cumulants); }},
    Want<WfsmSubject>{{"kl", "KL divergence to the machine in --other, null where it is infinite", other_input},
                      [](X x, A, Out out) { out.write(kl(*x.machine, other_of(x))); }},
    Want<WfsmSubject>{{"cross_entropy", "cross-entropy with the machine in --other likewise", other_input},
                      [](X x, A, Out out) { out.write(cross_entropy(*x.machine, other_of(x))); }},
    Want<WfsmSubject>{
        {"kl_gradient", "{\"p\":..., \"q\":...}: its derivatives by both machines' log w, null likewise", other_input},
        [](X x, A, Out out) { write_pair(x, &kl_gradient, out); }},
    Want<WfsmSubject>{{"cross_entropy_gradient", "the same for the cross-entropy", other_input},
                      [](X x, A, Out out) { write_pair(x, &cross_entropy_gradient, out); }},
    Want<WfsmSubject>{{kTrajectories, "log of the number of trajectories, null where there are cycles"},
                      [](X x, A, Out out) { out.write(log_trajectories(x.builder)); }},
    Want<WfsmSubject>{
        {kPaths, "the K trajectories of largest weight, also where Z is infinite", no_input, "K", kManyPaths},
        [](X x, A ask, Out out) {
          const int k = static_cast<int>(ask.number);
          write_paths(x, x.machine ? best_paths(*x.machine, k) : best_paths(x.builder, k), out);
        }},
    Want<WfsmSubject>{{kSamples, "K trajectories drawn at random (--seed)", no_input, "K", kManyPaths},
                      [](X x, A ask, Out out) {
                        const int count = static_cast<int>(ask.number);
                        write_paths(x, sample_paths(*x.machine, count, x.seed, x.threads), out);
                      }},
    Want<WfsmSubject>{{kDistinct, "K of them without replacement", no_input, "K", kManyPaths}, write_distinct},
    Want<WfsmSubject>{{"string", "log-weight and log-probability of a string of symbols", no_input, "\"A B\"", kText},
                      write_string},
    Want<WfsmSubject>{{"text", "the machine in the format of the input, with weights -log w", no_input, "", {}, true},
                      [](X x, A, Out out) { out.write(write_wfsm(*x.machine)); }},
    Want<WfsmSubject>{{"dot", "the machine for Graphviz, as one string", no_input, "", {}, true},
                      [](X x, A, Out out) { out.write(to_dot(*x.machine)); }},
};
constexpr auto kWfsmForms = forms_of(kWfsmWants);

template <std::size_t count>
bool has_name(const WantList& wants, const std::array<std::string_view, count>& names) {
  return std::any_of(wants.asks.begin(), wants.asks.end(), [&](const Ask& ask) {
    return std::find(names.begin(), names.end(), kWfsmForms[ask.want].name) != names.end();
  });
}

bool needs(const WantList& wants, unsigned input) {
  return wants.all || std::any_of(wants.asks.begin(), wants.asks.end(),
                                  [&](const Ask& ask) { return (kWfsmForms[ask.want].needs & input) != 0; });
}

}  // namespace

WantList parse_wfsm_wants(std::string_view list) { return parse_wants(list, kWfsmForms); }

int largest_count(const WantList& wants) {
  double largest = 0.0;
  for (const Ask& ask : wants.asks) {
    if (kWfsmForms[ask.want].rule.kind == ArgumentRule::Kind::whole_number) largest = std::max(largest, ask.number);
  }
  return static_cast<int>(largest);
}
bool wants_samples(const WantList& wants) { return has_name(wants, std::array{kSamples, kDistinct}); }
bool wants_sums(const WantList& wants) {
  return wants.all || std::any_of(wants.asks.begin(), wants.asks.end(), [](const Ask& ask) {
           const std::string_view name = kWfsmForms[ask.want].name;
           return name != kPaths && name != kTrajectories;
         });
}
bool wants_features(const WantList& wants) {
  return needs(wants, features_input) || has_name(wants, kFunctionsOfFeatures);
}
bool wants_second_features(const WantList& wants) { return wants.all || has_name(wants, kFunctionsOfTwo); }
bool wants_other(const WantList& wants) { return needs(wants, other_input); }

std::string wfsm_wants_help() { return wants_help(kWfsmForms, kInputNames); }

std::string answer_wfsm(const WfsmSubject& subject, const WantList& wants) {
  JsonWriter out;
  const unsigned given = (subject.features ? features_input : 0U) | (subject.other ? other_input : 0U);
  write_answers(kWfsmWants, subject, asks_of(wants, kWfsmForms, given), out);
  out.close();
  return out.take();
}

}  // namespace kirchhoff::cli
