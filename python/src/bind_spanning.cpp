// Binds kirchhoff/spanning.hpp: batches of spanning trees of undirected graphs, over NumPy arrays of scores.
#include "arrays.hpp"
#include "trees.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <kirchhoff/parallel.hpp>
#include <kirchhoff/spanning.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace kirchhoff::python {
namespace {

using Spanning = SpanningTreeDistribution;

/// The first `nodes` rows and columns of a matrix somewhere in an array, whose last two axes may have any stride.
Matrix part_of(const Doubles& array, std::ptrdiff_t offset, int nodes) {
  Matrix out(nodes, nodes);
  const std::size_t rows = array.ndim() - 2;
  for (int a = 0; a < nodes; ++a) {
    for (int b = 0; b < nodes; ++b) {
      out(a, b) = array.data()[offset + a * array.stride(rows) + b * array.stride(rows + 1)];
    }
  }
  return out;
}

/// Graphs in an array (batch, nodes, nodes), of which each may have fewer nodes. The Python side checks the shapes.
struct SpanningBatch {
  std::size_t nodes;  ///< the largest number
  int threads;
  std::vector<int> sizes;
  std::vector<std::optional<Spanning>> graphs;

  SpanningBatch(const Doubles& scores, const Ints& lengths, int threads_asked)
      : nodes(scores.shape(1)), threads(threads_asked), graphs(scores.shape(0)) {
    for (std::size_t i = 0; i < size(); ++i) sizes.push_back(int_of(lengths.data()[i], "lengths"));
    each([&](std::size_t i) { graphs[i].emplace(matrix(scores, i)); });
  }
  std::size_t size() const { return graphs.size(); }
  const Spanning& operator[](std::size_t i) const { return *graphs[i]; }
  Matrix matrix(const Doubles& array, std::size_t i) const {
    return part_of(array, static_cast<std::ptrdiff_t>(i) * array.stride(0), sizes[i]);
  }
  /// Functions (batch, functions, nodes, nodes) of graph i.
  std::vector<Matrix> matrices(const Doubles& array, std::size_t i) const {
    std::vector<Matrix> all;
    for (std::size_t f = 0; f < array.shape(1); ++f) {
      all.push_back(part_of(
          array, static_cast<std::ptrdiff_t>(i) * array.stride(0) + static_cast<std::ptrdiff_t>(f) * array.stride(1),
          sizes[i]));
    }
    return all;
  }

  /// Calls f(i) for every graph; an error names the graph where there are several.
  template <class F>
  void each(F f) const {
    run(size(), threads, [&](std::size_t i) { naming(i, size(), [&] { f(i); }); });
  }
  /// The same with f(i, stop), for work that takes long for a single graph; it ends early when stop() is true.
  template <class F>
  void each_until(F f) const {
    interruptible([&](const Stop& stop) {
      parallel_for(size(), threads, [&](std::size_t i) {
        naming(i, size(), [&] { f(i, stop); });
        if (stop()) throw Stopped();  // which ends the other threads' work
      });
      return 0;
    });
  }
  template <class F>
  NumpyArray<double> numbers(F f) const {
    NewArray<double> out({size()}, 0.0);
    each([&](std::size_t i) { out.data[i] = f((*this)[i], i); });
    return out.array;
  }
  void write(const Matrix& from, std::size_t i, double* out) const {
    for (Eigen::Index a = 0; a < from.rows(); ++a) {
      std::copy_n(from.row(a).data(), from.cols(), out + (i * nodes + static_cast<std::size_t>(a)) * nodes);
    }
  }
  /// An array of edges for every graph, `fill` beyond its nodes.
  template <class F>
  NumpyArray<double> arrays(F f, double fill = 0.0) const {
    NewArray<double> out({size(), nodes, nodes}, fill);
    each([&](std::size_t i) { write(f((*this)[i], i), i, out.data); });
    return out.array;
  }
  template <class F>
  std::pair<NumpyArray<double>, NumpyArray<double>> pairs(const SpanningBatch& q, F f) const {
    NewArray<double> of_p({size(), nodes, nodes}, 0.0), of_q({size(), nodes, nodes}, 0.0);
    each([&](std::size_t i) {
      const auto gradient = f((*this)[i], q[i]);
      write(gradient.p, i, of_p.data);
      write(gradient.q, i, of_q.data);
    });
    return {of_p.array, of_q.array};
  }
};

/// Trees as edges (batch, k, nodes - 1, 2), -1 where there are none, and their log-probabilities (batch, k).
struct NewSpanningTrees {
  std::size_t k, edges_each;
  NewArray<std::int64_t> edges;
  NewArray<double> log_prob;

  NewSpanningTrees(const SpanningBatch& b, std::size_t count)
      : k(count),
        edges_each(b.nodes - 1),
        edges({b.size(), count, b.nodes - 1, 2}, std::int64_t{-1}),
        log_prob({b.size(), count}, -HUGE_VAL) {}
  void write(std::size_t i, std::size_t at, const SpanningTree& tree) const {
    std::int64_t* to = edges.data + (i * k + at) * edges_each * 2;
    for (const Edge edge : tree.edges) {
      *to++ = edge.a;
      *to++ = edge.b;
    }
    log_prob.data[i * k + at] = tree.log_prob.value_or(-HUGE_VAL);
  }
  void write(std::size_t i, const std::vector<SpanningTree>& trees) const {
    for (std::size_t at = 0; at < trees.size(); ++at) write(i, at, trees[at]);
  }
  auto arrays() const { return std::tuple(edges.array, log_prob.array); }
};

std::size_t checked_count(int count, const char* name) {
  if (count < 0) throw InputError(std::string(name) + " is " + std::to_string(count) + ", expected 0 or more");
  return static_cast<std::size_t>(count);
}

void bind_search(nb::class_<SpanningBatch>& c) {
  using B = SpanningBatch;
  // Of trees, of which every graph has as many: those of graph i come before those of i + 1.
  c.def("log_prob", [](const B& b, const Ints& trees) {
    const std::size_t each = trees.shape(0) / b.size();
    const NewArray<double> out({trees.shape(0)}, 0.0);
    b.each([&](std::size_t i) {
      for (std::size_t at = i * each; at < (i + 1) * each; ++at) {
        const std::int64_t* from = trees.data() + at * (b.nodes - 1) * 2;
        std::vector<Edge> edges;
        for (int e = 1; e < b[i].nodes(); ++e, from += 2) {
          edges.push_back({int_of(from[0], "edges"), int_of(from[1], "edges")});
        }
        out.data[at] = b[i].log_prob(edges);
      }
    });
    return out.array;
  });
  c.def("argmax", [](const B& b, bool mbr) {
    const NewSpanningTrees out(b, 1);
    b.each([&](std::size_t i) { out.write(i, 0, mbr ? mbr_tree(b[i]) : best_tree(b[i])); });
    return out.arrays();
  });
  c.def("k_best", [](const B& b, int k) {
    const NewSpanningTrees out(b, checked_count(k, "k"));
    b.each_until([&](std::size_t i, const Stop& stop) { out.write(i, k_best_trees(b[i], k, stop)); });
    return out.arrays();
  });
  c.def("sample", [](const B& b, int count, std::uint64_t seed) {
    const NewSpanningTrees out(b, checked_count(count, "count"));
    b.each([&](std::size_t i) { out.write(i, sample_trees(b[i], count, {.seed = seed + i, .threads = 1})); });
    return out.arrays();
  });
  c.def("sample_without_replacement", [](const B& b, int k, std::uint64_t seed) {
    const NewSpanningTrees out(b, checked_count(k, "k"));
    const NewArray<double> perturbed({b.size(), out.k}, -HUGE_VAL), threshold({b.size()}, 0.0);
    b.each_until([&](std::size_t i, const Stop& stop) {
      const PerturbedSpanningTrees found = sample_without_replacement(b[i], k, {.seed = seed + i, .threads = 1}, stop);
      out.write(i, found.trees);
      std::ranges::copy(found.perturbed, perturbed.data + i * out.k);
      threshold.data[i] = found.threshold;
    });
    return std::tuple(out.edges.array, out.log_prob.array, perturbed.array, threshold.array);
  });
}

void bind_expectations(nb::class_<SpanningBatch>& c) {
  using B = SpanningBatch;
  using Functions = std::vector<Matrix>;
  c.def("marginals_along", [](const B& b, const Doubles& f) {
    return b.arrays([&](const Spanning& p, std::size_t i) { return p.marginals_along(b.matrix(f, i)); });
  });
  c.def("covariance_gradient", [](const B& b, const Doubles& r, const Doubles& s) {
    return b.arrays(
        [&](const Spanning& p, std::size_t i) { return covariance_gradient(p, b.matrix(r, i), b.matrix(s, i)); });
  });
  c.def("expectation", [](const B& b, const Doubles& f) {
    const NewArray<double> out({b.size(), f.shape(1)}, 0.0);
    b.each([&](std::size_t i) {
      const Vector mean = expectation(b[i], b.matrices(f, i));
      std::copy_n(mean.data(), mean.size(), out.data + i * f.shape(1));
    });
    return out.array;
  });
  const auto products = [](auto f) {
    return [f](const B& b, const Doubles& r, const Doubles& s) {
      const NewArray<double> out({b.size(), r.shape(1), s.shape(1)}, 0.0);
      b.each([&](std::size_t i) {
        const Matrix found = f(b[i], b.matrices(r, i), b.matrices(s, i));
        std::copy_n(found.data(), found.size(), out.data + i * r.shape(1) * s.shape(1));
      });
      return out.array;
    };
  };
  c.def("covariance",
        products([](const Spanning& p, const Functions& r, const Functions& s) { return covariance(p, r, s); }));
  c.def("second_order",
        products([](const Spanning& p, const Functions& r, const Functions& s) { return second_order(p, r, s); }));
  c.def("cumulants", [](const B& b, const Doubles& f, int order) {
    const std::size_t count = static_cast<std::size_t>(checked_order(order)) + 1;
    const NewArray<double> out({b.size(), count}, 0.0);
    b.each([&](std::size_t i) {
      const Vector kappa = cumulants(b[i], b.matrix(f, i), order);
      std::copy_n(kappa.data(), count, out.data + i * count);
    });
    return out.array;
  });
}

void bind_information(nb::class_<SpanningBatch>& c) {
  using B = SpanningBatch;
  c.def("entropy", [](const B& b) { return b.numbers([](const Spanning& p, std::size_t) { return entropy(p); }); });
  c.def("entropy_gradient",
        [](const B& b) { return b.arrays([](const Spanning& p, std::size_t) { return entropy_gradient(p); }); });
  c.def("renyi", [](const B& b, double alpha) {
    return b.numbers([&](const Spanning& p, std::size_t) { return renyi(p, alpha); });
  });
  c.def("renyi_gradient", [](const B& b, double alpha) {
    return b.arrays([&](const Spanning& p, std::size_t) { return renyi_gradient(p, alpha); });
  });
  c.def("cross_entropy", [](const B& b, const B& q) {
    return b.numbers([&](const Spanning& p, std::size_t i) { return cross_entropy(p, q[i]); });
  });
  c.def("cross_entropy_gradient", [](const B& b, const B& q) {
    return b.pairs(q, [](const Spanning& x, const Spanning& y) { return cross_entropy_gradient(x, y); });
  });
  c.def("kl", [](const B& b, const B& q) {
    return b.numbers([&](const Spanning& p, std::size_t i) { return kl(p, q[i]); });
  });
  c.def("kl_gradient", [](const B& b, const B& q) {
    return b.pairs(q, [](const Spanning& x, const Spanning& y) { return kl_gradient(x, y); });
  });
}

}  // namespace

void bind_spanning(nb::module_& m) {
  using B = SpanningBatch;
  nb::class_<B> c(m, "SpanningBatch");
  c.def(nb::init<const Doubles&, const Ints&, int>(), nb::arg("scores"), nb::arg("lengths"), nb::arg("threads"));
  c.def("log_partition",
        [](const B& b) { return b.numbers([](const Spanning& p, std::size_t) { return p.log_partition(); }); });
  c.def("log_count",
        [](const B& b) { return b.numbers([](const Spanning& p, std::size_t) { return p.log_count(); }); });
  c.def("marginals", [](const B& b) { return b.arrays([](const Spanning& p, std::size_t) { return p.marginals(); }); });
  c.def("log_marginals", [](const B& b) {
    return b.arrays([](const Spanning& p, std::size_t) { return p.log_marginals(); }, -HUGE_VAL);
  });
  c.def("methods", [](const B& b) {
    nb::list names;
    for (const auto& p : b.graphs) names.append(to_string(p->report().method));
    return names;
  });
  bind_search(c);
  bind_expectations(c);
  bind_information(c);
}

}  // namespace kirchhoff::python
