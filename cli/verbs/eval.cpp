// kirchhoff eval: scores of one parser or two, as a table or as JSON.
#include "io/files.hpp"
#include "io/treebank_input.hpp"
#include "json/writer.hpp"
#include "verbs/verbs.hpp"

#include <kirchhoff/evaluate.hpp>

namespace kirchhoff::cli {
namespace {

struct System {
  std::vector<Sentence> sentences;
  Evaluation evaluation;
  std::array<Interval, kMetrics> intervals;
};

/// Everything there is to report.
struct Results {
  std::vector<System> systems;
  std::optional<std::array<Comparison, kMetrics>> comparison;
};

/// A file of the wrong format is an error even with skip_bad: what is left out here must be left out there.
std::vector<Sentence> read_file(const std::string& file, const EvalOptions& options) {
  TreebankOptions input = options.gold;
  input.file = file;
  input.skip_bad = false;
  TreebankInput reader(input, TreebankInput::Need::sentences);
  return read_all(reader);
}

struct Gold {
  std::vector<Sentence> sentences;  ///< trees only
  std::vector<bool> is_bad;         ///< of all sentences, those left out
};

Gold read_gold(const EvalOptions& options) {
  Gold gold;
  for (Sentence& sentence : read_file(options.gold.file, options)) {
    const auto problem = tree_problem(sentence.heads(), options.gold.root);
    gold.is_bad.push_back(problem.has_value());
    if (!problem) {
      gold.sentences.push_back(std::move(sentence));
      continue;
    }
    const std::string message = about(options.gold.file, sentence, *problem);
    if (!options.gold.skip_bad) throw FileError(message);
    complain(message + " (skipped)");
  }
  if (gold.sentences.empty()) throw FileError(fmt::format("{}: no sentences", options.gold.file));
  return gold;
}

/// A system's bad trees are counted, not skipped.
System system_of(const Gold& gold, const std::string& file, const EvalOptions& options) {
  System out{read_file(file, options), {}, {}};
  if (gold.sentences.size() < gold.is_bad.size()) {
    if (out.sentences.size() != gold.is_bad.size()) {
      throw FileError(fmt::format("{}: {} sentences; where {} are skipped there must be {}", file, out.sentences.size(),
                                  gold.is_bad.size() - gold.sentences.size(), gold.is_bad.size()));
    }
    std::size_t i = 0;
    std::erase_if(out.sentences, [&](const Sentence&) { return gold.is_bad[i++]; });
  }
  try {
    out.evaluation = evaluate(gold.sentences, out.sentences, options.gold.root);
  } catch (const InputError& e) {
    throw FileError(fmt::format("{}, {}: {}", options.gold.file, file, without_function(e.what())));
  }
  if (options.resampling.samples > 0) out.intervals = bootstrap_intervals(out.evaluation, options.resampling);
  return out;
}

double percent(double ratio) { return 100.0 * ratio; }

double f1(const System& system, std::size_t metric) { return percent(system.evaluation.total[metric].f1()); }

std::string_view name_of(std::size_t metric) { return to_string(static_cast<Metric>(metric)); }

struct Percentages {
  double heads, arcs, arc_precision;
};
Percentages percentages(const Slice& slice) {
  return {percent(Score{slice.gold, slice.gold, slice.right_heads}.f1()),
          percent(Score{slice.gold, slice.gold, slice.right_arcs}.f1()),
          percent(Score{slice.system, slice.system, slice.right_arcs}.f1())};
}

std::string metric_row(const Results& results, std::size_t m, bool intervals) {
  std::string row = fmt::format("{:<22}", name_of(m));
  for (const System& system : results.systems) {
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

std::string table_of(const Results& results, const EvalOptions& options) {
  const bool intervals = options.resampling.samples > 0;
  std::string out = fmt::format("{:<22}", "metric");
  for (std::size_t i = 0; i < results.systems.size(); ++i) {
    out += fmt::format("  {:>7}", results.systems.size() == 1 ? "F1 %" : i == 0 ? "first" : "second");
    if (intervals)
      out += fmt::format("  {:<16}", fmt::format("{:g} % interval", percent(options.resampling.confidence)));
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
    out += fmt::format("{:<12}  {:>8}  {:>7.2f}  {:>7.2f}  {:>13.2f}\n", slice.name, slice.gold, p.heads, p.arcs,
                       p.arc_precision);
  }
  return out;
}

void write_slice(const Slice& slice, JsonWriter& out) {
  const Percentages p = percentages(slice);
  out.raw(fmt::format("{{\"name\":{},\"gold\":{},\"system\":{},\"uas\":{},\"las\":{},\"las_precision\":{}}}",
                      json_string(slice.name), slice.gold, slice.system, p.heads, p.arcs, p.arc_precision));
}

/// {"uas":ITEM(...),...}
template <class Item>
void write_object(JsonWriter& out, std::string_view key, Item item) {
  out.key(key);
  for (std::size_t m = 0; m < kMetrics; ++m) {
    out.raw(fmt::format("{}\"{}\":{}", m == 0 ? "{" : ",", name_of(m), item(m)));
  }
  out.raw("}");
}

std::string json_of(const Results& results, const std::vector<Slice>& parts, const EvalOptions& options) {
  const System& first = results.systems.front();
  JsonWriter out;
  for (std::size_t m = 0; m < kMetrics; ++m) {
    out.key(name_of(m));
    out.write(f1(first, m));
  }
  if (options.resampling.samples > 0) {
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
  if (options.by) {
    out.key("parts");
    out.list(parts.size(), [&](std::size_t i) { write_slice(parts[i], out); });
  }
  out.close();
  return out.take();
}

}  // namespace

int run_eval(const EvalOptions& options) {
  const Gold gold = read_gold(options);
  Results results;
  results.systems.push_back(system_of(gold, options.system, options));
  if (!options.second.empty()) {
    results.systems.push_back(system_of(gold, options.second, options));
    if (options.resampling.samples > 0) {
      results.comparison = compare(results.systems[0].evaluation, results.systems[1].evaluation, options.resampling);
    }
  }
  const std::vector<Slice> parts =
      options.by ? slices(gold.sentences, results.systems[0].sentences, *options.by) : std::vector<Slice>{};
  if (options.json) {
    write_stdout(json_of(results, parts, options));
  } else {
    write_stdout(table_of(results, options) + (options.by ? slices_table(parts) : ""));
  }
  return 0;
}

}  // namespace kirchhoff::cli
