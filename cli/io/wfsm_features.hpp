// Reads the features of a machine's transitions, and of starting and ending in its states, from a file.
#pragma once

#include <kirchhoff/wfsm_expectation.hpp>

#include <string>
#include <string_view>

namespace kirchhoff::cli {

/// Reads lines ARC FEATURE VALUE, start STATE FEATURE VALUE and final STATE FEATURE VALUE. Throws FileError, and
/// InputError that names the line.
WfsmFeatures read_wfsm_features(const std::string& file, const Wfsm& machine);
/// The same for a text; `name` is for messages.
WfsmFeatures wfsm_features_in(std::string_view text, const std::string& name, const Wfsm& machine);

}  // namespace kirchhoff::cli
