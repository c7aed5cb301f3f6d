// Adds the factors of dependency trees, TREE and HEAD, after a check of every argument.
#include "base/check.hpp"
#include "factor/factors/factors.hpp"
#include "factor/factors/head.hpp"

#include <string>
#include <utility>

namespace kirchhoff {
namespace {

constexpr std::size_t kMaxDependents = 4096;

}  // namespace

int FactorGraph::add_tree(int words, const std::vector<TreeArc>& arcs, Root root, const Accuracy& accuracy) {
  if (words < 1) base::input_error("add_tree", "words: at least 1 is needed");
  if (arcs.empty()) base::input_error("add_tree", "arcs: none given");
  std::vector<Arc> bare;
  Literals literals;
  bare.reserve(arcs.size());
  literals.reserve(arcs.size());
  for (const TreeArc& arc : arcs) {
    bare.push_back(arc.arc);
    literals.push_back(arc.literal);
  }
  return add_factor(std::make_shared<factor::TreeFactor>(words, std::move(bare), root, accuracy), literals);
}

int FactorGraph::add_head(const HeadAutomaton& head) {
  const std::array<std::size_t, 2> dependents = {head.left.size(), head.right.size()};
  Literals literals = head.heads;
  std::vector<double> scores;
  const auto add = [&](const char* argument, std::size_t expected, const std::vector<double>& given) {
    if (!given.empty() && given.size() != expected) {
      base::input_error("add_head", std::string(argument) + ": " + std::to_string(given.size()) +
                                        " entries, expected " + std::to_string(expected));
    }
    for (const double score : given) base::check_score("add_head", argument, score);
    scores.insert(scores.end(), given.begin(), given.end());
    if (given.empty()) scores.resize(scores.size() + expected, 0.0);
  };
  for (const Literals* side : {&head.left, &head.right}) {
    if (side->size() > kMaxDependents) base::input_error("add_head", "more than 4096 arcs on a side");
    literals.insert(literals.end(), side->begin(), side->end());
  }
  if (literals.empty()) base::input_error("add_head", "heads, left, right: all empty");
  add("left_siblings", factor::transitions(dependents[0]), head.left_siblings);
  add("right_siblings", factor::transitions(dependents[1]), head.right_siblings);
  add("grandparents", head.heads.size() * (dependents[0] + dependents[1]), head.grandparents);
  return add_factor(std::make_shared<factor::HeadFactor>(factor::HeadShape{head.heads.size(), dependents},
                                                         factor::HeadFactor::OwnScores{std::move(scores)}),
                    literals);
}

}  // namespace kirchhoff
