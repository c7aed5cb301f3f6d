// Sentences as they are written: tokens with the white space around them, as CoNLL-U tells it in MISC.
#pragma once

#include "kirchhoff/conllu.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::text {

/// A token as it is written: a word, or several words under one form.
struct Surface {
  std::string_view form, misc;
  int first = 0, last = 0;  ///< Its words.
};
std::vector<Surface> surfaces(const Sentence& sentence);

/// Whether a paragraph or a document begins with the sentence.
bool begins_paragraph(const Sentence& sentence);

/// White space as MISC has it: blanks as \s, ends of lines as \n; and back, where characters may also be \u00A0 and the
/// like. What is no escape stays as it is.
std::string escaped_spaces(std::string_view spaces);
std::string unescaped_spaces(std::string_view escaped);

/// The white space after a token: that of SpacesAfter, none after SpaceAfter=No, else one blank.
std::string spaces_after(std::string_view misc);

}  // namespace kirchhoff::text
