// Learning a factor graph: pictures of a rectangle, in which pixels are turned over at random, are made whole again. A
// pixel's score is a weight times what is seen there, and neighbours that agree have another weight: both are learnt
// from pairs of noisy and clean pictures, with the softmax margin (Bethe's log Z) and as a structured SVM (the
// relaxation's maximum).
#include <kirchhoff/learn.hpp>

#include <iostream>
#include <random>
#include <vector>

namespace {

constexpr int kSide = 10;
enum Weight { seen, background, agree_across, agree_down, weight_count };

struct Picture {
  std::vector<double> noisy;  ///< 1 or -1
  kirchhoff::Assignment clean;
};

std::vector<Picture> draw_pictures(int count, std::mt19937& random) {
  std::vector<Picture> pictures(static_cast<std::size_t>(count));
  const auto below = [&](unsigned n) { return static_cast<int>(random() % n); };
  for (Picture& picture : pictures) {
    const int left = below(5), top = below(5), right = left + 3 + below(3), bottom = top + 3 + below(3);
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const bool inside = x >= left && x < right && y >= top && y < bottom;
        picture.clean.push_back(inside ? 1 : 0);
        picture.noisy.push_back(inside != (below(100) < 15) ? 1.0 : -1.0);
      }
    }
  }
  return pictures;
}

struct Grid {
  kirchhoff::FactorGraph graph;
  std::vector<Weight> table_weight;  ///< by factor: the weight in its table
};

Grid grid_of(const Picture& picture, const kirchhoff::Vector& w) {
  Grid grid;
  for (const double x : picture.noisy) grid.graph.add_variable(w[seen] * x + w[background]);
  const auto add = [&](int a, int b, Weight weight) {
    const kirchhoff::Literals both = {kirchhoff::Variable{a}, kirchhoff::Variable{b}};
    grid.graph.add_table(both, {w[weight], 0.0, 0.0, w[weight]});
    grid.table_weight.push_back(weight);
  };
  for (int pixel = 0; pixel < kSide * kSide; ++pixel) {
    if (pixel % kSide + 1 < kSide) add(pixel, pixel + 1, agree_across);
    if (pixel + kSide < kSide * kSide) add(pixel, pixel + kSide, agree_down);
  }
  return grid;
}

/// The chain rule from the graph's scores to the weights.
kirchhoff::Vector gradient_by_weights(const Picture& picture, const Grid& grid, const kirchhoff::GraphObjective& at) {
  kirchhoff::Vector gradient = kirchhoff::Vector::Zero(weight_count);
  for (std::size_t i = 0; i < at.variables.size(); ++i) {
    gradient[seen] += at.variables[i] * picture.noisy[i];
    gradient[background] += at.variables[i];
  }
  for (std::size_t f = 0; f < at.factors.size(); ++f) {
    gradient[grid.table_weight[f]] += at.factors[f][0] + at.factors[f][3];
  }
  return gradient;
}

kirchhoff::Vector learn(const std::vector<Picture>& pictures, kirchhoff::Loss loss, kirchhoff::StepRule rule) {
  kirchhoff::DenseLearner learner(weight_count, rule);
  kirchhoff::GraphLossOptions options;
  options.bp.damping = 0.3;
  options.bp.tolerance = 1e-5;
  options.ad3.gap = 1e-4;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const Picture& picture : pictures) {
      const Grid grid = grid_of(picture, learner.weights());
      const kirchhoff::GraphObjective at = structured_loss(grid.graph, picture.clean, loss, options);
      learner.step(at.value, gradient_by_weights(picture, grid, at));
    }
  }
  return learner.averaged();
}

/// How many of a hundred pixels are wrong.
double percent_wrong(const std::vector<Picture>& pictures, const kirchhoff::Vector& w) {
  double wrong = 0.0;
  for (const Picture& picture : pictures) {
    const kirchhoff::MapResult best = kirchhoff::solve_ad3(grid_of(picture, w).graph);
    for (std::size_t i = 0; i < picture.clean.size(); ++i) wrong += best.assignment[i] != picture.clean[i] ? 1 : 0;
  }
  return 100.0 * wrong / static_cast<double>(pictures.size() * kSide * kSide);
}

}  // namespace

int main() {
  std::mt19937 random(1);
  const std::vector<Picture> train = draw_pictures(30, random), test = draw_pictures(30, random);
  kirchhoff::Vector pixels_only = kirchhoff::Vector::Zero(weight_count);
  pixels_only[seen] = 1.0;
  using Kind = kirchhoff::StepRule::Kind;
  const auto soft = learn(train, kirchhoff::kSoftmaxMarginLoss, {.kind = Kind::adagrad, .rate = 1.0});
  const auto svm = learn(train, kirchhoff::kSvmLoss, {.kind = Kind::aggressive, .cap = 0.01});
  std::cout << "pixels wrong: " << percent_wrong(test, pixels_only) << " % as seen, " << percent_wrong(test, soft)
            << " % by the softmax margin, " << percent_wrong(test, svm) << " % by the SVM\n";
  std::cout << "weights of the SVM: " << svm.transpose() << '\n';
  const bool learnt = percent_wrong(test, soft) < 7.0 && percent_wrong(test, svm) < 7.0;
  return learnt ? 0 : 1;
}
