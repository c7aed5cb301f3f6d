// Learns to find tokens, sentences and the words of tokens from annotated sentences.
#pragma once

#include "kirchhoff/conllu.hpp"
#include "text/lexicon.hpp"
#include "text/sequence_trainer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace kirchhoff::text {

/// What the sections of a tokenizer are made from.
struct TokenizerParts {
  SequenceWeights tokens;
  std::vector<std::string> scripts;
  parser::LabelTables seen;  ///< The lexicon of scripts.
  SequenceWeights splits;
};

/// Nothing when progress ended the training.
std::optional<TokenizerParts> train_tokenizer(const std::vector<Sentence>& sentences, std::uint64_t seed,
                                              base::Crew& crew, const SequenceProgress& progress);
void add_sections(parser::ContainerWriter& writer, const TokenizerParts& parts, base::Crew& crew);

/// A paragraph of a treebank, and the tags of its characters.
struct TaggedText {
  std::string text;
  Tags tags;
};
/// The paragraphs; where the treebank marks none, groups of a few sentences, so that sentences are also met with others
/// around them.
std::vector<TaggedText> tagged_texts(const std::vector<Sentence>& sentences);

}  // namespace kirchhoff::text
