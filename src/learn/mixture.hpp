// The best mixture of a factor's entries with given means, which a fractional solution of a relaxation leaves open.
#pragma once

#include "factor/factors/parts.hpp"

#include <span>
#include <vector>

namespace kirchhoff::learn {

/// The weights t >= 0 of all entries, with sum 1, of which the mean configuration is `means`, or as near to it as can
/// be, and the expected score is the highest.
std::vector<double> best_mixture(const Factor& factor, std::span<const double> means);
/// The same for a factor of parts, whose configurations may be too many to list: how much the mixture has of each part.
std::vector<double> best_parts(const factor::PartsFactor& factor, std::span<const double> means);

}  // namespace kirchhoff::learn
