// What the user's lexicon, or the input itself, says of the tags that a word may have.
#pragma once

#include "text/tag_model.hpp"

#include <vector>

namespace kirchhoff::text {

/// The universal tags that each word may have: one that is given and kept, or those of its readings in the lexicon.
/// Empty lists where nothing that the tagger knows is said of a word.
std::vector<std::vector<int>> allowed_tags(const TagModel& model, const Sentence& sentence, const TagOptions& options);
/// The morphologies of a universal tag that agree with a reading of the word.
std::vector<int> allowed_morphologies(const TagModel& model, const KnownWords& lexicon, std::string_view form,
                                      int upos);
/// What the lexicon says of words with these universal tags takes the place of what was found. Of several readings it
/// is the one that agrees with the XPOS and FEATS that were found, or the first one.
void set_readings(const TagModel& model, const KnownWords& lexicon, const Tags& upos, Sentence& sentence);

}  // namespace kirchhoff::text
