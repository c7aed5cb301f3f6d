// The built-in templates of each set of parts.
#include "parser/features/part_keys.hpp"

namespace kirchhoff::parser {

PartTemplates part_templates(const PartSet& set) {
  PartTemplates templates{.set = set};
  if (set.siblings == Siblings::next) templates.siblings = {"hds", kSiblingTemplates};
  if (set.siblings == Siblings::all) templates.siblings = {"hds", kAllSiblingTemplates};
  if (set.grandparents) templates.grandparents = {"ghd", kGrandparentTemplates};
  if (set.bigrams) templates.bigrams = {"hdk", kBigramTemplates};
  if (set.non_projective) templates.non_projective = {"hd", kNonProjectiveTemplates, kNonProjectiveKind};
  return templates;
}

}  // namespace kirchhoff::parser
