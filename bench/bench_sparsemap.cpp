// SparseMAP: trees of random scores against a plain active set, which solves its linear system anew in every step, and
// LP-SparseMAP on second-order dependency graphs. The time is CPU time on one core, the fastest of several runs.
#include "timing.hpp"

#include <kirchhoff/decode.hpp>
#include <kirchhoff/dependency_graph.hpp>
#include <kirchhoff/sparsemap.hpp>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <functional>
#include <random>

namespace kirchhoff::bench {
namespace {

using Random = std::mt19937_64;

constexpr int kGraphs = 21;
constexpr int kRuns = 3;

Matrix random_scores(int words, double spread, Random& random) {
  std::normal_distribution<double> normal(0.0, spread);
  return Matrix::NullaryExpr(words + 1, words + 1, [&] { return normal(random); });
}

double microseconds(const std::function<void()>& work) {
  double best = HUGE_VAL;
  for (int r = 0; r < kRuns; ++r) {
    const double begin = seconds_now(Clock::cpu);
    work();
    best = std::min(best, 1e6 * (seconds_now(Clock::cpu) - begin));
  }
  return best;
}

/// The textbook's: the best mixture of the trees at hand by a dense LU, the best tree under what is left of the scores.
Matrix plain_active_set(const Matrix& scores, Root root) {
  std::vector<Heads> trees = {best_tree(scores, root).heads};
  Vector weights = Vector::Ones(1);
  const Eigen::Index words = scores.rows() - 1;
  const auto sum = [&](const Heads& heads, const Matrix& m) {
    double total = 0.0;
    for (Eigen::Index d = 1; d <= words; ++d) total += m(heads[d], d);
    return total;
  };
  for (;;) {
    const auto k = static_cast<Eigen::Index>(trees.size());
    Matrix system = Matrix::Ones(k + 1, k + 1);
    Vector right(k + 1);
    system(k, k) = 0.0;
    right[k] = 1.0;
    for (Eigen::Index i = 0; i < k; ++i) {
      for (Eigen::Index j = 0; j < k; ++j) {
        int common = 0;
        for (Eigen::Index d = 1; d <= words; ++d) common += trees[i][d] == trees[j][d];
        system(i, j) = common;
      }
      right[i] = sum(trees[i], scores);
    }
    const Vector solved = system.partialPivLu().solve(right);
    double step = 1.0;
    Eigen::Index leaves = -1;
    for (Eigen::Index i = 0; i < k; ++i) {
      if (solved[i] >= 0.0) continue;
      const double limit = weights[i] / (weights[i] - solved[i]);
      if (limit <= step) {
        step = limit;
        leaves = i;
      }
    }
    weights += step * (solved.head(k) - weights);
    if (leaves >= 0) {
      trees.erase(trees.begin() + leaves);
      for (Eigen::Index i = leaves; i + 1 < k; ++i) weights[i] = weights[i + 1];
      weights.conservativeResize(k - 1);
      continue;
    }
    Matrix u = Matrix::Zero(words + 1, words + 1);
    for (Eigen::Index i = 0; i < k; ++i) {
      for (Eigen::Index d = 1; d <= words; ++d) u(trees[i][d], d) += weights[i];
    }
    const Matrix slopes = scores - u;
    const Tree best = best_tree(slopes, root);
    if (best.score <= solved[k] + 1e-10 || std::find(trees.begin(), trees.end(), best.heads) != trees.end()) return u;
    trees.push_back(best.heads);
    weights.conservativeResize(k + 1);
    weights[k] = 0.0;
  }
}

void compare_trees(int words, double spread) {
  Random random(1);
  std::vector<double> forward, backward, plain, ratios, trees;
  double off = 0.0;
  for (int g = 0; g < kGraphs; ++g) {
    const Matrix scores = random_scores(words, spread, random), direction = random_scores(words, 1.0, random);
    SparseTrees p;
    Matrix u;
    forward.push_back(microseconds([&] { p = sparsemap(scores, Root::multi); }));
    backward.push_back(microseconds([&] { marginals_along(p, direction); }));
    plain.push_back(microseconds([&] { u = plain_active_set(scores, Root::multi); }));
    ratios.push_back(plain.back() / forward.back());
    trees.push_back(static_cast<double>(p.trees.size()));
    off = std::max(off, (u - p.marginals).cwiseAbs().maxCoeff());
  }
  std::printf("%5d %7.1f %6.0f %10.1f %10.1f %10.1f %6.1f %10.1g\n", words, spread, median(trees), median(forward),
              median(backward), median(plain), median(ratios), off);
}

void time_graphs(int words) {
  Random random(2);
  std::normal_distribution<double> normal;
  std::vector<double> forward, backward, iterations;
  int factors = 0;
  for (int g = 0; g < kGraphs; ++g) {
    DependencyModel model{random_scores(words, 1.0, random), Root::single, {}, {}, {}, TreeForm::factor};
    model.pairs = sibling_pairs(model.scores);
    const std::vector<ArcPair> grand = grandparent_pairs(model.scores);
    model.pairs.insert(model.pairs.end(), grand.begin(), grand.end());
    for (ArcPair& pair : model.pairs) pair.score = 0.3 * normal(random);
    const DependencyGraph graph = dependency_graph(model);
    factors = graph.graph.factors();
    SparseGraph p;
    forward.push_back(1e-3 * microseconds([&] { p = lp_sparsemap(graph.graph, {.tolerance = 1e-6}); }));
    const std::vector<double> direction(p.marginals);
    backward.push_back(1e-3 * microseconds([&] { sparsemap_gradient(graph.graph, p, direction); }));
    iterations.push_back(p.iterations);
  }
  std::printf("%5d %8d %10.0f %12.2f %12.2f\n", words, factors, median(iterations), median(forward), median(backward));
}

int run() {
  std::printf("SparseMAP of trees, scores N(0, spread^2), several root children: medians of %d graphs, microseconds\n",
              kGraphs);
  std::printf("%5s %7s %6s %10s %10s %10s %6s %10s\n", "words", "spread", "trees", "sparsemap", "backward", "plain",
              "ratio", "difference");
  for (const int words : {10, 25, 50}) {
    for (const double spread : {0.3, 1.0, 3.0}) compare_trees(words, spread);
  }
  std::printf("\nLP-SparseMAP of a TREE with all siblings and grandparents, tolerance 1e-6, milliseconds\n");
  std::printf("%5s %8s %10s %12s %12s\n", "words", "factors", "iterations", "lp_sparsemap", "backward");
  for (const int words : {5, 10}) time_graphs(words);
  return 0;
}

}  // namespace
}  // namespace kirchhoff::bench

int main() {
  try {
    return kirchhoff::bench::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_sparsemap: %s\n", error.what());
    return 1;
  }
}
