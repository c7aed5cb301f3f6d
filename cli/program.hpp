// Runs a program that is made of verbs: reads the command line, calls one verb, and turns errors into exit statuses.
#pragma once

#include "verb.hpp"

#include <span>

namespace kirchhoff::cli {

/// Returns 0, or 1 after an error, or 2 when the command line is wrong, or what the verb returns.
int run_program(std::span<const Verb> verbs, int argc, const char* const* argv);

}  // namespace kirchhoff::cli
