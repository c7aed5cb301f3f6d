// The state of a training, kept in a file so that the training can go on bit for bit.
#pragma once

#include "parser/training/learner.hpp"

#include <optional>
#include <string>

namespace kirchhoff::parser {

/// How far a training has come.
struct TrainPosition {
  std::int64_t epoch = 1;         ///< The epoch that runs, counted from 1.
  std::int64_t sentence = 0;      ///< How many sentences of this epoch are done.
  double loss = 0.0;              ///< The sum of their losses.
  double best_las = -1.0;         ///< The LAS of the model that is kept.
  std::uint64_t fingerprint = 0;  ///< A hash of the data and the options.
};

void save_checkpoint(const std::string& path, const TrainPosition& position, const std::vector<EpochReport>& reports,
                     std::span<const float> pruner, std::span<const std::uint64_t> grown, const Learner& arcs,
                     const Learner& labels);

struct Checkpoint {
  TrainPosition position;
  std::vector<EpochReport> reports;
  std::vector<float> pruner;
  std::vector<std::uint64_t> grown;  ///< The keys of features that came while learning.
  struct Weights {
    std::vector<float> weights;
    std::vector<Learner::State> state;
    std::int64_t steps = 0;
  } arcs, labels;
};
/// Throws ModelError when the file is missing or damaged, or is that of another training.
Checkpoint load_checkpoint(const std::string& path, std::uint64_t fingerprint);
void restore(Learner& learner, const Checkpoint::Weights& weights, const std::string& path);

}  // namespace kirchhoff::parser
