// The first k trees of a search that finds them in order, as a list.
#pragma once

#include "base/check.hpp"
#include "base/stop.hpp"
#include "kirchhoff/decode.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kirchhoff::decode {

/// `Search` is made of scores, root and constraints, and its next() gives the next best tree or nothing. `stop` is
/// asked after every tree.
template <class Search, class Scores>
std::vector<Tree> first_trees(const char* where, const Scores& scores, Root root, int k, const Constraints& constraints,
                              const Stop& stop) {
  if (k < 0) base::input_error(where, "k is " + std::to_string(k) + ", must not be negative");
  Search search(scores, root, constraints);
  std::vector<Tree> result;
  while (static_cast<int>(result.size()) < k) {
    std::optional<Tree> tree = search.next();
    if (!tree) break;
    result.push_back(std::move(*tree));
    if (base::stops(stop)) break;
  }
  return result;
}

}  // namespace kirchhoff::decode
