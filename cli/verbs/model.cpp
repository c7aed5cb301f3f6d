// The verb `model` tells what is in a model file.
#include "io/escape.hpp"
#include "io/files.hpp"
#include "options.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/parser.hpp>

#include <fmt/format.h>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp = R"(Manual: docs/guides/parser.md

Example, after the one of 'kirchhoff train --help':
  kirchhoff model info demo.model
)";

int print_card(const std::string& file) {
  const ParserModel model = ParserModel::open(file);
  std::string text;
  for (const auto& [name, value] : model.card()) {
    text += fmt::format("{}: {}\n", escaped(name), escaped(value));
  }
  text +=
      fmt::format("relations: {}\nsize: {:.1f} MB\n", model.labels().size(), static_cast<double>(model.bytes()) / 1e6);
  write_stdout(text);
  return 0;
}

}  // namespace

Action add_model(CLI::App& verb) {
  auto file = std::make_shared<std::string>();
  verb.require_subcommand(1);
  verb.footer(kHelp);
  CLI::App& info = *verb.add_subcommand("info", "Print the model card: how the model was trained, and how good it is");
  add_input_file(info, "FILE", *file, "", "The model file, as 'kirchhoff train' writes it.")->required();
  info.footer(kHelp);
  return [file](std::string_view) { return print_card(*file); };
}

}  // namespace kirchhoff::cli
