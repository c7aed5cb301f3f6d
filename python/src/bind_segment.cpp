// Binds kirchhoff/segment.hpp: one distribution over segmentations, for what batches of machines do not answer.
#include "arrays.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/segment.hpp>

#include <tuple>

namespace kirchhoff::python {
namespace {

using Table = nb::ndarray<const double, nb::device::cpu, nb::c_contig>;
using Marks = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu, nb::c_contig>;
/// Tags and starts (count, positions), with 1 where a segment starts, and log-probabilities (count).
using Found = std::tuple<NumpyArray<std::int64_t>, NumpyArray<std::int64_t>, NumpyArray<double>>;

/// Segments are (positions, longest, tags), transitions (tags, tags).
SegmentArrays arrays_of_segments(const Table& segments, const Table& transitions) {
  SegmentArrays f(static_cast<int>(segments.shape(0)), static_cast<int>(segments.shape(1)),
                  static_cast<int>(segments.shape(2)));
  std::copy_n(segments.data(), segments.size(), f.segments.data());
  std::copy_n(transitions.data(), transitions.size(), f.transitions.data());
  return f;
}

Found found_of(const SegmentDistribution& p, const std::vector<ScoredSegmentation>& all) {
  const auto positions = static_cast<std::size_t>(p.positions());
  NewArray<std::int64_t> tags({all.size(), positions}, -1), starts({all.size(), positions}, 0);
  NewArray<double> log_prob({all.size()}, 0.0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Segment& s : all[i].segments) {
      starts.data[i * positions + static_cast<std::size_t>(s.begin)] = 1;
      std::fill_n(tags.data + i * positions + static_cast<std::size_t>(s.begin), s.length, s.tag);
    }
    log_prob.data[i] = all[i].log_prob;
  }
  return {tags.array, starts.array, log_prob.array};
}

Segmentation segmentation_of(const Marks& tags, const Marks& starts) {
  Segmentation segments;
  for (std::size_t t = 0; t < tags.size(); ++t) {
    const int tag = int_of(tags.data()[t], "tags");
    if (t == 0 || starts.data()[t] != 0) {
      segments.push_back({static_cast<int>(t), 1, tag});
    } else if (segments.back().tag == tag) {
      ++segments.back().length;
    } else {
      throw InputError("tags: position " + std::to_string(t) + " has another tag than the segment that it is in");
    }
  }
  return segments;
}

}  // namespace

void bind_segment(nb::module_& m) {
  m.def("segment_skeleton", &segment_skeleton);
  nb::class_<SegmentDistribution> c(m, "SegmentDistribution");
  c.def("__init__", [](SegmentDistribution* self, const Table& segments, const Table& transitions) {
    new (self) SegmentDistribution(arrays_of_segments(segments, transitions));
  });
  c.def("log_count", &SegmentDistribution::log_count);
  c.def("log_prob", [](const SegmentDistribution& p, const Marks& tags, const Marks& starts) {
    return p.log_prob(segmentation_of(tags, starts));
  });
  c.def("cumulants", [](const SegmentDistribution& p, const Table& segments, const Table& transitions, int order) {
    return array_of(cumulants(p, arrays_of_segments(segments, transitions), order));
  });
  c.def("argmax",
        [](const SegmentDistribution& p, bool mbr) { return found_of(p, {mbr ? mbr_segments(p) : best_segments(p)}); });
  c.def("k_best", [](const SegmentDistribution& p, int k) {
    return found_of(p, interruptible([&](const Stop& stop) { return k_best_segments(p, k, stop); }));
  });
  c.def("sample", [](const SegmentDistribution& p, int count, std::uint64_t seed, int threads) {
    return found_of(p, unlocked([&] { return sample_segments(p, count, seed, threads); }));
  });
  c.def("sample_without_replacement", [](const SegmentDistribution& p, int k, std::uint64_t seed) {
    const PerturbedSegments drawn =
        interruptible([&](const Stop& stop) { return sample_without_replacement(p, k, seed, stop); });
    const Found found = found_of(p, drawn.segmentations);
    NewArray<double> perturbed({drawn.perturbed.size()}, 0.0);
    std::copy(drawn.perturbed.begin(), drawn.perturbed.end(), perturbed.data);
    return std::tuple(std::get<0>(found), std::get<1>(found), std::get<2>(found), perturbed.array, drawn.threshold);
  });
}

}  // namespace kirchhoff::python
