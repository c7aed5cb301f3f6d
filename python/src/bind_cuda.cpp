// Binds kirchhoff/cuda.hpp: questions about arrays in the memory of a device, or of the host, that are not copied.
#include "device_arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <kirchhoff/cuda.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace kirchhoff::python {
namespace {

void answer(const ReadArray& scores, std::string_view root, const WrittenArray& status, std::uintptr_t stream,
            std::string_view executor, const Maybe<ReadArray>& lengths, const Maybe<WrittenArray>& log_partition,
            const Maybe<WrittenArray>& entropy, const Maybe<WrittenArray>& marginals, const Maybe<ReadArray>& direction,
            double score_share, const Maybe<WrittenArray>& expectation, const Maybe<WrittenArray>& derivatives,
            std::string_view method, double tolerance, double floor) {
  const auto runs_on = named<cuda::Executor>(executor, "executor");
  const ArraysOfQuestion arrays(scores, runs_on);
  const cuda::BatchQuestion question{
      .root = named<Root>(root, "root"),
      .graphs = arrays.graphs(),
      .words = arrays.words(),
      .labels = arrays.labels(),
      .lengths = arrays.numbers<const std::int32_t>(lengths, "lengths"),
      .scores = arrays.arcs(scores, "scores"),
      .accuracy = {named<Method>(method, "accuracy.method"), tolerance, floor},
      .log_partition = arrays.numbers<double>(log_partition, "log_partition"),
      .entropy = arrays.numbers<double>(entropy, "entropy"),
      .marginals = arrays.arcs(marginals, "marginals"),
      .direction = arrays.arcs(direction, "direction"),
      .score_share = score_share,
      .expectation = arrays.numbers<double>(expectation, "expectation"),
      .derivatives = arrays.arcs(derivatives, "derivatives"),
      .status = reinterpret_cast<cuda::GraphStatus*>(arrays.numbers<std::uint8_t>(status, "status")),
  };
  if (question.graphs == 0) return;  // arrays of nothing may lie nowhere
  nb::gil_scoped_release unlocked;
  cuda::answer(question, {runs_on, reinterpret_cast<CUstream_st*>(stream)});
}

}  // namespace

void bind_cuda(nb::module_& m) {
  const Accuracy usual = cuda::BatchQuestion{}.accuracy;
  m.def("cuda_available", cuda::available);
  m.def("cuda_description", cuda::description);
  m.def("cuda_statuses", [] {
    nb::list names;
    for (const std::string_view name : kNames<cuda::GraphStatus>) names.append(name);
    return names;
  });
  m.def("cuda_answer", answer, nb::arg("scores"), nb::arg("root"), nb::arg("status"), nb::arg("stream"),
        nb::arg("executor"), nb::kw_only(), nb::arg("lengths") = nb::none(), nb::arg("log_partition") = nb::none(),
        nb::arg("entropy") = nb::none(), nb::arg("marginals") = nb::none(), nb::arg("direction") = nb::none(),
        nb::arg("score_share") = 0.0, nb::arg("expectation") = nb::none(), nb::arg("derivatives") = nb::none(),
        nb::arg("method") = to_string(usual.method), nb::arg("tolerance") = usual.tolerance,
        nb::arg("floor") = usual.floor);
}

}  // namespace kirchhoff::python
