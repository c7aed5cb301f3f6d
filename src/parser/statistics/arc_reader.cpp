// Scores a sentence as the parser does, and lists the arcs that pruning left.
#include "parser/statistics/arc_reader.hpp"

#include "base/check.hpp"

namespace kirchhoff::parser {

void require_arcs(const char* function, const ParserModel& model) {
  if (model.parts() == kArcs) return;
  base::input_error(function, "model: it scores parts of several arcs (" + to_string(model.parts()) +
                                  "), and covariances are exact for models of arcs only");
}

ArcReader::ArcReader(const ParserModel& model, const Templates& templates, const StatisticsOptions& options)
    : model_(ModelAccess::model_of(model).get()),
      parser_(model),
      features_(templates),
      root_(options.root.value_or(model.root())),
      projective_(options.projective) {}

void ArcReader::read(const Sentence& sentence) {
  scores_ = parser_.arc_scores(sentence, {.root = root_, .projective = projective_});
  arcs_.clear();
  for (int d = 1; d <= sentence.size(); ++d) {
    for (int h = 0; h <= sentence.size(); ++h) {
      if (h != d && std::isfinite(scores_(h, d))) arcs_.push_back({h, d});
    }
  }
  if (features_.templates().single().empty() && features_.templates().between().empty()) return;
  encoded_ = encode(sentence, model_->inventory);
  features_.read(encoded_);
}

std::span<const std::uint64_t> ArcReader::keys(Arc arc) {
  keys_.clear();
  features_.append({arc.head, arc.dependent}, keys_);
  return keys_;
}

}  // namespace kirchhoff::parser
