// The features of all positions of a task, as numbers, and the labels that each feature was seen with.
#pragma once

#include "text/sequence_trainer.hpp"

namespace kirchhoff::text {

struct SequenceFeatures {
  /// Finds them by all threads.
  SequenceFeatures(const SequenceTask& task, const SequenceOptions& options, base::Crew& crew);

  std::span<const std::uint32_t> of(std::size_t sequence, std::size_t position) const {
    const auto& first = begin_of[sequence];
    return std::span(features[sequence]).subspan(first[position], first[position + 1] - first[position]);
  }

  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> begin;                  ///< Feature f has the pairs begin[f] .. begin[f + 1] - 1.
  std::vector<std::uint16_t> ids;                    ///< The labels of the pairs.
  std::vector<std::vector<std::uint32_t>> features;  ///< Those of all positions of each sequence.
  std::vector<std::vector<std::uint32_t>> begin_of;

 private:
  void number_pairs(std::vector<std::vector<std::uint64_t>>& found, const SequenceOptions& options);
  void leave_out_first(std::vector<std::uint64_t>& pairs, const SequenceOptions& options) const;
};

/// The labels of a tag: itself unless the task says otherwise.
inline std::span<const int> labels_of(const SequenceTask& task, const int& tag) {
  if (task.labels.empty()) return std::span(&tag, 1);
  return task.labels[static_cast<std::size_t>(tag)];
}

}  // namespace kirchhoff::text
