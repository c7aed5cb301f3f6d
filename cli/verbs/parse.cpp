// The verb `parse` fills in heads and relations, in the order of the sentences and on several threads.
#include "answers/parse_answer.hpp"
#include "io/files.hpp"
#include "io/memory.hpp"
#include "io/terminal.hpp"
#include "json/read_error.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "usage_error.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/pipeline.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <sstream>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(CoNLL-U comes in and CoNLL-U goes out, with HEAD and DEPREL filled in and everything else as it was. With --k-best or
--samples every sentence comes several times. Manual: docs/guides/parser.md. With --text plain text comes in, for a
model of 'kirchhoff train --pipeline': docs/guides/text.md

Examples, after those of 'kirchhoff train --help':
  kirchhoff parse --model demo.model --probabilities examples/treebank/dev.conllu > parsed.conllu
  echo 'She saw the man. He waved.' | kirchhoff parse --model pipeline.model --text
)";

constexpr double kMaxTrees = 1e6;

struct ParseVerbOptions {
  TreebankOptions input;
  std::string model;
  SentenceFormat format = SentenceFormat::conllu;
  ParseOptions options;
  bool stats = false;
  bool text = false, tag = false, ranges = false;
  int tag_k_best = 0;
  std::string lexicon;
  Shard shard;
  int threads = 0;
};

/// Where sentences come from: CoNLL-U, or with --text plain text. With --k-best-tags each comes several times.
class SentenceInput {
 public:
  SentenceInput(const ParseVerbOptions& verb, const Pipeline& pipeline, const TagOptions& tags)
      : pipeline_(pipeline), tags_(tags), tag_k_best_(verb.tag_k_best) {
    if (verb.text) {
      stream_ = std::make_unique<InputStream>(verb.input.file, verb.input.range);
      text_.emplace(*stream_, stream_->name(), pipeline.tokenizer(), TokenizeOptions{.ranges = verb.ranges});
    } else {
      treebank_ = std::make_unique<TreebankInput>(verb.input, TreebankInput::Need::sentences);
    }
  }
  std::optional<Sentence> next() {
    while (ready_.empty()) {
      auto sentence = text_ ? text_->next() : treebank_->next();
      if (!sentence || tag_k_best_ == 0) return sentence;
      for (Sentence& one : k_best_tagged(pipeline_, *sentence, tag_k_best_, tags_)) ready_.push_back(std::move(one));
    }
    Sentence sentence = std::move(ready_.front());
    ready_.pop_front();
    return sentence;
  }
  const std::string& name() const { return stream_ ? stream_->name() : treebank_->name(); }

 private:
  std::unique_ptr<InputStream> stream_;
  std::optional<TextReader> text_;
  std::unique_ptr<TreebankInput> treebank_;
  const Pipeline& pipeline_;
  const TagOptions& tags_;
  int tag_k_best_;
  std::deque<Sentence> ready_;
};

/// What --stats says of a sentence.
std::string inference_text(const Inference& inference) {
  std::string text;
  if (inference.propagated) {
    text =
        fmt::format("bp {} after {} iterations, residual {:.1e}",
                    inference.converged ? "converged" : "did not converge", inference.iterations, inference.residual);
  }
  if (inference.searched) {
    text += fmt::format("; tree {}, gap {:.1e}, {} relaxation", inference.certified ? "certified" : "not certified",
                        inference.gap, inference.integral ? "integral" : "fractional");
  }
  return text;
}

/// What --stats says of all sentences.
struct InferenceTotals {
  int sentences = 0, converged = 0, searched = 0, certified = 0, integral = 0;
  double iterations = 0.0, residual = 0.0, gap = 0.0;

  void add(const Inference& one) {
    ++sentences;
    converged += static_cast<int>(one.converged);
    iterations += one.iterations;
    residual = std::max(residual, one.residual);
    searched += static_cast<int>(one.searched);
    certified += static_cast<int>(one.searched && one.certified);
    integral += static_cast<int>(one.searched && one.integral);
    gap = std::max(gap, one.gap);
  }
  std::string text() const {
    const auto percent = [](int part, int all) { return all == 0 ? 100.0 : 100.0 * part / all; };
    std::string text = fmt::format(
        "{} sentences: belief propagation converged on {:.2f} %, {:.1f} iterations on average, largest residual {:.1e}",
        sentences, percent(converged, sentences), sentences == 0 ? 0.0 : iterations / sentences, residual);
    if (searched > 0) {
      text += fmt::format("; {:.2f} % of the trees certified, {:.2f} % of the relaxations integral, largest gap {:.1e}",
                          percent(certified, searched), percent(integral, searched), gap);
    }
    return text;
  }
};

/// The sentence as the options want it.
std::string item_text(const ParserModel& model, const ParsedSentence& item, const ParseVerbOptions& verb) {
  const bool scores = verb.options.arc_scores;
  if (item.sentence.size() == 0) return scores ? std::string() : text_in(item.sentence, verb.format);
  if (item.error) std::rethrow_exception(item.error);
  if (scores) return scores_line(item.sentence, item.parsed.arc_scores);
  if (!verb.stats) return parsed_text(model, item.sentence, item.parsed, verb.options, verb.format);
  Sentence result = with_tree(model, item.sentence, item.parsed, verb.options);
  result.set_comment("inference", inference_text(item.parsed.inference));
  return text_in(result, verb.format);
}

/// The same text, or an error that names the sentence.
std::string checked_text(const ParserModel& model, const ParsedSentence& item, const ParseVerbOptions& verb,
                         const std::string& file) {
  const auto refused = [&](const std::string& problem) {
    const std::string message = about(file, item.sentence, problem);
    if (!verb.input.skip_bad) throw FileError(message);
    complain(message + " (skipped)");
    return std::string();
  };
  try {
    return item_text(model, item, verb);
  } catch (const std::bad_alloc&) {
    throw FileError(about(file, item.sentence, "out of memory"));
  } catch (const Infeasible& error) {
    return refused(error.what());
  } catch (const InputError& error) {
    return refused(without_function(error.what()));
  }
}

void check_uses(const CLI::App& app, const ParseVerbOptions& verb) {
  const bool one_tree = verb.options.k_best == 0 && verb.options.samples == 0;
  const bool has_misc = verb.format == SentenceFormat::conllu || verb.format == SentenceFormat::json;
  refuse_unused(app, {
                         {"--ranges", verb.text, "--text"},
                         {"--k-best-tags", verb.text || verb.tag, "--text and --tag"},
                         {"--lexicon", verb.text || verb.tag, "--text and --tag"},
                         {"--skip-bad", !verb.text, "CoNLL-U, not for --text"},
                         {"--keep-heads", !verb.text, "CoNLL-U, not for --text"},
                         {"--probabilities", one_tree, "the best tree, without --k-best and --samples"},
                         {"--probabilities", has_misc, "--format conllu and json"},
                         {"--solver", one_tree, "the best tree, without --k-best and --samples"},
                         {"--solver", !verb.options.projective, "trees of all kinds, not for --projective"},
                         {"--seed", verb.options.samples > 0, "--samples"},
                         {"--format", !verb.options.arc_scores, "sentences, not for --arc-scores"},
                         {"--probabilities", !verb.options.arc_scores, "sentences, not for --arc-scores"},
                         {"--solver", !verb.options.arc_scores, "trees, not for --arc-scores"},
                         {"--stats", !verb.options.arc_scores, "trees, not for --arc-scores"},
                         {"--stats", one_tree, "the best tree, without --k-best and --samples"},
                     });
}

KnownWords lexicon_of(const ParseVerbOptions& verb) {
  if (verb.lexicon.empty()) return {};
  std::istringstream text(read_file(verb.lexicon));
  return KnownWords(read_lexicon(text, verb.lexicon));
}

int run(const CLI::App& app, ParseVerbOptions& verb) {
  check_uses(app, verb);
  verb.input.range = shard_bytes(verb.input.file, verb.shard);
  if (verb.options.solver == ParseSolver::lp) end_without_memory();
  const Pipeline pipeline = Pipeline::open(verb.model);
  const bool tags =
      (verb.text || verb.tag) && (verb.tag || pipeline.has(PipelinePart::tagger) || pipeline.has(PipelinePart::parser));
  const KnownWords lexicon = lexicon_of(verb);
  const TagOptions tag_options{.probabilities = verb.options.probabilities,
                               .lexicon = verb.lexicon.empty() ? nullptr : &lexicon};
  const bool at_once = tags && verb.tag_k_best == 0;  // Else the input comes with its tags.
  const auto prepared = [&](const Sentence& sentence) { return tagged(pipeline, sentence, tag_options); };
  if (tags) pipeline.tagger();  // which says so if there is none
  SentenceInput input(verb, pipeline, tag_options);
  if ((verb.text || verb.tag) && !pipeline.has(PipelinePart::parser)) {
    while (const auto sentence = input.next()) {
      write_stdout(text_in(at_once ? prepared(*sentence) : *sentence, verb.format));
    }
    return 0;
  }
  const ParserModel& model = pipeline.parser();
  ParseOptions parse_options = verb.options;
  if (at_once) parse_options.prepare = prepared;
  const bool has_parts = model.parts() != kArcs;
  refuse_unused(app, {{"--solver", has_parts, "models of --parts next and others, and this one scores arcs"},
                      {"--stats", has_parts, "models of --parts next and others, and this one scores arcs"}});
  InferenceTotals totals;
  const auto write = [&](const ParsedSentence& item) {
    if (!item.error && item.sentence.size() > 0) totals.add(item.parsed.inference);
    write_stdout(checked_text(model, item, verb, input.name()));
  };
  parse_all(
      model, [&] { return input.next(); }, write, parse_options, verb.threads);
  if (verb.stats) complain(totals.text());
  return 0;
}

}  // namespace

Action add_parse(CLI::App& verb) {
  auto options = std::make_shared<ParseVerbOptions>();
  ParseOptions& o = options->options;
  add_file(verb, options->input.file, "CoNLL-U");
  add_input_file(verb, "--model", options->model, "FILE", "The model file, as 'kirchhoff train' writes it.")
      ->required();
  add_choice(verb, "--format", options->format, "The format of the output [conllu].");
  add_choice(verb, "--root", o.root,
             "Says how many words may hang from the root: one, or several [as the model was trained].");
  add_projective(verb, o.projective);
  verb.add_flag("--probabilities,--probs", o.probabilities,
                "Adds ArcProb= and LabelProb= to MISC, and # log_prob and # entropy as comments.");
  CLI::Option* k_best = add_number(verb, "--k-best,--kbest", o.k_best, "K", {1, kMaxTrees},
                                   "Prints the K best trees of each sentence, best first.");
  CLI::Option* samples =
      add_number(verb, "--samples", o.samples, "K", {1, kMaxTrees}, "Prints K random trees of each sentence.")
          ->excludes(k_best);
  verb.add_flag("--arc-scores", o.arc_scores,
                "Prints the scores of each sentence's arcs as a line of JSON, which 'kirchhoff tree', 'decode' and "
                "'sample' take, in the place of trees; null for arcs that were pruned.")
      ->excludes(k_best)
      ->excludes(samples);
  add_seed(verb, o.seed, "the samples");
  add_choice(verb, "--solver", o.solver,
             "Chooses how a model of parts finds its best tree: by belief propagation (bp), dual decomposition (ad3), "
             "linear programming (lp), or branch and bound (exact); the automatic choice is bp, and ad3 after --loss "
             "svm.");
  verb.add_flag("--stats", options->stats,
                "Tells how well inference did: # inference as a comment of each sentence, and a summary on standard "
                "error.");
  verb.add_flag("--keep-heads", o.keep_heads, "Keeps the heads that the input gives, and fills in the others.");
  CLI::Option* text = verb.add_flag("--text", options->text,
                                    "Reads plain text in UTF-8, and finds sentences, words, tags and lemmas first.");
  verb.add_flag("--tag", options->tag, "Finds tags and lemmas first, in the place of those of the input.")
      ->excludes(text);
  add_number(verb, "--k-best-tags", options->tag_k_best, "K", {1, kMaxTrees},
             "Gives each sentence with its K best sequences of universal tags, best first, each with the best of all "
             "else given these.");
  add_input_file(verb, "--lexicon", options->lexicon, "FILE",
                 "Words that have no other tags and lemmas than these: lines of FORM, LEMMA, UPOS and perhaps XPOS and "
                 "FEATS with tabs between, _ for what is open.");
  CLI::Option* ranges =
      verb.add_flag("--ranges", options->ranges,
                    "Adds TokenRange=BEGIN:END to MISC: where each token stands in the text, in characters.");
  verb.add_flag("--skip-bad", options->input.skip_bad,
                "Reports and leaves out sentences that are not well-formed, or keep heads that do not exist or that no "
                "tree has.");
  // Both depend on what stands before a sentence in the whole file.
  add_shard(verb, options->shard)->excludes(samples)->excludes(ranges);
  verb.add_option_function<std::string>(
          "--out",
          [](const std::string&) {
            throw UsageError("parse: --out is for tables, Parquet or Arrow files; sentences go to standard output");
          },
          "Where the parsed table goes, if FILE is Parquet or Arrow. Python does that, with more options, of which "
          "--column names the sentences: 'python3 -m kirchhoff.arrow parse --help'.")
      ->type_name("FILE");
  add_threads(verb, options->threads, " The output does not depend on it.");
  verb.footer(kHelp);
  return [options, &verb](std::string_view) { return run(verb, *options); };
}

}  // namespace kirchhoff::cli
