// Agreement of baselines and library on a few graphs, so that we time right code.
#include "check.hpp"

#include "arc_features.hpp"
#include "baselines/conditioning.hpp"
#include "baselines/eigen_marginals.hpp"
#include "baselines/jvp_covariance.hpp"
#include "baselines/lapack_marginals.hpp"
#include "baselines/smith_eisner.hpp"
#include "graphs.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace kirchhoff::bench {
namespace {

constexpr double kTolerance = 1e-9;
constexpr int kFeatures = 3;

double difference(const MatrixRef& a, const MatrixRef& b) { return (a - b).cwiseAbs().maxCoeff(); }

using MarginalsBaseline = double (*)(const double*, int, double*);

void check_marginals(const TreeDistribution& p, MarginalsBaseline baseline, const std::string& name) {
  const Matrix scores = p.scores();
  Matrix marginals = Matrix::Zero(scores.rows(), scores.cols());
  const double log_z = baseline(scores.data(), p.words(), marginals.data());
  require_agreement(std::abs(log_z - p.log_partition()), name + " and log_partition");
  require_agreement(difference(marginals, p.marginals()), name + " and marginals");
}

void check_entropy(const TreeDistribution& p) {
  const Matrix scores = p.scores();
  require_agreement(std::abs(smith_eisner_entropy(scores.data(), p.words()) - entropy(p)),
                    "smith_eisner_entropy and entropy");
}

void check_covariance(const TreeDistribution& p) {
  const std::vector<Matrix> r = random_features(p.words(), kFeatures, 7);
  const std::vector<Matrix> s = random_features(p.words(), kFeatures + 1, 70);
  const Features sparse_r = Features::from_matrices(r);
  const Features sparse_s = Features::from_matrices(s);
  const Matrix scores = p.scores();
  const Matrix expected = covariance(p, sparse_r, sparse_s);
  const std::vector<double> hessian = hessian_covariance(scores.data(), p.words(), by_arc(sparse_r), by_arc(sparse_s));
  const std::vector<double> conditioned =
      conditioned_covariance(scores.data(), p.words(), by_arc(sparse_r), by_arc(sparse_s));
  require_agreement(difference(MatrixView(conditioned.data(), kFeatures, kFeatures + 1), expected),
                    "conditioned_covariance and covariance");
  require_agreement(difference(jvp_covariance(p, r, s), expected), "jvp_covariance and covariance");
  require_agreement(difference(MatrixView(hessian.data(), kFeatures, kFeatures + 1), expected),
                    "hessian_covariance and covariance");
}

void check_pairs(const TreeDistribution& p) {
  const Matrix scores = p.scores();
  const auto arcs = scores.size();
  const Matrix expected = p.pair_marginals();
  const std::vector<double> conditioned = conditioned_pair_marginals(scores.data(), p.words());
  const std::vector<double> hessian = hessian_pair_marginals(scores.data(), p.words());
  require_agreement(difference(MatrixView(conditioned.data(), arcs, arcs), expected),
                    "conditioned_pair_marginals and pair_marginals");
  require_agreement(difference(MatrixView(hessian.data(), arcs, arcs), expected),
                    "hessian_pair_marginals and pair_marginals");
}

void check_ge(const TreeDistribution& p) {
  const Features f = random_indicators(p.words(), kFeatures, 8);
  const std::vector<double> target = {1, 2, 3};
  const Matrix scores = p.scores();
  const Matrix expected = generalized_expectation_gradient(p, f, Vector(Vector::Map(target.data(), kFeatures)));
  for (const ArcPairs pairs : {ArcPairs::all, ArcPairs::featured}) {
    const std::vector<double> gradient = hessian_ge_gradient(scores.data(), p.words(), by_arc(f), target, pairs);
    require_agreement(difference(MatrixView(gradient.data(), scores.rows(), scores.cols()), expected),
                      "hessian_ge_gradient and generalized_expectation_gradient");
  }
}

void check_report(int words, double scale, Accuracy accuracy, Method method, bool extended) {
  for (const Matrix& graph : random_graphs(words, scale)) {
    const Report report = TreeDistribution(graph, Root::single, accuracy).report();
    require(report.method == method && report.extended == extended,
            "another method or scalar ran than the one to be timed, n = " + std::to_string(words));
  }
}

}  // namespace

void require(bool fine, const std::string& what) {
  if (fine) return;
  std::fprintf(stderr, "bench: %s\n", what.c_str());
  std::exit(1);
}

void require_agreement(double difference, const std::string& what) {
  char figure[32];
  std::snprintf(figure, sizeof figure, "%.3g", difference);
  require(difference <= kTolerance, what + " differ by " + figure);
}

void check_baselines() {
  lapack_single_thread();
  for (const int words : {1, 2, 10, 25}) {
    const TreeDistribution p(random_scores(words, 1.0, 99), Root::single);
    check_marginals(p, eigen_marginals, "eigen_marginals");
    check_marginals(p, lapack_marginals, "lapack_marginals");
    check_entropy(p);
    check_covariance(p);
    check_pairs(p);
    check_ge(p);
  }
}

void check_reports() {
  for (const int words : {10, 25, 50, 100}) {
    check_report(words, 1.0, {Method::fast}, Method::fast, false);
    check_report(words, 1.0, {Method::robust}, Method::robust, false);
  }
  for (const int words : {25, 50}) check_report(words, 300.0, {}, Method::robust, true);
}

}  // namespace kirchhoff::bench
