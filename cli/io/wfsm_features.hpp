// Reads the features of a machine's transitions from a file.
#pragma once

#include <kirchhoff/wfsm_expectation.hpp>

#include <string>

namespace kirchhoff::cli {

/// Reads lines ARC FEATURE VALUE. Throws FileError, and InputError that names the line.
WfsmFeatures read_wfsm_features(const std::string& file, const Wfsm& machine);

}  // namespace kirchhoff::cli
