// What the words of a treebank were seen with: a list of numbers, of morphologies or of lemmas' scripts, for each key,
// and how often.
//
// Features made of these lists say of a word of the treebank what its other occurrences say. So a word that occurs once
// looks like one that was never seen, and what is learnt of these is true of new text.
#pragma once

#include "parser/file/container.hpp"
#include "parser/weights/label_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kirchhoff::text {

class Lexicon {
 public:
  struct Entry {
    int id = 0;
    int count = 0;
  };
  static constexpr int kNothing = -1;

  Lexicon() = default;
  /// The sections "NAME.table" and "NAME.lists" of a model file, whose memory must outlive it. Throws ModelError unless
  /// all numbers are below `ids`.
  Lexicon(const parser::Container& file, const std::string& name, int ids);

  /// What was seen with a key, by ascending number, but for one occurrence of `own`.
  void find(std::uint64_t key, int own, std::vector<Entry>& found) const;

 private:
  friend class LexiconMaker;
  parser::LabelTable table_;
};

/// Collects what was seen.
class LexiconMaker {
 public:
  void add(std::uint64_t key, int id) { seen_.emplace_back(key, static_cast<std::uint16_t>(id)); }
  /// The tables of all that was added.
  parser::LabelTables tables(base::Crew& crew) const;
  /// A lexicon that looks at these tables.
  static Lexicon lexicon(const parser::LabelTables& tables);

 private:
  std::vector<std::pair<std::uint64_t, std::uint16_t>> seen_;
};

/// Adds the sections of a lexicon.
void add_lexicon(parser::ContainerWriter& writer, const std::string& name, parser::LabelTables tables);

}  // namespace kirchhoff::text
