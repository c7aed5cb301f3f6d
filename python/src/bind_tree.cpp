#include "batch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace kirchhoff::python {
namespace {

/// Log Z of every graph, and the marginals of unlabelled ones; a single graph keeps its distribution.
template <class D>
void solve(Batch<D>& batch) {
  constexpr bool kLabelled = std::is_same_v<D, LabelledTreeDistribution>;
  const std::size_t count = batch.size();
  const bool keep = kLabelled || count == 1;
  std::optional<NewArray<double>> marginals;
  if (!keep) marginals.emplace(batch.arc_shape(), 0.0);
  run(count, batch.threads, [&](std::size_t i) {
    naming(i, count, [&] {
      if (keep) {
        batch.log_partition[i] = batch[i].log_partition();
        return;
      }
      const D p = batch.make(i);
      batch.log_partition[i] = p.log_partition();
      put(p.marginals(), batch.nodes, batch.labels, marginals->data + i * batch.arcs());
    });
  });
  if (marginals) batch.marginals = std::move(marginals->array);
}

double log_prob(const TreeDistribution& p, const Gold& gold) { return p.log_prob(gold.heads); }
double log_prob(const LabelledTreeDistribution& p, const Gold& gold) { return p.log_prob(gold.heads, gold.labels); }

template <class D>
void bind_batch(nb::module_& m, const char* name) {
  BatchClass<D> c(m, name);
  c.def(
      "__init__",
      [](Batch<D>* self, const Doubles& scores, bool single, const std::optional<Ints>& lengths, int threads) {
        std::vector<int> words;
        for (std::size_t i = 0; i < scores.shape(0); ++i) words.push_back(words_of(lengths, i, scores.shape(1)));
        Batch<D> batch(scores, single ? Root::single : Root::multi, std::move(words), threads);
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
    return arc_arrays(b, 0.0, [&](std::size_t i) -> decltype(auto) { return b[i].marginals(); });
  });
  c.def("log_marginals", [](const Batch<D>& b) {
    return arc_arrays(b, -HUGE_VAL, [&](std::size_t i) { return b[i].log_marginals(); });
  });
  c.def("marginals_along", [](const Batch<D>& b, const Doubles& direction) {
    return arc_arrays(b, 0.0, [&](std::size_t i) {
      const D& p = b[i];
      return with_corner(direction, i, p.words(), &p, [&](const auto& along) { return p.marginals_along(along); });
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
