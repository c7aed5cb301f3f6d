// Trainings that take no time, and how good their models are.
#pragma once

#include "kirchhoff/train.hpp"

namespace kirchhoff {

inline TrainOptions small_options() {
  TrainOptions options{.root = Root::single};
  options.epochs = 3;
  options.batch = 4;
  options.pruner_epochs = 1;
  return options;
}

/// What is reported of each epoch, but for the time.
inline std::vector<std::vector<double>> curve_of(const TrainResult& result) {
  std::vector<std::vector<double>> curve;
  for (const EpochReport& e : result.epochs) {
    curve.push_back({static_cast<double>(e.epoch), e.loss, e.uas, e.las, e.calibration, e.best ? 1.0 : 0.0});
  }
  return curve;
}

/// The percentage of words that get the right head, or the right head and label.
inline double attachment(const ParserModel& model, const std::vector<Sentence>& gold, bool labelled) {
  Parser parser(model);
  int right = 0, words = 0;
  for (const Sentence& s : gold) {
    const Parsed parsed = parser.parse(s);
    for (int d = 1; d <= s.size(); ++d) {
      const auto i = static_cast<std::size_t>(d);
      ++words;
      right += parsed.tree.heads[i] == s.head(d) &&
               (!labelled || model.labels()[static_cast<std::size_t>(parsed.tree.labels[i])] == s.deprel(d));
    }
  }
  return 100.0 * right / words;
}

}  // namespace kirchhoff
