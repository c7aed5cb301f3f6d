// Writes the trees that `decode` and `sample` answer with.
#pragma once

#include "json/writer.hpp"

#include <kirchhoff/decode.hpp>

namespace kirchhoff::cli {

/// Writes "heads" and "labels" of words 1..n, as in "gold", with "score" and "log_prob", into an open object.
void write_tree(const Tree& tree, JsonWriter& out);
/// Writes "heads" or "labels" alone.
void write_heads(const Heads& heads, JsonWriter& out);
void write_labels(const std::vector<int>& labels, JsonWriter& out);

}  // namespace kirchhoff::cli
