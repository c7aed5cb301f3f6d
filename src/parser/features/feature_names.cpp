// Spells out the atoms of a feature in the order of the roles, and then those of the pair.
#include "parser/features/feature_names.hpp"

#include "parser/features/feature_keys.hpp"

#include <array>

namespace kirchhoff::parser {
namespace {

constexpr std::string_view kArcRoles = "hd";

std::string_view side(std::uint64_t right) { return right != 0 ? "rightward" : "leftward"; }

std::string at_most(std::uint64_t count, std::uint64_t limit) {
  return std::to_string(count) + (count == limit ? "+" : "");
}

/// The steps of distance_step, in words.
std::string distance(std::uint64_t value) {
  constexpr std::array<std::string_view, 11> kSteps = {"0",   "1",    "2",     "3",     "4",  "5",
                                                       "6-7", "8-10", "11-15", "16-25", "26+"};
  return std::string(side(value & 1U)) + ":" + std::string(kSteps[value / 2]);
}

std::string agreement(std::uint64_t value) {
  std::string text;
  for (const auto& [name, power] : {std::pair("Number", 27U), {"Person", 9U}, {"Gender", 3U}, {"Case", 1U}}) {
    const std::uint64_t state = value / power % 3;
    if (state == 0) continue;
    if (!text.empty()) text += ",";
    text += std::string(name) + (state == 1 ? ":same" : ":other");
  }
  return text.empty() ? "unknown" : text;
}

std::string pair_value(PairAtom atom, std::uint64_t value) {
  switch (atom) {
    case PairAtom::dir:
      return std::string(side(value));
    case PairAtom::dist:
      return distance(value);
    case PairAtom::puncts:
      return at_most(value, 3);
    case PairAtom::likes:
      return at_most(value / 3, 2) + "," + at_most(value % 3, 2);
    case PairAtom::agree:
      return agreement(value);
    default:
      return at_most(value, 2);
  }
}

std::string word_value(const Sentence& sentence, int word, Attribute attribute) {
  switch (attribute) {
    case Attribute::form:
      return std::string(sentence.form(word));
    case Attribute::lemma:
      return std::string(sentence.lemma(word));
    case Attribute::upos:
      return std::string(sentence.upos(word));
    case Attribute::xpos:
      return std::string(sentence.xpos(word));
    case Attribute::feats:
      return std::string(sentence.feats(word));
    case Attribute::tag:
      return fine_tag(sentence, word);
    case Attribute::suffix:
      return std::string(suffix(sentence.form(word)));
    case Attribute::prefix:
      return std::string(prefix(sentence.form(word)));
    case Attribute::shape:
      return shape(sentence.form(word));
    case Attribute::lead:
      break;
  }
  const Lead found = lead(sentence, word);
  if (found.word == 0) return "none";
  const std::string tag(sentence.upos(found.word));
  return found.by_lemma ? tag + ":" + std::string(sentence.lemma(found.word)) : tag;
}

/// What stands at a node, or what the marks beyond the ends of a sentence are called.
std::string node_value(const Sentence& sentence, int node, int offset, Attribute attribute) {
  if (node == 0) return "ROOT";
  const int word = node + offset, last = sentence.size();
  if (word < 1) return word == 0 ? "BEGIN" : "BEGIN-1";
  if (word > last) return word == last + 1 ? "END" : "END+1";
  return word_value(sentence, word, attribute);
}

void append(std::string& name, const std::string& atom, const std::string& value) {
  if (!name.empty()) name += " ";
  name += atom + "=" + value;
}

/// The tag that the `which`-th bit of a set stands for.
std::string tag_of(std::uint32_t tags, std::size_t which, const Inventory& inventory) {
  for (; which > 0; --which) tags &= tags - 1;
  const int id = __builtin_ctz(tags) - kFirstTag;
  return id < inventory.upos.size() ? inventory.upos.name(id) : "other";
}

}  // namespace

std::string feature_name(const Templates& templates, const Inventory& inventory, const Sentence& sentence,
                         const Encoded& encoded, Arc arc, std::size_t position) {
  const std::size_t singles = templates.single().size();
  const bool set = position >= singles;
  const Templates::Template& t =
      set ? templates.between()[(position - singles) % templates.between().size()] : templates.single()[position];
  const std::array<int, 2> nodes = {arc.head, arc.dependent};
  std::string name;
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    for (const Templates::NodeAtom& a : templates.node_parts(static_cast<int>(r))[t.node_part[r]]) {
      const std::string offset = a.offset == 0 ? "" : (a.offset > 0 ? "+" : "") + std::to_string(a.offset);
      append(name, kArcRoles[r] + offset + "." + std::string(kAttributeNames[static_cast<std::size_t>(a.attribute)]),
             node_value(sentence, nodes[r], a.offset, a.attribute));
    }
  }
  const Templates::PairPart pair = templates.pair_parts()[t.pair_part];
  const std::array<std::uint64_t, kPairValues> values = pair_values(encoded, arc.head, arc.dependent);
  for (std::size_t k = 0; k < kPairValues; ++k) {
    if ((pair >> k & 1U) != 0) {
      append(name, std::string(kPairAtomNames[k]), pair_value(static_cast<PairAtom>(k), values[k]));
    }
  }
  if (set) {
    const std::uint32_t tags = tags_between(encoded, arc.head, arc.dependent);
    append(name, "between", tag_of(tags, (position - singles) / templates.between().size(), inventory));
  }
  return name.empty() ? "any" : name;
}

}  // namespace kirchhoff::parser
