// The things we time.
#include "works.hpp"

#include "arc_features.hpp"
#include "baselines/eigen_marginals.hpp"
#include "baselines/jvp_covariance.hpp"
#include "baselines/lapack_marginals.hpp"

#include <benchmark/benchmark.h>

namespace kirchhoff::bench {
namespace {

constexpr int kFeatures = 20;

int words_of(const Graphs& graphs) { return static_cast<int>(graphs.front().rows()) - 1; }

/// Enough copies that starting the batch does not count, few enough to stay in the second-level cache: about 1 MiB.
MatrixBatch long_batch(const Graphs& graphs) {
  const std::size_t bytes = sizeof(double) * graphs.size() * static_cast<std::size_t>(graphs.front().size());
  return repeat(graphs, static_cast<int>(std::max<std::size_t>(1, (std::size_t{1} << 20) / bytes)));
}

std::shared_ptr<std::vector<TreeDistribution>> distributions(const Graphs& graphs) {
  auto result = std::make_shared<std::vector<TreeDistribution>>();
  for (const Matrix& graph : graphs) result->emplace_back(graph, Root::single, kFast);
  return result;
}

/// Work that asks something of one distribution after the other.
template <class Question>
Work ask(const Graphs& graphs, Question question) {
  auto trees = distributions(graphs);
  return {[=](std::size_t i) { benchmark::DoNotOptimize(question((*trees)[i % trees->size()])); }};
}

/// Work that gives a baseline scores to read and marginals to fill.
template <class Baseline>
Work fill(Graphs graphs, Baseline baseline) {
  auto marginals = std::make_shared<Matrix>(graphs.front());
  return {[=, graphs = std::move(graphs)](std::size_t i) {
    const Matrix& scores = graphs[i % graphs.size()];
    const int n = static_cast<int>(scores.rows()) - 1;
    benchmark::DoNotOptimize(baseline(scores.data(), n, marginals->data()));
    benchmark::ClobberMemory();
  }};
}

/// Work that visits the distributions of all graphs; one unit is one graph.
Work visit_all(const MatrixBatch& scores, const BatchOptions& options, Clock clock) {
  const TreeBatch batch(scores, Root::single, options);
  const auto look = [](std::size_t, const TreeDistribution& p) {
    benchmark::DoNotOptimize(p.marginals()(0, 1) + p.log_partition());
  };
  return {[=](std::size_t) { batch.visit(look); }, static_cast<double>(batch.size()), clock};
}

}  // namespace

Work constructor(Graphs graphs, Accuracy accuracy) {
  return {[=, graphs = std::move(graphs)](std::size_t i) {
    const TreeDistribution p(graphs[i % graphs.size()], Root::single, accuracy);
    benchmark::DoNotOptimize(p.marginals()(0, 1) + p.log_partition());
  }};
}

Work batch_path(const Graphs& graphs, Accuracy accuracy) {
  return visit_all(long_batch(graphs), {.threads = 1, .accuracy = accuracy}, Clock::cpu);
}

Work threaded(const MatrixBatch& scores, int threads) {
  return visit_all(scores, {.threads = threads, .accuracy = kAutomatic}, Clock::wall);
}

Work eigen_baseline(Graphs graphs) { return fill(std::move(graphs), eigen_marginals); }

Work lapack_baseline(Graphs graphs) { return fill(std::move(graphs), lapack_marginals); }

Work lapack_bare(const Graphs& graphs) {
  Graphs laplacians;
  const int n = words_of(graphs);
  for (const Matrix& scores : graphs) {
    const Matrix weights = scores.bottomRightCorner(n, n).array().exp();
    Matrix laplacian = -weights;
    laplacian.diagonal() = weights.colwise().sum().transpose();
    laplacian.diagonal() += scores.row(0).tail(n).array().exp().matrix().transpose();
    laplacians.push_back(std::move(laplacian));
  }
  auto copy = std::make_shared<Matrix>();
  return {[=, laplacians = std::move(laplacians)](std::size_t i) {
    *copy = laplacians[i % laplacians.size()];
    lapack_invert(copy->data(), static_cast<int>(copy->rows()));
    benchmark::ClobberMemory();
  }};
}

Work entropy_gradient_work(const Graphs& graphs) {
  return ask(graphs, [](const TreeDistribution& p) { return entropy_gradient(p); });
}

Work kl_gradient_work(const Graphs& graphs) {
  const TreeDistribution q(random_scores(words_of(graphs), 1.0, 3), Root::single, kFast);
  return ask(graphs, [q](const TreeDistribution& p) { return kl_gradient(p, q); });
}

Work risk_gradient_work(const Graphs& graphs) {
  const Gold gold = random_tree(words_of(graphs), 4);
  return ask(graphs, [gold](const TreeDistribution& p) { return risk_gradient(p, gold); });
}

Work ge_gradient_work(const Graphs& graphs) {
  const Features f = random_indicators(words_of(graphs), kFeatures, 5);
  const Vector target = Vector::Constant(kFeatures, 1.0);
  return ask(graphs, [=](const TreeDistribution& p) { return generalized_expectation_gradient(p, f, target); });
}

Work ge_dense_gradient_work(const Graphs& graphs) {
  const Features f = Features::from_matrices(random_features(words_of(graphs), kFeatures, 5));
  const Vector target = Vector::Constant(kFeatures, 1.0);
  return ask(graphs, [=](const TreeDistribution& p) { return generalized_expectation_gradient(p, f, target); });
}

Work batch_entropy_work(const Graphs& graphs) {
  const auto scores = std::make_shared<const MatrixBatch>(long_batch(graphs));
  const std::vector<GraphView> views = scores->views();
  const auto run = [=](std::size_t) {
    const TreeBatch batch(views, Root::single, {.threads = 1});
    const auto gradients = std::make_unique_for_overwrite<double[]>(batch.array_size());
    benchmark::DoNotOptimize(entropies(batch, {gradients.get(), batch.array_size()}));
    benchmark::DoNotOptimize(scores.get());
  };
  return {run, static_cast<double>(scores->size())};
}

Work batch_marginals_work(const Graphs& graphs) {
  const auto scores = std::make_shared<const MatrixBatch>(long_batch(graphs));
  const std::vector<GraphView> views = scores->views();
  const auto run = [=](std::size_t) {
    benchmark::DoNotOptimize(TreeBatch(views, Root::single, {.threads = 1}).marginals().data());
    benchmark::DoNotOptimize(scores.get());
  };
  return {run, static_cast<double>(scores->size())};
}

Work batch_kl_work(const Graphs& graphs) {
  const auto scores = std::make_shared<const MatrixBatch>(long_batch(graphs));
  const auto others = std::make_shared<MatrixBatch>();
  for (std::size_t i = 0; i < scores->size(); ++i) others->add(random_scores(scores->words(i), 1.0, 1000 + i));
  const std::vector<GraphView> p_views = scores->views(), q_views = others->views();
  const auto run = [=](std::size_t) {
    const TreeBatch p(p_views, Root::single, {.threads = 1}), q(q_views, Root::single, {.threads = 1});
    const std::size_t size = p.array_size();
    const auto gradients = std::make_unique_for_overwrite<double[]>(2 * size);
    benchmark::DoNotOptimize(divergences(p, q, {{gradients.get(), size}, {gradients.get() + size, size}}));
    benchmark::DoNotOptimize(scores.get());
    benchmark::DoNotOptimize(others.get());
  };
  return {run, static_cast<double>(2 * scores->size())};  // two graphs each
}

Work covariance_work(const Graphs& graphs) {
  const Features r = Features::from_matrices(random_features(words_of(graphs), kFeatures, 100));
  const Features s = Features::from_matrices(random_features(words_of(graphs), kFeatures, 200));
  return ask(graphs, [=](const TreeDistribution& p) { return covariance(p, r, s); });
}

Work covariance_jvp_work(const Graphs& graphs) {
  const std::vector<Matrix> r = random_features(words_of(graphs), kFeatures, 100);
  const std::vector<Matrix> s = random_features(words_of(graphs), kFeatures, 200);
  return ask(graphs, [=](const TreeDistribution& p) { return jvp_covariance(p, r, s); });
}

Work covariance_hessian_work(Graphs graphs) {
  const int n = words_of(graphs);
  const ArcFeatures r = by_arc(Features::from_matrices(random_features(n, kFeatures, 100)));
  const ArcFeatures s = by_arc(Features::from_matrices(random_features(n, kFeatures, 200)));
  return {[=, graphs = std::move(graphs)](std::size_t i) {
    benchmark::DoNotOptimize(hessian_covariance(graphs[i % graphs.size()].data(), n, r, s));
  }};
}

}  // namespace kirchhoff::bench
