// The report of `features`: expectations and covariances, as tables or as JSON.
#pragma once

#include <kirchhoff/model_statistics.hpp>

#include <string>

namespace kirchhoff::cli {

std::string features_table(const FeatureStatistics& statistics);
std::string features_json(const FeatureStatistics& statistics);

}  // namespace kirchhoff::cli
