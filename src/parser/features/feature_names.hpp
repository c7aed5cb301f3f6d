// Names of features, for people: a key is a hash, and a name says what it was made from.
#pragma once

#include "parser/features/templates.hpp"

#include "kirchhoff/conllu.hpp"

#include <cstddef>
#include <string>

namespace kirchhoff::parser {

/// The name of an arc's feature: its atoms with their values, as in "h.upos=VERB d.upos=NOUN dist=rightward:2".
/// `position` is its place among the keys that FeatureKeys gives the arc. Two features of arcs by the same template
/// have the same name if and only if they have the same key, but for values that are hashed to fewer bits (FEATS in
/// "agree").
std::string feature_name(const Templates& templates, const Inventory& inventory, const Sentence& sentence,
                         const Encoded& encoded, Arc arc, std::size_t position);

}  // namespace kirchhoff::parser
