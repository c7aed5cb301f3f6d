// The check of a model file that lets inference trust it.
#pragma once

#include "parser/file/model.hpp"

namespace kirchhoff::parser {

/// Whether all weights are numbers of at most that size.
bool are_weights(std::span<const float> weights);

/// Throws ModelError unless everything that parsing relies on holds, so that even a file that was made to do harm gives
/// trees and probabilities, or this error: settings in range, tables in which every look-up ends and finds one place
/// inside the lists, lists of known labels in ascending order, weights that are numbers, names that can be written
/// into a sentence. Takes one pass over the tables.
void check_model(const Model& model);

}  // namespace kirchhoff::parser
