// Writes what was found for a sentence into its columns and comments.
#include "answers/parse_answer.hpp"

#include <fmt/format.h>

namespace kirchhoff::cli {

Sentence tagged(const Pipeline& pipeline, const Sentence& sentence, bool probabilities) {
  const Tagged tagged = tag(pipeline.tagger(), sentence, {.probabilities = probabilities});
  if (!probabilities || sentence.size() == 0) return tagged.sentence;
  Sentence result = tagged.sentence;
  for (int d = 1; d <= result.size(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    const std::string misc =
        with_attribute(result.misc(d), "UposProb", fmt::format("{:.4f}", tagged.upos_probabilities[i]));
    result.set(d, Column::misc,
               with_attribute(misc, "FeatsProb", fmt::format("{:.4f}", tagged.feats_probabilities[i])));
  }
  result.set_comment("tag_entropy", fmt::format("{:.6f}", tagged.entropy));
  return result;
}

Sentence with_tree(const ParserModel& model, const Sentence& sentence, const Parsed& parsed,
                   const ParseOptions& options) {
  Sentence result = model.annotate(sentence, parsed.tree);
  if (!options.probabilities) return result;
  for (int d = 1; d <= result.size(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    const std::string misc =
        with_attribute(result.misc(d), "ArcProb", fmt::format("{:.4f}", parsed.arc_probabilities[i]));
    result.set(d, Column::misc,
               with_attribute(misc, "LabelProb", fmt::format("{:.4f}", parsed.label_probabilities[i])));
  }
  result.set_comment("log_prob", fmt::format("{:.6f}", parsed.log_prob));
  result.set_comment("entropy", fmt::format("{:.6f}", parsed.entropy));
  return result;
}

std::string parsed_text(const ParserModel& model, const Sentence& sentence, const Parsed& parsed,
                        const ParseOptions& options, SentenceFormat format) {
  if (options.k_best == 0 && options.samples == 0) {
    return text_in(with_tree(model, sentence, parsed, options), format);
  }
  std::string text;
  for (std::size_t k = 0; k < parsed.trees.size(); ++k) {
    const Tree& tree = parsed.trees[k];
    Sentence result = model.annotate(sentence, tree);
    result.set_comment(options.k_best > 0 ? "rank" : "sample", std::to_string(k + 1));
    result.set_comment("log_prob", fmt::format("{:.6f}", *tree.log_prob));
    text += text_in(result, format);
  }
  return text;
}

}  // namespace kirchhoff::cli
