#include "batch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace kirchhoff::python {
namespace {

/// Log Z of every graph; a single graph keeps its distribution, and so do labelled ones.
template <class D>
void solve(Batch<D>& batch) {
  run(batch.size(), batch.threads,
      [&](std::size_t i) { naming(i, batch.size(), [&] { batch.log_partition[i] = batch[i].log_partition(); }); });
}

/// Several graphs: log Z and marginals, as batch_marginals does, from and to where they lie.
void solve(Batch<TreeDistribution>& batch) {
  if (batch.size() == 1) return solve<TreeDistribution>(batch);
  const NewArray<double> marginals(batch.arc_shape());
  run(batch.size(), batch.threads, [&](std::size_t i) {
    double* const out = marginals.data + i * batch.arcs();
    if (static_cast<std::size_t>(batch.words()[i]) + 1 < batch.nodes) std::fill_n(out, batch.arcs(), 0.0);
    naming(i, batch.size(), [&] { batch.log_partition[i] = batch.marginals_into(i, out); });
  });
  batch.marginals = marginals.array;
}

/// The marginals of one graph that is no batch, without a batch axis.
template <class D>
NumpyArray<double> alone(const Batch<D>& batch) {
  std::vector<std::size_t> shape = batch.arc_shape();
  shape.erase(shape.begin());
  const NewArray<double> out(shape);
  if (static_cast<std::size_t>(batch.words()[0]) + 1 < batch.nodes) std::fill_n(out.data, batch.arcs(), 0.0);
  put(batch[0].marginals(), batch.nodes, batch.labels, out.data);
  return out.array;
}

double log_prob(const TreeDistribution& p, const Gold& gold) { return p.log_prob(gold.heads); }
double log_prob(const LabelledTreeDistribution& p, const Gold& gold) { return p.log_prob(gold.heads, gold.labels); }

template <class D>
void bind_batch(nb::module_& m, const char* name) {
  BatchClass<D> c(m, name);
  c.def(
      "__init__",
      [](Batch<D>* self, const Doubles& scores, bool single, const std::optional<Ints>& lengths, int threads) {
        const bool batched = scores.ndim() == (std::is_same_v<D, LabelledTreeDistribution> ? 4 : 3);
        std::vector<int> words(batched ? scores.shape(0) : 1);
        for (std::size_t i = 0; i < words.size(); ++i) words[i] = words_of(lengths, i, scores.shape(batched ? 1 : 0));
        Batch<D> batch(scores, batched, single ? Root::single : Root::multi, std::move(words), threads);
        solve(batch);
        new (self) Batch<D>(std::move(batch));
      },
      nb::arg("scores"), nb::arg("single"), nb::arg("lengths").none(), nb::arg("threads"));
  c.def("log_partition", [](const Batch<D>& b) {
    NewArray<double> out({b.size()}, 0.0);
    std::copy(b.log_partition.begin(), b.log_partition.end(), out.data);
    return out.array;
  });
  c.def("first_log_partition", [](const Batch<D>& b) { return b.log_partition.at(0); });
  c.def("log_count", [](const Batch<D>& b) { return numbers(b, [&](std::size_t i) { return b[i].log_count(); }); });
  c.def("marginals", [](const Batch<D>& b) {
    if (b.marginals) return *std::exchange(b.marginals, std::nullopt);
    if (!b.batched) return alone(b);
    return arc_arrays(b, 0.0, [&](std::size_t i) -> decltype(auto) { return b[i].marginals(); });
  });
  c.def("log_marginals", [](const Batch<D>& b) {
    return arc_arrays(b, -HUGE_VAL, [&](std::size_t i) { return b[i].log_marginals(); });
  });
  c.def("marginals_along", [](const Batch<D>& b, const Doubles& direction) {
    return arc_arrays(b, 0.0, [&](std::size_t i) {
      const D& p = b[i];
      return with_corner(part_of(direction, i), p.words(), &p,
                         [&](const auto& along) { return p.marginals_along(along); });
    });
  });
  c.def(
      "log_prob",
      [](const Batch<D>& b, const Ints& heads, const std::optional<Ints>& labels) {
        return numbers(b, [&](std::size_t i) { return log_prob(b[i], gold_of(heads, labels, i, b[i].words())); });
      },
      nb::arg("heads"), nb::arg("labels").none());
  c.def("constrained", [](const Batch<D>& b, const ArcLists& require, const ArcLists& forbid) {
    return arc_arrays(b, 0.0, [&](std::size_t i) {
      const D& p = b[i];
      decltype(constrained(p.scores(), p.root(), {})) scores;
      naming(i, b.size(), [&] { scores = constrained(p.scores(), p.root(), constraints_of(require, forbid, i)); });
      return scores;
    });
  });
  c.def("words", [](const Batch<D>& b) {
    NewArray<std::int64_t> out({b.size()}, 0);
    std::copy(b.words().begin(), b.words().end(), out.data);
    return out.array;
  });
  bind_expectation(c);
  bind_decode(c);
  bind_sample(c);
}

}  // namespace

void bind_tree(nb::module_& m) {
  bind_batch<TreeDistribution>(m, "TreeBatch");
  bind_batch<LabelledTreeDistribution>(m, "LabelledBatch");
}

}  // namespace kirchhoff::python
