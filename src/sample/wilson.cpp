#include "sample/wilson.hpp"

namespace kirchhoff::sample {

bool wilson(const AliasTables& tables, int words, int top, core::Random& random, std::int64_t budget, Walk& walk) {
  const std::size_t nodes = static_cast<std::size_t>(words) + 1;
  thread_local std::vector<char> storage;
  storage.assign(nodes, 0);
  walk.heads.resize(nodes);
  char* in_tree = storage.data();
  int* heads = walk.heads.data();
  in_tree[0] = in_tree[top] = 1;
  if (top != 0) heads[top] = 0;
  heads[0] = -1;
  std::int64_t left = budget - walk.draws;
  for (int start = 1; start <= words; ++start) {
    for (int word = start; !in_tree[word]; word = heads[word]) {
      if (left-- == 0) {
        walk.draws = budget;
        return false;
      }
      heads[word] = tables.draw(word, random.bits());
    }
    for (int word = start; !in_tree[word]; word = heads[word]) in_tree[word] = 1;
  }
  walk.draws = budget - left;
  return true;
}

}  // namespace kirchhoff::sample
