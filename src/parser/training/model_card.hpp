// The model card's lines about a training.
#pragma once

#include "kirchhoff/train.hpp"
#include "parser/file/model.hpp"

namespace kirchhoff::parser {

/// The caller's lines, then the options, then what came of each epoch.
Card model_card(const TrainOptions& options, std::size_t sentences, const std::vector<EpochReport>& reports,
                bool has_dev);

/// A number with this many digits after the point.
std::string fixed(double value, int digits);

}  // namespace kirchhoff::parser
