// Binds kirchhoff/draw.hpp: pictures of sentences and of batches.
#include "batch.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/draw.hpp>

namespace kirchhoff::python {
namespace {

using Pictures = std::tuple<std::string, std::string, std::string>;  // text, SVG, HTML

Pictures pictures_of(std::vector<Drawing> drawings, std::string (*text_of)(const Drawing&)) {
  const DrawnPage page{"Dependency trees",
                       "Every arc points from a head to its dependent. Paler and thinner is less probable.",
                       "Made with kirchhoff.render."};
  std::string text;
  for (std::size_t i = 0; i < drawings.size(); ++i) {
    if (drawings[i].title.empty()) drawings[i].title = std::to_string(i + 1);
    text += text_of(drawings[i]);
  }
  return {text, to_svg(drawings), to_html(drawings, page)};
}

Pictures render_sentences(const std::vector<Sentence>& sentences) {
  std::vector<Drawing> drawings;
  for (const Sentence& s : sentences) drawings.push_back(drawing_of(s));
  return pictures_of(std::move(drawings), tree_text);
}

/// There are words for each graph, or none at all.
template <class D>
Pictures render_batch(const Batch<D>& batch, const std::vector<std::vector<std::string>>& words, double least) {
  if (!words.empty() && words.size() != batch.size()) {
    throw InputError("words: of " + std::to_string(words.size()) + " sentences, expected " +
                     std::to_string(batch.size()));
  }
  std::vector<Drawing> drawings;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    drawings.push_back(drawing_of(batch[i], words.empty() ? std::vector<std::string>() : words[i], least));
  }
  return pictures_of(std::move(drawings), heads_text);
}

}  // namespace

void bind_draw(nb::module_& m) {
  m.def("render_sentences", render_sentences);
  m.def("render_batch", render_batch<TreeDistribution>);
  m.def("render_batch", render_batch<LabelledTreeDistribution>);
}

}  // namespace kirchhoff::python
