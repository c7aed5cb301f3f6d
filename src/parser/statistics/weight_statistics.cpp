// Expected counts, Hessian-vector products and the diagonal of the Fisher information, by the weights of a model.
//
// With scores theta_a = w . f(a) / T and a tree's features f(y) = sum of f(a) over its arcs, the log-likelihood of a
// tree is w . f(y) / T - log Z. Its second derivative is -Cov(f, f) / T^2 [Druck09, section 2]. A product with v never
// needs the covariances: v gives each arc the number r(a) = v . f(a), and the derivative of the marginals along r,
// which costs O(n^3), is Cov(1_a, r).
#include "kirchhoff/model_statistics.hpp"

#include "base/check.hpp"
#include "parser/statistics/arc_reader.hpp"

namespace kirchhoff {

struct ModelWeightsAccess {
  /// The number of a key's weight, or `size` when it has none.
  static std::size_t number(const ModelWeights& weights, std::uint64_t key) {
    using parser::Bucket;
    const parser::BucketTable& table = parser::ModelAccess::model_of(weights.model_)->arcs;
    const std::size_t place = table.place(key);
    return place == 0 ? weights.size_ : (*weights.first_)[(place - 1) / Bucket::kSlots] + (place - 1) % Bucket::kSlots;
  }
};

namespace {

using parser::ArcReader;
/// Amounts to be added to some entries of a vector.
using Amounts = std::vector<std::pair<std::size_t, double>>;

const parser::Model& model_of(const ModelWeights& weights) { return *parser::ModelAccess::model_of(weights.model()); }

std::vector<std::size_t> numbers(const ModelWeights& weights, std::span<const std::uint64_t> keys) {
  std::vector<std::size_t> found;
  for (const std::uint64_t key : keys) {
    const std::size_t number = ModelWeightsAccess::number(weights, key);
    if (number < weights.size()) found.push_back(number);
  }
  return found;
}

std::vector<std::vector<std::size_t>> numbers_by_arc(const ModelWeights& weights, ArcReader& reader) {
  std::vector<std::vector<std::size_t>> all;
  for (const Arc arc : reader.arcs()) all.push_back(numbers(weights, reader.keys(arc)));
  return all;
}

/// Adds up, over sentences and in their order, what compute(reader, numbers by arc) returns.
template <class Compute>
Vector summed(const ModelWeights& weights, std::span<const Sentence> sentences, const StatisticsOptions& options,
              const Compute& compute) {
  Vector sum = Vector::Zero(static_cast<Eigen::Index>(weights.size()));
  parser::over_corpus(
      weights.model(), model_of(weights).arc_templates, sentences, options,
      [&](ArcReader& reader, std::size_t) { return compute(reader, numbers_by_arc(weights, reader)); },
      [&](std::size_t, const Amounts& amounts) {
        for (const auto& [number, amount] : amounts) sum(static_cast<Eigen::Index>(number)) += amount;
      });
  return sum;
}

/// Gives the features of each arc its entry of `slopes`.
Amounts spread(const std::vector<Arc>& arcs, const std::vector<std::vector<std::size_t>>& features,
               const MatrixRef& slopes) {
  Amounts amounts;
  for (std::size_t a = 0; a < arcs.size(); ++a) {
    const double slope = slopes(arcs[a].head, arcs[a].dependent);
    for (const std::size_t f : features[a]) amounts.emplace_back(f, slope);
  }
  return amounts;
}

}  // namespace

ModelWeights::ModelWeights(ParserModel model) : model_(std::move(model)) {
  parser::require_arcs("ModelWeights", model_);
  const auto buckets = parser::ModelAccess::model_of(model_)->arcs.buckets();
  std::vector<std::uint32_t> first;
  first.reserve(buckets.size());
  for (const parser::Bucket& bucket : buckets) {
    first.push_back(static_cast<std::uint32_t>(size_));
    for (const std::uint32_t check : bucket.check) size_ += check != 0 ? 1 : 0;
  }
  first_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(first));
}

Vector ModelWeights::values() const {
  Vector values(static_cast<Eigen::Index>(size_));
  Eigen::Index next = 0;
  for (const parser::Bucket& bucket : model_of(*this).arcs.buckets()) {
    for (std::size_t k = 0; k < parser::Bucket::kSlots; ++k) {
      if (bucket.check[k] != 0) values(next++) = std::bit_cast<float>(bucket.value[k]);
    }
  }
  return values;
}

double ModelWeights::temperature() const { return model_of(*this).settings.temperature; }

std::vector<std::size_t> ModelWeights::of_arc(const Sentence& sentence, Arc arc) const {
  base::check_arc("ModelWeights::of_arc", arc, sentence.size());
  if (const auto problem = parser::length_problem(sentence)) base::input_error("ModelWeights::of_arc", *problem);
  const parser::Encoded encoded = parser::encode(sentence, model_of(*this).inventory);
  parser::FeatureKeys features(model_of(*this).arc_templates);
  features.read(encoded);
  std::vector<std::uint64_t> keys;
  features.append({arc.head, arc.dependent}, keys);
  return numbers(*this, keys);
}

Vector expected_counts(const ModelWeights& weights, std::span<const Sentence> sentences,
                       const StatisticsOptions& options) {
  return summed(weights, sentences, options, [](const ArcReader& reader, const auto& features) {
    return reader.with_trees([&](const auto& p) { return spread(reader.arcs(), features, p.marginals()); });
  });
}

Vector hessian_product(const ModelWeights& weights, std::span<const Sentence> sentences, const Vector& direction,
                       const StatisticsOptions& options) {
  if (direction.size() != static_cast<Eigen::Index>(weights.size()) || !direction.allFinite()) {
    base::input_error("hessian_product", "direction: must be " + std::to_string(weights.size()) +
                                             " finite numbers, one for each weight of the model");
  }
  const double scale = 1.0 / (weights.temperature() * weights.temperature());
  return summed(weights, sentences, options, [&](const ArcReader& reader, const auto& features) {
    const std::vector<Arc>& arcs = reader.arcs();
    return reader.with_trees([&](const auto& p) {
      Matrix along = Matrix::Zero(p.words() + 1, p.words() + 1);
      for (std::size_t a = 0; a < arcs.size(); ++a) {
        for (const std::size_t f : features[a]) {
          along(arcs[a].head, arcs[a].dependent) -= scale * direction(static_cast<Eigen::Index>(f));
        }
      }
      return spread(arcs, features, p.marginals_along(along));
    });
  });
}

Vector fisher_diagonal(const ModelWeights& weights, std::span<const Sentence> sentences,
                       const StatisticsOptions& options) {
  const double scale = 1.0 / (weights.temperature() * weights.temperature());
  return summed(weights, sentences, options, [&](const ArcReader& reader, const auto& features) {
    const Matrix covariances =
        reader.with_trees([&](const auto& p) { return parser::arc_covariances(p, reader.arcs()); });
    Amounts amounts;
    parser::for_each_variance(
        covariances, [&](std::size_t arc) { return features[arc]; },
        [&](std::size_t feature, double variance) { amounts.emplace_back(feature, scale * variance); });
    return amounts;
  });
}

}  // namespace kirchhoff
