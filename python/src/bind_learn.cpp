// Binds kirchhoff/learn.hpp: losses of factor graphs and their gradients.
#include "names.hpp"
#include "scored_rows.hpp"
#include "trees.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace kirchhoff::python {
namespace {

using Numbers = std::vector<double>;
using Assignments = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::device::cpu, nb::c_contig>;

/// ask(graph, i, stop) for every row. Returns statuses, iterations, residuals and values by row, and the gradients by
/// the scores of variables and of factors, as they are laid out.
template <class Ask>
auto rows_of_objectives(const ScoredRows& rows, int threads, Ask ask) {
  std::vector<Status> statuses(rows.size());
  NewArray<std::int64_t> iterations({rows.size()}, 0);
  NewArray<double> residuals({rows.size()}, 0.0), values({rows.size()}, 0.0);
  NewArray<double> by_variable({rows.size(), rows.variables()}, 0.0), by_factor({rows.size(), rows.total()}, 0.0);
  Interrupt interrupt;
  run(rows.size(), threads, [&](std::size_t i) {
    naming(i, rows.size(), [&] {
      const GraphObjective r = ask(rows[i], i, Stop(std::ref(interrupt)));
      statuses[i] = r.status;
      iterations.data[i] = r.iterations;
      residuals.data[i] = r.residual;
      values.data[i] = r.value;
      std::copy(r.variables.begin(), r.variables.end(), by_variable.data + i * rows.variables());
      rows.write(r.factors, i, by_factor.data);
    });
  });
  interrupt.rethrow();
  std::vector<std::string_view> names;
  for (const Status status : statuses) names.push_back(to_string(status));
  return std::tuple(names, iterations.array, residuals.array, values.array, by_variable.array, by_factor.array);
}

/// Options of belief propagation: schedule, damping, retry_damping, free_energy.
using BpNames = std::tuple<std::string_view, double, double, std::string_view>;

BpOptions options_of(const BpNames& names, std::optional<int> max_iterations, std::optional<double> tolerance) {
  const auto& [schedule, damping, retry_damping, free_energy] = names;
  BpOptions options;
  options.schedule = named<Schedule>(schedule, "schedule");
  options.damping = damping;
  options.retry_damping = retry_damping;
  options.free_energy = named<FreeEnergy>(free_energy, "free_energy");
  if (max_iterations) options.max_iterations = *max_iterations;
  if (tolerance) options.tolerance = *tolerance;
  return options;
}

auto graph_losses(const ScoredRows& rows, const Assignments& gold, std::string_view loss, std::optional<double> beta,
                  std::optional<double> gamma, std::string_view cost, const Numbers& costs, std::string_view method,
                  std::string_view maximum, const BpNames& bp, std::optional<int> max_iterations,
                  std::optional<double> tolerance, int threads) {
  GraphLossOptions options;
  options.cost = named<Cost>(cost, "cost");
  options.costs = costs;
  options.method = named<SolveMethod>(method, "method");
  options.maximum = named<Maximum>(maximum, "maximum");
  options.bp = options_of(bp, max_iterations, tolerance);
  if (max_iterations) options.ad3.max_iterations = *max_iterations;
  if (tolerance) options.ad3.tolerance = options.ad3.gap = *tolerance;
  const Loss given = loss_of_names(loss, beta, gamma);
  if (gold.shape(0) != rows.size() || gold.shape(1) != rows.variables()) {
    throw InputError("gold: not of the graph's shape");
  }
  return rows_of_objectives(rows, threads, [&](const FactorGraph& graph, std::size_t i, const Stop& stop) {
    GraphLossOptions own = options;
    own.bp.stop = own.ad3.stop = stop;
    const std::uint8_t* const y = gold.data() + i * rows.variables();
    return structured_loss(graph, Assignment(y, y + rows.variables()), given, own);
  });
}

auto graph_log_partitions(const ScoredRows& rows, const BpNames& bp, std::optional<int> max_iterations,
                          std::optional<double> tolerance, int threads) {
  const BpOptions options = options_of(bp, max_iterations, tolerance);
  return rows_of_objectives(rows, threads, [&](const FactorGraph& graph, std::size_t, const Stop& stop) {
    BpOptions own = options;
    own.stop = stop;
    return log_partition(graph, own);
  });
}

}  // namespace

void bind_learn(nb::module_& m) {
  nb::class_<ScoredRows>(m, "ScoredRows")
      .def(nb::init<const FactorGraph&, const DoubleRows&, const Ints&, const DoubleRows&>())
      .def("graph", [](const ScoredRows& rows, std::size_t i) {
        if (i >= rows.size()) throw InputError("graph: there is no such row");
        return rows[i];
      });
  m.def("score_layout", [](const FactorGraph& graph) {
    const std::vector<std::int64_t> first = score_layout(scores_of(graph));
    NewArray<std::int64_t> out({first.size()});
    std::copy(first.begin(), first.end(), out.data);
    return out.array;
  });
  m.def("graph_losses", graph_losses, nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg(),
        nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg());
  m.def(
      "named_loss",  // its kind, beta and gamma
      [](std::string_view name, std::optional<double> beta, std::optional<double> gamma, std::string_view cost) {
        const Loss loss = with_cost(loss_of_names(name, beta, gamma), named<Cost>(cost, "cost"));
        return std::tuple(to_string(loss.kind), loss.beta, loss.gamma);
      },
      nb::arg(), nb::arg().none(), nb::arg().none(), nb::arg());
  m.def("graph_log_partitions", graph_log_partitions, nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(),
        nb::arg());
}

}  // namespace kirchhoff::python
