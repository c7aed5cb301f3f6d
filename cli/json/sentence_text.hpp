// The formats that a sentence can be written in, and its text in each of them.
#pragma once

#include <kirchhoff/conllu.hpp>
#include <kirchhoff/names.hpp>

#include <array>
#include <string>
#include <string_view>

namespace kirchhoff::cli {

enum class SentenceFormat { conllu, conllx, json, displacy };

/// The sentence in that format: CoNLL with the blank line after it, JSON as one line.
std::string text_in(const Sentence& sentence, SentenceFormat format);

/// What the sentence says: its comment "text", or else its words with a blank between them.
std::string text_of(const Sentence& sentence);

}  // namespace kirchhoff::cli

namespace kirchhoff {

template <>
inline constexpr std::array<std::string_view, 4> kNames<cli::SentenceFormat> = {"conllu", "conllx", "json", "displacy"};

}  // namespace kirchhoff
