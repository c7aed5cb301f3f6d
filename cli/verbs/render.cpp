// kirchhoff render: annotated sentences as text, HTML and SVG.
#include "answers/wants.hpp"
#include "io/files.hpp"
#include "io/treebank_input.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/draw.hpp>

namespace kirchhoff::cli {
namespace {

const DrawnPage kPage{
    "Dependency trees",
    "Every arc points from a head to its dependent and is named after their relation. Where probabilities are given, "
    "paler and thinner is less probable.",
    "Made with kirchhoff render."};

/// Errors name the file and the line.
Drawing drawing_in(const TreebankInput& input, const Sentence& sentence, std::size_t number) {
  try {
    Drawing out = drawing_of(sentence);
    if (out.title.empty()) out.title = std::to_string(number);
    return out;
  } catch (const InputError& e) {
    throw FileError(about(input.name(), sentence, without_function(e.what())));
  }
}

}  // namespace

int run_render(const RenderOptions& options) {
  TreebankInput input(options.input, TreebankInput::Need::trees);
  const bool keep = !options.html.empty() || !options.svg.empty();
  std::vector<Drawing> drawings;
  for (std::size_t number = 1; const auto sentence = input.next(); ++number) {
    Drawing drawing = drawing_in(input, *sentence, number);
    write_stdout(tree_text(drawing));
    if (keep) drawings.push_back(std::move(drawing));
  }
  if (!options.html.empty()) write_file(options.html, to_html(drawings, kPage));
  if (!options.svg.empty()) write_file(options.svg, to_svg(drawings));
  return 0;
}

}  // namespace kirchhoff::cli
