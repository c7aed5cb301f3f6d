// How good a model is on held-out sentences.
#pragma once

#include "base/crew.hpp"
#include "kirchhoff/train.hpp"
#include "parser/file/model.hpp"

namespace kirchhoff::parser {

struct HeldOutScores {
  double uas = 0.0, las = 0.0;  ///< In percent of all words, as Metric::uas and Metric::las.
  Temperatures temperatures;    ///< Those that make the gold arcs' marginals, and joint relations, most likely.
  double calibration = 0.0;     ///< The expected calibration error of the parses' arcs at that temperature, in percent.
};
/// With `projective` all of it over projective trees.
HeldOutScores held_out_scores(const ParserModel& model, const std::vector<Sentence>& gold, base::Crew& crew,
                              bool projective);

}  // namespace kirchhoff::parser
