// What every program of this folder defines; main.cpp calls it.
#pragma once

#include <string>

namespace kirchhoff::bench {

/// Measures, prints, and writes its plots into the folder. Returns the exit status; exceptions are reported by main.
int run_experiment(const std::string& folder);

}  // namespace kirchhoff::bench
