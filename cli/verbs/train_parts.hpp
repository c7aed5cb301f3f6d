// The options of the verb `train` about the parts of a pipeline.
#pragma once

#include <kirchhoff/pipeline.hpp>

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace kirchhoff::cli {

struct TrainPartsOptions {
  bool pipeline = false, gold_tags = false;
  std::optional<PipelinePart> only;
  int folds = 4;
  std::string lexicon, clusters;
};
void add_train_parts(CLI::App& verb, TrainPartsOptions& options);
/// Throws UsageError for options that nothing uses.
void check_parts_uses(const CLI::App& verb, const TrainPartsOptions& options);
/// Whether the model will have a parser, which it has unless another part is learnt alone.
bool has_parser(const TrainPartsOptions& options);
/// The library's options. Reads the lexicon and the clusters.
PipelineOptions pipeline_options(const TrainPartsOptions& options, const TrainOptions& training);

}  // namespace kirchhoff::cli
