// The verb `convert` reads sentences in one format and writes them in another.
#include "io/files.hpp"
#include "json/sentence_text.hpp"
#include "option_use.hpp"
#include "options.hpp"
#include "verbs/verbs.hpp"

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(JSON and displaCy have one object per line and sentence. CoNLL-U to CoNLL-U gives the same bytes.
Formats: docs/reference/formats.md

Example:
  kirchhoff convert --to displacy examples/treebank/dev.conllu
)";

struct ConvertOptions {
  TreebankOptions input;
  SentenceFormat to = SentenceFormat::conllu;
};

void check_uses(const CLI::App& verb, const ConvertOptions& options) {
  refuse_unused(verb, {{"--root", options.to == SentenceFormat::displacy, "--to displacy, which needs trees"}});
}

int run(const ConvertOptions& options) {
  using Need = TreebankInput::Need;
  TreebankInput input(options.input, options.to == SentenceFormat::displacy ? Need::trees : Need::sentences);
  while (const auto sentence = input.next()) write_stdout(text_in(*sentence, options.to));
  return 0;
}

}  // namespace

Action add_convert(CLI::App& verb) {
  auto options = std::make_shared<ConvertOptions>();
  add_file(verb, options->input.file, "sentences");
  add_treebank(verb, options->input);
  add_choice(verb, "--to", options->to, "The format of the output.")->required();
  verb.footer(kHelp);
  return [options, &verb](std::string_view) {
    check_uses(verb, *options);
    return run(*options);
  };
}

}  // namespace kirchhoff::cli
