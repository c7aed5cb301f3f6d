// Expectations and covariances of chosen features over a corpus, in two passes: the first finds the features and their
// expectations, the second has the covariances of those that were chosen, by T2 of [Zmigrod21].
#include "kirchhoff/model_statistics.hpp"

#include "base/check.hpp"
#include "parser/features/feature_names.hpp"
#include "parser/statistics/arc_reader.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace kirchhoff {
namespace {

using parser::ArcReader;

/// A feature with the arc that had it first, which gives it its name.
struct Found {
  std::uint64_t key = 0;
  double expectation = 0.0;
  std::string name;
};
/// A key of an arc's feature, and the arc's probability.
struct Use {
  std::uint64_t key = 0;
  double probability = 0.0;
  Arc arc;
  std::size_t position = 0;
};

parser::Templates arc_templates(const std::string& text) {
  parser::Templates templates("hd", text);
  if (templates.single().empty() && templates.between().empty()) {
    base::input_error("feature_statistics", "templates: there are none");
  }
  for (const parser::Templates::PairPart part : templates.pair_parts()) {
    constexpr unsigned kOfThree = (1U << static_cast<unsigned>(parser::PairAtom::dir2)) |
                                  (1U << static_cast<unsigned>(parser::PairAtom::dist2)) |
                                  (1U << static_cast<unsigned>(parser::PairAtom::puncts2)) |
                                  (1U << static_cast<unsigned>(parser::PairAtom::dir3));
    if ((part & kOfThree) != 0) {
      base::input_error("feature_statistics", "templates: dir2, dist2, puncts2 and dir3 are for parts of three words");
    }
  }
  return templates;
}

/// The features of all arcs, in the order in which they are met.
std::vector<Found> find_features(const ParserModel& model, const parser::Templates& templates,
                                 std::span<const Sentence> sentences, const StatisticsOptions& options) {
  const parser::Inventory& inventory = parser::ModelAccess::model_of(model)->inventory;
  std::vector<Found> found;
  std::unordered_map<std::uint64_t, std::size_t> places;
  const auto uses_of = [](ArcReader& reader, std::size_t) {
    std::vector<Use> uses;
    reader.with_trees([&](const auto& p) {
      const auto marginals = p.marginals();
      for (const Arc arc : reader.arcs()) {
        std::size_t position = 0;
        for (const std::uint64_t key : reader.keys(arc)) {
          uses.push_back({key, marginals(arc.head, arc.dependent), arc, position++});
        }
      }
    });
    return uses;
  };
  const auto merge = [&](std::size_t i, const std::vector<Use>& uses) {
    std::optional<parser::Encoded> encoded;
    for (const Use& use : uses) {
      const auto [place, is_new] = places.try_emplace(use.key, found.size());
      if (is_new) {
        if (!encoded) encoded = parser::encode(sentences[i], inventory);
        found.push_back(
            {use.key, 0.0, parser::feature_name(templates, inventory, sentences[i], *encoded, use.arc, use.position)});
      }
      found[place->second].expectation += use.probability;
    }
  };
  parser::over_corpus(model, templates, sentences, options, uses_of, merge);
  return found;
}

/// The values of a direction by the keys of its features, of which those that no arc has do not matter.
std::unordered_map<std::uint64_t, double> direction_of(const std::vector<Found>& found, const FeatureChoice& choice) {
  std::unordered_map<std::string_view, double> by_name;
  for (const auto& [name, value] : choice.direction) {
    if (!std::isfinite(value)) base::input_error("feature_statistics", "direction: '" + name + "' is not finite");
    by_name[name] += value;
  }
  std::unordered_map<std::uint64_t, double> by_key;
  for (const Found& f : found) {
    if (const auto given = by_name.find(f.name); given != by_name.end()) by_key.emplace(f.key, given->second);
  }
  return by_key;
}

/// Those with the largest expectations, or those with the names that were given.
std::vector<Found> chosen(std::vector<Found> found, const FeatureChoice& choice) {
  std::vector<Found> features;
  if (choice.names.empty()) {
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.expectation > b.expectation; });
    found.resize(std::min(found.size(), static_cast<std::size_t>(choice.most)));
    return found;
  }
  for (const std::string& name : choice.names) {
    const auto same = std::find_if(found.begin(), found.end(), [&](const Found& f) { return f.name == name; });
    features.push_back(same == found.end() ? Found{0, 0.0, name} : *same);
  }
  return features;
}

/// What is asked of each sentence.
struct Question {
  std::unordered_map<std::uint64_t, int> places;        ///< of the chosen features
  std::unordered_map<std::uint64_t, double> direction;  ///< of any features
};

/// What a sentence adds to the covariances, and to the counts in its tree: those of the features it has.
struct Part {
  std::vector<int> features;
  Matrix covariance;
  std::vector<double> along;  ///< Of each feature, its covariance with the direction; empty without one.
  std::vector<int> observed;  ///< Features of the tree's arcs, as often as they occur.
};

/// The covariances of features, of which `entries` says what arcs have, with the direction: the derivative of the
/// marginals along what the direction makes of each arc, added up by features.
std::vector<double> covariances_along(ArcReader& reader, const std::unordered_map<std::uint64_t, double>& direction,
                                      std::size_t size, std::span<const FeatureEntry> entries) {
  std::vector<double> sums(size, 0.0);
  reader.with_trees([&](const auto& p) {
    Matrix along = Matrix::Zero(p.words() + 1, p.words() + 1);
    for (const Arc arc : reader.arcs()) {
      for (const std::uint64_t key : reader.keys(arc)) {
        if (const auto value = direction.find(key); value != direction.end()) {
          along(arc.head, arc.dependent) += value->second;
        }
      }
    }
    const Matrix slopes = p.marginals_along(along);
    for (const FeatureEntry& e : entries) sums[static_cast<std::size_t>(e.feature)] += slopes(e.head, e.dependent);
  });
  return sums;
}

Part part_of(ArcReader& reader, const Question& question, const Heads& tree) {
  Part part;
  const auto& places = question.places;
  std::unordered_map<int, int> own;
  std::vector<FeatureEntry> entries;
  for (const Arc arc : reader.arcs()) {
    for (const std::uint64_t key : reader.keys(arc)) {
      const auto place = places.find(key);
      if (place == places.end()) continue;
      const auto [local, is_new] = own.try_emplace(place->second, static_cast<int>(part.features.size()));
      if (is_new) part.features.push_back(place->second);
      entries.push_back({arc.head, arc.dependent, local->second, 1.0});
    }
  }
  const auto size = static_cast<int>(part.features.size());
  if (!question.direction.empty()) {
    part.along = covariances_along(reader, question.direction, part.features.size(), entries);
  }
  part.covariance = reader.with_trees([&](const auto& p) {
    const Features features(p.words(), size, std::move(entries));
    return covariance(p, features, features);
  });
  for (std::size_t d = 1; d < tree.size(); ++d) {
    for (const std::uint64_t key : reader.keys({tree[d], static_cast<int>(d)})) {
      if (const auto place = places.find(key); place != places.end()) part.observed.push_back(place->second);
    }
  }
  return part;
}

}  // namespace

FeatureStatistics feature_statistics(const ParserModel& model, std::span<const Sentence> sentences,
                                     const FeatureChoice& choice, const StatisticsOptions& options) {
  parser::require_arcs("feature_statistics", model);
  if (choice.most < 1) base::input_error("feature_statistics", "most: must be 1 or more");
  const parser::Templates templates = arc_templates(choice.templates);
  std::vector<Found> found = find_features(model, templates, sentences, options);
  Question question{{}, direction_of(found, choice)};
  const std::vector<Found> features = chosen(std::move(found), choice);
  const auto size = static_cast<Eigen::Index>(features.size());
  FeatureStatistics result;
  result.expectation = result.weights = Vector::Zero(size);
  result.covariance = Matrix::Zero(size, size);
  if (!choice.direction.empty()) result.hessian_product = Vector::Zero(size);
  for (Eigen::Index f = 0; f < size; ++f) {
    const Found& feature = features[static_cast<std::size_t>(f)];
    result.names.push_back(feature.name);
    result.expectation(f) = feature.expectation;
    result.weights(f) = std::bit_cast<float>(parser::ModelAccess::model_of(model)->arcs.find(feature.key));
    question.places.try_emplace(feature.key, static_cast<int>(f));
  }
  const Root root = options.root.value_or(model.root());
  const bool annotated = std::all_of(sentences.begin(), sentences.end(), [&](const Sentence& s) {
    return s.size() == 0 || !tree_problem(s.heads(), root);
  });
  if (annotated) result.observed = Vector::Zero(size);
  parser::over_corpus(
      model, templates, sentences, options,
      [&](ArcReader& reader, std::size_t i) {
        return part_of(reader, question, annotated ? sentences[i].heads() : Heads());
      },
      [&](std::size_t i, const Part& part) {
        ++result.sentences;
        result.words += sentences[i].size();
        for (std::size_t a = 0; a < part.features.size(); ++a) {
          for (std::size_t b = 0; b < part.features.size(); ++b) {
            result.covariance(part.features[a], part.features[b]) +=
                part.covariance(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
          }
        }
        for (const int feature : part.observed) (*result.observed)(feature) += 1.0;
        for (std::size_t a = 0; a < part.along.size(); ++a) {
          (*result.hessian_product)(part.features[a]) -= part.along[a];
        }
      });
  const double temperature = parser::ModelAccess::model_of(model)->settings.temperature;
  result.fisher = result.covariance.diagonal() / (temperature * temperature);
  if (result.hessian_product) *result.hessian_product /= temperature * temperature;
  return result;
}

}  // namespace kirchhoff
