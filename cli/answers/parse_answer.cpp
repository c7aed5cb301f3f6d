// Writes what was found for a sentence into its columns and comments.
#include "answers/parse_answer.hpp"

#include "json/writer.hpp"

#include <fmt/format.h>

#include <string_view>

namespace kirchhoff::cli {
namespace {

void add_probability(Sentence& sentence, int word, std::string_view name, double probability) {
  sentence.set(word, Column::misc, with_attribute(sentence.misc(word), name, fmt::format("{:.4f}", probability)));
}

/// What was found, with the probabilities if they are there.
Sentence with_probabilities(const Tagged& tagged) {
  Sentence result = tagged.sentence;
  if (tagged.upos_probabilities.empty()) return result;
  for (int d = 1; d <= result.size(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    add_probability(result, d, "UposProb", tagged.upos_probabilities[i]);
    add_probability(result, d, "FeatsProb", tagged.feats_probabilities[i]);
  }
  result.set_comment("tag_entropy", fmt::format("{:.6f}", tagged.entropy));
  return result;
}

}  // namespace

Sentence tagged(const Pipeline& pipeline, const Sentence& sentence, const TagOptions& options) {
  return with_probabilities(tag(pipeline.tagger(), sentence, options));
}

std::vector<Sentence> k_best_tagged(const Pipeline& pipeline, const Sentence& sentence, int k,
                                    const TagOptions& options) {
  std::vector<Sentence> result;
  for (const Tagged& one : k_best_taggings(pipeline.tagger(), sentence, k, options)) {
    result.push_back(with_probabilities(one));
    result.back().set_comment("tags", fmt::format("{}", result.size()));
    result.back().set_comment("tag_log_prob", fmt::format("{:.6f}", one.log_prob));
  }
  return result;
}

Sentence with_tree(const ParserModel& model, const Sentence& sentence, const Parsed& parsed,
                   const ParseOptions& options) {
  Sentence result = model.annotate(sentence, parsed.tree);
  if (!options.probabilities) return result;
  for (int d = 1; d <= result.size(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    add_probability(result, d, "ArcProb", parsed.arc_probabilities[i]);
    add_probability(result, d, "LabelProb", parsed.label_probabilities[i]);
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

std::string scores_line(const Sentence& sentence, const Matrix& arc_scores) {
  JsonWriter out;
  const auto id = sentence.comment("sent_id");
  out.key("id");
  out.raw(id ? json_string(*id) : "null");
  out.key("scores");
  out.write(arc_scores);
  out.close();
  return out.take();
}

}  // namespace kirchhoff::cli
