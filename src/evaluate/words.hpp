// The words of a file in a row, with their places in its text, and which of two files' words are the same.
#pragma once

#include "kirchhoff/conllu.hpp"

#include <span>

namespace kirchhoff::evaluation {

inline constexpr int kRoot = -1;  // as a parent
inline constexpr int kNone = -2;  // no such word

struct EvaluatedWord {
  int sentence = 0;
  int number = 0;         ///< in its sentence, from 1
  std::size_t begin = 0;  ///< bytes in the text without blanks; of the whole token within a multiword token
  std::size_t end = 0;
  bool multiword = false;  ///< within a multiword token
  int parent = kNone;      ///< index, kRoot or kNone
  std::string_view form;
  std::string_view lemma;
  std::string_view upos;
  std::string_view xpos;
  std::string_view relation;  ///< without its subtype
  std::string feats;          ///< universal ones, sorted
  bool content = false;
  std::vector<int> function_words;  ///< children with functional relations
};

struct EvaluatedSentence {
  std::size_t end = 0;  ///< in the text
  int first = 0;        ///< its words
  int last = 0;         ///< past the end
};

struct File {
  std::string text;  ///< all tokens without blanks
  std::vector<EvaluatedWord> words;
  std::vector<EvaluatedSentence> sentences;
};

/// Throws InputError for a token of blanks only.
File file_of(std::span<const Sentence> sentences, const char* which);

struct Pairs {
  std::vector<int> gold_of_system;  ///< index of the gold word, or kNone
  std::vector<int> system_of_gold;
};

/// Throws InputError unless both have the same text.
Pairs align(const File& gold, const File& system);

/// Is the aligned pair's head right?
bool same_head(const File& gold, const File& system, const Pairs& pairs, int gold_word, int system_word);

}  // namespace kirchhoff::evaluation
