// Machines as text: the AT&T format that OpenFst's fstcompile reads and fstprint writes, symbol tables, and drawings.
//
//   FROM TO SYMBOL [WEIGHT]           a transition of an acceptor
//   FROM TO SYMBOL OUTPUT [WEIGHT]    of a transducer
//   STATE [WEIGHT]                    a final state
//
// The first line's FROM (or STATE) is the start state. Without a weight, the weight is 1.
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <string>
#include <string_view>

namespace kirchhoff {

/// What the numbers in the file are.
enum class WeightKind {
  neglog,  ///< -log w, as in OpenFst's log and tropical semirings; Infinity is impossible
  log,     ///< log w
  real,    ///< w
};

enum class ArcFormat {
  automatic,  ///< transducer if some line has five fields, else acceptor
  acceptor,
  transducer,
};

struct WfsmTextOptions {
  WeightKind weights = WeightKind::neglog;
  ArcFormat arcs = ArcFormat::automatic;
  WfsmSymbols symbols;         ///< symbols are numbers where there is no table, else names
  std::string name = "input";  ///< of the file, for messages
  Accuracy accuracy;
};

/// Transitions are numbered as in the text. InputError ("name:line: problem") or Infeasible.
Wfsm read_wfsm(std::string_view text, const WfsmTextOptions& options = {});

/// Lines "NAME NUMBER".
SymbolTable read_symbols(std::string_view text, const std::string& name = "input");
std::string write_symbols(const SymbolTable& symbols);

/// Reads back as the same machine, its transitions in the same order but those of the start state first. Several start
/// states, or one with a weight, become epsilon transitions from a new state.
std::string write_wfsm(const Wfsm& machine, WeightKind weights = WeightKind::neglog);

/// For Graphviz: final states with two circles, transitions with symbol and weight.
std::string to_dot(const Wfsm& machine);

}  // namespace kirchhoff
