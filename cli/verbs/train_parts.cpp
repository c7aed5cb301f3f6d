// Which parts of a pipeline are learnt, and from what.
#include "verbs/train_parts.hpp"

#include "io/files.hpp"
#include "option_use.hpp"
#include "options.hpp"

#include <sstream>

namespace kirchhoff::cli {
namespace {

/// What `read` makes of a file; nothing where none is named.
template <class Read>
auto read_table(const std::string& file, const Read& read) {
  std::istringstream text(file.empty() ? std::string() : read_file(file));
  return read(text, file);
}

}  // namespace

void add_train_parts(CLI::App& verb, TrainPartsOptions& train) {
  CLI::Option* pipeline = verb.add_flag(
      "--pipeline", train.pipeline,
      "Learns a tokenizer, a tagger and a lemmatizer too, so that 'kirchhoff parse --text' takes text. The "
      "parser learns from tags that taggers of the treebank's other parts give.");
  add_choice(verb, "--only", train.only, "Learns this part of a pipeline alone; a lemmatizer has a tagger with it.")
      ->excludes(pipeline);
  CLI::Option* gold =
      verb.add_flag("--gold-tags", train.gold_tags, "Lets a pipeline's parser learn from the treebank's own tags.");
  add_input_file(
      verb, "--lexicon", train.lexicon, "FILE",
      "Words that the tagger is to know besides those of the treebank: lines of FORM, LEMMA, UPOS and perhaps "
      "XPOS and FEATS with tabs between, _ for what is open.");
  add_input_file(verb, "--clusters", train.clusters, "FILE",
                 "Clusters of words, as Brown's algorithm makes them of unannotated text, for the tagger's features: "
                 "lines of PATH and WORD with a tab between.");
  add_number(verb, "--folds", train.folds, "N", {2, 100},
             "Splits the treebank into N parts for the tags that a pipeline's parser learns from [4].")
      ->excludes(gold);
}

void check_parts_uses(const CLI::App& verb, const TrainPartsOptions& options) {
  const bool has_tagger =
      options.pipeline || options.only == PipelinePart::tagger || options.only == PipelinePart::lemmatizer;
  refuse_unused(verb, {"--gold-tags", "--folds"}, options.pipeline, "--pipeline");
  refuse_unused(verb, {"--lexicon", "--clusters"}, has_tagger, "models with a tagger");
}

bool has_parser(const TrainPartsOptions& options) {
  return options.only.value_or(PipelinePart::parser) == PipelinePart::parser;
}

PipelineOptions pipeline_options(const TrainPartsOptions& options, const TrainOptions& training) {
  const auto learns = [&](PipelinePart part) { return options.pipeline || options.only == part; };
  return {.tokenizer = learns(PipelinePart::tokenizer),
          .tagger = learns(PipelinePart::tagger),
          .lemmatizer = learns(PipelinePart::lemmatizer),
          .parser = learns(PipelinePart::parser),
          .training = training,
          .folds = options.gold_tags ? 0 : options.folds,
          .lexicon = read_table(options.lexicon, read_lexicon),
          .clusters = read_table(options.clusters, read_clusters)};
}

}  // namespace kirchhoff::cli
