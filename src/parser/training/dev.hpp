// How good a model is on held-out sentences.
#pragma once

#include "base/crew.hpp"
#include "kirchhoff/train.hpp"

namespace kirchhoff::parser {

struct DevScores {
  double uas = 0.0, las = 0.0;  ///< percent of all words; relations compared without subtypes, as CoNLL 2018 does
  double temperature = 1.0;     ///< that makes the gold arcs' marginals most likely
  double calibration = 0.0;     ///< expected calibration error of the parses' arcs at that temperature, percent
};
DevScores score(const ParserModel& model, const std::vector<Sentence>& gold, base::Crew& crew);

std::string fixed(double value, int digits);

}  // namespace kirchhoff::parser
