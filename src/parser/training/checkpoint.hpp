// The state of a training, kept in a file so that the training can go on bit for bit.
//
// The best model so far is a part of it. So the two are always of one training and of one moment, and a model file that
// is already there stays what it is until the training ends.
#pragma once

#include "base/crew.hpp"
#include "base/file_lock.hpp"
#include "parser/file/model.hpp"
#include "parser/training/learner.hpp"

#include <future>
#include <memory>
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

/// What a checkpoint is written from. It is empty while the pruner is being learnt.
struct TrainState {
  const TrainPosition& position;
  std::span<const EpochReport> reports;
  std::span<const float> pruner;
  std::span<const std::uint64_t> grown;  ///< The keys of features that came while learning.
  const Learner& arcs;
  const Learner& labels;
  const Model* best = nullptr;        ///< None before the end of the first epoch.
  std::span<const double> sums = {};  ///< The running sums of constraints.
};
/// Checks that both files can be written before hours are spent, and keeps other trainings away from them. Throws
/// ModelError.
std::unique_ptr<base::FileLock> lock_outputs(const TrainOptions& options);

/// Writes checkpoints beside the training, from copies of what they hold. One that could not be written is the error of
/// the next call, or of nobody's if there is none.
class CheckpointWriter {
 public:
  /// An empty path means that there are no checkpoints.
  CheckpointWriter(std::string path, base::Crew& crew) : path_(std::move(path)), crew_(&crew) {}
  /// Begins to write, when the one before has been written. Does not return before the end if the crew is one thread.
  /// Throws ModelError.
  void save(const TrainState& state);
  /// Throws the ModelError if there is one by now.
  void check();
  /// Waits until everything is written. Throws ModelError.
  void finish();

 private:
  std::string path_;
  base::Crew* crew_;
  std::future<void> writing_;  // whose destructor waits, too
};

/// Writes the model, after which the checkpoint is of no use and goes. The lock must be held all the time: without it
/// the checkpoint might be that of the next training. Throws ModelError.
void replace_checkpoint(const TrainOptions& options, const Model& best);

struct Checkpoint {
  TrainPosition position;
  std::vector<EpochReport> reports;
  std::vector<float> pruner;
  std::vector<std::uint64_t> grown;
  struct Weights {
    std::vector<float> weights;
    std::vector<Learner::State> state;
    std::int64_t steps = 0;
  } arcs, labels;
  std::shared_ptr<const Model> best;
  std::vector<double> sums;
};

/// What a checkpoint must fit.
struct TrainShape {
  std::uint64_t fingerprint = 0;
  std::size_t sentences = 0;  ///< The number of sentences of an epoch.
  std::size_t pruner = 0;     ///< The number of the pruner's weights.
};
/// Version 3: the best model is a section. Older ones are refused, because another version of the program may learn
/// otherwise, and a training that goes on must come to the very same model.
inline constexpr std::uint32_t kCheckpointVersion = 0x43000003;  // No model has this version.

/// Throws ModelError when the file is missing or damaged, or is that of another training. Everything that training
/// relies on is checked, but for the numbers of features, which restore() checks.
Checkpoint load_checkpoint(const std::string& path, const TrainShape& shape);
Checkpoint read_checkpoint(const Container& file, const TrainShape& shape);
/// Throws ModelError when the learner has another number of weights.
void restore(Learner& learner, const Checkpoint::Weights& weights, const std::string& path);

}  // namespace kirchhoff::parser
