// Writes statistics of features as a table, with the pairs that are correlated most, or as one JSON object.
#include "answers/features_report.hpp"

#include "io/escape.hpp"
#include "json/writer.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::cli {
namespace {

constexpr std::size_t kPairs = 10;

struct Pair {
  std::size_t a = 0, b = 0;
  double correlation = 0.0;
};

/// The strongest correlations of two features, at most kPairs.
std::vector<Pair> strongest(const FeatureStatistics& statistics) {
  const Matrix& c = statistics.covariance;
  std::vector<Pair> pairs;
  for (Eigen::Index a = 0; a < c.rows(); ++a) {
    for (Eigen::Index b = a + 1; b < c.cols(); ++b) {
      const double scale = std::sqrt(c(a, a) * c(b, b));
      if (scale > 1e-9) pairs.push_back({static_cast<std::size_t>(a), static_cast<std::size_t>(b), c(a, b) / scale});
    }
  }
  const auto stronger = [](const Pair& x, const Pair& y) { return std::abs(x.correlation) > std::abs(y.correlation); };
  std::stable_sort(pairs.begin(), pairs.end(), stronger);
  pairs.resize(std::min(pairs.size(), kPairs));
  return pairs;
}

}  // namespace

std::string features_table(const FeatureStatistics& s) {
  std::size_t width = 7;
  std::vector<std::string> names;
  for (const std::string& name : s.names) {
    names.push_back(escaped(name));
    width = std::max(width, names.back().size());
  }
  std::string out = fmt::format("{:<{}}  {:>10}  {:>9}", "feature", width, "expected", "deviation");
  if (s.observed) out += fmt::format("  {:>8}", "observed");
  out += fmt::format("  {:>8}  {:>9}", "weight", "Fisher");
  if (s.hessian_product) out += fmt::format("  {:>10}", "Hessian");
  out += "\n";
  for (std::size_t f = 0; f < names.size(); ++f) {
    const auto i = static_cast<Eigen::Index>(f);
    out += fmt::format("{:<{}}  {:>10.2f}  {:>9.2f}", names[f], width, s.expectation(i),
                       std::sqrt(std::max(0.0, s.covariance(i, i))));
    if (s.observed) out += fmt::format("  {:>8.0f}", (*s.observed)(i));
    out += fmt::format("  {:>8.3f}  {:>9.3f}", s.weights(i) + 0.0, std::max(0.0, s.fisher(i)));
    if (s.hessian_product) out += fmt::format("  {:>10.3f}", (*s.hessian_product)(i) + 0.0);
    out += "\n";
  }
  const std::vector<Pair> pairs = strongest(s);
  if (!pairs.empty()) out += "\ncorrelation\n";
  for (const Pair& pair : pairs) {
    out += fmt::format("{:>+11.3f}  {}  |  {}\n", pair.correlation, names[pair.a], names[pair.b]);
  }
  return out;
}

std::string features_json(const FeatureStatistics& s) {
  JsonWriter out;
  out.key("sentences");
  out.raw(std::to_string(s.sentences));
  out.key("words");
  out.raw(std::to_string(s.words));
  out.key("features");
  out.list(s.names.size(), [&](std::size_t i) { out.write(s.names[i]); });
  out.key("expectation");
  out.write(s.expectation);
  out.key("covariance");
  out.write(s.covariance);
  if (s.observed) {
    out.key("observed");
    out.write(*s.observed);
  }
  out.key("weights");
  out.write(s.weights);
  out.key("fisher");
  out.write(s.fisher);
  if (s.hessian_product) {
    out.key("hessian_product");
    out.write(*s.hessian_product);
  }
  out.close();
  return out.take();
}

}  // namespace kirchhoff::cli
