#include "batch.hpp"

#include <nanobind/stl/tuple.h>
#include <kirchhoff/decode.hpp>

namespace kirchhoff::python {

template <class D>
void bind_decode(BatchClass<D>& c) {
  using B = Batch<D>;
  c.def("topk", [](const B& b, int k) {
    TreeArrays out(b.size(), static_cast<std::size_t>(std::max(k, 0)), b.nodes);
    run(b.size(), b.threads, [&](std::size_t i) {
      const std::vector<Tree> trees = k_best_trees(b.items[i], k);
      for (std::size_t t = 0; t < trees.size(); ++t) out.set(i, t, trees[t]);
    });
    return std::tuple(out.heads.array, out.labels.array, out.log_prob.array);
  });
  c.def("argmax", [](const B& b, bool mbr) {
    TreeArrays out(b.size(), 1, b.nodes);
    run(b.size(), b.threads, [&](std::size_t i) { out.set(i, 0, mbr ? mbr_tree(b.items[i]) : best_tree(b.items[i])); });
    return std::tuple(out.heads.array, out.labels.array, out.log_prob.array);
  });
}

template void bind_decode(BatchClass<TreeDistribution>&);
template void bind_decode(BatchClass<LabelledTreeDistribution>&);

}  // namespace kirchhoff::python
