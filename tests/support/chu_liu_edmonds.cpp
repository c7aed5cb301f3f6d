// Finds the best tree by the textbook recursion: follow best heads, contract a cycle, solve the rest, expand.
#include "support/chu_liu_edmonds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kirchhoff {
namespace {

using Graph = std::vector<std::vector<long double>>;  // [head][dependent], node 0 the root
constexpr long double kNone = -HUGE_VALL;

/// A cycle among the chosen heads; empty if there is none.
std::vector<int> find_cycle(const std::vector<int>& heads) {
  const int size = static_cast<int>(heads.size());
  for (int start = 1; start < size; ++start) {
    int node = start;
    for (int step = 0; step < size && node != 0; ++step) node = heads[node];
    if (node == 0) continue;
    std::vector<int> cycle{node};
    for (int v = heads[node]; v != node; v = heads[v]) cycle.push_back(v);
    return cycle;
  }
  return {};
}

/// Chu and Liu 1965, Edmonds 1967: best heads; if they have a cycle, make it one node and solve that graph.
long double solve(const Graph& w) {
  const int size = static_cast<int>(w.size());
  std::vector<int> heads(size, 0);
  long double total = 0;
  for (int d = 1; d < size; ++d) {
    for (int h = 0; h < size; ++h)
      if (h != d && w[h][d] > w[heads[d]][d]) heads[d] = h;
    if (w[heads[d]][d] == kNone) return kNone;
    total += w[heads[d]][d];
  }
  const std::vector<int> cycle = find_cycle(heads);
  if (cycle.empty()) return total;

  std::vector<int> kept;
  for (int v = 0; v < size; ++v)
    if (std::find(cycle.begin(), cycle.end(), v) == cycle.end()) kept.push_back(v);
  const std::size_t c = kept.size();
  Graph smaller(c + 1, std::vector<long double>(c + 1, kNone));
  long double inside = 0;
  for (const int d : cycle) inside += w[heads[d]][d];
  for (std::size_t i = 0; i < c; ++i) {
    for (std::size_t j = 0; j < c; ++j) smaller[i][j] = w[kept[i]][kept[j]];
    for (const int d : cycle) {
      smaller[i][c] = std::max(smaller[i][c], w[kept[i]][d] - w[heads[d]][d]);
      smaller[c][i] = std::max(smaller[c][i], w[d][kept[i]]);
    }
  }
  const long double rest = solve(smaller);
  return rest == kNone ? kNone : rest + inside;
}

}  // namespace

long double textbook_best_score(const Matrix& scores, Root root) {
  const int size = static_cast<int>(scores.rows());
  Graph w(size, std::vector<long double>(size, kNone));
  for (int h = 0; h < size; ++h)
    for (int d = 1; d < size; ++d)
      if (h != d) w[h][d] = scores(h, d);
  if (root == Root::multi) return solve(w);
  long double best = kNone;
  for (int child = 1; child < size; ++child) {
    Graph one = w;
    for (int d = 1; d < size; ++d)
      if (d != child) one[0][d] = kNone;
    best = std::max(best, solve(one));
  }
  return best;
}

}  // namespace kirchhoff
