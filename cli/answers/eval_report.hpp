// The report of `eval`: scores of one parser or two, as a table or as JSON.
#pragma once

#include <kirchhoff/conllu.hpp>
#include <kirchhoff/evaluate.hpp>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace kirchhoff::cli {

/// A parser's output and its scores.
struct ScoredSystem {
  std::vector<Sentence> sentences;
  Evaluation evaluation;
  std::array<Interval, kMetrics> intervals;  ///< They are set when there was resampling.
};

/// Everything there is to report.
struct EvalResults {
  std::vector<ScoredSystem> systems;
  std::optional<std::array<Comparison, kMetrics>> comparison;
  std::optional<std::vector<Slice>> parts;  ///< The first system's scores by parts, if they were asked for.
  ResamplingOptions resampling;
};

std::string eval_table(const EvalResults& results);
std::string eval_json(const EvalResults& results);

}  // namespace kirchhoff::cli
