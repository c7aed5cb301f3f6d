// Edits the checkpoint of a small training, whose checksum is made right again: it is refused with a message, or the
// learners go on from it and have weights that are numbers.
#include "container_edits.hpp"
#include "require.hpp"

#include "parser/file/crafted.hpp"
#include "parser/toy_treebank.hpp"
#include "parser/training/checkpoint.hpp"

#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>

namespace {

using namespace kirchhoff;

constexpr std::size_t kSentences = 4;

/// The sections of a good checkpoint, of a training that came to the end of its first epoch.
const Sections& base_sections() {
  static const Sections sections = [] {
    const std::string path = std::filesystem::temp_directory_path() / ("fuzz_checkpoint_" + std::to_string(::getpid()));
    TrainOptions options{.root = Root::single};
    options.epochs = options.pruner_epochs = options.min_count = options.threads = 1;
    options.arc_templates = options.label_templates = "dir | h.upos d.upos\n";
    options.checkpoint = path;
    train_parser(ToyTreebank(1).sentences(static_cast<int>(kSentences)), {}, options);
    const Sections made = sections_of(parser::Container::open(path, parser::kCheckpointVersion));
    std::filesystem::remove(path);
    return made;
  }();
  return sections;
}

/// Goes on as a training does: brings the weights back, takes a step, and averages.
void check_learner(const parser::Checkpoint::Weights& weights) {
  static base::Crew crew(1);
  parser::Learner learner(weights.weights.size(), {});
  parser::restore(learner, weights, "fuzz");
  if (learner.weights().empty()) return;
  parser::Contribution contribution;
  contribution.add(0, 0.5F);
  contribution.sort();
  const parser::Gradient gradient{{&contribution}, 1.0};
  learner.step({&gradient, 1}, crew);
  for (const float w : learner.averaged(crew)) require(std::isfinite(w), "a weight that is not a number");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Sections sections = base_sections();
  const std::size_t pruner = content_of(sections, "pruner").size() / sizeof(float);
  apply_edits(sections, as_text(data, size));
  parser::TrainShape shape{0, kSentences, pruner};
  const std::string& position = content_of(sections, "position");
  if (position.size() >= sizeof(parser::TrainPosition)) {  // As if it were of this training.
    shape.fingerprint = value_of<std::uint64_t>(position, offsetof(parser::TrainPosition, fingerprint));
  }
  try {
    const parser::Container file(packed(sections, parser::kCheckpointVersion), "fuzz", parser::kCheckpointVersion);
    const parser::Checkpoint checkpoint = parser::read_checkpoint(file, shape);
    check_learner(checkpoint.arcs);
    check_learner(checkpoint.labels);
  } catch (const ModelError& error) {
    require_message(error.what());
  }
  return 0;
}
