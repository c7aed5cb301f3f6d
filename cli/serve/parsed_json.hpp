// Writes parses as JSON: trees, probabilities, the k best trees, samples.
#pragma once

#include "json/writer.hpp"
#include "serve/models.hpp"
#include "serve/parse_request.hpp"
#include "server/message.hpp"

#include <string>

namespace kirchhoff::cli {

/// The answer to POST /v1/parse, sentence by sentence.
class ParsedJson {
 public:
  ParsedJson(const ServedModel& model, const ParseRequest& request);

  /// Parses a sentence. Throws Infeasible, and Stopped when a StopScope says so.
  void add(const Sentence& sentence, ParseOptions options);
  server::Answer take();

 private:
  const ServedModel& model_;
  const ParseRequest& request_;
  std::string body_;
  bool first_ = true;
};

/// The answer to GET /v1/models.
std::string models_json(const ModelSet& models);

}  // namespace kirchhoff::cli
