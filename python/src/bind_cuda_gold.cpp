// Binds kirchhoff/cuda_gold.hpp: given trees of graphs in the memory of a device, or of the host.
#include "device_arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <kirchhoff/cuda_gold.hpp>

#include <cstdint>
#include <string_view>

namespace kirchhoff::python {
namespace {

/// Heads and labels of a tree of each graph, (graphs, n+1).
cuda::GoldTrees gold_trees(const ArraysOfQuestion& arrays, std::string_view root, const ReadArray& heads,
                           const Maybe<ReadArray>& lengths, const Maybe<ReadArray>& labels) {
  const auto nodes = static_cast<std::size_t>(arrays.words()) + 1;
  return {
      .root = named<Root>(root, "root"),
      .graphs = arrays.graphs(),
      .words = arrays.words(),
      .labels = arrays.labels(),
      .lengths = arrays.numbers<const std::int32_t>(lengths, "lengths"),
      .heads = arrays.numbers<const std::int64_t>(heads, "heads", {nodes}),
      .tree_labels = arrays.numbers<const std::int64_t>(labels, "labels", {nodes}),
  };
}

void score_trees(const ReadArray& scores, std::string_view root, const ReadArray& heads, const WrittenArray& score,
                 const WrittenArray& wrong, std::uintptr_t stream, std::string_view executor,
                 const Maybe<ReadArray>& lengths, const Maybe<ReadArray>& labels) {
  const auto runs_on = named<cuda::Executor>(executor, "executor");
  const ArraysOfQuestion arrays(scores, runs_on);
  const cuda::GoldTrees trees = gold_trees(arrays, root, heads, lengths, labels);
  if (trees.graphs == 0) return;  // arrays of nothing may lie nowhere
  cuda::score_trees(trees, arrays.arcs(scores, "scores"), arrays.numbers<double>(score, "score"),
                    arrays.numbers<std::uint8_t>(wrong, "wrong"), {runs_on, reinterpret_cast<CUstream_st*>(stream)});
}

void subtract_from_trees(const WrittenArray& marginals, std::string_view root, const ReadArray& heads,
                         const ReadArray& factors, std::uintptr_t stream, std::string_view executor,
                         const Maybe<ReadArray>& lengths, const Maybe<ReadArray>& labels) {
  const auto runs_on = named<cuda::Executor>(executor, "executor");
  const ArraysOfQuestion arrays(marginals, runs_on);
  const cuda::GoldTrees trees = gold_trees(arrays, root, heads, lengths, labels);
  if (trees.graphs == 0) return;
  cuda::subtract_from_trees(trees, arrays.numbers<const double>(factors, "factors"),
                            arrays.arcs(marginals, "marginals"), {runs_on, reinterpret_cast<CUstream_st*>(stream)});
}

}  // namespace

void bind_cuda_gold(nb::module_& m) {
  m.def("cuda_score_trees", score_trees, nb::arg("scores"), nb::arg("root"), nb::arg("heads"), nb::arg("score"),
        nb::arg("wrong"), nb::arg("stream"), nb::arg("executor"), nb::kw_only(), nb::arg("lengths") = nb::none(),
        nb::arg("labels") = nb::none());
  m.def("cuda_subtract_from_trees", subtract_from_trees, nb::arg("marginals"), nb::arg("root"), nb::arg("heads"),
        nb::arg("factors"), nb::arg("stream"), nb::arg("executor"), nb::kw_only(), nb::arg("lengths") = nb::none(),
        nb::arg("labels") = nb::none());
}

}  // namespace kirchhoff::python
