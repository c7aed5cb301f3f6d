// What the score of a factor is a function of: nothing, the score of a pair, or numbers of its parts or its entries.
#pragma once

#include "factor/factors/factors.hpp"
#include "factor/factors/parts.hpp"

#include <vector>

namespace kirchhoff::learn {

enum class Parameters {
  none,     ///< a hard factor, or one of one's own with too many inputs to list
  pair,     ///< the score of a PAIR
  parts,    ///< those of a HEAD, a SEQUENCE or a ROOTED-TREE
  entries,  ///< a TABLE's entries, or all configurations of a factor of one's own
};

inline Parameters parameters_of(const Factor& factor) {
  if (dynamic_cast<const factor::HardFactor*>(&factor) != nullptr) return Parameters::none;
  if (dynamic_cast<const factor::PairFactor*>(&factor) != nullptr) return Parameters::pair;
  if (dynamic_cast<const factor::PartsFactor*>(&factor) != nullptr) return Parameters::parts;
  const bool table = dynamic_cast<const factor::TableFactor*>(&factor) != nullptr;
  return table || factor.arity() <= Factor::kEnumerable ? Parameters::entries : Parameters::none;
}

/// How the inputs make up entries: those of a table as they were given, those of any other factor one by one.
inline factor::Slots slots_of(const Factor& factor) {
  std::vector<int> sizes;
  std::vector<int> group_at(static_cast<std::size_t>(factor.arity()), 1);  // by first input: the size of its group
  if (dynamic_cast<const factor::TableFactor*>(&factor) != nullptr) {
    const Factor::OneHot groups = factor.one_hot();
    for (std::size_t g = 0; g < groups.size(); ++g) group_at[groups[g][0]] = static_cast<int>(groups[g].size());
  }
  for (int i = 0; i < factor.arity(); i += sizes.back()) sizes.push_back(group_at[i]);
  return factor::Slots(sizes);
}

/// What a configuration has of each of the factor's parameters.
std::vector<double> indicator(const Factor& factor, std::span<const std::uint8_t> y);

/// Calls visit(index, y, score) for every entry, the first slot varying slowest.
template <class Visit>
void for_each_entry(const Factor& factor, Visit visit) {
  const factor::Slots slots = slots_of(factor);
  std::vector<int> state(slots.inputs.size(), 0);
  std::vector<std::uint8_t> y(static_cast<std::size_t>(slots.arity()));
  std::size_t index = 0;
  do {
    slots.write(state, y);
    visit(index++, Configuration(y), factor.score(y));
  } while (slots.next(state));
}

}  // namespace kirchhoff::learn
