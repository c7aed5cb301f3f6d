// Binds kirchhoff/cuda_trees.hpp: trees of graphs in the memory of a device, or of the host.
#include "device_arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <kirchhoff/cuda_trees.hpp>

#include <cstdint>
#include <string_view>

namespace kirchhoff::python {
namespace {

/// The arrays of a question about some trees of each graph: heads and labels are (graphs, trees, n+1).
struct TreesAsked {
  const ReadArray& scores;
  const Maybe<ReadArray>& lengths;
  const WrittenArray& status;
  const WrittenArray& heads;
  const Maybe<WrittenArray>& labels;
  const Maybe<WrittenArray>& score;

  cuda::TreeQuestion question(std::string_view root, cuda::Executor executor, std::size_t trees) const {
    const ArraysOfQuestion arrays(scores, executor);
    const auto nodes = static_cast<std::size_t>(arrays.words()) + 1;
    return {
        .root = named<Root>(root, "root"),
        .graphs = arrays.graphs(),
        .words = arrays.words(),
        .labels = arrays.labels(),
        .lengths = arrays.numbers<const std::int32_t>(lengths, "lengths"),
        .scores = arrays.arcs(scores, "scores"),
        .heads = arrays.numbers<std::int32_t>(heads, "heads", {trees, nodes}),
        .tree_labels = arrays.numbers<std::int32_t>(labels, "labels", {trees, nodes}),
        .score = arrays.numbers<double>(score, "score", {trees}),
        .status = reinterpret_cast<cuda::GraphStatus*>(arrays.numbers<std::uint8_t>(status, "status")),
    };
  }
};

cuda::Execution execution_of(std::string_view executor, std::uintptr_t stream) {
  return {named<cuda::Executor>(executor, "executor"), reinterpret_cast<CUstream_st*>(stream)};
}

void find_best_trees(const ReadArray& scores, std::string_view root, const WrittenArray& status, std::uintptr_t stream,
                     std::string_view executor, const WrittenArray& heads, const Maybe<ReadArray>& lengths,
                     const Maybe<WrittenArray>& labels, const Maybe<WrittenArray>& score) {
  const cuda::Execution execution = execution_of(executor, stream);
  const TreesAsked asked{scores, lengths, status, heads, labels, score};
  const cuda::TreeQuestion question = asked.question(root, execution.executor, 1);
  if (question.graphs == 0) return;  // arrays of nothing may lie nowhere
  nb::gil_scoped_release unlocked;
  cuda::best_trees(question, execution);
}

void draw_sample_trees(const ReadArray& scores, std::string_view root, const WrittenArray& status,
                       std::uintptr_t stream, std::string_view executor, const WrittenArray& heads, int count,
                       std::uint64_t seed, std::string_view method, const Maybe<ReadArray>& lengths,
                       const Maybe<WrittenArray>& labels, const Maybe<WrittenArray>& score) {
  const cuda::Execution execution = execution_of(executor, stream);
  const cuda::TreeDraws draws{count, seed, named<Sampler>(method, "method")};
  const TreesAsked asked{scores, lengths, status, heads, labels, score};
  const cuda::TreeQuestion question = asked.question(root, execution.executor, static_cast<std::size_t>(count));
  nb::gil_scoped_release unlocked;
  cuda::sample_trees(question, draws, execution);
}

}  // namespace

void bind_cuda_trees(nb::module_& m) {
  m.def("cuda_best_trees", find_best_trees, nb::arg("scores"), nb::arg("root"), nb::arg("status"), nb::arg("stream"),
        nb::arg("executor"), nb::kw_only(), nb::arg("heads"), nb::arg("lengths") = nb::none(),
        nb::arg("labels") = nb::none(), nb::arg("score") = nb::none());
  m.def("cuda_sample_trees", draw_sample_trees, nb::arg("scores"), nb::arg("root"), nb::arg("status"),
        nb::arg("stream"), nb::arg("executor"), nb::kw_only(), nb::arg("heads"), nb::arg("count"), nb::arg("seed"),
        nb::arg("method"), nb::arg("lengths") = nb::none(), nb::arg("labels") = nb::none(),
        nb::arg("score") = nb::none());
}

}  // namespace kirchhoff::python
