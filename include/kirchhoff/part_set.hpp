// Which parts of a dependency tree a model scores, beside its arcs.
//
//   parse_parts("all,nonprojective");            // every two siblings, grandparents, and non-projective arcs
//   to_string(PartSet{Siblings::next, true});    // "next"
#pragma once

#include "kirchhoff/names.hpp"

#include <string>
#include <string_view>

namespace kirchhoff {

/// Which arcs with the same head are scored together.
enum class Siblings {
  none,
  next,  ///< two on the same side of their head with no other dependent between them, and the first and last ones
  all,   ///< every two
};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Siblings> = {"none", "next", "all"};

struct PartSet {
  Siblings siblings = Siblings::none;
  bool grandparents = false;    ///< an arc together with the arc into its head
  bool bigrams = false;         ///< the arcs into two neighbouring words
  bool non_projective = false;  ///< an arc that spans a word which its head does not dominate

  bool operator==(const PartSet&) const = default;
};
inline constexpr PartSet kArcs = {};
inline constexpr PartSet kNextSiblings = {Siblings::next, true};  ///< with grandparents
inline constexpr PartSet kAllSiblings = {Siblings::all, true};    ///< with grandparents: the paper's turbo parsers

/// The parts as parse_parts() reads them.
std::string to_string(const PartSet& parts);
/// Reads "arcs", "next" or "all", or a list with commas of these and of siblings=next, siblings=all, grandparents,
/// bigrams and nonprojective. Throws an InputError that names the word that is none of them.
PartSet parse_parts(std::string_view text);

}  // namespace kirchhoff
