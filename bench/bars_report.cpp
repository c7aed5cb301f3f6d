// The table of bars for people and for programs.
#include "bars.hpp"

#include "baselines/openblas_core.hpp"

#include <cstdio>
#include <stdexcept>

namespace kirchhoff::bench {
namespace {

std::string number(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string microseconds(double seconds) {
  if (seconds == 0) return "";
  return number(seconds < 1e-7 ? "%.4f" : "%.2f", 1e6 * seconds);
}

std::string demand_text(const Outcome& o) {
  if (o.demand == Demand::none) return "";
  const std::string sign = o.demand == Demand::at_least ? ">= " : "<= ";
  return sign + number("%g", o.limit) + (o.stretch > 0 ? number(" (%g)", o.stretch) : "");
}

const char* verdict(const Outcome& o) {
  if (o.demand == Demand::none) return "-";
  if (!o.passes()) return "FAIL";
  return o.reaches_stretch() ? "stretch" : "pass";
}

void print_row(const Outcome& o) {
  const std::string words = o.words > 0 ? std::to_string(o.words) : "";
  const std::string distance = o.flop_distance > 0 ? number("%.1f", o.flop_distance) : "";
  std::printf("%-72s %5s %11s %11s %7.2f %-9s %-8s %7s  %s\n", o.what.c_str(), words.c_str(),
              microseconds(o.ours_seconds).c_str(), microseconds(o.other_seconds).c_str(), o.ratio,
              demand_text(o).c_str(), verdict(o), distance.c_str(), o.peers.c_str());
}

int count_failures(const std::vector<Outcome>& outcomes) {
  int failures = 0;
  for (const Outcome& o : outcomes) failures += o.passes() ? 0 : 1;
  return failures;
}

/// Names and sources are ours: no character in them needs escaping.
void write_outcome(std::FILE* out, const Outcome& o, bool last) {
  std::fprintf(out,
               "    {\"what\": \"%s\", \"n\": %d, \"demand\": \"%s\", \"verdict\": \"%s\", \"ours_us\": %.6g, "
               "\"other_us\": %.6g, \"ratio\": %.6g, \"lowest_ratio\": %.6g, \"highest_ratio\": %.6g, "
               "\"flop_distance\": %.6g}%s\n",
               o.what.c_str(), o.words, demand_text(o).c_str(), verdict(o), 1e6 * o.ours_seconds, 1e6 * o.other_seconds,
               o.ratio, o.lowest_ratio, o.highest_ratio, o.flop_distance, last ? "" : ",");
}

}  // namespace

void print_table(const std::vector<Outcome>& outcomes, double peak) {
  std::printf("FMA peak of this core: %.1f GFLOP/s; 2n^3 flops take", peak / 1e9);
  for (const int n : {10, 25, 50, 100}) std::printf("%s %.2f", n == 10 ? "" : " /", 2e6 * n * n * n / peak);
  std::printf(" us at n = 10 / 25 / 50 / 100.\n");
  std::printf("OpenBLAS kernels: %s. Times are CPU time; of rows on several threads, wall-clock time.\n",
              openblas_core().c_str());
  std::printf(
      "A row \"a : b\" compares a with b, microseconds per graph. Bars >= ask for speed (time of b / time of a), "
      "bars <= and\nrows without a bar for cost (time of a / time of b); (stretch) in parentheses. "
      "\"flops\" = time of a over that of 2n^3\nflops at the peak. Peers: microseconds on another, slower "
      "machine (peers.hpp).\n\n");
  std::printf("%-72s %5s %11s %11s %7s %-9s %-8s %7s  %s\n", "a : b", "n", "a, us", "b, us", "ratio", "bar", "verdict",
              "flops x", "peers for a, us");
  for (const Outcome& outcome : outcomes) print_row(outcome);
  std::printf("\n%d of %zu rows fail their bar.\n", count_failures(outcomes), outcomes.size());
}

void write_json(const std::vector<Outcome>& outcomes, double peak, const std::string& path) {
  std::FILE* out = std::fopen(path.c_str(), "w");
  if (out == nullptr) throw std::runtime_error("cannot write " + path);
  std::fprintf(out, "{\n  \"fma_peak_gflops\": %.6g,\n  \"openblas_core\": \"%s\",\n  \"bars\": [\n", peak / 1e9,
               openblas_core().c_str());
  for (const Outcome& outcome : outcomes) write_outcome(out, outcome, &outcome == &outcomes.back());
  std::fprintf(out, "  ]\n}\n");
  std::fclose(out);
}

}  // namespace kirchhoff::bench
