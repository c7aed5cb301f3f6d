// kirchhoff parse: sentences in, the same with heads and relations out; in order, on several threads.
#include "files.hpp"
#include "parser_verbs.hpp"

#include <kirchhoff/batch.hpp>

#include <fmt/format.h>

#include <thread>

namespace kirchhoff::cli {
namespace {

constexpr std::size_t kChunk = 256;

void add_probabilities(Sentence& sentence, const Parsed& parsed) {
  for (int d = 1; d <= sentence.size(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    std::string misc = with_attribute(sentence.misc(d), "ArcProb", fmt::format("{:.4f}", parsed.arc_prob[i]));
    sentence.set(d, Column::misc, with_attribute(misc, "LabelProb", fmt::format("{:.4f}", parsed.label_prob[i])));
  }
  sentence.set_comment("log_prob", fmt::format("{:.6f}", parsed.log_prob));
  sentence.set_comment("entropy", fmt::format("{:.6f}", parsed.entropy));
}

std::string parsed_text(Parser& parser, const Sentence& sentence, const ParseVerb& verb, const ParseOptions& options) {
  if (sentence.size() == 0) return text_in(sentence, verb.format);
  Parsed parsed = parser.parse(sentence, options);
  if (options.k_best == 0 && options.samples == 0) {
    Sentence result = parser.annotate(sentence, parsed);
    if (options.probabilities) add_probabilities(result, parsed);
    return text_in(result, verb.format);
  }
  std::string text;
  for (std::size_t k = 0; k < parsed.trees.size(); ++k) {
    Parsed one;
    one.tree = parsed.trees[k];
    Sentence result = parser.annotate(sentence, one);
    result.set_comment(options.k_best > 0 ? "rank" : "sample", std::to_string(k + 1));
    result.set_comment("log_prob", fmt::format("{:.6f}", *one.tree.log_prob));
    text += text_in(result, verb.format);
  }
  return text;
}

/// The same, with errors that name the sentence.
std::string checked_text(Parser& parser, const Sentence& sentence, const ParseVerb& verb, const ParseOptions& options,
                         const std::string& file) {
  try {
    return parsed_text(parser, sentence, verb, options);
  } catch (const Infeasible& error) {
    const std::string message = about(file, sentence, error.what());
    if (!verb.input.skip_bad) throw FileError(message);
    complain(message + " (skipped)");
    return {};
  }
}

}  // namespace

int run_parse(const ParseVerb& verb) {
  const ParserModel model = ParserModel::open(verb.model);
  TreebankInput input(verb.input, TreebankInput::Need::sentences);
  const int threads =
      verb.threads > 0 ? verb.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<Parser> parsers;
  for (int t = 0; t < threads; ++t) parsers.emplace_back(model);
  std::vector<Sentence> chunk;
  std::vector<std::string> texts;
  std::uint64_t first = 0;
  const auto flush = [&] {
    texts.assign(chunk.size(), {});
    parallel_for(parsers.size(), threads, [&](std::size_t t) {
      for (std::size_t i = t; i < chunk.size(); i += parsers.size()) {
        ParseOptions options = verb.options;
        options.seed += (first + i) << 32;  // sentences are independent of each other
        texts[i] = checked_text(parsers[t], chunk[i], verb, options, input.name());
      }
    });
    for (const std::string& text : texts) write_stdout(text);
    first += chunk.size();
    chunk.clear();
  };
  while (auto sentence = input.next()) {
    chunk.push_back(std::move(*sentence));
    if (chunk.size() == kChunk) flush();
  }
  flush();
  return 0;
}

}  // namespace kirchhoff::cli
