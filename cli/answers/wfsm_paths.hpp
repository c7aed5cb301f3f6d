// Paths, strings and transitions of a machine, as questions name them and answers show them.
#pragma once

#include "answers/wfsm_wants.hpp"

#include <vector>

namespace kirchhoff::cli {

/// Writes a list of paths with their symbols, arcs and states; a log-probability that is not known is null.
void write_paths(const WfsmSubject& x, const std::vector<kirchhoff::Path>& paths, JsonWriter& out);
/// Writes as many paths without replacement as the question says.
void write_distinct(const WfsmSubject& x, const Ask& ask, JsonWriter& out);
/// Writes the weight and the probability of the string in the question.
void write_string(const WfsmSubject& x, const Ask& ask, JsonWriter& out);

}  // namespace kirchhoff::cli
