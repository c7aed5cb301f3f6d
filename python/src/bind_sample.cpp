// Binds kirchhoff/sample.hpp: samples of batches, and the weights of estimates.
#include "batch.hpp"
#include "names.hpp"
#include "trees.hpp"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <kirchhoff/sample.hpp>

namespace kirchhoff::python {
namespace {

/// Returns importance_weights of each row of log-probabilities; padding, which is -inf, has the weight 0.
NumpyArray<double> weights_of(const Doubles& log_prob, const Doubles& threshold) {
  const std::size_t graphs = log_prob.shape(0), trees = log_prob.shape(1);
  NewArray<double> out({graphs, trees}, 0.0);
  for (std::size_t i = 0; i < graphs; ++i) {
    PerturbedTrees sample;
    sample.threshold = threshold.data()[static_cast<std::ptrdiff_t>(i) * threshold.stride(0)];
    for (std::size_t t = 0; t < trees; ++t) {
      const std::ptrdiff_t at =
          static_cast<std::ptrdiff_t>(i) * log_prob.stride(0) + static_cast<std::ptrdiff_t>(t) * log_prob.stride(1);
      if (log_prob.data()[at] == -HUGE_VAL) break;
      sample.trees.emplace_back().log_prob = log_prob.data()[at];
    }
    const std::vector<double> weights = importance_weights(sample);
    std::copy(weights.begin(), weights.end(), out.data + i * trees);
  }
  return out.array;
}

template <class D>
using SamplerOf = std::conditional_t<kProjective<D>, ProjectiveTreeSampler, TreeSampler>;

}  // namespace

void bind_estimates(nb::module_& m) { m.def("importance_weights", weights_of); }

template <class D>
void bind_sample(BatchClass<D>& c) {
  using B = Batch<D>;
  // Graph i uses seed + i, as line i does on the command line.
  c.def("sample", [](const B& b, int count, std::uint64_t seed, std::string_view method, std::uint64_t begin) {
    const Sampler sampler = named<Sampler>(method, "method");
    if (kProjective<D> && sampler != Sampler::automatic) {
      throw InputError("method: projective trees are drawn from the top down; use 'automatic'");
    }
    TreeArrays out(b.size(), static_cast<std::size_t>(count), b.nodes);
    std::vector<std::optional<SamplerOf<D>>> samplers(b.size());
    run(b.size(), b.threads(), [&](std::size_t i) {
      if constexpr (kProjective<D>) {
        samplers[i].emplace(b[i]);
      } else {
        samplers[i].emplace(b[i], sampler);
      }
    });
    // Pieces of graphs, so that many samples of one graph use all threads and can be interrupted.
    constexpr int kPiece = 64;
    const auto pieces = static_cast<std::size_t>((count + kPiece - 1) / kPiece);
    run(b.size() * pieces, b.threads(), [&](std::size_t piece) {
      const std::size_t i = piece / pieces;
      const int first = static_cast<int>(piece % pieces) * kPiece;
      for (int k = first; k < std::min(count, first + kPiece); ++k)
        out.set(i, k, samplers[i]->sample(seed + i, begin + k));
    });
    return std::tuple(out.heads.array, out.labels.array, out.log_prob.array);
  });
  c.def("sample_without_replacement", [](const B& b, int k, std::uint64_t seed) {
    const auto width = static_cast<std::size_t>(std::max(k, 0));
    TreeArrays out(b.size(), width, b.nodes);
    NewArray<double> perturbed({b.size(), width}, -HUGE_VAL), threshold({b.size()}, -HUGE_VAL);
    const int threads = b.size() == 1 ? b.threads() : 1;
    Interrupt interrupt;
    run(b.size(), b.threads(), [&](std::size_t i) {
      const PerturbedTrees sample =
          sample_without_replacement(b[i], k, {.seed = seed + i, .threads = threads}, std::ref(interrupt));
      interrupt.check();
      for (std::size_t t = 0; t < sample.trees.size(); ++t) {
        out.set(i, t, sample.trees[t]);
        perturbed.data[i * width + t] = sample.perturbed[t];
      }
      threshold.data[i] = sample.threshold;
    });
    return std::tuple(out.heads.array, out.labels.array, out.log_prob.array, perturbed.array, threshold.array);
  });
}

template void bind_sample(BatchClass<TreeDistribution>&);
template void bind_sample(BatchClass<LabelledTreeDistribution>&);
template void bind_sample(BatchClass<ProjectiveTreeDistribution>&);
template void bind_sample(BatchClass<LabelledProjectiveTreeDistribution>&);

}  // namespace kirchhoff::python
