// Relations for trees that were found elsewhere than by a Parser.
//
//   const TreeDistribution p(parser.arc_scores(sentence), model.root());
//   for (const Tree& tree : labelled(model, sentence, sample_trees(p, 100))) use(tree.heads, tree.labels);
#pragma once

#include "kirchhoff/parser.hpp"

#include <vector>

namespace kirchhoff {

/// The trees with the relations that Parser gives to trees with these heads. Throws InputError when one is not a tree
/// of the sentence, and Stopped when `stop` says so.
std::vector<Tree> labelled(const ParserModel& model, const Sentence& sentence, std::vector<Tree> trees,
                           const Stop& stop = {});

}  // namespace kirchhoff
