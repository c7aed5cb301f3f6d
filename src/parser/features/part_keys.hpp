// Keys of the features of second-order parts: next siblings (h, d, s) and grandparents (g, h, d).
#pragma once

#include "parser/features/feature_keys.hpp"

namespace kirchhoff::parser {

/// The templates of both kinds of part, and a place to make their keys in.
class PartKeys {
 public:
  PartKeys(const Templates& siblings, const Templates& grandparents)
      : sibling_keys_(siblings), grandparent_keys_(grandparents) {}

  const Templates& sibling_templates() const { return sibling_keys_.templates(); }
  /// Prepares for a sentence, which must stay alive.
  void read(const Encoded& sentence) {
    sibling_keys_.read(sentence);
    grandparent_keys_.read(sentence);
  }
  /// Calls visit(keys) for each part, siblings first. A part is a triple of nodes. A grandparent that is also the
  /// dependent occurs in no tree, and has no features: it is enough that the TREE factor forbids it.
  template <class Parts, class Visit>
  void for_each(const Parts& siblings, const Parts& grandparents, const Visit& visit) {
    for (const auto& part : siblings) {
      keys_.clear();
      sibling_keys_.append({part[0], part[1], part[2]}, keys_);
      visit(keys_);
    }
    for (const auto& part : grandparents) {
      keys_.clear();
      if (part[0] != part[2]) grandparent_keys_.append({part[0], part[1], part[2]}, keys_);
      visit(keys_);
    }
  }

 private:
  FeatureKeys sibling_keys_, grandparent_keys_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace kirchhoff::parser
