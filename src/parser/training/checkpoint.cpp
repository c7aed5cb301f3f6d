// Writes, reads and checks checkpoints, which are containers of their own kind.
#include "parser/training/checkpoint.hpp"

#include "kirchhoff/output_file.hpp"
#include "parser/file/check_model.hpp"
#include "parser/file/container.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <type_traits>

namespace kirchhoff::parser {
namespace {

constexpr std::int64_t kMostSteps = std::int64_t{1} << 53;
constexpr double kLargestDrift = 1e30;  // Steps times weights.

/// A report as it is stored: no byte of it is padding, and `best` is a number, which any byte is.
struct StoredReport {
  std::int64_t epoch = 0;
  double loss = 0.0, seconds = 0.0, uas = 0.0, las = 0.0, calibration = 0.0;
  std::int64_t best = 0;
};

static_assert(std::is_trivially_copyable_v<TrainPosition>);

StoredReport stored(const EpochReport& r) {
  return {r.epoch, r.loss, r.seconds, r.uas, r.las, r.calibration, r.best ? 1 : 0};
}

EpochReport report_of(const StoredReport& s) {
  return {static_cast<int>(s.epoch), s.loss, s.seconds, s.uas, s.las, s.calibration, s.best != 0};
}

/// The learner's arrays are not copied.
void add(ContainerWriter& writer, const std::string& name, const Learner& learner) {
  const std::int64_t steps = learner.steps();
  writer.add_borrowed(name + ".weights", std::as_bytes(learner.weights()));
  writer.add_borrowed(name + ".state", std::as_bytes(learner.state()));
  writer.add_array(name + ".steps", std::span(&steps, 1));
}

template <class T>
std::vector<T> copy(const Container& file, const std::string& name) {
  const auto items = file.array<T>(name);
  return {items.begin(), items.end()};
}

template <class T>
T single(const Container& file, const std::string& name) {
  const auto items = file.array<T>(name);
  if (items.size() != 1) file.fail("section '" + name + "' has a wrong size");
  return items[0];
}

Checkpoint::Weights weights(const Container& file, const std::string& name) {
  Checkpoint::Weights w{copy<float>(file, name + ".weights"), copy<Learner::State>(file, name + ".state"),
                        single<std::int64_t>(file, name + ".steps")};
  const auto is_state = [](const Learner::State& s) {
    return s.gradient == 0.0F && s.squares >= 0.0F && std::isfinite(s.squares) && std::abs(s.drift) <= kLargestDrift;
  };
  if (w.state.size() != w.weights.size() || w.steps < 0 || w.steps > kMostSteps || !are_weights(w.weights) ||
      !std::all_of(w.state.begin(), w.state.end(), is_state)) {
    file.fail("its weights of " + name + " are damaged");
  }
  return w;
}

void check_position(const Container& file, const TrainPosition& p, std::size_t reports, const TrainShape& shape) {
  if (p.fingerprint != shape.fingerprint) {
    file.fail("is of a training with other data (train, dev, unannotated, teacher) or options");
  }
  if (p.epoch < 1 || static_cast<std::uint64_t>(p.epoch - 1) != reports || p.sentence < 0 ||
      static_cast<std::uint64_t>(p.sentence) > shape.sentences || !std::isfinite(p.loss) ||
      !std::isfinite(p.best_las)) {
    file.fail("its position in the training is damaged");
  }
}

void check_reports(const Container& file, std::span<const StoredReport> reports) {
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const StoredReport& r = reports[i];
    const bool finite = std::isfinite(r.loss) && std::isfinite(r.seconds) && std::isfinite(r.uas) &&
                        std::isfinite(r.las) && std::isfinite(r.calibration);
    if (r.epoch != static_cast<std::int64_t>(i) + 1 || !finite) file.fail("its reports of epochs are damaged");
  }
}

/// The model that a section holds; none when it is empty.
std::shared_ptr<const Model> model_in(const Container& file) {
  const auto bytes = file.section("model");
  if (bytes.empty()) return nullptr;
  return std::make_shared<const Model>(
      Container(FileBytes(bytes.begin(), bytes.end()), file.name() + ": its model", kModelVersion));
}

}  // namespace

std::unique_ptr<base::FileLock> lock_outputs(const TrainOptions& options) try {
  std::unique_ptr<base::FileLock> lock;
  for (const std::string& path : {options.model, options.checkpoint}) {
    if (path.empty()) continue;
    const OutputFile file(path);
    if (lock || file.is_special()) continue;
    lock = std::make_unique<base::FileLock>(file.target(), "another training writes");
  }
  return lock;
} catch (const FileError& error) {
  throw ModelError(error.what());
}

void CheckpointWriter::save(const TrainState& state) {
  if (path_.empty()) return;
  finish();
  std::vector<StoredReport> reports;
  for (const EpochReport& r : state.reports) reports.push_back(stored(r));
  ContainerWriter writer(kCheckpointVersion);
  writer.add_array("position", std::span(&state.position, 1));
  writer.add_array("reports", std::span<const StoredReport>(reports));
  writer.add_borrowed("pruner", std::as_bytes(state.pruner));
  writer.add_borrowed("grown", std::as_bytes(state.grown));
  add(writer, "arcs", state.arcs);
  add(writer, "labels", state.labels);
  if (!state.sums.empty()) writer.add_array("sums", state.sums);
  writer.add_borrowed("model", state.best == nullptr ? std::span<const std::byte>() : state.best->file.bytes());
  const auto write = [path = path_, bytes = std::make_shared<const FileBytes>(std::move(writer).finish(*crew_))] {
    write_atomically(path, *bytes);
  };
  if (crew_->threads() == 1) return write();
  try {
    writing_ = std::async(std::launch::async, write);
  } catch (const std::system_error&) {  // There is no thread for it.
    write();
  }
}

void CheckpointWriter::check() {
  if (writing_.valid() && writing_.wait_for(std::chrono::seconds(0)) == std::future_status::ready) finish();
}

void CheckpointWriter::finish() {
  if (writing_.valid()) writing_.get();
}

void replace_checkpoint(const TrainOptions& options, const Model& best) {
  write_atomically(options.model, best.file.bytes());
  std::error_code ignored;
  if (!options.checkpoint.empty()) std::filesystem::remove(options.checkpoint, ignored);
}

Checkpoint load_checkpoint(const std::string& path, const TrainShape& shape) {
  try {
    return read_checkpoint(Container::open(path, kCheckpointVersion), shape);
  } catch (const ModelError& error) {
    throw ModelError(std::string(error.what()) + "; without resume, training begins anew");
  }
}

Checkpoint read_checkpoint(const Container& file, const TrainShape& shape) {
  const auto reports = file.array<StoredReport>("reports");
  Checkpoint c;
  c.position = single<TrainPosition>(file, "position");
  check_position(file, c.position, reports.size(), shape);
  check_reports(file, reports);
  for (const StoredReport& r : reports) c.reports.push_back(report_of(r));
  c.pruner = copy<float>(file, "pruner");
  if ((!c.pruner.empty() && c.pruner.size() != shape.pruner) || !are_weights(c.pruner)) {
    file.fail("its pruner is damaged");
  }
  c.grown = copy<std::uint64_t>(file, "grown");
  const std::vector<std::string> names = file.names();
  if (std::find(names.begin(), names.end(), "sums") != names.end()) c.sums = copy<double>(file, "sums");
  const auto is_sum = [](double sum) { return sum >= 0.0 && std::isfinite(sum); };
  if (!std::all_of(c.sums.begin(), c.sums.end(), is_sum)) file.fail("its sums for constraints are damaged");
  c.arcs = weights(file, "arcs");
  c.labels = weights(file, "labels");
  try {
    c.best = model_in(file);
  } catch (const InputError& error) {  // Templates that cannot be read.
    file.fail(std::string("its model is damaged: ") + error.what());
  }
  if ((c.best == nullptr) != (c.position.best_las < 0.0)) file.fail("its model does not fit its position");
  return c;
}

void restore(Learner& learner, const Checkpoint::Weights& w, const std::string& path) {
  if (w.weights.size() != learner.weights().size()) {
    throw ModelError(path + ": is of a training with other features");
  }
  learner.restore(w.weights, w.state, w.steps);
}

}  // namespace kirchhoff::parser
