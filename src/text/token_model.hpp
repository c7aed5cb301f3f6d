// A tokenizer as it lies in a model file.
#pragma once

#include "kirchhoff/pipeline.hpp"
#include "parser/file/model.hpp"
#include "text/lexicon.hpp"
#include "text/sequence_model.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::text {

struct TokenModel {
  /// Throws ModelError when a section is missing or does not fit.
  explicit TokenModel(const parser::Container& container);

  parser::Container file;
  SequenceModel tokens;
  std::vector<std::string> scripts;  ///< How tokens are split; the first one is kOneWord.
  Lexicon seen;                      ///< The scripts of tokens, by word_key.
  SequenceModel splits;
};

/// Finds the features of tokens for the scripts that split them. `own` has the scripts of tokens that the lexicon was
/// made from; else it is empty.
void find_split_features(std::span<const std::string_view> tokens, const Lexicon& seen, std::span<const int> own,
                         SequenceKeys& keys);

struct TagModel;

/// What the rest of the library sees of public classes.
struct TextAccess {
  static Tokenizer wrap(std::shared_ptr<const TokenModel> model) { return Tokenizer(std::move(model)); }
  static const TokenModel& model_of(const Tokenizer& tokenizer) { return *tokenizer.model_; }
  static Tagger wrap(std::shared_ptr<const TagModel> model) { return Tagger(std::move(model)); }
  static const TagModel& model_of(const Tagger& tagger) { return *tagger.model_; }
  /// Throws ModelError.
  static Pipeline pipeline(parser::Container file);
  static const parser::Container& file_of(const Pipeline& pipeline);
};

}  // namespace kirchhoff::text
