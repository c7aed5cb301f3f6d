// Answers POST /v1/parse and GET /v1/models.
#pragma once

#include "serve/models.hpp"
#include "serve/parse_request.hpp"
#include "server/message.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace kirchhoff::cli {

/// What one request may ask for.
struct AnswerLimits {
  int words = 10'000;        ///< In all sentences.
  int sentence_words = 500;  ///< In each.
  int trees = 10'000;        ///< The k best ones of a sentence, or samples.
};

/// The model of this name, or the default for an empty one. Throws HttpError.
std::shared_ptr<const ServedModel> find_model(const ModelStore& models, std::string_view name);

/// The sentences of a text in CoNLL-U. Throws ParseError.
std::vector<Sentence> conllu_sentences(const std::string& text);
/// Throws HttpError when there are too many words.
void check_sizes(const std::vector<Sentence>& sentences, const AnswerLimits& limits);

/// The sentences of a text or of CoNLL-U, tagged where that is asked for, within the limits. Throws HttpError.
std::vector<Sentence> read_request_sentences(const ServedModel& model, const ParseRequest& request,
                                             const AnswerLimits& limits, const Stop& stop);

server::Answer answer_parse(const ModelStore& models, const AnswerLimits& limits, const server::Request& request);
server::Answer answer_models(const ModelStore& models);

}  // namespace kirchhoff::cli
