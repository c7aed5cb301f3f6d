// Finds the features that occur often enough in the training sentences, by all threads.
#pragma once

#include "base/crew.hpp"
#include "parser/weights/feature_index.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace kirchhoff::parser {

/// Appends the keys of a sentence's features.
using KeysOf = std::function<void(std::size_t sentence, std::vector<std::uint64_t>& keys)>;

/// The keys of the features that are seen at least `least` times in sentences 0 .. count - 1, in the order of their
/// first occurrence. `make` makes what one thread finds keys with.
std::vector<std::uint64_t> frequent_features(std::size_t count, const std::function<KeysOf()>& make, int least,
                                             base::Crew& crew);

}  // namespace kirchhoff::parser
