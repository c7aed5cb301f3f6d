// Sampling without replacement by Colbourn's algorithm and a list of the trees drawn so far, whose probabilities are
// subtracted at every word: what [Stanojevic22, section 5 and figure 3] compares with.
// Source: [Zmigrod21s], as described there; the update of the inverse K is Sherman and Morrison's.
// Cost: O(k n^3 + k^2 n).
#include "baselines/list_sampling.hpp"

#include "baselines/conditional_marginals.hpp"

#include <algorithm>
#include <random>

namespace kirchhoff::bench {
namespace {

struct Drawn {
  std::vector<int> heads;
  double probability;
};

/// One more tree; its probability is 0 when nothing is left to draw from.
Drawn draw_tree(const ArcMatrix& w, Dense inverse, const std::vector<Drawn>& earlier, std::mt19937_64& rng) {
  const int n = static_cast<int>(w.rows()) - 1;
  Drawn drawn{std::vector<int>(n + 1, -1), 1.0};
  std::vector<const Drawn*> alike;  // with the same heads so far
  for (const Drawn& tree : earlier) alike.push_back(&tree);
  for (int word = 1; word <= n; ++word) {
    const Eigen::VectorXd p = marginals_of_word(w, inverse, word);
    Eigen::VectorXd left = drawn.probability * p;
    for (const Drawn* tree : alike) left(tree->heads[word]) -= tree->probability;
    left = left.cwiseMax(0.0);
    if (!(left.sum() > 0)) return {{}, 0.0};
    const int head = std::discrete_distribution<int>(left.begin(), left.end())(rng);
    drawn.heads[word] = head;
    drawn.probability *= p(head);
    std::erase_if(alike, [&](const Drawn* tree) { return tree->heads[word] != head; });
    fix_head(w, inverse, head, word);
  }
  return drawn;
}

}  // namespace

std::vector<std::vector<int>> list_sampling(const double* scores, int n, int k, std::uint64_t seed) {
  [[maybe_unused]] const NoSubnormals guard;
  const ArcMatrix w = weights_of(scores, n);
  const Dense inverse = laplacian_of(w).inverse();
  std::mt19937_64 rng(seed);
  std::vector<Drawn> drawn;
  while (static_cast<int>(drawn.size()) < k) {
    Drawn tree = draw_tree(w, inverse, drawn, rng);
    if (tree.probability == 0.0) break;
    drawn.push_back(std::move(tree));
  }
  std::vector<std::vector<int>> trees;
  for (Drawn& tree : drawn) trees.push_back(std::move(tree.heads));
  return trees;
}

}  // namespace kirchhoff::bench
