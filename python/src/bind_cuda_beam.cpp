// Binds kirchhoff/cuda_beam.hpp: trees without replacement of graphs in the memory of a device, or of the host.
#include "device_arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <kirchhoff/cuda_beam.hpp>

#include <cstdint>
#include <string_view>

namespace kirchhoff::python {
namespace {

void beam_sample(const ReadArray& scores, std::string_view root, const WrittenArray& status, std::uintptr_t stream,
                 std::string_view executor, const WrittenArray& heads, const WrittenArray& log_prob,
                 const WrittenArray& perturbed, const WrittenArray& threshold, int trees, std::uint64_t seed,
                 const Maybe<ReadArray>& lengths) {
  const auto runs_on = named<cuda::Executor>(executor, "executor");
  const ArraysOfQuestion arrays(scores, runs_on);
  if (arrays.labels() > 1) throw InputError("scores: labels are for the CPU");
  if (trees < 0) throw InputError("k: " + std::to_string(trees) + " trees");
  const auto k = static_cast<std::size_t>(trees), nodes = static_cast<std::size_t>(arrays.words()) + 1;
  const cuda::BeamQuestion question{
      .root = named<Root>(root, "root"),
      .graphs = arrays.graphs(),
      .words = arrays.words(),
      .lengths = arrays.numbers<const std::int32_t>(lengths, "lengths"),
      .scores = arrays.arcs(scores, "scores"),
      .trees = trees,
      .seed = seed,
      .heads = arrays.numbers<std::int32_t>(heads, "heads", {k, nodes}),
      .log_prob = arrays.numbers<double>(log_prob, "log_prob", {k}),
      .perturbed = arrays.numbers<double>(perturbed, "perturbed", {k}),
      .threshold = arrays.numbers<double>(threshold, "threshold"),
      .status = reinterpret_cast<cuda::GraphStatus*>(arrays.numbers<std::uint8_t>(status, "status")),
  };
  if (question.graphs == 0) return;  // arrays of nothing may lie nowhere
  nb::gil_scoped_release unlocked;
  cuda::beam_sample(question, {runs_on, reinterpret_cast<CUstream_st*>(stream)});
}

}  // namespace

void bind_cuda_beam(nb::module_& m) {
  m.def("cuda_beam_sample", beam_sample, nb::arg("scores"), nb::arg("root"), nb::arg("status"), nb::arg("stream"),
        nb::arg("executor"), nb::kw_only(), nb::arg("heads"), nb::arg("log_prob"), nb::arg("perturbed"),
        nb::arg("threshold"), nb::arg("trees"), nb::arg("seed"), nb::arg("lengths") = nb::none());
}

}  // namespace kirchhoff::python
