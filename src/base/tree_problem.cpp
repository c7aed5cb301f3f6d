// Decides whether heads are a tree: every word's path of heads must reach the root. Each word is walked over once,
// O(n).
#include "base/check.hpp"

#include <algorithm>

namespace kirchhoff {
namespace {

std::optional<std::string> head_problem(const Heads& heads) {
  if (heads[0] != -1) return "heads[0] is " + std::to_string(heads[0]) + ", expected -1";
  const auto words = static_cast<int>(heads.size()) - 1;
  for (int word = 1; word <= words; ++word) {
    const int head = heads[static_cast<std::size_t>(word)];
    if (head >= 0 && head <= words) continue;
    return "word " + std::to_string(word) +
           (head < 0 ? " has no head"
                     : " has head " + std::to_string(head) + " of " + std::to_string(words) + " words");
  }
  return std::nullopt;
}

std::string describe_cycle(const Heads& heads, int word) {
  constexpr int kShown = 12;
  std::string text = "words " + std::to_string(word);
  int at = heads[static_cast<std::size_t>(word)];
  for (int i = 1; at != word && i < kShown; ++i) {
    text += " -> " + std::to_string(at);
    at = heads[static_cast<std::size_t>(at)];
  }
  return text + (at == word ? " -> " + std::to_string(word) : " -> ...") + " form a cycle";
}

std::optional<std::string> cycle_problem(const Heads& heads) {
  std::vector<std::size_t> walk(heads.size(), 0);  // the start of the walk that first came by, 0 before any has
  for (std::size_t start = 1; start < heads.size(); ++start) {
    std::size_t at = start;
    while (at != 0 && walk[at] == 0) {
      walk[at] = start;
      at = static_cast<std::size_t>(heads[at]);
    }
    if (at != 0 && walk[at] == start) return describe_cycle(heads, static_cast<int>(at));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> tree_problem(const Heads& heads, Root root) {
  if (heads.empty()) base::input_error("tree_problem", "heads: no entry for the root");
  if (auto problem = head_problem(heads)) return problem;
  if (auto problem = cycle_problem(heads)) return problem;
  const auto below_root = std::count(heads.begin() + 1, heads.end(), 0);
  if (root == Root::single && below_root > 1) return std::to_string(below_root) + " words below the root";
  return std::nullopt;
}

void check_tree(const Heads& heads, int words, Root root, const char* what) {
  if (heads.size() != static_cast<std::size_t>(words) + 1) {
    base::input_error(what, "heads: " + std::to_string(heads.size()) + " entries, expected " +
                                std::to_string(words + 1) + " (heads[0] is -1)");
  }
  if (const auto problem = tree_problem(heads, root)) base::input_error(what, "heads: " + *problem);
}

}  // namespace kirchhoff
