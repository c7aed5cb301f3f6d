// Makes the graphs that tests run on, each from a seed.
#include "support/graphs.hpp"

#include <algorithm>
#include <numeric>

namespace kirchhoff::graphs {

const char* name(Root root) { return root == Root::single ? "single root" : "multi root"; }

const char* name(Method method) {
  return method == Method::automatic ? "automatic" : method == Method::fast ? "fast" : "robust";
}

Accuracy forced(Method method) {
  Accuracy accuracy;
  accuracy.method = method;
  return accuracy;
}

Matrix normal(int words, double s, Random& random) {
  std::normal_distribution<double> draw;  // s may be 0
  Matrix scores(words + 1, words + 1);
  for (int i = 0; i <= words; ++i)
    for (int j = 0; j <= words; ++j) scores(i, j) = s * draw(random);
  return scores;
}

LabelledMatrix normal(int words, int labels, double s, Random& random) {
  std::normal_distribution<double> draw;  // s may be 0
  LabelledMatrix scores(words, labels);
  std::generate(scores.data(), scores.data() + scores.size(), [&] { return s * draw(random); });
  return scores;
}

Matrix masked(Matrix scores, double density, Random& random) {
  std::bernoulli_distribution keep(std::min(density, 1.0));
  for (int i = 0; i < scores.rows(); ++i)
    for (int j = 1; j < scores.cols(); ++j)
      if (i != j && !keep(random)) scores(i, j) = -kInf;
  return scores;
}

LabelledMatrix masked(LabelledMatrix scores, double density, Random& random) {
  std::bernoulli_distribution keep(std::min(density, 1.0));
  for (double* x = scores.data(); x != scores.data() + scores.size(); ++x)
    if (!keep(random)) *x = -kInf;
  return scores;
}

Matrix masked_feasible(Matrix scores, double density, Random& random) {
  Matrix result = masked(scores, density, random);
  const Heads heads = random_tree(static_cast<int>(scores.rows()) - 1, random);
  for (int j = 1; j < scores.cols(); ++j) result(heads[j], j) = scores(heads[j], j);
  return result;
}

LabelledMatrix masked_feasible(LabelledMatrix scores, double density, Random& random) {
  LabelledMatrix result = masked(scores, density, random);
  const Heads heads = random_tree(scores.words(), random);
  const std::vector<int> labels = random_labels(scores.words(), scores.labels(), random);
  for (int j = 1; j <= scores.words(); ++j) result(heads[j], j, labels[j]) = scores(heads[j], j, labels[j]);
  return result;
}

Heads random_tree(int words, Random& random) {
  std::vector<int> order(words);
  std::iota(order.begin(), order.end(), 1);
  std::shuffle(order.begin(), order.end(), random);
  Heads heads(words + 1, -1);
  heads[order[0]] = 0;
  for (int k = 1; k < words; ++k) heads[order[k]] = order[std::uniform_int_distribution<int>(0, k - 1)(random)];
  return heads;
}

std::vector<int> random_labels(int words, int labels, Random& random) {
  std::vector<int> result(words + 1, 0);
  for (int j = 1; j <= words; ++j) result[j] = std::uniform_int_distribution<int>(0, labels - 1)(random);
  return result;
}

Matrix strong_cycle(int words, int length, double gap, Random& random) {
  Matrix scores = normal(words, 1.0, random);
  for (int j = 1; j <= length; ++j) scores(j % length + 1, j) += gap;
  return scores;
}

Matrix chain(int words, double score) {
  Matrix scores = Matrix::Constant(words + 1, words + 1, -kInf);
  for (int j = 1; j <= words; ++j) scores(j - 1, j) = score;
  return scores;
}

Matrix star(int words, double score) {
  Matrix scores = Matrix::Constant(words + 1, words + 1, -kInf);
  scores(0, 1) = score;
  for (int j = 2; j <= words; ++j) scores(1, j) = score;
  return scores;
}

}  // namespace kirchhoff::graphs
