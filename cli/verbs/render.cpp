// The verb `render` shows annotated sentences as text, HTML and SVG.
#include "io/files.hpp"
#include "json/read_error.hpp"
#include "options.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/draw.hpp>

namespace kirchhoff::cli {
namespace {

constexpr const char* kHelp =
    R"(The trees are printed, and drawn as HTML or SVG where a file is named. ArcProb=P in MISC shades an arc by its
probability. Manual: docs/reference/cli.md

Example:
  kirchhoff render --html trees.html examples/treebank/dev.conllu
)";

const DrawnPage kPage{
    "Dependency trees",
    "Every arc points from a head to its dependent and is named after their relation. Where probabilities are given, "
    "paler and thinner is less probable.",
    "Made with kirchhoff render."};

struct RenderOptions {
  TreebankOptions input;
  PictureOptions pictures;
};

/// Draws a sentence; errors name the file and the line.
Drawing drawing_in(const TreebankInput& input, const Sentence& sentence, std::size_t number) {
  try {
    Drawing out = drawing_of(sentence);
    if (out.title.empty()) out.title = std::to_string(number);
    return out;
  } catch (const InputError& e) {
    throw FileError(about(input.name(), sentence, without_function(e.what())));
  }
}

int run(const RenderOptions& options) {
  const PictureOutput pictures(options.pictures, options.input.file);
  TreebankInput input(options.input, TreebankInput::Need::trees);
  std::vector<Drawing> drawings;
  for (std::size_t number = 1; const auto sentence = input.next(); ++number) {
    Drawing drawing = drawing_in(input, *sentence, number);
    if (!pictures.takes_standard_output()) write_stdout(tree_text(drawing));
    if (!pictures.empty()) drawings.push_back(std::move(drawing));
  }
  pictures.write(drawings, kPage);
  return 0;
}

}  // namespace

Action add_render(CLI::App& verb) {
  auto options = std::make_shared<RenderOptions>();
  add_file(verb, options->input.file, "sentences with trees");
  add_treebank(verb, options->input);
  add_pictures(verb, options->pictures, "the trees");
  verb.footer(kHelp);
  return [options](std::string_view) { return run(*options); };
}

}  // namespace kirchhoff::cli
