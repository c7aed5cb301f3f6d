// Writes down how a model was trained, one line for each option and each epoch.
#include "parser/training/model_card.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace kirchhoff::parser {
namespace {

std::string step_text(const StepRule& step) {
  const std::string name(to_string(step.kind));
  return step.kind == StepRule::Kind::adagrad ? name + ", rate " + fixed(step.rate, 4)
                                              : name + ", cap " + fixed(step.cap, 6);
}

std::string epoch_text(const EpochReport& report, bool has_dev) {
  std::string text = "loss " + fixed(report.loss, 4);
  if (has_dev) {
    text += ", dev UAS " + fixed(report.uas, 2) + " LAS " + fixed(report.las, 2) + " calibration error " +
            fixed(report.calibration, 2) + " %";
  }
  return text;
}

}  // namespace

TrainingSize training_size(std::size_t sentences, std::span<const float> arc_weights) {
  const auto zeros = std::count(arc_weights.begin(), arc_weights.end(), 0.0F);
  return {sentences, arc_weights.size(), arc_weights.size() - static_cast<std::size_t>(zeros)};
}

Card model_card(const TrainOptions& options, const TrainingSize& size, const std::vector<EpochReport>& reports,
                bool has_dev) {
  Card card = options.card;
  card.emplace_back("parts", to_string(options.parts) + (options.relaxed ? ", relaxed" : ""));
  card.emplace_back("root", to_string(options.root));
  if (options.projective) card.emplace_back("trees", "projective; parse with --projective");
  if (options.labels != Labelling::given_tree) card.emplace_back("labels", std::string(to_string(options.labels)));
  card.emplace_back("beta", fixed(options.loss.beta, 3));
  card.emplace_back("gamma", fixed(options.loss.gamma, 3));
  card.emplace_back("step", step_text(options.step));
  card.emplace_back("batch", std::to_string(options.batch));
  card.emplace_back("seed", std::to_string(options.seed));
  card.emplace_back("min_count", std::to_string(options.min_count));
  card.emplace_back("features", std::string(to_string(options.features)) + ", " + std::to_string(size.features) +
                                    " of arcs and parts, " + std::to_string(size.weights) + " with a weight");
  card.emplace_back("sentences", std::to_string(size.sentences));
  for (const EpochReport& report : reports) {
    card.emplace_back("epoch " + std::to_string(report.epoch), epoch_text(report, has_dev));
  }
  return card;
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

}  // namespace kirchhoff::parser
