// Keys of features: what a sentence's nodes contribute is hashed once, and a key is a sum of a few 64-bit numbers.
//
// Setting up takes O(words * parts) time; a key then takes one addition for each role of its template.
#pragma once

#include "parser/features/templates.hpp"

namespace kirchhoff::parser {

/// The nodes of a part, in the order of the templates' roles; n + 1 is the mark after the last word.
using Nodes = std::array<int, kMaxRoles>;

/// The atoms of a pair that are one number each, dir ... agree, as numbers. Lists of their values are in
/// feature_names.hpp.
inline constexpr std::size_t kPairValues = 7;
std::array<std::uint64_t, kPairValues> pair_values(const Encoded& sentence, int a, int b);
/// The small ids of the tags between two nodes, as a set of bits.
std::uint32_t tags_between(const Encoded& sentence, int a, int b);

/// Makes the keys of one sentence's parts by one set of templates.
class FeatureKeys {
 public:
  explicit FeatureKeys(const Templates& templates) : templates_(&templates) {}

  const Templates& templates() const { return *templates_; }
  /// Prepares for a sentence, which must stay alive. The memory of the sentence before is used again.
  void read(const Encoded& sentence);
  /// Appends the keys of a part's features.
  void append(const Nodes& nodes, std::vector<std::uint64_t>& keys) const;

 private:
  template <int kRoles>
  void append_roles(const Nodes& nodes, std::vector<std::uint64_t>& keys) const;
  std::array<std::uint64_t, kPairAtoms> pair_atoms(const Nodes& nodes) const;

  const Templates* templates_;
  const Encoded* sentence_ = nullptr;
  std::array<std::vector<std::uint64_t>, kMaxRoles> parts_;  ///< Indexed by role, then by node + 1 and part.
  mutable std::vector<std::uint64_t> pair_parts_;
};

/// The number of a distance's step; the steps grow: 1, 2, 3, 4, 5, 6-7, 8-10, 11-15, 16-25, more.
int distance_step(int distance);

}  // namespace kirchhoff::parser
