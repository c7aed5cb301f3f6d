// Binds kirchhoff/tree.hpp and kirchhoff/tree_batch.hpp: batches of distributions and what they answer themselves.
#include "batch.hpp"
#include "names.hpp"
#include "trees.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace kirchhoff::python {
namespace {

/// Computes log Z and marginals of every graph. The first graph without a tree is an error here.
template <class D>
void solve(const Batch<D>& batch) {
  over_graphs(batch, [&](const Stop& stop) {
    batch.graphs.solve(stop);
    return true;
  });
  if (batch.graphs.infeasible().empty()) return;
  const InfeasibleGraph& first = batch.graphs.infeasible()[0];
  naming(first.graph, batch.size(), [&] { throw Infeasible(first.message); });
}

/// Returns the batch's own marginals, which cannot be written to. An array of one graph has no batch axis.
template <class D>
NumpyArray<const double> marginals(nb::pointer_and_handle<Batch<D>> self) {
  const Batch<D>& batch = *self.p;
  const std::vector<std::size_t> shape = batch.arc_shape();
  const std::size_t axes = batch.scores.is_batch() ? 0 : 1;
  return {batch.graphs.marginals().data(), shape.size() - axes, shape.data() + axes, self.h};
}

template <class D>
double log_prob(const D& p, const Gold& gold) {
  if constexpr (kHasLabels<D>) {
    return p.log_prob(gold.heads, gold.labels);
  } else {
    return p.log_prob(gold.heads);
  }
}

/// Writes a table of the pairs of arcs of a graph to an array for one with more nodes.
void write_pairs(const Matrix& pairs, std::size_t own, std::size_t nodes, double* out) {
  for (std::size_t a = 0; a < own * own; ++a) {
    double* row = out + (a / own * nodes + a % own) * nodes * nodes;
    for (std::size_t head = 0; head < own; ++head) {
      std::copy_n(pairs.data() + a * own * own + head * own, own, row + head * nodes);
    }
  }
}

template <class D>
void bind_batch(nb::module_& m, const char* name) {
  BatchClass<D> c(m, name);
  c.def(
      "__init__",
      [](Batch<D>* self, ArraysArgument scores, std::string_view root, const std::optional<Ints>& lengths, int threads,
         std::string_view method, double tolerance, double floor) {
        const Accuracy accuracy{named<Method>(method, "accuracy.method"), tolerance, floor};
        Batch<D> batch(std::move(scores), named<Root>(root, "root"), lengths, threads, accuracy);
        solve(batch);
        new (self) Batch<D>(std::move(batch));
      },
      nb::arg("scores"), nb::arg("root"), nb::arg("lengths").none(), nb::arg("threads"),
      nb::arg("method") = to_string(Accuracy().method), nb::arg("tolerance") = Accuracy().tolerance,
      nb::arg("floor") = Accuracy().floor);
  c.def("methods", [](const Batch<D>& b) {
    nb::list names;
    for (const Report& report : b.graphs.reports()) names.append(to_string(report.method));
    return names;
  });
  c.def("log_partition", [](const Batch<D>& b) {
    NewArray<double> out({b.size()});
    std::ranges::copy(b.graphs.log_partition(), out.data);
    return out.array;
  });
  c.def("first_log_partition", [](const Batch<D>& b) { return b.graphs.log_partition()[0]; });
  c.def("log_count", [](const Batch<D>& b) { return numbers(b, [&](std::size_t i) { return b[i].log_count(); }); });
  c.def("marginals", marginals<D>);
  c.def("log_marginals", [](const Batch<D>& b) {
    return arc_arrays(b, -HUGE_VAL, [&](std::size_t i) { return b[i].log_marginals(); });
  });
  c.def("marginals_along", [](const Batch<D>& b, ArraysArgument direction) {
    const GraphArrays directions(std::move(direction), b.kAxes);
    std::vector<GraphView> views;
    for (std::size_t i = 0; i < b.size(); ++i) views.push_back(graph_in(directions[i], b.graphs.words(i)));
    const NewArray<double> out(b.arc_shape());
    over_graphs(b, [&](const Stop& stop) {
      b.graphs.marginals_along(views, {out.data, out.array.size()}, stop);
      return 0;
    });
    return out.array;
  });
  c.def(
      "log_prob",
      [](const Batch<D>& b, const Ints& heads, const std::optional<Ints>& labels) {
        return row_numbers(b, heads, [&](std::size_t i, std::size_t row) {
          return log_prob(b[i], gold_of(heads, labels, row, b[i].words()));
        });
      },
      nb::arg("heads"), nb::arg("labels").none());
  c.def("constrained", [](const Batch<D>& b, const ArcLists& require, const ArcLists& forbid) {
    return arc_arrays(b, 0.0, [&](std::size_t i) {
      const D& p = b[i];
      Array<D> scores;
      naming(i, b.size(), [&] { scores = constrained(p.scores(), p.root(), constraints_of(require, forbid, i)); });
      return scores;
    });
  });
  c.def("pair_marginals", [](const Batch<D>& b, int max_words) {
    const std::size_t arcs = b.nodes * b.nodes;
    const NewArray<double> out({b.size(), arcs, arcs}, 0.0);
    run(b.size(), b.threads(), [&](std::size_t i) {
      const Matrix pairs = [&] {
        if constexpr (kHasLabels<D>) {
          return b[i].tree().pair_marginals(max_words);
        } else {
          return b[i].pair_marginals(max_words);
        }
      }();
      write_pairs(pairs, b[i].words() + std::size_t{1}, b.nodes, out.data + i * arcs * arcs);
    });
    return out.array;
  });
  c.def("nodes", [](const Batch<D>& b) { return b.nodes; });
  c.def("words", [](const Batch<D>& b) {
    NewArray<std::int64_t> out({b.size()});
    for (std::size_t i = 0; i < b.size(); ++i) out.data[i] = b.graphs.words(i);
    return out.array;
  });
  if constexpr (!kProjective<D>) {
    c.def("log_projective_mass",
          [](const Batch<D>& b) { return numbers(b, [&](std::size_t i) { return log_projective_mass(b[i]); }); });
  }
  bind_expectation(c);
  bind_objectives(c);
  bind_decode(c);
  bind_sample(c);
  bind_lists(c);
}

/// Throws unless row i of the heads, and of the labels, is a tree of graph i; lengths are those of the graphs.
void check_trees(const Ints& heads, const std::optional<Ints>& labels, std::string_view root, const Ints& lengths,
                 int label_count) {
  const Root mode = named<Root>(root, "root");
  const std::size_t count = heads.shape(0);
  for (std::size_t i = 0; i < count; ++i) {
    naming(i, count, [&] {
      const int words = words_of(lengths, i, heads.shape(1));
      check_tree(row_of(heads, i, words), words, mode, "heads");
      for (int d = 1; labels && d <= words; ++d) {
        const std::int64_t label = labels->data()[i * labels->shape(1) + d];
        if (label < 0 || label >= label_count) {
          throw InputError("labels[" + std::to_string(d) + "] is " + std::to_string(label) + ", expected 0 to " +
                           std::to_string(label_count - 1));
        }
      }
    });
  }
}

}  // namespace

void bind_tree(nb::module_& m) {
  m.def("check_trees", check_trees, nb::arg("heads"), nb::arg("labels").none(), nb::arg("root"), nb::arg("lengths"),
        nb::arg("label_count"));
  bind_batch<TreeDistribution>(m, "TreeBatch");
  bind_batch<LabelledTreeDistribution>(m, "LabelledBatch");
  bind_batch<ProjectiveTreeDistribution>(m, "ProjectiveBatch");
  bind_batch<LabelledProjectiveTreeDistribution>(m, "LabelledProjectiveBatch");
  m.def("is_projective", [](const std::vector<int>& heads) { return is_projective(heads); });
}

}  // namespace kirchhoff::python
