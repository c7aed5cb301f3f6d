// kirchhoff render: annotated sentences as text, HTML and SVG.
#include "files.hpp"
#include "picture.hpp"
#include "treebank_input.hpp"
#include "verbs.hpp"

#include <fmt/format.h>

#include <charconv>

namespace kirchhoff::cli {
namespace {

const Page kPage{
    "Dependency trees",
    "Every arc points from a head to its dependent and is named after their relation. Where probabilities are given, "
    "paler and thinner is less probable.",
    "Made with kirchhoff render."};

/// ArcProb= of the word's MISC.
std::optional<double> probability_of(const TreebankInput& input, const Sentence& sentence, int word) {
  const auto text = attribute(sentence.misc(word), "ArcProb");
  if (!text) return std::nullopt;
  double p = -1.0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), p);
  if (error != std::errc() || end != text->data() + text->size() || !(p >= 0.0 && p <= 1.0)) {
    throw FileError(about(input.name(), sentence, fmt::format("ArcProb={} is not a probability", *text), word));
  }
  return p;
}

std::string given(std::string_view value, const std::string& otherwise) {
  return value == "_" ? otherwise : std::string(value);
}

Drawing drawing_of(const TreebankInput& input, const Sentence& sentence, std::size_t number) {
  Drawing out;
  out.title = sentence.comment("sent_id").value_or(std::to_string(number));
  out.words = {"ROOT"};
  out.notes = {"0"};
  for (int word = 1; word <= sentence.size(); ++word) {
    out.words.emplace_back(sentence.form(word));
    out.notes.push_back(given(sentence.upos(word), std::to_string(word)));
    out.arcs.push_back(
        {sentence.head(word), word, probability_of(input, sentence, word), true, given(sentence.deprel(word), "")});
  }
  out.text = sentence.comment("text").value_or(joined(out.words));
  return out;
}

}  // namespace

int run_render(const RenderOptions& options) {
  TreebankInput input(options.input, TreebankInput::Need::trees);
  const bool keep = !options.html.empty() || !options.svg.empty();
  std::vector<Drawing> drawings;
  for (std::size_t number = 1; const auto sentence = input.next(); ++number) {
    Drawing drawing = drawing_of(input, *sentence, number);
    write_stdout(tree_text(drawing));
    if (keep) drawings.push_back(std::move(drawing));
  }
  if (!options.html.empty()) write_file(options.html, html_of(drawings, kPage));
  if (!options.svg.empty()) write_file(options.svg, svg_of(drawings));
  return 0;
}

}  // namespace kirchhoff::cli
