// UDPipe's input formats that are neither text nor CoNLL-U: words that somebody has found already.
#pragma once

#include <kirchhoff/conllu.hpp>

#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// What UDPipe writes and reads for a blank within a word.
inline constexpr std::string_view kNoBreakSpace = "\xC2\xA0";

/// What an empty line means: nothing, or a new paragraph, which the next sentence then says in a comment.
enum class EmptyLine { nothing, paragraph };

/// A sentence on each line, with blanks between words; a no-break space is a blank within a word. Throws ParseError.
std::vector<Sentence> horizontal_sentences(std::string_view data, EmptyLine empty);
/// A word on each line, of which what follows a tab is left out, and an empty line after each sentence. Further empty
/// lines are what `empty` says. Throws ParseError.
std::vector<Sentence> vertical_sentences(std::string_view data, EmptyLine empty);

}  // namespace kirchhoff::cli
