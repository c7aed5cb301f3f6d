// Finds trees for JAX by XLA's foreign function interface.
//
// Operands are scores (..., n+1, n+1[, labels]) and lengths (...); results are the status of each graph, heads
// (..., trees, n+1), and labels of the same shape if there are labels.
#include "names.hpp"
#include "xla_buffers.hpp"

#include <kirchhoff/cuda_trees.hpp>

#include <cstdint>
#include <exception>
#include <string_view>

namespace kirchhoff::python {
namespace {

struct TreeWish {
  std::string_view root;
  bool samples;  ///< else the best trees
  std::int64_t count;
  std::int64_t seed;  ///< the bits of an unsigned number
  std::string_view method;
};

cuda::TreeQuestion question_of(const ffi::RemainingArgs& operands, const ffi::RemainingRets& results,
                               const TreeWish& wish, std::int64_t arcs) {
  const ffi::AnyBuffer scores = operand(operands, 0);
  const ShapeOfGraphs shape(scores, arcs);
  const auto result = [&](std::size_t i) -> ffi::AnyBuffer { return *results.get<ffi::AnyBuffer>(i).value(); };
  const std::int64_t numbers = shape.graphs * wish.count * (shape.words + 1);
  cuda::TreeQuestion question{.root = named<Root>(wish.root, "root"), .graphs = shape.graphs, .words = shape.words};
  question.labels = shape.labels;
  question.lengths = data_of<std::int32_t>(operand(operands, 1), ffi::DataType::S32, shape.graphs);
  question.scores = cuda::contiguous(numbers_of(scores), shape.words, shape.labels);
  question.status =
      reinterpret_cast<cuda::GraphStatus*>(data_of<std::uint8_t>(result(0), ffi::DataType::U8, shape.graphs));
  question.heads = data_of<std::int32_t>(result(1), ffi::DataType::S32, numbers);
  if (arcs == 3) question.tree_labels = data_of<std::int32_t>(result(2), ffi::DataType::S32, numbers);
  return question;
}

ffi::Error find_trees(const cuda::Execution& execution, const ffi::RemainingArgs& operands,
                      const ffi::RemainingRets& results, const TreeWish& wish, std::int64_t arcs) {
  try {
    const cuda::TreeQuestion question = question_of(operands, results, wish, arcs);
    if (question.graphs > 0 && !wish.samples) cuda::best_trees(question, execution);
    if (question.graphs > 0 && wish.samples) {
      const auto seed = static_cast<std::uint64_t>(wish.seed);
      cuda::sample_trees(question, {int_of(wish.count, "count"), seed, named<Sampler>(wish.method, "method")},
                         execution);
    }
    return ffi::Error::Success();
  } catch (const std::exception& error) {
    return ffi::Error(ffi::ErrorCode::kInternal, error.what());
  }
}

ffi::Error on_host(ffi::RemainingArgs operands, ffi::RemainingRets results, std::string_view root, std::int64_t samples,
                   std::int64_t count, std::int64_t seed, std::string_view method, std::int64_t arcs) {
  return find_trees({cuda::Executor::host, nullptr}, operands, results, {root, samples != 0, count, seed, method},
                    arcs);
}
ffi::Error on_device(CUstream_st* stream, ffi::RemainingArgs operands, ffi::RemainingRets results,
                     std::string_view root, std::int64_t samples, std::int64_t count, std::int64_t seed,
                     std::string_view method, std::int64_t arcs) {
  return find_trees({cuda::Executor::device, stream}, operands, results, {root, samples != 0, count, seed, method},
                    arcs);
}

// These are the static functions kHostHandler and kDeviceHandler.
XLA_FFI_DEFINE_HANDLER(kHostHandler, on_host,
                       ffi::Ffi::Bind()
                           .RemainingArgs()
                           .RemainingRets()
                           .Attr<std::string_view>("root")
                           .Attr<std::int64_t>("samples")
                           .Attr<std::int64_t>("count")
                           .Attr<std::int64_t>("seed")
                           .Attr<std::string_view>("method")
                           .Attr<std::int64_t>("arcs"));
XLA_FFI_DEFINE_HANDLER(kDeviceHandler, on_device,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<CUstream_st*>>()
                           .RemainingArgs()
                           .RemainingRets()
                           .Attr<std::string_view>("root")
                           .Attr<std::int64_t>("samples")
                           .Attr<std::int64_t>("count")
                           .Attr<std::int64_t>("seed")
                           .Attr<std::string_view>("method")
                           .Attr<std::int64_t>("arcs"));

}  // namespace

void bind_xla_trees(nb::module_& m) {
  m.def("xla_tree_handlers", [] {
    nb::dict handlers;
    handlers["cpu"] = nb::capsule(reinterpret_cast<void*>(kHostHandler));
    handlers["CUDA"] = nb::capsule(reinterpret_cast<void*>(kDeviceHandler));
    return handlers;
  });
}

}  // namespace kirchhoff::python
