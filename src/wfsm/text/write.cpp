// Machines and symbol tables as text, and as drawings. Numbers are written so that they read back to the same double.
#include "kirchhoff/wfsm_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace kirchhoff {
namespace {

std::string number(double x) {
  if (std::isinf(x)) return x > 0 ? "Infinity" : "-Infinity";
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, x + 0.0).ptr};
}

std::string weight(double log_weight, WeightKind kind) {
  if (kind == WeightKind::real) return number(std::exp(log_weight));
  return number(kind == WeightKind::log ? log_weight : 0.0 - log_weight);
}

std::string symbol_name(const SymbolTable& table, int symbol) {
  const std::string& name = table.name(symbol);
  return name.empty() ? std::to_string(symbol) : name;
}

bool is_transducer(const Wfsm& machine) {
  const auto& t = machine.transitions();
  return std::any_of(t.begin(), t.end(), [](const Transition& x) { return x.output != kSameAsInput; });
}

/// The symbols of a transition, with a tab between them.
std::string labels(const Wfsm& machine, const Transition& t, bool transducer) {
  std::string text = symbol_name(machine.symbols().input, t.symbol);
  if (!transducer) return text;
  const bool same = t.output == kSameAsInput;
  return text.append("\t").append(symbol_name(machine.symbols().output, same ? t.symbol : t.output));
}

std::string line(const Wfsm& machine, const Transition& t, bool transducer, WeightKind kind) {
  return std::to_string(t.from) + "\t" + std::to_string(t.to) + "\t" + labels(machine, t, transducer) + "\t" +
         weight(t.log_weight, kind) + "\n";
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string three_digits(double log_weight) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g", log_weight);
  return text;
}

}  // namespace

std::string write_symbols(const SymbolTable& symbols) {
  std::string text;
  for (const int s : symbols.symbols()) text += symbols.name(s) + "\t" + std::to_string(s) + "\n";
  return text;
}

std::string write_wfsm(const Wfsm& machine, WeightKind kind) {
  const WfsmWeights weights = machine.log_weights();
  const bool transducer = is_transducer(machine);
  std::vector<int> starts;
  for (int s = 0; s < machine.states(); ++s) {
    if (weights.start(s) != -HUGE_VAL) starts.push_back(s);
  }
  const bool plain = starts.size() == 1 && weights.start(starts[0]) == 0.0;
  const int start = plain ? starts[0] : machine.states();
  std::string first, rest;
  for (const int s : starts) {
    if (!plain) first += line(machine, {start, s, kEpsilon, weights.start(s)}, transducer, kind);
  }
  for (const Transition& t : machine.transitions()) {
    (t.from == start ? first : rest) += line(machine, t, transducer, kind);
  }
  for (int s = 0; s < machine.states(); ++s) {
    if (weights.final(s) == -HUGE_VAL) continue;
    (s == start ? first : rest) += std::to_string(s) + "\t" + weight(weights.final(s), kind) + "\n";
  }
  return first + rest;
}

std::string to_dot(const Wfsm& machine) {
  const WfsmWeights weights = machine.log_weights();
  const bool transducer = is_transducer(machine);
  std::string text = "digraph wfsm {\n  rankdir = LR;\n  node [shape = circle];\n";
  for (int s = 0; s < machine.states(); ++s) {
    const bool starts = weights.start(s) != -HUGE_VAL, ends = weights.final(s) != -HUGE_VAL;
    const std::string name = std::to_string(s);
    text += "  " + name + " [label = \"" + name;
    text += ends ? "/" + three_digits(weights.final(s)) + "\", shape = doublecircle" : "\"";
    text += starts ? ", style = bold];\n" : "];\n";
  }
  for (const Transition& t : machine.transitions()) {
    std::string label = labels(machine, t, transducer);
    std::replace(label.begin(), label.end(), '\t', ':');
    text += "  " + std::to_string(t.from) + " -> " + std::to_string(t.to) + " [label = \"" + escaped(label) + "/" +
            three_digits(t.log_weight) + "\"];\n";
  }
  return text + "}\n";
}

}  // namespace kirchhoff
