// Binds kirchhoff/chain_paths.hpp: the best tag sequences and samples, for each chain of a batch.
#include "chains.hpp"

#include <nanobind/stl/tuple.h>
#include <kirchhoff/chain_paths.hpp>

namespace kirchhoff::python {
namespace {

/// Sequences (batch, k, length) with -1 where there are none, and their log-probabilities (batch, k).
struct NewSequences {
  std::size_t k, length;
  NewArray<std::int64_t> tags;
  NewArray<double> log_prob;
  NewSequences(const Chains& c, std::size_t count)
      : k(count),
        length(c.length),
        tags({c.size(), count, c.length}, std::int64_t{-1}),
        log_prob({c.size(), count}, -HUGE_VAL) {}
  void write(std::size_t i, std::size_t at, const TagSequence& sequence) const {
    std::copy(sequence.tags.begin(), sequence.tags.end(), tags.data + (i * k + at) * length);
    log_prob.data[i * k + at] = sequence.log_prob;
  }
};

auto chain_argmax(const Chains& c, bool mbr) {
  const NewSequences out(c, 1);
  each(c, [&](const ChainDistribution& p, std::size_t i) { out.write(i, 0, mbr ? mbr_tags(p) : best_tags(p)); });
  return std::tuple(out.tags.array, out.log_prob.array);
}

auto chain_k_best(const Chains& c, int k) {
  if (k < 0) throw InputError("k is " + std::to_string(k) + ", expected 0 or more");
  const NewSequences out(c, static_cast<std::size_t>(k));
  each_until(c, [&](const ChainDistribution& p, std::size_t i, const Stop& stop) {
    const std::vector<TagSequence> found = k_best_tags(p, k, stop);
    for (std::size_t at = 0; at < found.size(); ++at) out.write(i, at, found[at]);
  });
  return std::tuple(out.tags.array, out.log_prob.array);
}

auto chain_sample(const Chains& c, int count, std::uint64_t seed) {
  if (count < 0) throw InputError("count is " + std::to_string(count) + ", expected 0 or more");
  const NewSequences out(c, static_cast<std::size_t>(count));
  each_until(c, [&](const ChainDistribution& p, std::size_t i, const Stop& stop) {
    for (int at = 0; at < count && (at % 64 != 0 || !stop()); ++at) {
      out.write(i, at, sample_tags(p, seed + i, static_cast<std::uint64_t>(at)));
    }
  });
  return std::tuple(out.tags.array, out.log_prob.array);
}

auto chain_distinct(const Chains& c, int k, std::uint64_t seed) {
  if (k < 0) throw InputError("k is " + std::to_string(k) + ", expected 0 or more");
  const NewSequences out(c, static_cast<std::size_t>(k));
  const NewArray<double> perturbed({c.size(), static_cast<std::size_t>(k)}, -HUGE_VAL), threshold({c.size()}, 0.0);
  each_until(c, [&](const ChainDistribution& p, std::size_t i, const Stop& stop) {
    const PerturbedTags found = sample_without_replacement(p, k, seed + i, stop);
    for (std::size_t at = 0; at < found.sequences.size(); ++at) {
      out.write(i, at, found.sequences[at]);
      perturbed.data[i * out.k + at] = found.perturbed[at];
    }
    threshold.data[i] = found.threshold;
  });
  return std::tuple(out.tags.array, out.log_prob.array, perturbed.array, threshold.array);
}

/// Of rows of tags, of which every chain has as many: those of chain i come before those of i + 1.
NumpyArray<double> chain_log_prob(const Chains& c, const Ints& tags) {
  const std::size_t rows = tags.shape(0) / c.size();
  const NewArray<double> out({tags.shape(0)}, 0.0);
  each(c, [&](const ChainDistribution& p, std::size_t i) {
    for (std::size_t at = i * rows; at < (i + 1) * rows; ++at) {
      const std::int64_t* const row = tags.data() + at * c.length;
      Tags own;
      for (int t = 0; t < p.length(); ++t) own.push_back(int_of(row[t], "tags"));
      out.data[at] = p.log_prob(own);
    }
  });
  return out.array;
}

}  // namespace

void bind_chain_paths(ChainsClass& c) {
  c.def("argmax", chain_argmax);
  c.def("k_best", chain_k_best);
  c.def("sample", chain_sample);
  c.def("sample_without_replacement", chain_distinct);
  c.def("log_prob", chain_log_prob);
}

}  // namespace kirchhoff::python
