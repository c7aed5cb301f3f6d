// The features that tell where tokens and sentences begin.
#pragma once

#include "text/characters.hpp"
#include "text/sequence_model.hpp"

#include <span>
#include <string_view>

namespace kirchhoff::text {

/// What a character is.
enum TokenTag : int {
  kToken,     ///< The first of a token.
  kInside,    ///< Another one of a token.
  kSentence,  ///< The first of a token that begins a sentence.
  kBetween,   ///< White space between tokens.
  kBlank,     ///< A blank within a token.
};
inline constexpr int kTokenTags = 5;

/// -inf where a tag may not follow another, else 0: what is between tokens is not followed by the inside of one, and a
/// blank within a token by nothing else.
Matrix token_transitions();
/// Writes -inf where a tag is impossible for a character, and for the first one all but those of a sentence's start.
void forbid_tags(std::span<const Character> characters, Matrix& emissions);

/// Finds the features of all characters of a text, which must begin with no white space.
void find_token_features(std::string_view text, std::span<const Character> characters, SequenceKeys& keys);

}  // namespace kirchhoff::text
