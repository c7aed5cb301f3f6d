// Keys of the features of parts with several arcs: siblings, grandparents, bigrams, and non-projective arcs.
#pragma once

#include "dependency/parts.hpp"
#include "parser/features/feature_keys.hpp"

namespace kirchhoff::parser {

/// Tells the features of non-projective arcs from those of arcs.
inline constexpr std::string_view kNonProjectiveKind = "non-projective";

/// The templates of every kind of part. A kind that a model does not score has none.
struct PartTemplates {
  PartSet set;
  Templates siblings{"hds", {}}, grandparents{"ghd", {}}, bigrams{"hdk", {}};
  Templates non_projective{"hd", {}, kNonProjectiveKind};
};
/// The built-in ones of these parts.
PartTemplates part_templates(const PartSet& set);

/// The templates of all kinds of part, and a place to make their keys in.
class PartKeys {
 public:
  explicit PartKeys(const PartTemplates& templates)
      : templates_(&templates),
        siblings_(templates.siblings),
        grandparents_(templates.grandparents),
        bigrams_(templates.bigrams),
        non_projective_(templates.non_projective) {}

  const PartTemplates& templates() const { return *templates_; }
  /// Prepares for a sentence, which must stay alive.
  void read(const Encoded& sentence) {
    for (FeatureKeys* keys : {&siblings_, &grandparents_, &bigrams_, &non_projective_}) keys->read(sentence);
  }
  /// Calls visit(keys) for each part, in their order. A grandparent that is also the dependent occurs in no tree, and
  /// has no features: it is enough that the TREE factor forbids it.
  template <class Visit>
  void for_each(const dependency::PartLists& parts, const Visit& visit) {
    const auto visit_all = [&](const std::vector<dependency::PartNodes>& list, const FeatureKeys& features,
                               const auto& occurs) {
      for (const auto& part : list) {
        keys_.clear();
        if (occurs(part)) features.append({part[0], part[1], part[2]}, keys_);
        visit(keys_);
      }
    };
    const auto always = [](const dependency::PartNodes&) { return true; };
    visit_all(parts.siblings, siblings_, always);
    visit_all(parts.grandparents, grandparents_, [](const auto& part) { return part[0] != part[2]; });
    visit_all(parts.bigrams, bigrams_, always);
    visit_all(parts.non_projective, non_projective_, always);
  }

 private:
  const PartTemplates* templates_;
  FeatureKeys siblings_, grandparents_, bigrams_, non_projective_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace kirchhoff::parser
