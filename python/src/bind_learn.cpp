// Binds kirchhoff/learn.hpp: losses of factor graphs and their gradients.
#include "arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/learn.hpp>

namespace kirchhoff::python {
namespace {

using Numbers = std::vector<double>;

NumpyArray<double> array_of_numbers(const Numbers& values) {
  NewArray<double> out({values.size()}, 0.0);
  std::copy(values.begin(), values.end(), out.data);
  return out.array;
}

/// The gradients by factors are one array; those of factor f are first[f] ... first[f + 1] - 1.
auto tuple_of(const GraphObjective& r) {
  NewArray<std::int64_t> first({r.factors.size() + 1}, 0);
  Numbers all;
  for (std::size_t f = 0; f < r.factors.size(); ++f) {
    all.insert(all.end(), r.factors[f].begin(), r.factors[f].end());
    first.data[f + 1] = static_cast<std::int64_t>(all.size());
  }
  return std::tuple(to_string(r.status), r.iterations, r.residual, r.value, array_of_numbers(r.variables),
                    array_of_numbers(all), first.array);
}

/// The names of a loss and the numbers in their place.
Loss loss_of_names(std::string_view name, std::optional<double> beta, std::optional<double> gamma) {
  Loss loss = loss_of(named<NamedLoss>(name, "loss"));
  if (beta) loss.beta = *beta;
  if (gamma) loss.gamma = *gamma;
  return loss;
}

auto graph_loss(const FactorGraph& graph, const std::vector<std::uint8_t>& gold, std::string_view loss,
                std::optional<double> beta, std::optional<double> gamma, std::string_view cost, const Numbers& costs,
                std::string_view method, std::string_view maximum, double damping, std::optional<int> max_iterations,
                std::optional<double> tolerance) {
  GraphLossOptions options;
  options.cost = named<Cost>(cost, "cost");
  options.costs = costs;
  options.method = named<SolveMethod>(method, "method");
  options.maximum = named<Maximum>(maximum, "maximum");
  options.bp.damping = damping;
  if (max_iterations) options.bp.max_iterations = options.ad3.max_iterations = *max_iterations;
  if (tolerance) options.bp.tolerance = options.ad3.tolerance = options.ad3.gap = *tolerance;
  const Loss given = loss_of_names(loss, beta, gamma);
  return tuple_of(interruptible([&](const Stop& stop) {
    options.bp.stop = options.ad3.stop = stop;
    return structured_loss(graph, gold, given, options);
  }));
}

auto graph_log_partition(const FactorGraph& graph, double damping, std::optional<int> max_iterations,
                         std::optional<double> tolerance) {
  BpOptions options;
  options.damping = damping;
  if (max_iterations) options.max_iterations = *max_iterations;
  if (tolerance) options.tolerance = *tolerance;
  return tuple_of(interruptible([&](const Stop& stop) {
    options.stop = stop;
    return log_partition(graph, options);
  }));
}

/// The graph with other scores of its variables, of pairs, and of the factors that are given with their numbers. A pair
/// with a negative number is none.
FactorGraph graph_with_scores(const FactorGraph& graph, const Doubles& variables, const Ints& pair_factors,
                              const Doubles& pairs, const std::vector<std::tuple<int, Numbers>>& factors) {
  const Vector own = vector_of(variables), pair_scores = vector_of(pairs);
  GraphScores scores{{own.begin(), own.end()}, std::vector<Numbers>(static_cast<std::size_t>(graph.factors()))};
  const auto set = [&](std::int64_t f, Numbers numbers) {
    if (f < 0 || f >= graph.factors()) {
      throw InputError("factors: factor " + std::to_string(f) + " is not in the graph");
    }
    Numbers& given = scores.factors[static_cast<std::size_t>(f)];
    if (!given.empty()) throw InputError("factors: factor " + std::to_string(f) + " is given twice");
    given = std::move(numbers);
  };
  for (const auto& [f, numbers] : factors) set(f, numbers);
  for (std::size_t k = 0; k < pair_factors.size(); ++k) {
    const std::int64_t f = pair_factors.data()[k];
    if (f < 0) continue;
    set(f, {pair_scores[static_cast<Eigen::Index>(k)]});
    if (graph.factor(static_cast<int>(f)).name() != "pair") {
      throw InputError("pairs: factor " + std::to_string(f) + " is not a pair");
    }
  }
  return unlocked([&] { return with_scores(graph, scores); });
}

}  // namespace

void bind_learn(nb::module_& m) {
  m.def("graph_loss", graph_loss, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(),
        nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  m.def(
      "named_loss",  // its kind, beta and gamma
      [](std::string_view name, std::optional<double> beta, std::optional<double> gamma, std::string_view cost) {
        const Loss loss = with_cost(loss_of_names(name, beta, gamma), named<Cost>(cost, "cost"));
        return std::tuple(to_string(loss.kind), loss.beta, loss.gamma);
      },
      nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg());
  m.def("graph_log_partition", graph_log_partition, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none());
  m.def("graph_with_scores", graph_with_scores);
}

}  // namespace kirchhoff::python
