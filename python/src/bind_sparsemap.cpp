// Binds kirchhoff/sparsemap.hpp: sparse mixtures of trees in batches, and those of factor graphs.
#include "batch.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/sparsemap.hpp>

namespace kirchhoff::python {
namespace {

/// Mixtures for the graphs of a batch, padded to the largest of them.
struct SparseBatch {
  std::vector<SparseTrees> graphs;
  std::size_t nodes = 0;
  int threads = kAllCores;
};

SparseBatch sparsemap_of(ArraysArgument argument, std::string_view root, const std::optional<Ints>& lengths,
                         double tolerance, int max_iterations, int threads) {
  const GraphArrays scores(std::move(argument), 2);
  SparseBatch batch{std::vector<SparseTrees>(scores.size()), largest(scores), threads};
  const Root mode = named<Root>(root, "root");
  Interrupt interrupt;
  const SparseMapOptions options{tolerance, max_iterations, std::ref(interrupt)};
  run(scores.size(), threads, [&](std::size_t i) {
    naming(i, scores.size(), [&] {
      const GraphView graph = graph_in(scores[i], words_of(lengths, i, scores[i].shape[0]));
      batch.graphs[i] =
          with_scores<TreeDistribution>(graph, [&](const MatrixRef& s) { return sparsemap(s, mode, options); });
    });
  });
  interrupt.rethrow();
  return batch;
}

/// (batch, nodes, nodes), with zeros as padding; f(i) is the matrix of graph i.
template <class F>
NumpyArray<double> arcs_of(const SparseBatch& batch, F f) {
  NewArray<double> out({batch.graphs.size(), batch.nodes, batch.nodes}, 0.0);
  run(batch.graphs.size(), batch.threads, [&](std::size_t i) {
    const Matrix values = f(i);
    double* const to = out.data + i * batch.nodes * batch.nodes;
    for (Eigen::Index h = 0; h < values.rows(); ++h) {
      std::copy_n(values.row(h).data(), values.cols(), to + static_cast<std::size_t>(h) * batch.nodes);
    }
  });
  return out.array;
}

/// Heads (batch, most trees, nodes), filled up with -1, and probabilities (batch, most trees), with 0.
auto trees_of(const SparseBatch& batch) {
  std::size_t most = 0;
  for (const SparseTrees& p : batch.graphs) most = std::max(most, p.trees.size());
  NewArray<std::int64_t> heads({batch.graphs.size(), most, batch.nodes}, -1);
  NewArray<double> probabilities({batch.graphs.size(), most}, 0.0);
  for (std::size_t i = 0; i < batch.graphs.size(); ++i) {
    const SparseTrees& p = batch.graphs[i];
    for (std::size_t k = 0; k < p.trees.size(); ++k) {
      std::copy(p.trees[k].begin(), p.trees[k].end(), heads.data + (i * most + k) * batch.nodes);
      probabilities.data[i * most + k] = p.probabilities[k];
    }
  }
  return std::tuple(heads.array, probabilities.array);
}

/// Iterations, gaps, and whether each graph's mixture converged.
auto report_of(const SparseBatch& batch) {
  const std::size_t count = batch.graphs.size();
  NewArray<std::int64_t> iterations({count}, 0);
  NewArray<double> gaps({count}, 0.0);
  NewArray<bool> converged({count}, false);
  for (std::size_t i = 0; i < count; ++i) {
    iterations.data[i] = batch.graphs[i].iterations;
    gaps.data[i] = batch.graphs[i].gap;
    converged.data[i] = batch.graphs[i].status == Status::converged;
  }
  return std::tuple(iterations.array, gaps.array, converged.array);
}

NumpyArray<double> along_of(const SparseBatch& batch, ArraysArgument argument) {
  const GraphArrays directions(std::move(argument), 2);
  if (directions.size() != batch.graphs.size() || largest(directions) != batch.nodes) {
    throw InputError("direction: not of the shape of the scores");
  }
  return arcs_of(batch, [&](std::size_t i) {
    const GraphView view = graph_in(directions[i], static_cast<int>(batch.graphs[i].marginals.rows()) - 1);
    const auto along = [&](const MatrixRef& direction) { return marginals_along(batch.graphs[i], direction); };
    return with_scores<TreeDistribution>(view, along);
  });
}

/// The result, which stays in C++ for derivatives, beside its graph's own.
SparseGraph solve_graph(const FactorGraph& graph, const Doubles& scores, double tolerance, int max_iterations) {
  const Vector values = vector_of(scores);
  return interruptible([&](const Stop& stop) {
    return lp_sparsemap(graph, {values.data(), static_cast<std::size_t>(values.size())},
                        {tolerance, max_iterations, stop});
  });
}

NumpyArray<double> copied(const std::vector<double>& values) {
  NewArray<double> out({values.size()}, 0.0);
  std::copy(values.begin(), values.end(), out.data);
  return out.array;
}

auto factor_of(const SparseGraph& p, std::size_t f) {
  if (f >= p.factors.size()) throw InputError("factor: there is no such one");
  const std::vector<SparseConfiguration>& all = p.factors[f];
  const std::size_t arity = all.empty() ? 0 : all[0].inputs.size();
  NewArray<std::int8_t> inputs({all.size(), arity}, 0);
  NewArray<double> probabilities({all.size()}, 0.0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::copy(all[k].inputs.begin(), all[k].inputs.end(), inputs.data + k * arity);
    probabilities.data[k] = all[k].probability;
  }
  return std::tuple(inputs.array, probabilities.array);
}

auto gradient_of(const SparseGraph& p, const FactorGraph& graph, const Doubles& gradient) {
  const Vector values = vector_of(gradient);
  const SparseGradient found = unlocked([&] {
    return sparsemap_gradient(graph, p, {values.data(), static_cast<std::size_t>(values.size())});
  });
  nb::list factors;
  for (const std::vector<double>& by_configuration : found.configurations) factors.append(copied(by_configuration));
  return std::tuple(copied(found.scores), factors);
}

}  // namespace

void bind_sparsemap(nb::module_& m) {
  nb::class_<SparseBatch>(m, "SparseBatch")
      .def("marginals",
           [](const SparseBatch& b) { return arcs_of(b, [&](std::size_t i) { return b.graphs[i].marginals; }); })
      .def("trees", trees_of)
      .def("report", report_of)
      .def("along", along_of);
  m.def("sparsemap", sparsemap_of, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  nb::class_<SparseGraph>(m, "SparseGraph")
      .def("report",
           [](const SparseGraph& p) { return std::tuple(to_string(p.status), p.iterations, p.residual, p.gap); })
      .def("marginals", [](const SparseGraph& p) { return copied(p.marginals); })
      .def("factor", factor_of)
      .def("gradient", gradient_of);
  m.def("lp_sparsemap", solve_graph);
}

}  // namespace kirchhoff::python
