#include "answers/wfsm_wants.hpp"

#include "answers/wants.hpp"

#include <fmt/format.h>
#include <kirchhoff/wfsm_derivatives.hpp>
#include <kirchhoff/wfsm_expectation.hpp>

#include <algorithm>
#include <charconv>

namespace kirchhoff::cli {
namespace {

using P = const WfsmProblem&;
using Out = JsonWriter&;
using Ask = const WfsmAsk&;

enum class Argument { none, number, text };

struct Want {
  std::string_view name;
  Argument argument;
  int most;  ///< of a number
  std::string_view help;
  void (*compute)(P, Ask, Out);
};

/// A number >= 0, or -1.
int whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::max(value, -1) : -1;
}

void write_symbol(P x, int symbol, Out out) {
  const std::string& name = x.machine.symbols().input.name(symbol);
  out.raw(name.empty() ? fmt::format("{}", symbol) : json_string(name));
}

void write_integers(const std::vector<int>& values, Out out) {
  out.list(values.size(), [&](std::size_t i) { out.raw(fmt::format("{}", values[i])); });
}

void write_paths(P x, const std::vector<kirchhoff::Path>& paths, Out out) {
  out.list(paths.size(), [&](std::size_t i) {
    const kirchhoff::Path& path = paths[i];
    std::vector<int> states = {path.start};
    for (const int t : path.transitions) states.push_back(x.machine.transitions()[t].to);
    const std::vector<int> symbols = yield(x.machine, path);
    out.raw("{\"symbols\":");
    out.list(symbols.size(), [&](std::size_t k) { write_symbol(x, symbols[k], out); });
    out.raw(",\"arcs\":");
    write_integers(path.transitions, out);
    out.raw(",\"states\":");
    write_integers(states, out);
    out.raw(",\"log_weight\":");
    out.write(path.log_weight);
    out.raw(",\"log_prob\":");
    out.write(path.log_prob);
    out.raw("}");
  });
}

/// Words between spaces: names of the table, or numbers.
std::vector<int> symbols_of(P x, std::string_view text) {
  const SymbolTable& table = x.machine.symbols().input;
  std::vector<int> symbols;
  for (std::size_t at = text.find_first_not_of(' '); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const int symbol = table.empty() ? whole(word) : table.find(word);
    if (symbol < 0) {
      throw InputError(fmt::format("symbol '{}' is not {}", word,
                                   table.empty() ? "a number, and there is no --isymbols" : "in the table of symbols"));
    }
    symbols.push_back(symbol);
    at = text.find_first_not_of(' ', end);
  }
  return symbols;
}

void write_string(P x, Ask ask, Out out) {
  const std::vector<int> string = symbols_of(x, ask.text);
  const double probability = log_prob(x.machine, string);
  out.raw("{\"symbols\":");
  out.list(string.size(), [&](std::size_t i) { write_symbol(x, string[i], out); });
  out.raw(",\"log_weight\":");
  out.write(probability + x.machine.log_partition());
  out.raw(",\"log_prob\":");
  out.write(probability);
  out.raw("}");
}

const WfsmFeatures& features_of(P x) {
  if (!x.features) throw InputError("needs --features");
  return *x.features;
}

/// The number of transitions, or each of the features.
std::vector<WfsmWeights> functions_of(P x) {
  const auto zero = [&]() -> WfsmWeights {
    return {Vector::Zero(static_cast<Eigen::Index>(x.machine.transitions().size())), Vector::Zero(x.machine.states()),
            Vector::Zero(x.machine.states())};
  };
  if (!x.features) {
    WfsmWeights length = zero();
    length.transitions.setOnes();
    return {length};
  }
  std::vector<WfsmWeights> functions(x.features->size(), zero());
  for (const auto& e : x.features->entries()) functions[e.feature].transitions(e.place) = e.value;
  return functions;
}

/// A list of orders 1 .. M for each function.
void write_orders(P x, Ask ask, Out out, Vector Moments::*which) {
  const std::vector<WfsmWeights> functions = functions_of(x);
  out.list(functions.size(), [&](std::size_t i) {
    out.write(Vector((moments(x.machine, functions[i], ask.number).*which).tail(ask.number)));
  });
}

constexpr int kManyPaths = 1'000'000;

constexpr Want kWants[] = {
    {"log_partition", Argument::none, 0, "log of the sum over trajectories of their weights",
     [](P x, Ask, Out out) { out.write(x.machine.log_partition()); }},
    {"counts", Argument::none, 0, "expected count of every transition, in the order of the file",
     [](P x, Ask, Out out) { out.write(x.machine.transition_marginals()); }},
    {"entropy", Argument::none, 0, "entropy of the trajectory in nats",
     [](P x, Ask, Out out) { out.write(entropy(x.machine)); }},
    {"expected_length", Argument::none, 0, "expected number of transitions",
     [](P x, Ask, Out out) { out.write(expected_length(x.machine)); }},
    {"gradient", Argument::none, 0, "dZ/dw for every transition (w: weight, not its logarithm)",
     [](P x, Ask, Out out) { out.write(gradient(x.machine).transitions); }},
    {"hessian", Argument::none, 0, "d2Z/dw dw for every pair of transitions",
     [](P x, Ask, Out out) { out.write(hessian(x.machine)); }},
    {"expectation", Argument::none, 0, "E[f] of the features",
     [](P x, Ask, Out out) { out.write(expectation(x.machine, features_of(x))); }},
    {"second_order", Argument::none, 0, "E[f f^T]",
     [](P x, Ask, Out out) { out.write(second_order(x.machine, features_of(x), features_of(x))); }},
    {"covariance", Argument::none, 0, "Cov(f, f)",
     [](P x, Ask, Out out) { out.write(covariance(x.machine, features_of(x), features_of(x))); }},
    {"moments", Argument::number, 30, "E[f], ..., E[f^M] of each feature, or of the length without --features",
     [](P x, Ask ask, Out out) { write_orders(x, ask, out, &Moments::raw); }},
    {"cumulants", Argument::number, 30, "the first M cumulants likewise",
     [](P x, Ask ask, Out out) { write_orders(x, ask, out, &Moments::cumulants); }},
    {"paths", Argument::number, kManyPaths, "the K trajectories of largest weight",
     [](P x, Ask ask, Out out) { write_paths(x, best_paths(x.machine, ask.number), out); }},
    {"samples", Argument::number, kManyPaths, "K trajectories drawn at random (--seed)",
     [](P x, Ask ask, Out out) { write_paths(x, sample_paths(x.machine, ask.number, x.seed, x.threads), out); }},
    {"string", Argument::text, 0, "log-weight and log-probability of a string of symbols", write_string},
    {"dot", Argument::none, 0, "the machine for Graphviz, as one string",
     [](P x, Ask, Out out) { out.raw(json_string(to_dot(x.machine))); }},
};

std::string form(const Want& want) {
  if (want.argument == Argument::text) return fmt::format("{}=\"A B\"", want.name);
  if (want.argument == Argument::none) return std::string(want.name);
  return fmt::format("{}={}", want.name, want.most == kManyPaths ? "K" : "M");
}

WfsmAsk parse_want(std::string_view item) {
  const std::size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  const auto want = std::find_if(std::begin(kWants), std::end(kWants), [&](const Want& w) { return w.name == name; });
  if (want == std::end(kWants)) {
    std::string known;
    for (const Want& w : kWants) known += fmt::format("{}{}", known.empty() ? "" : ", ", form(w));
    throw UsageError(fmt::format("--want: unknown '{}'; known: {}", item, known));
  }
  WfsmAsk ask{static_cast<std::size_t>(want - std::begin(kWants)), 0, {}};
  const bool given = equals != std::string_view::npos;
  if (given == (want->argument == Argument::none)) {
    throw UsageError(fmt::format("--want {} {} {}", name, given ? "is just" : "needs", form(*want)));
  }
  if (!given) return ask;
  std::string_view value = item.substr(equals + 1);
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  ask.text = value;
  if (want->argument == Argument::text) return ask;
  ask.number = whole(value);
  const int least = want->most == kManyPaths ? 0 : 1;
  if (ask.number < least || ask.number > want->most) {
    throw UsageError(fmt::format("--want {}: '{}' is not a number from {} to {}", name, value, least, want->most));
  }
  return ask;
}

}  // namespace

std::vector<WfsmAsk> parse_wfsm_wants(std::string_view list) {
  std::vector<WfsmAsk> asks;
  bool inside_quotes = false;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '"') inside_quotes = !inside_quotes;
    if (i < list.size() && (list[i] != ',' || inside_quotes)) continue;
    asks.push_back(parse_want(list.substr(start, i - start)));
    start = i + 1;
    for (std::size_t k = 0; k + 1 < asks.size(); ++k) {
      if (asks[k].want == asks.back().want) {
        throw UsageError(fmt::format("--want: {} given twice", kWants[asks[k].want].name));
      }
    }
  }
  return asks;
}

std::string wfsm_wants_help() {
  std::string out;
  for (const Want& want : kWants) out += fmt::format("  {:<20}{}\n", form(want), want.help);
  return out;
}

std::string answer_wfsm(const WfsmProblem& problem, const std::vector<WfsmAsk>& asks) {
  JsonWriter out;
  for (const WfsmAsk& ask : asks) {
    const Want& want = kWants[ask.want];
    out.key(want.name);
    try {
      want.compute(problem, ask, out);
    } catch (const InputError& e) {
      throw InputError(fmt::format("{}: {}", want.name, without_function(e.what())));
    }
  }
  out.close();
  return out.take();
}

}  // namespace kirchhoff::cli
