// The verb `parse` fills in heads and relations, in the order of the sentences and on several threads.
#include "io/files.hpp"
#include "io/terminal.hpp"
#include "json/sentence_text.hpp"
#include "options.hpp"
#include "pending_names.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/parallel.hpp>
#include <kirchhoff/parser.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(CoNLL-U comes in and CoNLL-U goes out, with HEAD and DEPREL filled in and everything else as it was. With --k-best or
--samples every sentence comes several times. Manual: docs/guides/parser.md

Example, after the one of 'kirchhoff train --help':
  kirchhoff parse --model demo.model --probabilities examples/treebank/dev.conllu > parsed.conllu
)";

constexpr double kMaxTrees = 1e6;

struct ParseVerbOptions {
  TreebankOptions input;
  std::string model;
  SentenceFormat format = SentenceFormat::conllu;
  ParseOptions options;
  int threads = 0;
};

constexpr std::size_t kChunk = 256;

void add_probabilities(Sentence& sentence, const Parsed& parsed) {
  for (int d = 1; d <= sentence.size(); ++d) {
    const auto i = static_cast<std::size_t>(d);
    std::string misc = with_attribute(sentence.misc(d), "ArcProb", fmt::format("{:.4f}", parsed.arc_probabilities[i]));
    sentence.set(d, Column::misc,
                 with_attribute(misc, "LabelProb", fmt::format("{:.4f}", parsed.label_probabilities[i])));
  }
  sentence.set_comment("log_prob", fmt::format("{:.6f}", parsed.log_prob));
  sentence.set_comment("entropy", fmt::format("{:.6f}", parsed.entropy));
}

std::string parsed_text(Parser& parser, const Sentence& sentence, const ParseVerbOptions& verb,
                        const ParseOptions& options) {
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
std::string checked_text(Parser& parser, const Sentence& sentence, const ParseVerbOptions& verb,
                         const ParseOptions& options, const std::string& file) {
  try {
    return parsed_text(parser, sentence, verb, options);
  } catch (const Infeasible& error) {
    const std::string message = about(file, sentence, error.what());
    if (!verb.input.skip_bad) throw FileError(message);
    complain(message + " (skipped)");
    return {};
  }
}

/// Sentences that are read together, parsed by all threads, and written.
struct Chunk {
  std::uint64_t first = 0;  ///< number of the first sentence
  std::vector<Sentence> sentences;
  std::exception_ptr error;  ///< what ended the reading
};

Chunk read_chunk(TreebankInput& input, std::uint64_t first) {
  Chunk chunk{first, {}, nullptr};
  try {
    while (chunk.sentences.size() < kChunk) {
      auto sentence = input.next();
      if (!sentence) break;
      chunk.sentences.push_back(std::move(*sentence));
    }
  } catch (...) {
    chunk.error = std::current_exception();
  }
  return chunk;
}

int run(const ParseVerbOptions& verb) {
  const ParserModel model = ParserModel::open(verb.model);
  TreebankInput input(verb.input, TreebankInput::Need::sentences);
  const int threads =
      verb.threads > 0 ? verb.threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<Parser> parsers;
  parsers.reserve(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) parsers.emplace_back(model);
  std::vector<std::string> texts, before;
  std::vector<std::exception_ptr> failures;
  const auto write = [](const std::vector<std::string>& done) {
    for (const std::string& text : done) write_stdout(text);
  };
  Chunk chunk = read_chunk(input, 0), after;
  while (!chunk.sentences.empty()) {
    // Whoever comes first writes the chunk before and reads the one after; the rest is for all, one by one.
    std::atomic<std::size_t> next{0};
    texts.assign(chunk.sentences.size(), {});
    failures.assign(chunk.sentences.size(), nullptr);
    parallel_for(parsers.size(), threads, [&](std::size_t t) {
      for (std::size_t item = next++; item <= chunk.sentences.size(); item = next++) {
        if (item == 0) {
          write(before);
          after = chunk.error ? Chunk{0, {}, chunk.error} : read_chunk(input, chunk.first + chunk.sentences.size());
          continue;
        }
        ParseOptions options = verb.options;
        options.seed += (chunk.first + item - 1) << 32;  // sentences are independent of each other
        try {
          texts[item - 1] = checked_text(parsers[t], chunk.sentences[item - 1], verb, options, input.name());
        } catch (...) {
          failures[item - 1] = std::current_exception();
        }
      }
    });
    const auto failure = std::find_if(failures.begin(), failures.end(), [](const auto& f) { return f != nullptr; });
    if (failure != failures.end()) {  // what stands before it is written
      texts.resize(static_cast<std::size_t>(failure - failures.begin()));
      after = Chunk{0, {}, *failure};
    }
    std::swap(texts, before);
    std::swap(chunk, after);
  }
  write(before);
  if (chunk.error) std::rethrow_exception(chunk.error);
  return 0;
}

}  // namespace

Action add_parse(CLI::App& verb) {
  auto options = std::make_shared<ParseVerbOptions>();
  ParseOptions& o = options->options;
  add_file(verb, options->input.file, "CoNLL-U");
  add_text(verb, "--model", options->model, "FILE", "The model file, as 'kirchhoff train' writes it.")->required();
  add_choice(verb, "--format", options->format, "The format of the output [conllu].");
  add_choice(verb, "--root", o.root,
             "Says how many words may hang from the root: one, or several [as the model was trained].");
  verb.add_flag("--probabilities,--probs", o.probabilities,
                "Adds ArcProb= and LabelProb= to MISC, and # log_prob and # entropy as comments.");
  CLI::Option* k_best = add_number(verb, "--k-best,--kbest", o.k_best, "K", 1, kMaxTrees,
                                   "Prints the K best trees of each sentence, best first.");
  add_number(verb, "--samples", o.samples, "K", 1, kMaxTrees, "Prints K random trees of each sentence.")
      ->excludes(k_best);
  add_seed(verb, o.seed, "the samples");
  add_choice(verb, "--solver", o.solver,
             "Chooses how a second-order model finds its best tree: by belief propagation (bp), dual decomposition "
             "(ad3) or linear programming (lp); the automatic choice is bp, and ad3 after --loss svm.");
  verb.add_flag("--keep-heads", o.keep_heads, "Keeps the heads that the input gives, and fills in the others.");
  verb.add_flag("--skip-bad", options->input.skip_bad,
                "Reports and leaves out sentences that are not well-formed, or have no tree with the heads that stay.");
  add_threads(verb, options->threads, " The output does not depend on it.");
  verb.footer(kHelp);
  return [options](std::string_view) { return run(*options); };
}

}  // namespace kirchhoff::cli
