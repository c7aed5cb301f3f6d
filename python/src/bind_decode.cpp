// Binds kirchhoff/decode.hpp: the best trees of batches, and of scores alone.
#include "batch.hpp"
#include "names.hpp"
#include "trees.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace kirchhoff::python {
namespace {

/// Writes the trees of graph i, unless Ctrl-C has ended the list.
void write_trees(const std::vector<Tree>& trees, std::size_t i, Interrupt& interrupt, TreeArrays& out) {
  interrupt.check();
  for (std::size_t t = 0; t < trees.size(); ++t) out.set(i, t, trees[t]);
}

/// Finds the k best trees of the scores alone, without a distribution.
template <class D>
auto decode(ArraysArgument argument, std::string_view root, const std::optional<Ints>& lengths, int k,
            const ArcLists& require, const ArcLists& forbid, int threads) {
  const GraphArrays scores(std::move(argument), Batch<D>::kAxes);
  const std::size_t count = scores.size();
  TreeArrays out(count, static_cast<std::size_t>(std::max(k, 0)), largest(scores));
  const Root mode = named<Root>(root, "root");
  Interrupt interrupt;
  run(count, threads, [&](std::size_t i) {
    naming(i, count, [&] {
      const auto k_best = [&](const auto& graph) {
        const Constraints constraints = constraints_of(require, forbid, i);
        if constexpr (kProjective<D>) {
          return k_best_projective_trees(graph, mode, k, constraints, std::ref(interrupt));
        } else {
          return k_best_trees(graph, mode, k, constraints, std::ref(interrupt));
        }
      };
      const GraphView graph = graph_in(scores[i], words_of(lengths, i, scores[i].shape[0]));
      write_trees(with_scores<D>(graph, k_best), i, interrupt, out);
    });
  });
  return std::tuple(out.heads.array, out.labels.array, out.log_prob.array);
}

}  // namespace

void bind_decoding(nb::module_& m) {
  const auto bind = [&](const char* name, auto function) {
    m.def(name, function, nb::arg(), nb::arg(), nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
  };
  bind("decode", decode<TreeDistribution>);
  bind("decode_labelled", decode<LabelledTreeDistribution>);
  bind("decode_projective", decode<ProjectiveTreeDistribution>);
  bind("decode_labelled_projective", decode<LabelledProjectiveTreeDistribution>);
}

template <class D>
void bind_decode(BatchClass<D>& c) {
  using B = Batch<D>;
  c.def("k_best", [](const B& b, int k) {
    TreeArrays out(b.size(), static_cast<std::size_t>(std::max(k, 0)), b.nodes);
    Interrupt interrupt;
    run(b.size(), b.threads(),
        [&](std::size_t i) { write_trees(k_best_trees(b[i], k, std::ref(interrupt)), i, interrupt, out); });
    return std::tuple(out.heads.array, out.labels.array, out.log_prob.array);
  });
  c.def("argmax", [](const B& b, bool mbr) {
    TreeArrays out(b.size(), 1, b.nodes);
    run(b.size(), b.threads(), [&](std::size_t i) { out.set(i, 0, mbr ? mbr_tree(b[i]) : best_tree(b[i])); });
    return std::tuple(out.heads.array, out.labels.array, out.log_prob.array);
  });
}

template void bind_decode(BatchClass<TreeDistribution>&);
template void bind_decode(BatchClass<LabelledTreeDistribution>&);
template void bind_decode(BatchClass<ProjectiveTreeDistribution>&);
template void bind_decode(BatchClass<LabelledProjectiveTreeDistribution>&);

}  // namespace kirchhoff::python
