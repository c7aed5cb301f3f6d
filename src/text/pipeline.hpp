// A pipeline's model file, unpacked.
#pragma once

#include "kirchhoff/pipeline.hpp"
#include "parser/file/model.hpp"
#include "text/token_model.hpp"

namespace kirchhoff {

struct Pipeline::State {
  /// Throws ModelError.
  explicit State(parser::Container container);

  parser::Container file;
  std::optional<Tokenizer> tokenizer;
  std::optional<Tagger> tagger;
  std::optional<ParserModel> parser;
  parser::Card card;
};

}  // namespace kirchhoff
