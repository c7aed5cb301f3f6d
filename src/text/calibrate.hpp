// Fits the temperatures of a tagger, by how often it is right on sentences that it has not seen.
//
// The loss is that of the probabilities that a user sees: -log p where the tag is right, -log(1 - p) where it is wrong.
// So tags that were never seen count as well, which is not so for the likelihood of the gold tags.
#pragma once

#include "base/crew.hpp"
#include "text/tag_model.hpp"

#include <array>
#include <span>

namespace kirchhoff::text {

/// The losses at each temperature of a grid, which can be summed over taggers of a kind.
struct TagLosses {
  static constexpr std::size_t kGrid = 25;
  /// From 1/2 to 8, in equal ratios.
  static double temperature(std::size_t i);

  std::array<double, kGrid> upos{}, feats{};

  void add(const TagLosses& other);
  /// The temperatures of the least losses; 1 where there are none.
  TagTemperatures best() const;
};

/// The losses on some of the sentences, at most a few hundred, of a tagger whose temperatures are 1.
TagLosses tag_losses(const Tagger& tagger, std::span<const Sentence> gold, base::Crew& crew);

}  // namespace kirchhoff::text
