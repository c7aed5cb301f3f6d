// A tagger and lemmatizer as they lie in a model file.
#pragma once

#include "kirchhoff/tagger.hpp"
#include "text/sequence_model.hpp"

#include <string>
#include <vector>

namespace kirchhoff::text {

/// Words as the taggers' features read them.
struct WordForms {
  std::vector<std::string> form, lower;

  WordForms() = default;
  explicit WordForms(const Sentence& sentence);
  int size() const { return static_cast<int>(form.size()); }
};

/// Features for universal tags; given these (numbers, one for each word) those for XPOS and FEATS; given all tags those
/// for the scripts of lemmas. The first word is number 0.
void find_upos_features(const WordForms& words, SequenceKeys& keys);
void find_feats_features(const WordForms& words, const Tags& upos, SequenceKeys& keys);
void find_lemma_features(const WordForms& words, const Tags& upos, const Tags& feats, SequenceKeys& keys);

/// XPOS and FEATS that were seen with a universal tag.
struct Morphology {
  int upos = 0;
  std::string xpos, feats;
};

struct TagModel {
  /// Throws ModelError when a section is missing or does not fit.
  explicit TagModel(const parser::Container& container);

  parser::Container file;
  std::vector<std::string> upos;
  SequenceModel upos_model;
  std::vector<Morphology> morphologies;
  std::vector<std::vector<int>> of_upos;  ///< The morphologies of each universal tag.
  SequenceModel feats_model;
  bool has_lemmas = false;
  std::vector<std::string> scripts;
  SequenceModel lemma_model;
};

/// A morphology as a line of a model file.
std::string line_of(const Morphology& morphology);

}  // namespace kirchhoff::text
