// Writes the scores of `eval` as a table with aligned columns, or as one JSON object.
#include "answers/eval_report.hpp"

#include "io/escape.hpp"
#include "json/writer.hpp"

namespace kirchhoff::cli {
namespace {

double percent(double ratio) { return 100.0 * ratio; }

double f1(const ScoredSystem& system, std::size_t metric) { return percent(system.evaluation.total[metric].f1()); }

std::string_view name_of(std::size_t metric) { return to_string(static_cast<Metric>(metric)); }

struct Percentages {
  double heads, arcs, arc_precision;
};
Percentages percentages(const Slice& slice) {
  return {percent(Score{slice.gold, slice.gold, slice.right_heads}.f1()),
          percent(Score{slice.gold, slice.gold, slice.right_arcs}.f1()),
          percent(Score{slice.system, slice.system, slice.right_arcs}.f1())};
}

std::string metric_row(const EvalResults& results, std::size_t m, bool intervals) {
  std::string row = fmt::format("{:<22}", name_of(m));
  for (const ScoredSystem& system : results.systems) {
    row += fmt::format("  {:>7.2f}", f1(system, m));
    if (!intervals) continue;
    row += fmt::format("  {:>6.2f} .. {:<6.2f}", percent(system.intervals[m].low), percent(system.intervals[m].high));
  }
  if (results.comparison) {
    const Comparison& c = (*results.comparison)[m];
    row += fmt::format("  {:>+10.2f}  {:>7.4f}", percent(c.difference) + 0.0, c.p_value);
  }
  while (row.back() == ' ') row.pop_back();
  return row + "\n";
}

std::string metrics_table(const EvalResults& results) {
  const bool intervals = results.resampling.samples > 0;
  std::string out = fmt::format("{:<22}", "metric");
  for (std::size_t i = 0; i < results.systems.size(); ++i) {
    out += fmt::format("  {:>7}", results.systems.size() == 1 ? "F1 %" : i == 0 ? "first" : "second");
    if (intervals)
      out += fmt::format("  {:<16}", fmt::format("{:g} % interval", percent(results.resampling.confidence)));
  }
  if (results.comparison) out += fmt::format("  {:>10}  {:>7}", "difference", "p");
  while (out.back() == ' ') out.pop_back();
  out += "\n";
  for (std::size_t m = 0; m < kMetrics; ++m) out += metric_row(results, m, intervals);
  return out;
}

std::string slices_table(const std::vector<Slice>& parts) {
  std::string out =
      fmt::format("\n{:<12}  {:>8}  {:>7}  {:>7}  {:>13}\n", "part", "words", "UAS", "LAS", "LAS precision");
  for (const Slice& slice : parts) {
    const Percentages p = percentages(slice);
    out += fmt::format("{:<12}  {:>8}  {:>7.2f}  {:>7.2f}  {:>13.2f}\n", escaped(slice.name), slice.gold, p.heads,
                       p.arcs, p.arc_precision);
  }
  return out;
}

void write_slice(const Slice& slice, JsonWriter& out) {
  const Percentages p = percentages(slice);
  out.raw(fmt::format("{{\"name\":{},\"gold\":{},\"system\":{},\"uas\":{},\"las\":{},\"las_precision\":{}}}",
                      json_string(slice.name), slice.gold, slice.system, p.heads, p.arcs, p.arc_precision));
}

/// Writes {"uas":ITEM(...),...}.
template <class Item>
void write_object(JsonWriter& out, std::string_view key, Item item) {
  out.key(key);
  for (std::size_t m = 0; m < kMetrics; ++m) {
    out.raw(fmt::format("{}\"{}\":{}", m == 0 ? "{" : ",", name_of(m), item(m)));
  }
  out.raw("}");
}

}  // namespace

std::string eval_table(const EvalResults& results) {
  return metrics_table(results) + (results.parts ? slices_table(*results.parts) : "");
}

std::string eval_json(const EvalResults& results) {
  const ScoredSystem& first = results.systems.front();
  JsonWriter out;
  for (std::size_t m = 0; m < kMetrics; ++m) {
    out.key(name_of(m));
    out.write(f1(first, m));
  }
  if (results.resampling.samples > 0) {
    write_object(out, "intervals", [&](std::size_t m) {
      return fmt::format("[{},{}]", percent(first.intervals[m].low), percent(first.intervals[m].high));
    });
  }
  if (results.systems.size() > 1) {
    write_object(out, "second", [&](std::size_t m) { return fmt::format("{}", f1(results.systems[1], m)); });
  }
  if (results.comparison) {
    write_object(out, "p_values", [&](std::size_t m) { return fmt::format("{}", (*results.comparison)[m].p_value); });
  }
  if (results.parts) {
    out.key("parts");
    out.list(results.parts->size(), [&](std::size_t i) { write_slice((*results.parts)[i], out); });
  }
  out.close();
  return out.take();
}

}  // namespace kirchhoff::cli
