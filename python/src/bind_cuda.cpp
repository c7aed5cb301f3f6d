// Binds kirchhoff/cuda.hpp: questions about arrays in the memory of a device, or of the host, that are not copied.
#include "arrays.hpp"
#include "graph_arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <kirchhoff/cuda.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::python {
namespace {

/// What a caller hands over: an object with DLPack, or the capsule that it gives, which makes nobody wait for a stream.
using ReadArray = nb::ndarray<nb::ro>;
using WrittenArray = nb::ndarray<>;
template <class A>
using Maybe = std::optional<A>;

/// The shape of the scores and the memory that they are in, which all other arrays must fit.
class ArraysOfQuestion {
 public:
  ArraysOfQuestion(const ReadArray& scores, cuda::Executor executor) : device_(scores.device_id()) {
    memory_ = executor == cuda::Executor::device ? nb::device::cuda::value : nb::device::cpu::value;
    for (std::size_t k = 0; k < scores.ndim(); ++k) shape_.push_back(scores.shape(k));
    if (shape_.size() == 3 || shape_.size() == 4) return;
    throw InputError("scores: an array of " + std::to_string(shape_.size()) + " axes, expected 3 or 4");
  }

  std::int64_t graphs() const { return static_cast<std::int64_t>(shape_[0]); }
  int words() const { return int_of(static_cast<std::int64_t>(shape_[1]) - 1, "words"); }
  int labels() const { return shape_.size() == 4 ? int_of(static_cast<std::int64_t>(shape_[3]), "labels") : 1; }

  /// An array of arcs, of doubles or floats.
  template <class A>
  cuda::ArcArray arcs(const A& array, const char* name) const {
    check(array, name, shape_);
    cuda::ArcArray out;
    void* const data = const_cast<void*>(static_cast<const void*>(array.data()));
    if (array.dtype() == nb::dtype<double>()) {
      out.values = static_cast<double*>(data);
    } else if (array.dtype() == nb::dtype<float>()) {
      out.values = static_cast<float*>(data);
    } else {
      throw InputError(std::string(name) + ": neither float64 nor float32");
    }
    out.graph_stride = array.stride(0);
    out.head_stride = array.stride(1);
    out.dependent_stride = array.stride(2);
    if (shape_.size() == 4) out.label_stride = array.stride(3);
    return out;
  }
  template <class A>
  cuda::ArcArray arcs(const Maybe<A>& array, const char* name) const {
    return array ? arcs(*array, name) : cuda::ArcArray();
  }
  /// A contiguous array with a number of type T for every graph.
  template <class T, class A>
  T* numbers(const A& array, const char* name) const {
    check(array, name, {shape_[0]});
    if (array.dtype() != nb::dtype<std::remove_const_t<T>>()) throw InputError(std::string(name) + ": wrong dtype");
    if (shape_[0] > 1 && array.stride(0) != 1) throw InputError(std::string(name) + ": not contiguous");
    return const_cast<T*>(static_cast<const T*>(static_cast<const void*>(array.data())));
  }
  template <class T, class A>
  T* numbers(const Maybe<A>& array, const char* name) const {
    return array ? numbers<T>(*array, name) : nullptr;
  }

 private:
  template <class A>
  void check(const A& array, const char* name, const std::vector<std::size_t>& shape) const {
    const auto wrong = [&](const std::string& why) { throw InputError(std::string(name) + ": " + why); };
    if (array.device_type() != memory_ || array.device_id() != device_) wrong("not in the memory that is asked about");
    bool fits = array.ndim() == shape.size();
    for (std::size_t k = 0; fits && k < shape.size(); ++k) fits = array.shape(k) == shape[k];
    if (!fits) wrong("expected shape " + shape_text(shape.data(), shape.size()));
  }

  int memory_, device_;
  std::vector<std::size_t> shape_;
};

void answer(const ReadArray& scores, std::string_view root, const WrittenArray& status, std::uintptr_t stream,
            std::string_view executor, const Maybe<ReadArray>& lengths, const Maybe<WrittenArray>& log_partition,
            const Maybe<WrittenArray>& entropy, const Maybe<WrittenArray>& marginals, const Maybe<ReadArray>& direction,
            double score_share, const Maybe<WrittenArray>& expectation, const Maybe<WrittenArray>& derivatives) {
  const auto runs_on = named<cuda::Executor>(executor, "executor");
  const ArraysOfQuestion arrays(scores, runs_on);
  const cuda::BatchQuestion question{
      .root = named<Root>(root, "root"),
      .graphs = arrays.graphs(),
      .words = arrays.words(),
      .labels = arrays.labels(),
      .lengths = arrays.numbers<const std::int32_t>(lengths, "lengths"),
      .scores = arrays.arcs(scores, "scores"),
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
        nb::arg("score_share") = 0.0, nb::arg("expectation") = nb::none(), nb::arg("derivatives") = nb::none());
}

}  // namespace kirchhoff::python
