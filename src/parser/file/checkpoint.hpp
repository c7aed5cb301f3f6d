// The state of a training, so that it can go on bit for bit.
#pragma once

#include "parser/weights/learner.hpp"

#include <optional>
#include <string>

namespace kirchhoff::parser {

/// Where a training is.
struct TrainPosition {
  std::int64_t epoch = 1;         ///< the one that runs, from 1
  std::int64_t sentence = 0;      ///< done in this epoch
  double loss = 0.0;              ///< of them
  double best_las = -1.0;         ///< of the model that is kept
  std::uint64_t fingerprint = 0;  ///< of data and options
};

void save_checkpoint(const std::string& path, const TrainPosition& position, const std::vector<EpochReport>& reports,
                     std::span<const float> pruner, std::span<const std::uint64_t> grown, const Learner& arcs,
                     const Learner& labels);

struct Checkpoint {
  TrainPosition position;
  std::vector<EpochReport> reports;
  std::vector<float> pruner;
  std::vector<std::uint64_t> grown;  ///< keys of features that came while learning
  struct Weights {
    std::vector<float> weights;
    std::vector<Learner::State> state;
    std::int64_t steps = 0;
  } arcs, labels;
};
/// ModelError when the file is missing or damaged, or of another training.
Checkpoint load_checkpoint(const std::string& path, std::uint64_t fingerprint);
void restore(Learner& learner, const Checkpoint::Weights& weights, const std::string& path);

}  // namespace kirchhoff::parser
