// Answers one line of `solve`, or a UAI network.
#pragma once

#include <kirchhoff/solve.hpp>
#include <kirchhoff/sparsemap.hpp>
#include "io/line_answer.hpp"
#include "json/fields.hpp"

#include <string_view>

namespace kirchhoff::cli {

/// How `solve` solves.
struct SolveSettings {
  SolveMethod method = SolveMethod::bp;
  BpOptions bp;
  Ad3Options ad3;
  bool beliefs = false;     ///< Whether bp also answers with the beliefs of factors.
  bool duals = false;       ///< Whether ad3 also answers with the parts of the scores that prove its bound.
  bool posteriors = false;  ///< Whether ad3 and sparse also answer with the factors' mixtures of configurations.
  bool sparse = false;      ///< LP-SparseMAP takes the place of the method.
  LpSparseMapOptions sparsemap;
  UnknownFields unknown = UnknownFields::refused;
};

/// Reads, solves and writes one line, as read_factor_graph takes it.
LineAnswer answer_factor_line(std::string_view line, const SolveSettings& settings);

/// Reads, solves and writes a UAI network.
LineAnswer answer_uai(std::string_view text, const SolveSettings& settings);

}  // namespace kirchhoff::cli
