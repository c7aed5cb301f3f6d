// To and from OpenFst's fst::VectorFst. Header only: include it where OpenFst is installed, and link with -lfst.
//
// Weights are negative logarithms on their side and logarithms on ours; label 0 is epsilon on both. Works for any arc
// type whose weight is one number of that kind: LogArc, Log64Arc, StdArc (whose sums we then read as log sums).
#pragma once

#include "kirchhoff/wfsm.hpp"

#include <fst/vector-fst.h>

#include <cmath>

namespace kirchhoff {

/// Transitions are numbered state by state, in the order of each state's arcs.
template <class Arc>
Wfsm from_openfst(const fst::VectorFst<Arc>& machine, Accuracy accuracy = {}) {
  WfsmBuilder builder;
  builder.add_states(static_cast<int>(machine.NumStates()));
  if (machine.Start() != fst::kNoStateId) builder.set_start(static_cast<int>(machine.Start()));
  for (int s = 0; s < static_cast<int>(machine.NumStates()); ++s) {
    builder.set_final(s, -static_cast<double>(machine.Final(s).Value()));
    for (fst::ArcIterator<fst::VectorFst<Arc>> i(machine, s); !i.Done(); i.Next()) {
      const Arc& arc = i.Value();
      const int output = arc.ilabel == arc.olabel ? kSameAsInput : static_cast<int>(arc.olabel);
      builder.add_transition({s, static_cast<int>(arc.nextstate), static_cast<int>(arc.ilabel),
                              -static_cast<double>(arc.weight.Value()), output});
    }
  }
  return builder.build(accuracy);
}

/// Several start states, or one with a weight, become epsilon arcs from a new state.
template <class Arc>
fst::VectorFst<Arc> to_openfst(const Wfsm& machine) {
  using Weight = typename Arc::Weight;
  using Value = typename Weight::ValueType;
  const auto weight = [](double log_weight) { return Weight(static_cast<Value>(-log_weight)); };
  const WfsmWeights weights = machine.log_weights();
  fst::VectorFst<Arc> result;
  int starts = 0, start = 0;
  for (int s = 0; s < machine.states(); ++s) {
    result.AddState();
    if (weights.final(s) != -HUGE_VAL) result.SetFinal(s, weight(weights.final(s)));
    if (weights.start(s) != -HUGE_VAL) ++starts, start = s;
  }
  for (const Transition& t : machine.transitions()) {
    result.AddArc(t.from, Arc(t.symbol, t.output == kSameAsInput ? t.symbol : t.output, weight(t.log_weight), t.to));
  }
  if (starts != 1 || weights.start(start) != 0.0) {
    start = static_cast<int>(result.AddState());
    for (int s = 0; s < machine.states(); ++s) {
      if (weights.start(s) != -HUGE_VAL) result.AddArc(start, Arc(0, 0, weight(weights.start(s)), s));
    }
  }
  result.SetStart(start);
  return result;
}

}  // namespace kirchhoff
