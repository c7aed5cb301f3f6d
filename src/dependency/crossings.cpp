// Finds the arcs that prove that an arc of a tree is non-projective, or that it is not. A proof costs the length of the
// arc times the depth of the tree.
#include "dependency/crossings.hpp"

#include <algorithm>

namespace kirchhoff::dependency {
namespace {

/// The words from `node` up to the root, both included.
std::vector<int> way_up(const Heads& tree, int node) {
  std::vector<int> way = {node};
  while (way.back() > 0) way.push_back(tree[static_cast<std::size_t>(way.back())]);
  return way;
}

}  // namespace

Crossings::Crossings(const ScoredParts& scored)
    : scored_(scored),
      arc_scores_(scored.arc_scores.begin(), scored.arc_scores.end()),
      has_variable_(scored.parts.arc_parts.size(), 0),
      variable_(scored.parts.arc_parts.size(), -1) {
  for (std::size_t p = 0; p < has_variable_.size(); ++p) {
    arc_scores_[scored.parts.arc_parts[p]] += std::max(0.0, score(p));
  }
}

void Crossings::add_to(FactorGraph& graph) {
  const auto arc = [](std::uint32_t c) { return Literal(Variable{static_cast<int>(c)}); };
  for (std::size_t p = 0; p < has_variable_.size(); ++p) {
    if (has_variable_[p] == 0) continue;
    const Variable n = graph.add_variable(score(p));
    variable_[p] = n.index;
    graph.add_imply(n, arc(scored_.parts.arc_parts[p]));
  }
  for (const Cut& cut : cuts_) {
    const Literal n = Variable{variable_[cut.part]};
    Literals some = {cut.crosses ? n : !n};
    for (const std::uint32_t c : cut.arcs) some.push_back(!arc(c));
    graph.add_or(some);
  }
}

double Crossings::value(std::size_t part, std::span<const double> point) const {
  if (variable_[part] >= 0) return point[static_cast<std::size_t>(variable_[part])];
  return score(part) > 0.0 ? point[scored_.parts.arc_parts[part]] : 0.0;
}

std::vector<double> Crossings::values(std::span<const double> point) const {
  std::vector<double> all(has_variable_.size());
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = value(p, point);
  return all;
}

std::uint32_t Crossings::candidate(int head, int dependent) const {
  const Candidates& c = scored_.candidates;
  const auto d = static_cast<std::size_t>(dependent);
  const auto found = std::lower_bound(c.heads.begin() + c.begin[d], c.heads.begin() + c.begin[d + 1], head);
  return static_cast<std::uint32_t>(found - c.heads.begin());
}

/// The shortest one: the arcs on the ways up from a word between head and dependent, and from the head, to where they
/// meet, and the arc itself.
std::vector<std::uint32_t> Crossings::proof_of_crossing(const Heads& tree, std::uint32_t arc) const {
  const int h = scored_.candidates.heads[arc], d = scored_.parts.dependents[arc];
  const std::vector<int> from_head = way_up(tree, h);
  std::vector<std::uint32_t> best;
  for (int j = std::min(h, d) + 1; j < std::max(h, d); ++j) {
    const std::vector<int> from_word = way_up(tree, j);
    std::size_t same = 0;  // how many words, counted from the root, the two ways have in common
    while (same < std::min(from_head.size(), from_word.size()) &&
           from_head[from_head.size() - 1 - same] == from_word[from_word.size() - 1 - same]) {
      ++same;
    }
    if (same == from_head.size()) continue;  // the way from j leads through h
    const std::size_t length = from_head.size() + from_word.size() - 2 * same + 1;
    if (!best.empty() && best.size() <= length) continue;
    best = {arc};
    for (const auto* way : {&from_head, &from_word}) {
      for (std::size_t i = 0; i + same < way->size(); ++i) best.push_back(candidate((*way)[i + 1], (*way)[i]));
    }
  }
  return best;
}

std::vector<std::uint32_t> Crossings::proof_of_none(const Heads& tree, std::uint32_t arc) const {
  const int h = scored_.candidates.heads[arc], d = scored_.parts.dependents[arc];
  std::vector<std::uint32_t> arcs;
  for (int j = std::min(h, d) + 1; j < std::max(h, d); ++j) {
    for (int w = j; w != h; w = tree[static_cast<std::size_t>(w)]) {
      arcs.push_back(candidate(tree[static_cast<std::size_t>(w)], w));
    }
  }
  std::sort(arcs.begin(), arcs.end());
  arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
  return arcs;
}

bool Crossings::cut(const Heads& tree, const Assignment& assignment) {
  const std::vector<char> crosses = non_projective_arcs(tree);
  const std::vector<double> point(assignment.begin(), assignment.end());
  bool added = false;
  for (std::size_t p = 0; p < has_variable_.size(); ++p) {
    const std::uint32_t arc = scored_.parts.arc_parts[p];
    if (score(p) == 0.0 || assignment[arc] == 0) continue;
    const bool truth = crosses[scored_.parts.dependents[arc]] != 0;
    if (truth == (value(p, point) > 0.5)) continue;
    // A score that is lost by the error is no reason for a cut: the search only has to be told where it hopes too much.
    if (truth == (score(p) > 0.0)) continue;
    cuts_.push_back({p, truth, truth ? proof_of_crossing(tree, arc) : proof_of_none(tree, arc)});
    if (has_variable_[p] == 0) arc_scores_[arc] -= std::max(0.0, score(p));
    has_variable_[p] = 1;
    added = true;
  }
  return added;
}

}  // namespace kirchhoff::dependency
