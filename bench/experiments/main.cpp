// The main program of every experiment: PROGRAM [FOLDER] writes its plots into the folder, by default the current one.
#include "experiments/experiment.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>

int main(int argc, char** argv) {
  try {
    return kirchhoff::bench::run_experiment(argc > 1 ? argv[1] : ".");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", std::filesystem::path(argv[0]).filename().c_str(), error.what());
    return 1;
  }
}
