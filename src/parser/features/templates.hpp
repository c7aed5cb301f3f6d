// Feature templates: a table in plain text, compiled once.
//
//   dir dist | h.form d-1.upos d.upos     two templates: form of the head, tag of the word left of the dependent, and
//                                         its own tag, once with the direction of the arc and once with its distance
//
// Atoms of nodes are ROLE[+-OFFSET].ATTRIBUTE; the roles (h head, d dependent, s sibling, g grandparent, ...) are those
// of the kind of part. Atoms of the pair (first role, second role), left or right of the bar:
//   any (nothing), dir, dist (direction and distance, in steps), verbs, puncts, conjs (how many lie between), likes
//   (how many between have the tag of the first, and of the second), agree (which of number, person, gender, case are
//   equal), between (each universal tag that occurs between: a set of features)
// and of the pair (second role, third role): dir2, dist2, puncts2; of (first role, third role): dir3.
//
// The text is part of a model file, so a model always meets the features it was trained with.
#pragma once

#include "parser/features/encode.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::parser {

extern const std::string_view kArcTemplates;            ///< The roles are "hd".
extern const std::string_view kLabelTemplates;          ///< The roles are "hdglraz".
extern const std::string_view kSiblingTemplates;        ///< Of next siblings; the roles are "hds".
extern const std::string_view kAllSiblingTemplates;     ///< Of any two; the roles are "hds".
extern const std::string_view kGrandparentTemplates;    ///< The roles are "ghd".
extern const std::string_view kBigramTemplates;         ///< The roles are "hdk"; k is the head of the word after d.
extern const std::string_view kNonProjectiveTemplates;  ///< The roles are "hd".

/// The lines of the text whose atoms of nodes are of these roles.
std::string lines_of_roles(std::string_view text, std::string_view roles);

inline constexpr int kMaxRoles = 7;
inline constexpr std::size_t kMaxTemplates = 4096;  ///< The built-in sets have less than a tenth of it.

class Templates {
 public:
  struct NodeAtom {
    int offset = 0;
    Attribute attribute = Attribute::form;
    std::uint64_t place = 0;
  };
  /// The atoms of one role in one template. Templates with the same atoms share it.
  using NodePart = std::vector<NodeAtom>;
  /// A sum of pair atoms, written as a set of bits 1 << PairAtom.
  using PairPart = unsigned;
  struct Template {
    std::array<std::uint16_t, kMaxRoles> node_part{};
    std::uint16_t pair_part = 0;
  };

  /// Parts with the same roles but of another `kind` have no features in common. Throws an InputError that names the
  /// line that is wrong.
  Templates(std::string roles, std::string_view text, std::string_view kind = {});

  int roles() const { return static_cast<int>(roles_.size()); }
  const std::vector<NodePart>& node_parts(int role) const { return node_parts_[static_cast<std::size_t>(role)]; }
  const std::vector<PairPart>& pair_parts() const { return pair_parts_; }
  const std::vector<Template>& single() const { return single_; }  ///< Templates that make one feature each.
  const std::vector<Template>& between() const {
    return between_;
  }  ///< Templates that make one for each tag in between.
  const std::string& text() const { return text_; }
  /// A number that is part of every key, so that parts of different kinds have no features in common.
  std::uint64_t salt() const { return salt_; }

 private:
  void add_line(std::string_view line);
  void add(std::string_view variant, std::string_view atoms);
  NodeAtom node_atom(std::string_view word, std::size_t role) const;

  std::string roles_;
  std::string text_;
  std::uint64_t salt_ = 0;
  std::vector<std::vector<NodePart>> node_parts_;
  std::vector<PairPart> pair_parts_;
  std::vector<Template> single_, between_;
};

enum class PairAtom : std::uint8_t {
  dir,
  dist,
  verbs,
  puncts,
  conjs,
  likes,
  agree,
  dir2,
  dist2,
  puncts2,
  dir3,
  between
};
inline constexpr int kPairAtoms = 12;
inline constexpr std::array<std::string_view, kPairAtoms> kPairAtomNames = {
    "dir", "dist", "verbs", "puncts", "conjs", "likes", "agree", "dir2", "dist2", "puncts2", "dir3", "between"};

}  // namespace kirchhoff::parser
