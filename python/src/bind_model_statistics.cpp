// Binds kirchhoff/model_statistics.hpp and rank.hpp: what a parser expects of features, and what to annotate next.
#include "arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/rank.hpp>

namespace kirchhoff::python {
namespace {

using Sentences = std::vector<Sentence>;

StatisticsOptions options_of(const std::optional<std::string>& root, bool projective, int threads) {
  StatisticsOptions options{.projective = projective, .threads = threads};
  if (root) options.root = named<Root>(*root, "root");
  return options;
}

/// Calls work(options), which ends on Ctrl-C.
template <class Work>
auto with_options(const std::optional<std::string>& root, bool projective, int threads, const Work& work) {
  StatisticsOptions options = options_of(root, projective, threads);
  return interruptible([&](const Stop& stop) {
    options.stop = stop;
    return work(options);
  });
}

using StatisticsTuple = std::tuple<std::vector<std::string>, NumpyArray<double>, NumpyArray<double>, NumpyArray<double>,
                                   std::optional<NumpyArray<double>>, std::int64_t, std::int64_t, NumpyArray<double>,
                                   std::optional<NumpyArray<double>>>;

StatisticsTuple statistics(const ParserModel& model, const Sentences& sentences, const std::string& templates, int most,
                           const std::vector<std::string>& names,
                           const std::vector<std::pair<std::string, double>>& direction,
                           const std::optional<std::string>& root, bool projective, int threads) {
  const FeatureChoice choice{templates, most, names, direction};
  FeatureStatistics s = with_options(root, projective, threads, [&](const StatisticsOptions& options) {
    return feature_statistics(model, sentences, choice, options);
  });
  std::optional<NumpyArray<double>> observed, product;
  if (s.observed) observed = array_of(*s.observed);
  if (s.hessian_product) product = array_of(*s.hessian_product);
  return {s.names,
          array_of(s.expectation),
          array_of(std::move(s.covariance)),
          array_of(s.weights),
          observed,
          s.sentences,
          s.words,
          array_of(s.fisher),
          product};
}

/// The number and the value of each sentence, in their order.
std::vector<std::pair<std::uint64_t, double>> rank(const ParserModel& model, const Sentences& sentences,
                                                   const std::string& by, const std::string& per, std::size_t top,
                                                   const std::optional<std::string>& root, bool projective,
                                                   int threads) {
  const RankOptions options{named<RankBy>(by, "by"), named<RankPer>(per, "per"), top};
  std::size_t next = 0;
  const auto source = [&]() -> std::optional<Sentence> {
    if (next == sentences.size()) return std::nullopt;
    return sentences[next++];
  };
  const auto ranked = with_options(root, projective, threads, [&](const StatisticsOptions& statistics) {
    return rank_sentences(model, source, options, statistics);
  });
  std::vector<std::pair<std::uint64_t, double>> found;
  found.reserve(ranked.size());
  for (const RankedSentence& item : ranked) found.emplace_back(item.number, item.value);
  return found;
}

std::vector<std::size_t> of_arc(const ModelWeights& weights, const Sentence& sentence, int head, int dependent) {
  return weights.of_arc(sentence, {head, dependent});
}

}  // namespace

void bind_model_statistics(nb::module_& m) {
  nb::class_<ModelWeights> c(m, "ModelWeights");
  c.def(nb::init<ParserModel>());
  c.def("values", [](const ModelWeights& weights) { return array_of(weights.values()); });
  c.def("temperature", &ModelWeights::temperature);
  c.def("of_arc", of_arc);
  c.def(
      "expected_counts",
      [](const ModelWeights& weights, const Sentences& sentences, const std::optional<std::string>& root,
         bool projective, int threads) {
        return array_of(with_options(root, projective, threads, [&](const StatisticsOptions& options) {
          return expected_counts(weights, sentences, options);
        }));
      },
      nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  c.def(
      "hessian_product",
      [](const ModelWeights& weights, const Sentences& sentences, const Doubles& direction,
         const std::optional<std::string>& root, bool projective, int threads) {
        const Vector along = vector_of(direction);
        return array_of(with_options(root, projective, threads, [&](const StatisticsOptions& options) {
          return hessian_product(weights, sentences, along, options);
        }));
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  c.def(
      "fisher_diagonal",
      [](const ModelWeights& weights, const Sentences& sentences, const std::optional<std::string>& root,
         bool projective, int threads) {
        return array_of(with_options(root, projective, threads, [&](const StatisticsOptions& options) {
          return fisher_diagonal(weights, sentences, options);
        }));
      },
      nb::arg(), nb::arg().none(), nb::arg(), nb::arg());
  m.def("feature_statistics", statistics, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none(), nb::arg(), nb::arg());
  m.def("rank_sentences", rank, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg(),
        nb::arg());
}

}  // namespace kirchhoff::python
