// Writes and reads checkpoints, which are containers of their own kind.
#include "parser/training/checkpoint.hpp"

#include "parser/file/container.hpp"

#include <type_traits>

namespace kirchhoff::parser {
namespace {

constexpr std::uint32_t kCheckpointVersion = 0x43000002;  // No model has this version.

static_assert(std::is_trivially_copyable_v<TrainPosition> && std::is_trivially_copyable_v<EpochReport>);

void add(ContainerWriter& writer, const std::string& name, const Learner& learner) {
  const std::int64_t steps = learner.steps();
  writer.add_array(name + ".weights", learner.weights());
  writer.add_array(name + ".state", learner.state());
  writer.add_array(name + ".steps", std::span(&steps, 1));
}

template <class T>
std::vector<T> copy(const Container& file, const std::string& name) {
  const auto items = file.array<T>(name);
  return {items.begin(), items.end()};
}

Checkpoint::Weights weights(const Container& file, const std::string& name) {
  return {copy<float>(file, name + ".weights"), copy<Learner::State>(file, name + ".state"),
          copy<std::int64_t>(file, name + ".steps").at(0)};
}

}  // namespace

void save_checkpoint(const std::string& path, const TrainPosition& position, const std::vector<EpochReport>& reports,
                     std::span<const float> pruner, std::span<const std::uint64_t> grown, const Learner& arcs,
                     const Learner& labels) {
  ContainerWriter writer(kCheckpointVersion);
  writer.add_array("position", std::span(&position, 1));
  writer.add_array("reports", std::span<const EpochReport>(reports));
  writer.add_array("pruner", pruner);
  writer.add_array("grown", grown);
  add(writer, "arcs", arcs);
  add(writer, "labels", labels);
  write_atomically(path, std::move(writer).finish());
}

Checkpoint load_checkpoint(const std::string& path, std::uint64_t fingerprint) {
  const Container file = Container::open(path, kCheckpointVersion);
  Checkpoint c{copy<TrainPosition>(file, "position").at(0),
               copy<EpochReport>(file, "reports"),
               copy<float>(file, "pruner"),
               copy<std::uint64_t>(file, "grown"),
               weights(file, "arcs"),
               weights(file, "labels")};
  if (c.position.fingerprint != fingerprint) {
    throw ModelError(path + ": is of a training with other data or options");
  }
  return c;
}

void restore(Learner& learner, const Checkpoint::Weights& w, const std::string& path) {
  if (w.weights.size() != learner.weights().size() || w.state.size() != w.weights.size()) {
    throw ModelError(path + ": is of a training with other features");
  }
  learner.restore(w.weights, w.state, w.steps);
}

}  // namespace kirchhoff::parser
