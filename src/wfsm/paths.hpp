// From arcs of the graph to the Path of the public header.
#pragma once

#include "wfsm/state.hpp"

namespace kirchhoff::wfsm {

/// `arcs` from the source to the sink.
Path make_path(const Wfsm& machine, const std::vector<std::size_t>& arcs);

}  // namespace kirchhoff::wfsm
