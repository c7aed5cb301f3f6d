// Paths, strings and transitions of a machine, read and written.
#include "answers/wfsm_paths.hpp"

#include "number.hpp"

#include <kirchhoff/wfsm_distinct.hpp>
#include <kirchhoff/wfsm_semiring.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kirchhoff::cli {
namespace {

using X = const WfsmSubject&;
using Out = JsonWriter&;

/// Reads a symbol's number, or returns -1 when the text is none.
int symbol_number(std::string_view text) { return std::max(parse_number<int>(text).value_or(-1), -1); }

void write_symbol(X x, int symbol, Out out) {
  const std::string& name = x.builder.symbols().input.name(symbol);
  out.raw(name.empty() ? fmt::format("{}", symbol) : json_string(name));
}

void write_integers(const std::vector<int>& values, Out out) {
  out.list(values.size(), [&](std::size_t i) { out.raw(fmt::format("{}", values[i])); });
}

void write_fields(X x, const kirchhoff::Path& path, Out out) {
  std::vector<int> states = {path.start};
  for (const int t : path.transitions) states.push_back(x.builder.transitions()[t].to);
  const std::vector<int> symbols = yield(x.builder, path);
  out.key("symbols");
  out.list(symbols.size(), [&](std::size_t k) { write_symbol(x, symbols[k], out); });
  out.key("arcs");
  write_integers(path.transitions, out);
  out.key("states");
  write_integers(states, out);
  out.key("log_weight");
  out.write(path.log_weight);
  out.key("log_prob");
  std::isnan(path.log_prob) ? out.raw("null") : out.write(path.log_prob);  // Z is infinite
}

/// Reads words: names of the table, or numbers where there is no table.
std::vector<int> symbols_of(X x, std::string_view text) {
  const SymbolTable& table = x.builder.symbols().input;
  std::vector<int> symbols;
  for (const std::string_view word : words_in(text)) {
    const int symbol = table.empty() ? symbol_number(word) : table.find(word);
    if (symbol < 0) {
      throw InputError(fmt::format("symbol '{}' is not {}", word,
                                   table.empty() ? "a number, and there is no --isymbols" : "in the table of symbols"));
    }
    symbols.push_back(symbol);
  }
  return symbols;
}

}  // namespace

void write_paths(X x, const std::vector<kirchhoff::Path>& paths, Out out) {
  out.list(paths.size(), [&](std::size_t i) { out.object([&] { write_fields(x, paths[i], out); }); });
}

void write_distinct(X x, const Ask& ask, Out out) {
  const PerturbedPaths sample = sample_without_replacement(*x.machine, static_cast<int>(ask.number), x.seed);
  out.object([&] {
    out.key("paths");
    out.list(sample.paths.size(), [&](std::size_t i) {
      out.object([&] {
        write_fields(x, sample.paths[i], out);
        out.key("perturbed");
        out.write(sample.perturbed[i]);
      });
    });
    out.key("threshold");
    out.write(sample.threshold);
  });
}

void write_string(X x, const Ask& ask, Out out) {
  const std::vector<int> string = symbols_of(x, ask.text);
  const double probability = log_prob(*x.machine, string);
  out.raw("{\"symbols\":");
  out.list(string.size(), [&](std::size_t i) { write_symbol(x, string[i], out); });
  out.raw(",\"log_weight\":");
  out.write(probability + x.machine->log_partition());
  out.raw(",\"log_prob\":");
  out.write(probability);
  out.raw("}");
}

}  // namespace kirchhoff::cli
