// What needs P* as a matrix.
#pragma once

#include "wfsm/state.hpp"

namespace kirchhoff::wfsm {

/// The nodes of a transition; -1 when it cannot be used.
struct Ends {
  int from = -1;
  int to = -1;
  bool useful() const { return from >= 0 && to >= 0; }
};
Ends ends_of(const Wfsm& machine, int transition);

/// P*: row j, expected visits to every node from j on. One forward solve for each node. Throws Stopped.
Matrix all_visits(const Chain& chain, const Stop& stop);

/// InputError when A^order doubles are more than max_bytes.
void check_memory(const char* function, const Wfsm& machine, int order, double max_bytes);

}  // namespace kirchhoff::wfsm
