// What the features of tags and lemmas see of the words of a sentence: their letters, and what lexicons say of them.
#pragma once

#include "kirchhoff/conllu.hpp"
#include "text/characters.hpp"
#include "text/lexicon.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::text {

/// XPOS and FEATS that were seen with a universal tag.
struct Morphology {
  int upos = 0;
  std::string xpos, feats;
};

/// What a treebank says of words and lemmas, all in lower case.
struct TagLexicons {
  Lexicon words;    ///< The morphologies of words, and of all words with an ending.
  Lexicon lemmas;   ///< The universal tags of lemmas, and of lemmas without their ending.
  Lexicon scripts;  ///< The scripts that lead from words to lemmas, by words with a morphology or a universal tag.
  Lexicon clusters = {};                ///< The clusters of words,
  std::vector<std::string> paths = {};  ///< and the paths to these from the root of all clusters.
};
/// The answers of one sentence of that treebank, which its own words are not to see; empty for all other sentences.
struct OwnAnswers {
  std::span<const int> morphologies;
  std::span<const std::string> lemmas;  ///< In lower case.
  std::span<const int> scripts;
};

inline constexpr std::size_t kSuffixes = 6, kPrefixes = 4;
inline constexpr std::size_t kCuts = 10;    ///< So many characters of a word may stand after its lemma's beginning,
inline constexpr std::size_t kEndings = 3;  ///< and so many characters of a lemma may be its ending.
inline constexpr std::size_t kShortestEnding = 3,
                             kLongestEnding = 10;  ///< Characters of the endings that words are alike by.
inline constexpr std::uint64_t kOutside = 1;

inline std::string_view last_of(std::string_view text, std::span<const Character> characters, std::size_t count) {
  return text.substr(characters[characters.size() - count].begin);
}

struct WordView {
  std::string text, lower_text;
  std::vector<Character> characters;  ///< Of lower_text.
  std::uint64_t form = kOutside, lower = kOutside, shape = kOutside;
  std::array<std::uint64_t, kSuffixes> suffix{};  ///< 0 where the word is shorter.
  std::array<std::uint64_t, kPrefixes> prefix{};
  /// The first and the last part of a word of several, which blanks, hyphens or apostrophes join; else 0. And which
  /// universal tags they were seen with as words.
  std::uint64_t first_part = 0, last_part = 0, first_seen = 0, last_seen = 0;
  std::uint64_t parts = 1;                          ///< How many it has, at most 4.
  std::string_view cluster;                         ///< The path of its cluster; empty where it has none.
  std::vector<Lexicon::Entry> seen;                 ///< The morphologies that it was seen with,
  std::uint64_t upos_seen = 0;                      ///< the set of their universal tags,
  std::uint64_t feats_seen = 0;                     ///< and a hash of them all; 0 for unknown words.
  std::vector<Lexicon::Entry> alike;                ///< Morphologies of words with the longest ending that is known.
  std::array<std::uint64_t, kCuts + 1> lemma_of{};  ///< Of which tags the word without so many characters is a lemma.

  /// The beginning of the word without so many characters, of which it has more.
  std::string_view start(std::size_t cut) const {
    return std::string_view(lower_text)
        .substr(0, cut == 0 ? lower_text.size() : characters[characters.size() - cut].begin);
  }
  /// The last characters of the word, which has as many.
  std::string_view last(std::size_t count) const { return last_of(lower_text, characters, count); }
  std::uint64_t end() const { return suffix[2] != 0 ? suffix[2] : lower; }  ///< Its last three characters.
};

/// A universal tag as a set.
inline std::uint64_t upos_set(int upos) { return std::uint64_t{1} << (upos % 64); }

std::vector<WordView> views_of(const Sentence& sentence, const TagLexicons& lexicons,
                               std::span<const Morphology> morphologies, const OwnAnswers& own = {});

/// The key of a word in the lexicon of morphologies, and that of the words with an ending.
std::uint64_t word_key(std::string_view lower);
std::uint64_t ending_key(std::string_view ending);
/// Adds a word in lower case, whole and by its endings.
void add_word(LexiconMaker& maker, std::string_view lower, int morphology);
/// The key of a lemma without an ending of so many characters.
std::uint64_t lemma_key(std::string_view lower, std::size_t ending);
/// The key of a word in the lexicon of scripts: given its morphology, or by -1 - upos its universal tag.
std::uint64_t script_key(std::string_view lower, int given);
/// Adds a lemma in lower case, whole and without its ending.
void add_lemma(LexiconMaker& maker, std::string_view lower, int upos);

}  // namespace kirchhoff::text
