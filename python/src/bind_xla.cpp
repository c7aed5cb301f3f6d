// Answers JAX by XLA's foreign function interface: questions about the buffers of a compiled function, on its stream.
//
// Operands are scores (..., n+1, n+1[, labels]), lengths (...) and perhaps a direction; results are the status of each
// graph and what is wanted, in its order. Everything is contiguous.
#include "names.hpp"
#include "xla_buffers.hpp"

#include <kirchhoff/cuda.hpp>

#include <cstdint>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>

namespace kirchhoff::python {
namespace {

struct Wish {
  std::string_view root;
  std::string_view wanted;  ///< names of results, with spaces between them
  double score_share;
};

/// Sets the pointers of the results that are wanted.
void fill_in(cuda::BatchQuestion& question, const Wish& wish, const ffi::RemainingRets& results) {
  const auto result = [&](std::size_t i) -> ffi::AnyBuffer { return *results.get<ffi::AnyBuffer>(i).value(); };
  question.status =
      reinterpret_cast<cuda::GraphStatus*>(data_of<std::uint8_t>(result(0), ffi::DataType::U8, question.graphs));
  std::istringstream names{std::string(wish.wanted)};
  std::string name;
  for (std::size_t i = 1; names >> name; ++i) {
    const auto numbers = [&] { return data_of<double>(result(i), ffi::DataType::F64, question.graphs); };
    const auto arcs = [&] { return cuda::contiguous(numbers_of(result(i)), question.words, question.labels); };
    if (name == "log_partition") {
      question.log_partition = numbers();
    } else if (name == "entropy") {
      question.entropy = numbers();
    } else if (name == "marginals") {
      question.marginals = arcs();
    } else if (name == "derivatives") {
      question.derivatives = arcs();
    } else {
      throw InputError("[xla] there is no result " + name);
    }
  }
}

cuda::BatchQuestion question_of(const ffi::RemainingArgs& operands, const Wish& wish, std::int64_t arcs) {
  const ffi::AnyBuffer scores = operand(operands, 0);
  const ShapeOfGraphs shape(scores, arcs);
  cuda::BatchQuestion question{.root = named<Root>(wish.root, "root"), .graphs = shape.graphs};
  question.words = shape.words;
  question.labels = shape.labels;
  question.lengths = data_of<std::int32_t>(operand(operands, 1), ffi::DataType::S32, question.graphs);
  question.scores = cuda::contiguous(numbers_of(scores), question.words, question.labels);
  if (operands.size() > 2) {
    question.direction = cuda::contiguous(numbers_of(operand(operands, 2)), question.words, question.labels);
  }
  question.score_share = wish.score_share;
  return question;
}

ffi::Error run_question(const cuda::Execution& execution, const ffi::RemainingArgs& operands,
                        const ffi::RemainingRets& results, const Wish& wish, std::int64_t arcs) {
  try {
    cuda::BatchQuestion question = question_of(operands, wish, arcs);
    fill_in(question, wish, results);
    if (question.graphs > 0) cuda::answer(question, execution);
    return ffi::Error::Success();
  } catch (const std::exception& error) {
    return ffi::Error(ffi::ErrorCode::kInternal, error.what());
  }
}

ffi::Error on_host(ffi::RemainingArgs operands, ffi::RemainingRets results, std::string_view root,
                   std::string_view wanted, double score_share, std::int64_t arcs) {
  return run_question({cuda::Executor::host, nullptr}, operands, results, {root, wanted, score_share}, arcs);
}
ffi::Error on_device(CUstream_st* stream, ffi::RemainingArgs operands, ffi::RemainingRets results,
                     std::string_view root, std::string_view wanted, double score_share, std::int64_t arcs) {
  return run_question({cuda::Executor::device, stream}, operands, results, {root, wanted, score_share}, arcs);
}

// These are the static functions kHostHandler and kDeviceHandler.
XLA_FFI_DEFINE_HANDLER(kHostHandler, on_host,
                       ffi::Ffi::Bind()
                           .RemainingArgs()
                           .RemainingRets()
                           .Attr<std::string_view>("root")
                           .Attr<std::string_view>("wanted")
                           .Attr<double>("score_share")
                           .Attr<std::int64_t>("arcs"));
XLA_FFI_DEFINE_HANDLER(kDeviceHandler, on_device,
                       ffi::Ffi::Bind()
                           .Ctx<ffi::PlatformStream<CUstream_st*>>()
                           .RemainingArgs()
                           .RemainingRets()
                           .Attr<std::string_view>("root")
                           .Attr<std::string_view>("wanted")
                           .Attr<double>("score_share")
                           .Attr<std::int64_t>("arcs"));

}  // namespace

void bind_xla_trees(nb::module_& m);

/// Handlers by the names that JAX has for platforms.
void bind_xla(nb::module_& m) {
  m.def("xla_version", [] { return nb::make_tuple(XLA_FFI_API_MAJOR, XLA_FFI_API_MINOR); });
  m.def("xla_handlers", [] {
    nb::dict handlers;
    handlers["cpu"] = nb::capsule(reinterpret_cast<void*>(kHostHandler));
    handlers["CUDA"] = nb::capsule(reinterpret_cast<void*>(kDeviceHandler));
    return handlers;
  });
  bind_xla_trees(m);
}

}  // namespace kirchhoff::python
