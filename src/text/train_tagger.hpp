// Learns tags, morphology and lemmas from annotated sentences.
#pragma once

#include "kirchhoff/conllu.hpp"
#include "text/sequence_trainer.hpp"
#include "text/tag_model.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kirchhoff::text {

/// What the sections of a tagger are made from.
struct TaggerParts {
  std::vector<std::string> upos;
  SequenceWeights upos_weights;
  std::vector<Morphology> morphologies;
  std::vector<std::string> paths;  ///< Of clusters, and which words are in them.
  parser::LabelTables clusters;
  SequenceWeights feats_weights;
  parser::LabelTables words, lemmas;  ///< The lexicons of words and of lemmas.
  std::vector<std::string> scripts;   ///< None without lemmas.
  std::vector<std::string> rare;      ///< The scripts of the lexicon that are not learnt.
  SequenceWeights lemma_weights;
  parser::LabelTables script_lexicon;
};

struct TaggerTraining {
  bool lemmas = true;  ///< Learns lemmas too, if the treebank has some.
  int epochs = 16;
  std::uint64_t seed = 0;
  std::span<const LexiconEntry> lexicon = {};
  std::span<const WordCluster> clusters = {};
};

/// Nothing when progress ended the training. Throws InputError when no word has a universal tag.
std::optional<TaggerParts> train_tagger(std::span<const Sentence> sentences, const TaggerTraining& training,
                                        base::Crew& crew, const SequenceProgress& progress);
void add_sections(parser::ContainerWriter& writer, const TaggerParts& parts, base::Crew& crew);

}  // namespace kirchhoff::text
