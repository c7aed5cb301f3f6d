// Features of candidate arcs, looked up once and kept as lists of indices.
#pragma once

#include "parser/features/feature_keys.hpp"
#include "parser/inference/pruner.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace kirchhoff::parser {

/// The features of a sentence's candidates: candidate c has features[begin[c]] ... features[begin[c + 1] - 1].
struct FeatureLists {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> features;

  std::span<const std::uint32_t> of(std::size_t c) const {
    return {features.data() + begin[c], features.data() + begin[c + 1]};
  }
};

/// Features with a weight, in the order of these, and the templates that make them.
struct KnownFeatures {
  std::span<const std::uint64_t> keys;
  const Templates& templates;
};
/// The features of the candidates that are known.
std::vector<FeatureLists> feature_lists(const std::vector<Encoded>& sentences,
                                        const std::vector<Candidates>& candidates, const KnownFeatures& known,
                                        base::Crew& crew);

}  // namespace kirchhoff::parser
