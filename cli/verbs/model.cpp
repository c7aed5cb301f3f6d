// The verb `model` tells what is in a model file.
#include "io/escape.hpp"
#include "io/files.hpp"
#include "options.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/pipeline.hpp>

#include <fmt/format.h>

#include <vector>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp = R"(Manual: docs/guides/parser.md and, for pipelines, docs/guides/text.md

Example, after the one of 'kirchhoff train --help':
  kirchhoff model info demo.model
)";

/// The parts of a pipeline that a file has.
std::string parts_of(const Pipeline& pipeline) {
  std::vector<std::string_view> parts;
  for (std::size_t i = 0; i < kNames<PipelinePart>.size(); ++i) {
    if (pipeline.has(static_cast<PipelinePart>(i))) parts.push_back(kNames<PipelinePart>[i]);
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

int print_card(const std::string& file) {
  const Pipeline pipeline = Pipeline::open(file);
  std::string text;
  for (const auto& [name, value] : pipeline.card()) {
    text += fmt::format("{}: {}\n", escaped(name), escaped(value));
  }
  text += fmt::format("has: {}\n", parts_of(pipeline));
  if (pipeline.has(PipelinePart::tagger)) {
    text += fmt::format("universal tags: {}\n", pipeline.tagger().upos().size());
  }
  if (pipeline.has(PipelinePart::parser)) text += fmt::format("relations: {}\n", pipeline.parser().labels().size());
  text += fmt::format("size: {:.1f} MB\n", static_cast<double>(pipeline.bytes()) / 1e6);
  write_stdout(text);
  return 0;
}

}  // namespace

Action add_model(CLI::App& verb) {
  auto file = std::make_shared<std::string>();
  verb.require_subcommand(1);
  verb.footer(kHelp);
  CLI::App& info =
      *verb.add_subcommand("info", "Print the model card: how the model was trained, how good it is, and what it has");
  add_input_file(info, "FILE", *file, "", "The model file, as 'kirchhoff train' writes it.")->required();
  info.footer(kHelp);
  return [file](std::string_view) { return print_card(*file); };
}

}  // namespace kirchhoff::cli
