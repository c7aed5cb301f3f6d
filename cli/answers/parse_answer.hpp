// What `parse` and the server make of a sentence: tags before it is parsed, and its text with the trees found.
#pragma once

#include "json/sentence_text.hpp"

#include <kirchhoff/pipeline.hpp>

#include <string>
#include <vector>

namespace kirchhoff::cli {

/// The sentence with the tagger's tags and lemmas, and with their probabilities if they are asked for.
Sentence tagged(const Pipeline& pipeline, const Sentence& sentence, const TagOptions& options);

/// The sentence once for each of its k best sequences of universal tags, with comments that say which one it is.
std::vector<Sentence> k_best_tagged(const Pipeline& pipeline, const Sentence& sentence, int k,
                                    const TagOptions& options);

/// The sentence with its tree, and with the probabilities if the options ask for them.
Sentence with_tree(const ParserModel& model, const Sentence& sentence, const Parsed& parsed,
                   const ParseOptions& options);

/// The sentence with its tree, or once for each of the k best trees or samples.
std::string parsed_text(const ParserModel& model, const Sentence& sentence, const Parsed& parsed,
                        const ParseOptions& options, SentenceFormat format);

/// The scores of its arcs, as one line that `tree` takes.
std::string scores_line(const Sentence& sentence, const Matrix& arc_scores);

}  // namespace kirchhoff::cli
