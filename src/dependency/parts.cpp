// Lists the parts of candidate arcs and of trees. Linear in the number of parts, and for non-projective arcs in the
// lengths of the arcs times the depth of the tree.
#include "dependency/parts.hpp"

#include <algorithm>

namespace kirchhoff::dependency {
namespace {

/// The node that stands for "no more dependents" on this side.
int end_node(int side, int words) { return side == 0 ? -1 : words + 1; }

/// Only arcs that span a word, and not from the root, can be non-projective.
bool can_cross(int head, int dependent) { return head != 0 && std::abs(head - dependent) > 1; }

void list_arcs(const Candidates& candidates, DependencyParts& parts) {
  parts.dependents.resize(candidates.size());
  parts.heads.resize(static_cast<std::size_t>(parts.words) + 1);
  for (std::size_t d = 1; d <= static_cast<std::size_t>(parts.words); ++d) {
    for (std::uint32_t c = candidates.begin[d]; c < candidates.begin[d + 1]; ++c) {
      const std::size_t h = candidates.heads[c];
      parts.dependents[c] = static_cast<std::uint16_t>(d);
      parts.heads[d].in.push_back(c);
      auto& side = parts.heads[h].out[h < d ? 1 : 0];
      side.insert(h < d ? side.end() : side.begin(), c);
    }
  }
  for (int h = 0; h <= parts.words; ++h) parts.heads[static_cast<std::size_t>(h)].head = h;
}

void list_next_siblings(DependencyParts& parts) {
  for (HeadParts& own : parts.heads) {
    for (int side = 0; side < 2; ++side) {
      const auto& out = own.out[static_cast<std::size_t>(side)];
      const auto node = [&](std::size_t i) {
        return i == 0 ? own.head : static_cast<int>(parts.dependents[out[i - 1]]);
      };
      own.first_sibling[static_cast<std::size_t>(side)] = parts.siblings.size();
      for (std::size_t i = 0; i <= out.size(); ++i) {
        for (std::size_t j = i + 1; j <= out.size(); ++j) parts.siblings.push_back({own.head, node(i), node(j)});
        parts.siblings.push_back({own.head, node(i), end_node(side, parts.words)});
      }
    }
  }
}

void list_all_siblings(DependencyParts& parts) {
  for (const HeadParts& own : parts.heads) {
    std::vector<std::uint32_t> out(own.out[0].rbegin(), own.out[0].rend());
    out.insert(out.end(), own.out[1].begin(), own.out[1].end());
    for (std::size_t j = 1; j < out.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        parts.siblings.push_back({own.head, parts.dependents[out[i]], parts.dependents[out[j]]});
        parts.pairs.push_back({out[i], out[j]});
      }
    }
  }
}

void list_grandparents(const Candidates& candidates, DependencyParts& parts) {
  for (HeadParts& own : parts.heads) {
    own.first_grandparent = parts.siblings.size() + parts.grandparents.size();
    for (const std::uint32_t g : own.in) {
      for (const auto& out : own.out) {
        for (const std::uint32_t c : out) {
          const PartNodes nodes = {candidates.heads[g], own.head, parts.dependents[c]};
          if (!parts.has_heads && nodes[0] == nodes[2]) continue;
          parts.grandparents.push_back(nodes);
          if (!parts.has_heads) parts.pairs.push_back({g, c});
        }
      }
    }
  }
}

void list_bigrams(const Candidates& candidates, DependencyParts& parts) {
  for (int d = 1; d < parts.words; ++d) {
    for (const std::uint32_t a : parts.heads[static_cast<std::size_t>(d)].in) {
      for (const std::uint32_t b : parts.heads[static_cast<std::size_t>(d) + 1].in) {
        if (candidates.heads[a] == d + 1 && candidates.heads[b] == d) continue;  // a cycle
        parts.bigrams.push_back({candidates.heads[a], d, candidates.heads[b]});
        parts.pairs.push_back({a, b});
      }
    }
  }
}

void list_non_projective(const Candidates& candidates, DependencyParts& parts) {
  for (std::uint32_t c = 0; c < candidates.size(); ++c) {
    const int h = candidates.heads[c], d = parts.dependents[c];
    if (!can_cross(h, d)) continue;
    parts.non_projective.push_back({h, d, -1});
    parts.arc_parts.push_back(c);
  }
}

}  // namespace

DependencyParts list_parts(int words, const Candidates& candidates, const PartSet& set) {
  DependencyParts parts;
  parts.words = words;
  parts.has_heads = set.siblings == Siblings::next;
  list_arcs(candidates, parts);
  if (set.siblings == Siblings::next) list_next_siblings(parts);
  if (set.siblings == Siblings::all) list_all_siblings(parts);
  if (set.grandparents || parts.has_heads) list_grandparents(candidates, parts);
  if (set.bigrams) list_bigrams(candidates, parts);
  if (set.non_projective) list_non_projective(candidates, parts);
  return parts;
}

std::vector<char> parts_in_tree(const DependencyParts& parts, const Candidates& candidates, const Heads& tree) {
  std::vector<char> has(parts.size(), 0);
  const auto in_tree = [&](std::uint32_t c) { return tree[parts.dependents[c]] == candidates.heads[c]; };
  for (std::size_t h = 0; parts.has_heads && h < parts.heads.size(); ++h) {
    const HeadParts& own = parts.heads[h];
    for (std::size_t side = 0; side < 2; ++side) {
      const std::size_t k = own.out[side].size();
      std::size_t last = 0;
      for (std::size_t j = 1; j <= k + 1; ++j) {
        if (j <= k && !in_tree(own.out[side][j - 1])) continue;
        has[own.first_sibling[side] + factor::transition(k, last, j)] = 1;
        last = j;
      }
    }
    std::size_t part = own.first_grandparent;
    for (const std::uint32_t g : own.in) {
      for (const auto& out : own.out) {
        for (const std::uint32_t c : out) has[part++] = static_cast<char>(in_tree(g) && in_tree(c));
      }
    }
  }
  std::size_t part = parts.first_pair();
  for (const auto& [a, b] : parts.pairs) has[part++] = static_cast<char>(in_tree(a) && in_tree(b));
  if (parts.arc_parts.empty()) return has;
  const std::vector<char> crosses = non_projective_arcs(tree);
  for (const std::uint32_t c : parts.arc_parts) {
    has[part++] = static_cast<char>(in_tree(c) && crosses[parts.dependents[c]] != 0);
  }
  return has;
}

PartLists tree_parts(const Heads& tree, const PartSet& set) {
  const int words = static_cast<int>(tree.size()) - 1;
  const auto head_of = [&](int d) { return tree[static_cast<std::size_t>(d)]; };
  PartLists parts;
  for (int h = 0; set.siblings == Siblings::next && h <= words; ++h) {
    for (int side = 0; side < 2; ++side) {
      const int step = side == 0 ? -1 : 1;
      int last = h;
      for (int d = h + step; d >= 1 && d <= words; d += step) {
        if (head_of(d) != h) continue;
        parts.siblings.push_back({h, last, d});
        last = d;
      }
      parts.siblings.push_back({h, last, end_node(side, words)});
    }
  }
  for (int s = 1; set.siblings == Siblings::all && s <= words; ++s) {
    for (int d = 1; d < s; ++d) {
      if (head_of(d) == head_of(s)) parts.siblings.push_back({head_of(d), d, s});
    }
  }
  for (int d = 1; set.grandparents && d <= words; ++d) {
    if (const int h = head_of(d); h > 0) parts.grandparents.push_back({head_of(h), h, d});
  }
  for (int d = 1; set.bigrams && d < words; ++d) parts.bigrams.push_back({head_of(d), d, head_of(d + 1)});
  if (!set.non_projective) return parts;
  const std::vector<char> crosses = non_projective_arcs(tree);
  for (int d = 1; d <= words; ++d) {
    if (crosses[static_cast<std::size_t>(d)] != 0) parts.non_projective.push_back({head_of(d), d, -1});
  }
  return parts;
}

std::vector<char> non_projective_arcs(const Heads& tree) {
  const int words = static_cast<int>(tree.size()) - 1;
  const auto descends = [&](int j, int from) {
    while (j > 0 && j != from) j = tree[static_cast<std::size_t>(j)];
    return j == from;
  };
  std::vector<char> crosses(tree.size(), 0);
  for (int d = 1; d <= words; ++d) {
    const int h = tree[static_cast<std::size_t>(d)];
    if (!can_cross(h, d)) continue;
    for (int j = std::min(h, d) + 1; j < std::max(h, d) && crosses[static_cast<std::size_t>(d)] == 0; ++j) {
      crosses[static_cast<std::size_t>(d)] = static_cast<char>(!descends(j, h));
    }
  }
  return crosses;
}

}  // namespace kirchhoff::dependency
