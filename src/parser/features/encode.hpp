// Sentences as arrays of integers: what the feature templates read.
#pragma once

#include "base/crew.hpp"
#include "kirchhoff/conllu.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace kirchhoff::parser {

/// `lead` is what introduces the phrase a word is in, as far as tags tell: the preposition, conjunction, particle or
/// mark met first when going left over words that may belong to the phrase.
enum class Attribute : std::uint8_t { form, lemma, upos, xpos, feats, tag, suffix, prefix, shape, lead };
inline constexpr int kAttributes = 10;
inline constexpr std::array<std::string_view, kAttributes> kAttributeNames = {
    "form", "lemma", "upos", "xpos", "feats", "tag", "suffix", "prefix", "shape", "lead"};

/// Names with ids 0, 1, ...; a name that is not among them has the id unknown().
class NameList {
 public:
  NameList() = default;
  explicit NameList(std::vector<std::string> names);
  int size() const { return static_cast<int>(names_.size()); }
  int unknown() const { return size(); }
  int find(std::string_view name) const;
  const std::string& name(int id) const { return names_[static_cast<std::size_t>(id)]; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::uint64_t, int> ids_;
};

/// The closed sets of a treebank: universal tags, fine tags and relations.
struct Inventory {
  NameList upos;    ///< At most kMaxUpos universal tags, by frequency.
  NameList tags;    ///< At most kMaxTags fine tags, by frequency.
  NameList labels;  ///< The relations, by frequency.

  static constexpr int kMaxUpos = 28;
  static constexpr int kMaxTags = 125;
};

std::string_view prefix(std::string_view form);  ///< The first four characters.
std::string_view suffix(std::string_view form);  ///< The last three characters.
/// The classes of a word's characters, where a run of one class counts once: "McDonald-42" is "AaAa-9".
std::string shape(std::string_view form);
/// Attribute::lead: the word that introduces the phrase of a word, 0 for none. A function word is known by its lemma,
/// any other word that ends the phrase by its tag.
struct Lead {
  int word = 0;
  bool by_lemma = false;
};
Lead lead(const Sentence& sentence, int word);
/// A word's XPOS where the treebank uses it, else its UPOS with FEATS.
std::string fine_tag(const Sentence& sentence, int word);
Inventory make_inventory(const std::vector<Sentence>& sentences);

inline constexpr int kMaxWords = 65535;  ///< Of a sentence: candidate heads and the counts below have 16 bits.

/// Nodes are -1 (none), 0 (the root) and the words 1..n. Neighbours beyond the ends are boundary marks.
struct Encoded {
  using Row = std::array<std::uint64_t, kAttributes>;

  int words = 0;
  std::vector<Row> rows;                                   ///< In this order: none, root, 2 x begin, words, 2 x end.
  std::vector<std::uint8_t> upos;                          ///< Small ids by row, for dense tables and sets.
  std::vector<std::uint8_t> tags;                          ///< Small ids by row.
  std::vector<std::uint16_t> verbs, puncts, conjunctions;  ///< How many there are among the words 1..w.
  std::vector<std::array<std::uint32_t, 4>> agreement;     ///< Number, person, gender and case by row; 0: has none.
  Heads heads;                                             ///< The gold heads, when they are known.
  std::vector<int> labels;                                 ///< The gold labels, when they are known; [0] is unused.

  static constexpr int kMargin = 2;
  int row(int node, int offset = 0) const { return node <= 0 ? node + 1 : node + 1 + kMargin + offset; }
};

/// The small ids of `upos` and `tags` are 0 for none, 1 for the root and 2 for a boundary; then come the inventory's
/// tags, and last the unknown ones.
inline constexpr int kFirstTag = 3;

/// Says what is wrong with a sentence that is too long, or nothing.
std::optional<std::string> length_problem(const Sentence& sentence);
/// The sentence must have no more than kMaxWords words.
Encoded encode(const Sentence& sentence, const Inventory& inventory);
std::vector<Encoded> encode_all(const std::vector<Sentence>& sentences, const Inventory& inventory, base::Crew& crew);

}  // namespace kirchhoff::parser
