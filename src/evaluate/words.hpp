// The words of a file in a row, with their places in its text, and which of two files' words are the same.
#pragma once

#include "kirchhoff/conllu.hpp"

#include <span>

namespace kirchhoff::evaluation {

inline constexpr int kRoot = -1;  // The parent of words below the root.
inline constexpr int kNone = -2;  // There is no such word.

struct EvaluatedWord {
  int sentence = 0;
  int number = 0;         ///< Its number in its sentence, from 1.
  std::size_t begin = 0;  ///< In bytes of the text without blanks; that of the whole token within a multiword token.
  std::size_t end = 0;
  bool multiword = false;  ///< Whether it is within a multiword token.
  int parent = kNone;      ///< The index of its head, kRoot or kNone.
  std::string_view form;
  std::string_view lemma;
  std::string_view upos;
  std::string_view xpos;
  std::string_view relation;  ///< Without its subtype.
  std::string feats;          ///< The universal features, sorted.
  bool content = false;
  std::vector<int> function_words;  ///< The children with functional relations.
};

struct EvaluatedSentence {
  std::size_t end = 0;  ///< Where it ends in the text.
  int first = 0;        ///< Its first word.
  int last = 0;         ///< The word after its last one.
};

struct WordsOfFile {
  std::string text;  ///< All tokens without blanks.
  std::vector<EvaluatedWord> words;
  std::vector<EvaluatedSentence> sentences;
};

/// Throws InputError for a token that is nothing but blanks.
WordsOfFile file_of(std::span<const Sentence> sentences, const char* which);

struct Pairs {
  std::vector<int> gold_of_system;  ///< The index of the gold word, or kNone.
  std::vector<int> system_of_gold;
};

/// Throws InputError unless both have the same text.
Pairs align(const WordsOfFile& gold, const WordsOfFile& system);

/// Whether an aligned pair has the same head.
bool same_head(const WordsOfFile& gold, const WordsOfFile& system, const Pairs& pairs, int gold_word, int system_word);

}  // namespace kirchhoff::evaluation
