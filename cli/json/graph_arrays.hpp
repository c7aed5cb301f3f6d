// From what a line holds to what the library takes, with errors in the words of the line.
#pragma once

#include "answers/wants.hpp"
#include "json/graph_line.hpp"
#include "json/writer.hpp"

#include <kirchhoff/tree.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace kirchhoff::cli {

/// Runs `make`, and makes its errors name the field they come from.
template <class Make>
auto naming(std::string_view field, Make make) {
  try {
    return make();
  } catch (const InputError& e) {
    const std::string problem = without_function(e.what());
    throw ReadError(problem.starts_with(field) ? problem : fmt::format("{}: {}", field, problem));
  } catch (const NotANumber& e) {
    throw NotANumber(fmt::format("{}: {}", field, e.what()));
  }
}

inline MatrixView matrix_of(const ArcArray& array, const TreeDistribution*) {
  return {array.values.data(), array.nodes, array.nodes};
}

inline LabelledMatrix matrix_of(const ArcArray& array, const LabelledTreeDistribution*) {
  LabelledMatrix matrix(array.nodes - 1, array.labels);
  std::copy(array.values.begin(), array.values.end(), matrix.data());
  return matrix;
}

}  // namespace kirchhoff::cli
