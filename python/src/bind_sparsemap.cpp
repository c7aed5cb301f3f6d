// Binds kirchhoff/sparsemap.hpp: sparse mixtures of trees in batches, and those of factor graphs.
#include "batch.hpp"
#include "names.hpp"
#include "scored_rows.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/sparsemap.hpp>

namespace kirchhoff::python {
namespace {

/// Mixtures for the graphs of a batch, padded to the largest of them. D is TreeDistribution or
/// LabelledTreeDistribution.
template <class D>
struct SparseBatch {
  static constexpr bool kLabelled = kHasLabels<D>;
  std::vector<SparseTreesOf<Array<D>>> graphs;
  std::size_t nodes = 0;
  std::size_t labels = 1;
  int threads = kAllCores;
};

int words_in(const Matrix& arcs) { return static_cast<int>(arcs.rows()) - 1; }
int words_in(const LabelledMatrix& arcs) { return arcs.words(); }

template <class D>
SparseBatch<D> sparsemap_of(ArraysArgument argument, std::string_view root, const std::optional<Ints>& lengths,
                            double tolerance, int max_iterations, int threads) {
  constexpr std::size_t kAxes = SparseBatch<D>::kLabelled ? 3 : 2;
  const GraphArrays scores(std::move(argument), kAxes);
  SparseBatch<D> batch;
  batch.graphs.resize(scores.size());
  batch.nodes = largest(scores);
  if (kAxes == 3) batch.labels = scores.extent(2);
  batch.threads = threads;
  const Root mode = named<Root>(root, "root");
  Interrupt interrupt;
  const SparseMapOptions options{tolerance, max_iterations, std::ref(interrupt)};
  run(scores.size(), threads, [&](std::size_t i) {
    naming(i, scores.size(), [&] {
      const GraphView graph = graph_in(scores[i], words_of(lengths, i, scores[i].shape[0]));
      batch.graphs[i] = with_scores<D>(graph, [&](const auto& s) { return sparsemap(s, mode, options); });
    });
  });
  interrupt.rethrow();
  return batch;
}

/// (batch, nodes, nodes[, labels]), with zeros as padding; f(i) is the array of graph i.
template <class D, class F>
NumpyArray<double> arcs_of(const SparseBatch<D>& batch, F f) {
  std::vector<std::size_t> shape{batch.graphs.size(), batch.nodes, batch.nodes};
  if (SparseBatch<D>::kLabelled) shape.push_back(batch.labels);
  NewArray<double> out(shape, 0.0);
  run(batch.graphs.size(), batch.threads, [&](std::size_t i) {
    const Array<D> values = f(i);
    const std::size_t rows = static_cast<std::size_t>(words_in(values)) + 1;
    for (std::size_t h = 0; h < rows; ++h) {
      std::copy_n(values.data() + h * rows * batch.labels, rows * batch.labels,
                  out.data + (i * batch.nodes + h) * batch.nodes * batch.labels);
    }
  });
  return out.array;
}

/// Heads and labels (batch, most trees, nodes), filled up with -1, and probabilities (batch, most trees), with 0.
template <class D>
auto trees_of(const SparseBatch<D>& batch) {
  std::size_t most = 0;
  for (const auto& p : batch.graphs) most = std::max(most, p.trees.size());
  NewArray<std::int64_t> heads({batch.graphs.size(), most, batch.nodes}, -1);
  NewArray<std::int64_t> labels({batch.graphs.size(), SparseBatch<D>::kLabelled ? most : 0, batch.nodes}, -1);
  NewArray<double> probabilities({batch.graphs.size(), most}, 0.0);
  for (std::size_t i = 0; i < batch.graphs.size(); ++i) {
    const auto& p = batch.graphs[i];
    for (std::size_t k = 0; k < p.trees.size(); ++k) {
      std::copy(p.trees[k].begin(), p.trees[k].end(), heads.data + (i * most + k) * batch.nodes);
      probabilities.data[i * most + k] = p.probabilities[k];
      if (SparseBatch<D>::kLabelled) {
        std::copy(p.labels[k].begin(), p.labels[k].end(), labels.data + (i * most + k) * batch.nodes);
      }
    }
  }
  return std::tuple(heads.array, labels.array, probabilities.array);
}

/// Iterations, gaps, and whether each graph's mixture converged.
template <class D>
auto report_of(const SparseBatch<D>& batch) {
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

template <class D>
NumpyArray<double> along_of(const SparseBatch<D>& batch, ArraysArgument argument) {
  const GraphArrays directions(std::move(argument), SparseBatch<D>::kLabelled ? 3 : 2);
  if (directions.size() != batch.graphs.size() || largest(directions) != batch.nodes) {
    throw InputError("direction: not of the shape of the scores");
  }
  return arcs_of(batch, [&](std::size_t i) {
    const GraphView view = graph_in(directions[i], words_in(batch.graphs[i].marginals));
    const auto along = [&](const auto& direction) { return marginals_along(batch.graphs[i], direction); };
    return with_scores<D>(view, along);
  });
}

template <class D>
void bind_trees(nb::module_& m, const char* type, const char* function) {
  using Batch = SparseBatch<D>;
  nb::class_<Batch>(m, type)
      .def("marginals", [](const Batch& b) { return arcs_of(b, [&](std::size_t i) { return b.graphs[i].marginals; }); })
      .def("trees", trees_of<D>)
      .def("report", report_of<D>)
      .def("along", along_of<D>);
  m.def(function, sparsemap_of<D>, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
}

/// What LP-SparseMAP finds for rows of scores of one graph, which stays in C++ for derivatives.
struct SparseGraphs {
  ScoredRows rows;
  std::vector<SparseGraph> found;
  int threads = kAllCores;
};

SparseGraphs solve_graphs(const ScoredRows& rows, double tolerance, int max_iterations, int threads) {
  SparseGraphs result{rows, std::vector<SparseGraph>(rows.size()), threads};
  Interrupt interrupt;
  const LpSparseMapOptions options{tolerance, max_iterations, std::ref(interrupt)};
  run(rows.size(), threads,
      [&](std::size_t i) { naming(i, rows.size(), [&] { result.found[i] = lp_sparsemap(rows[i], options); }); });
  interrupt.rethrow();
  return result;
}

auto reports_of(const SparseGraphs& p) {
  std::vector<std::tuple<std::string_view, int, double, double>> all;
  for (const SparseGraph& g : p.found) all.emplace_back(to_string(g.status), g.iterations, g.residual, g.gap);
  return all;
}

/// (rows, variables); a row without a solution has zeros.
NumpyArray<double> marginals_of(const SparseGraphs& p) {
  NewArray<double> out({p.rows.size(), p.rows.variables()}, 0.0);
  for (std::size_t i = 0; i < p.found.size(); ++i) {
    std::copy(p.found[i].marginals.begin(), p.found[i].marginals.end(), out.data + i * p.rows.variables());
  }
  return out.array;
}

auto factor_of(const SparseGraphs& p, std::size_t i, std::size_t f) {
  if (i >= p.found.size() || f >= p.found[i].factors.size()) throw InputError("factor: there is no such one");
  const FactorPosterior& mixture = p.found[i].factors[f];
  const std::size_t arity = mixture.inputs.size();
  NewArray<std::int8_t> inputs({mixture.weights.size(), arity}, 0);
  NewArray<double> probabilities({mixture.weights.size()}, 0.0);
  for (std::size_t k = 0; k < mixture.weights.size(); ++k) {
    std::copy(mixture.configurations[k].begin(), mixture.configurations[k].end(), inputs.data + k * arity);
    probabilities.data[k] = mixture.weights[k];
  }
  return std::tuple(inputs.array, probabilities.array);
}

/// By the scores of variables and of factors, as they are laid out, from the gradient by the marginals.
auto gradients_of(const SparseGraphs& p, const DoubleRows& gradient) {
  const std::size_t variables = p.rows.variables();
  if (gradient.shape(0) != p.rows.size() || gradient.shape(1) != variables) {
    throw InputError("gradient: not of the shape of the marginals");
  }
  NewArray<double> by_variable({p.rows.size(), variables}, 0.0), by_factor({p.rows.size(), p.rows.total()}, 0.0);
  run(p.rows.size(), p.threads, [&](std::size_t i) {
    const GraphScores found = gradient_by_scores(p.rows[i], p.found[i], {gradient.data() + i * variables, variables});
    std::copy(found.variables.begin(), found.variables.end(), by_variable.data + i * variables);
    p.rows.write(found.factors, i, by_factor.data);
  });
  return std::tuple(by_variable.array, by_factor.array);
}

/// How the marginals move when the scores of variables and of factors, as they are laid out, do.
NumpyArray<double> moves_of(const SparseGraphs& p, const DoubleRows& by_variable, const DoubleRows& by_factor) {
  const std::size_t variables = p.rows.variables();
  if (by_variable.shape(0) != p.rows.size() || by_variable.shape(1) != variables ||
      by_factor.shape(0) != p.rows.size() || by_factor.shape(1) != p.rows.total()) {
    throw InputError("direction: not of the shape of the scores");
  }
  NewArray<double> out({p.rows.size(), variables}, 0.0);
  run(p.rows.size(), p.threads, [&](std::size_t i) {
    const double* const own = by_variable.data() + i * variables;
    const GraphScores direction{{own, own + variables}, p.rows.read(by_factor.data(), i)};
    const std::vector<double> moves = marginals_along(p.rows[i], p.found[i], direction);
    std::copy(moves.begin(), moves.end(), out.data + i * variables);
  });
  return out.array;
}

}  // namespace

void bind_sparsemap(nb::module_& m) {
  bind_trees<TreeDistribution>(m, "SparseBatch", "sparsemap");
  bind_trees<LabelledTreeDistribution>(m, "LabelledSparseBatch", "labelled_sparsemap");
  nb::class_<SparseGraphs>(m, "SparseGraphs")
      .def("reports", reports_of)
      .def("marginals", marginals_of)
      .def("factor", factor_of)
      .def("gradients", gradients_of)
      .def("moves", moves_of);
  m.def("lp_sparsemaps", solve_graphs);
}

}  // namespace kirchhoff::python
