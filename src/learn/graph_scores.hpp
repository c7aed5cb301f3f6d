// The graph whose log Z, or best score, is that of a loss: scores are tempered and raised by costs.
#pragma once

#include "kirchhoff/learn.hpp"

#include <span>

namespace kirchhoff::learn {

/// The graph with the scores beta * (score + cost of being 1 - cost of being 0), where being unlike gold costs
/// costs[i], and beta times the factors' scores.
FactorGraph augmented(const FactorGraph& graph, const Assignment& gold, std::span<const double> costs, double beta);

}  // namespace kirchhoff::learn
