// Lists the second-order parts of candidate arcs and of trees. Linear in the number of parts.
#include "dependency/parts.hpp"

namespace kirchhoff::dependency {
namespace {

/// The node that stands for "no more dependents" on this side.
int end_node(int side, int words) { return side == 0 ? -1 : words + 1; }

}  // namespace

DependencyParts list_parts(int words, const Candidates& candidates) {
  DependencyParts parts;
  parts.words = words;
  parts.dependents.resize(candidates.size());
  parts.heads.resize(static_cast<std::size_t>(words) + 1);
  for (std::size_t d = 1; d <= static_cast<std::size_t>(words); ++d) {
    for (std::uint32_t c = candidates.begin[d]; c < candidates.begin[d + 1]; ++c) {
      const std::size_t h = candidates.heads[c];
      parts.dependents[c] = static_cast<std::uint16_t>(d);
      parts.heads[d].in.push_back(c);
      auto& side = parts.heads[h].out[h < d ? 1 : 0];
      side.insert(h < d ? side.end() : side.begin(), c);
    }
  }
  for (int h = 0; h <= words; ++h) {
    HeadParts& own = parts.heads[static_cast<std::size_t>(h)];
    own.head = h;
    for (int side = 0; side < 2; ++side) {
      const auto& out = own.out[static_cast<std::size_t>(side)];
      const auto node = [&](std::size_t i) { return i == 0 ? h : static_cast<int>(parts.dependents[out[i - 1]]); };
      own.first_sibling[static_cast<std::size_t>(side)] = parts.siblings.size();
      for (std::size_t i = 0; i <= out.size(); ++i) {
        for (std::size_t j = i + 1; j <= out.size(); ++j) parts.siblings.push_back({h, node(i), node(j)});
        parts.siblings.push_back({h, node(i), end_node(side, words)});
      }
    }
  }
  for (HeadParts& own : parts.heads) {
    own.first_grandparent = parts.siblings.size() + parts.grandparents.size();
    for (const std::uint32_t g : own.in) {
      for (const auto& out : own.out) {
        for (const std::uint32_t c : out)
          parts.grandparents.push_back({candidates.heads[g], own.head, parts.dependents[c]});
      }
    }
  }
  return parts;
}

std::vector<char> parts_in_tree(const DependencyParts& parts, const Candidates& candidates, const Heads& tree) {
  std::vector<char> has(parts.size(), 0);
  const auto in_tree = [&](std::uint32_t c) { return tree[parts.dependents[c]] == candidates.heads[c]; };
  for (const HeadParts& own : parts.heads) {
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
  return has;
}

TreeParts tree_parts(const Heads& tree) {
  const int words = static_cast<int>(tree.size()) - 1;
  TreeParts parts;
  for (int h = 0; h <= words; ++h) {
    for (int side = 0; side < 2; ++side) {
      const int step = side == 0 ? -1 : 1;
      int last = h;
      for (int d = h + step; d >= 1 && d <= words; d += step) {
        if (tree[static_cast<std::size_t>(d)] != h) continue;
        parts.siblings.push_back({h, last, d});
        last = d;
      }
      parts.siblings.push_back({h, last, end_node(side, words)});
    }
  }
  for (int d = 1; d <= words; ++d) {
    const int h = tree[static_cast<std::size_t>(d)];
    if (h > 0) parts.grandparents.push_back({tree[static_cast<std::size_t>(h)], h, d});
  }
  return parts;
}

}  // namespace kirchhoff::dependency
