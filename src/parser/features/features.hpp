// Keys of features: what a sentence's nodes contribute is hashed once, and a key is a sum of a few 64-bit numbers.
//
// Cost: O(words * parts) to set up, then one addition for each role of each template.
#pragma once

#include "parser/features/templates.hpp"

namespace kirchhoff::parser {

/// The nodes of a part, in the order of the templates' roles; n + 1 is the mark after the last word.
using Nodes = std::array<int, kMostRoles>;

class Features {
 public:
  explicit Features(const Templates& templates) : templates_(&templates) {}

  const Templates& templates() const { return *templates_; }
  /// Prepares for a sentence, which must stay alive. Storage is used again.
  void read(const Encoded& sentence);
  /// Appends the keys of a part's features. At most most_keys() of them.
  void append(const Nodes& nodes, std::vector<std::uint64_t>& keys) const;

 private:
  template <int kRoles>
  void append_roles(const Nodes& nodes, std::vector<std::uint64_t>& keys) const;
  std::array<std::uint64_t, kPairAtoms> pair_atoms(const Nodes& nodes) const;

  const Templates* templates_;
  const Encoded* sentence_ = nullptr;
  std::array<std::vector<std::uint64_t>, kMostRoles> parts_;  ///< [role][node + 1][part]
  mutable std::vector<std::uint64_t> pair_parts_;
};

/// Distance in steps that grow: 1, 2, 3, 4, 5, 6-7, 8-10, 11-15, 16-25, more.
int distance_step(int distance);

}  // namespace kirchhoff::parser
