#include "batch.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace kirchhoff::python {
namespace {

template <class D>
Batch<D>* make(const Doubles& scores, bool single, const std::optional<Ints>& lengths, int threads) {
  auto batch = std::make_unique<Batch<D>>();
  const std::size_t count = scores.shape(0);
  batch->nodes = scores.shape(1);
  batch->labels = scores.ndim() == 4 ? scores.shape(3) : 0;
  batch->threads = threads;
  std::vector<std::optional<D>> made(count);
  run(count, threads, [&](std::size_t i) {
    naming(i, count, [&] {
      const int words = words_of(lengths, i, batch->nodes);
      made[i].emplace(corner(scores, i, words, static_cast<const D*>(nullptr)), single ? Root::single : Root::multi);
    });
  });
  batch->items.reserve(count);
  for (std::optional<D>& p : made) batch->items.push_back(std::move(*p));
  return batch.release();
}

double log_prob(const TreeDistribution& p, const Gold& gold) { return p.log_prob(gold.heads); }
double log_prob(const LabelledTreeDistribution& p, const Gold& gold) { return p.log_prob(gold.heads, gold.labels); }

template <class D>
void bind_batch(nb::module_& m, const char* name) {
  BatchClass<D> c(m, name);
  c.def(
      "__init__",
      [](Batch<D>* self, const Doubles& scores, bool single, std::optional<Ints> lengths, int threads) {
        std::unique_ptr<Batch<D>> made(make<D>(scores, single, lengths, threads));
        new (self) Batch<D>(std::move(*made));
      },
      nb::arg("scores"), nb::arg("single"), nb::arg("lengths").none(), nb::arg("threads"));
  c.def("log_partition",
        [](const Batch<D>& b) { return numbers(b, [&](std::size_t i) { return b.items[i].log_partition(); }); });
  c.def("log_count",
        [](const Batch<D>& b) { return numbers(b, [&](std::size_t i) { return b.items[i].log_count(); }); });
  c.def("marginals", [](const Batch<D>& b) {
    return arc_arrays(b, 0.0, [&](std::size_t i) -> decltype(auto) { return b.items[i].marginals(); });
  });
  c.def("log_marginals", [](const Batch<D>& b) {
    return arc_arrays(b, -HUGE_VAL, [&](std::size_t i) { return b.items[i].log_marginals(); });
  });
  c.def("marginals_along", [](const Batch<D>& b, const Doubles& direction) {
    return arc_arrays(b, 0.0, [&](std::size_t i) {
      const D& p = b.items[i];
      return p.marginals_along(corner(direction, i, p.words(), &p));
    });
  });
  c.def(
      "log_prob",
      [](const Batch<D>& b, const Ints& heads, const std::optional<Ints>& labels) {
        return numbers(
            b, [&](std::size_t i) { return log_prob(b.items[i], gold_of(heads, labels, i, b.items[i].words())); });
      },
      nb::arg("heads"), nb::arg("labels").none());
  c.def("constrained", [](const Batch<D>& b, const ArcLists& require, const ArcLists& forbid) {
    return arc_arrays(b, 0.0, [&](std::size_t i) {
      const D& p = b.items[i];
      decltype(constrained(p.scores(), p.root(), {})) scores;
      naming(i, b.size(), [&] { scores = constrained(p.scores(), p.root(), constraints_of(require, forbid, i)); });
      return scores;
    });
  });
  c.def("words", [](const Batch<D>& b) {
    NewArray<std::int64_t> out({b.size()}, 0);
    for (std::size_t i = 0; i < b.size(); ++i) out.data[i] = b.items[i].words();
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
