// Binds kirchhoff/evaluate.hpp: scores of parsers, intervals and comparisons.
#include "arrays.hpp"
#include "names.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/evaluate.hpp>

namespace kirchhoff::python {
namespace {

using Counts = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // gold, system, correct

/// Returns f(metric) for each metric, by its name.
template <class F>
nb::dict by_metric(F f) {
  nb::dict out;
  for (int i = 0; i < kMetrics; ++i) out[std::string(to_string(static_cast<Metric>(i))).c_str()] = nb::cast(f(i));
  return out;
}

using SliceTuple = std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

}  // namespace

void bind_evaluate(nb::module_& m) {
  nb::class_<Evaluation> c(m, "Evaluation");
  c.def("scores", [](const Evaluation& e) {
    return by_metric([&](int i) { return Counts(e.total[i].gold, e.total[i].system, e.total[i].correct); });
  });
  c.def("units", [](const Evaluation& e) { return e.units.size(); });
  c.def("intervals", [](const Evaluation& e, int samples, double confidence, std::uint64_t seed) {
    const auto all = unlocked([&] { return bootstrap_intervals(e, {samples, confidence, seed}); });
    return by_metric([&](int i) { return std::pair(all[i].low, all[i].high); });
  });
  c.def("compare", [](const Evaluation& a, const Evaluation& b, int samples, std::uint64_t seed) {
    const auto all = unlocked([&] { return compare(a, b, {samples, 0.95, seed}); });
    return by_metric([&](int i) { return std::pair(all[i].difference, all[i].p_value); });
  });
  m.def("evaluate", [](const std::vector<Sentence>& gold, const std::vector<Sentence>& system, std::string_view root) {
    const Root mode = named<Root>(root, "root");
    return unlocked([&] { return evaluate(gold, system, mode); });
  });
  m.def("slices", [](const std::vector<Sentence>& gold, const std::vector<Sentence>& system, const std::string& by) {
    std::vector<SliceTuple> out;
    for (const Slice& s : slices(gold, system, named<SliceBy>(by, "by"))) {
      out.emplace_back(s.name, s.gold, s.system, s.right_heads, s.right_arcs);
    }
    return out;
  });
}

}  // namespace kirchhoff::python
