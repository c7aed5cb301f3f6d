// Machines as text: the AT&T format that OpenFst's fstcompile reads and fstprint writes, symbol tables, and drawings.
//
//     FROM TO SYMBOL [WEIGHT]           a transition of an acceptor
//     FROM TO SYMBOL OUTPUT [WEIGHT]    a transition of a transducer
//     STATE [WEIGHT]                    a final state
//
// The first line's FROM (or STATE) is the start state. A weight that is left out is 1.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <string>
#include <string_view>

namespace kirchhoff {

/// What the numbers in the text are.
enum class WeightKind {
  neglog,  ///< -log w, as in OpenFst's log and tropical semirings; Infinity is impossible
  log,     ///< log w
  real,    ///< w
};
template <>
inline constexpr std::array<std::string_view, 3> kNames<WeightKind> = {"neglog", "log", "real"};

/// Whether transitions have an output symbol.
enum class ArcFormat {
  automatic,  ///< a transducer if some line has five fields, else an acceptor
  acceptor,
  transducer,
};
template <>
inline constexpr std::array<std::string_view, 3> kNames<ArcFormat> = {"automatic", "acceptor", "transducer"};

struct WfsmTextOptions {
  WeightKind weights = WeightKind::neglog;
  ArcFormat arcs = ArcFormat::automatic;
  WfsmSymbols symbols;         ///< symbols are read as names where there is a table, else as numbers
  std::string name = "input";  ///< the file's name, for messages
  Accuracy accuracy;
};

/// Reads a machine whose transitions are numbered as in the text. Throws InputError ("name:line: problem") or
/// Infeasible.
Wfsm read_wfsm(std::string_view text, const WfsmTextOptions& options = {});
/// The same without solving the machine, whose Z may be infinite: for products (wfsm_product.hpp).
WfsmBuilder read_wfsm_builder(std::string_view text, const WfsmTextOptions& options = {});

/// Reads a symbol table from lines of the form "NAME NUMBER".
SymbolTable read_symbols(std::string_view text, const std::string& name = "input");
/// Writes such lines, in the order of the numbers.
std::string write_symbols(const SymbolTable& symbols);

/// Writes a text that reads back as the same machine, with its transitions in the same order but those of the start
/// state first. Several start states, or one with a weight, become epsilon transitions from a new state.
std::string write_wfsm(const Wfsm& machine, WeightKind weights = WeightKind::neglog);

/// Writes the machine for Graphviz: final states have two circles, transitions their symbol and weight.
std::string to_dot(const Wfsm& machine);

}  // namespace kirchhoff
