// Gives trees that were found elsewhere their relations.
#include "kirchhoff/relations.hpp"

#include "base/check.hpp"
#include "base/stop.hpp"
#include "parser/inference/labeller.hpp"

#include <utility>

namespace kirchhoff {

std::vector<Tree> labelled(const ParserModel& model, const Sentence& sentence, std::vector<Tree> trees,
                           const Stop& stop) {
  if (trees.empty()) return trees;
  if (const auto problem = parser::length_problem(sentence)) base::input_error("labelled", "sentence: " + *problem);
  const parser::Model& weights = *parser::ModelAccess::model_of(model);
  parser::Labeller labeller(weights);
  const parser::Encoded encoded = parser::encode(sentence, weights.inventory);
  labeller.read(encoded);
  for (Tree& tree : trees) {
    base::check_stop(stop);
    check_tree(tree.heads, sentence.size(), Root::multi, "labelled");
    tree.labels = labeller.label(tree.heads, false).labels;
  }
  return trees;
}

}  // namespace kirchhoff
