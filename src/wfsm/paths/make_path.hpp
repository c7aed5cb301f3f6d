// From arcs of the graph to the Path of the public header.
#pragma once

#include "wfsm/wfsm_state.hpp"

namespace kirchhoff::wfsm {

/// The path that follows `arcs` from the source to the sink, with its weight and probability.
Path make_path(const Wfsm& machine, const std::vector<std::size_t>& arcs);

}  // namespace kirchhoff::wfsm
