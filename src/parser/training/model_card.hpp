// The model card's lines about a training.
#pragma once

#include "kirchhoff/train.hpp"
#include "parser/file/model.hpp"

namespace kirchhoff::parser {

/// How much a model learns from and how large it gets.
struct TrainingSize {
  std::size_t sentences = 0;
  std::size_t features = 0;  ///< The features of arcs and parts that could have a weight.
  std::size_t weights = 0;   ///< Those of them whose weight is not 0.
};
TrainingSize training_size(std::size_t sentences, std::span<const float> arc_weights);

/// The caller's lines, then the options, then what came of each epoch.
Card model_card(const TrainOptions& options, const TrainingSize& size, const std::vector<EpochReport>& reports,
                bool has_dev);

/// A number with this many digits after the point.
std::string fixed(double value, int digits);

}  // namespace kirchhoff::parser
