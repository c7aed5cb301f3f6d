// Makes the keys of features: numbered templates, filled with hashes of what is seen.
#pragma once

#include "parser/features/hash.hpp"
#include "text/sequence_model.hpp"

#include <cstdint>
#include <initializer_list>

namespace kirchhoff::text {

/// Adds features to the position at hand. Every call takes the next template, so a position must make its calls in the
/// same order as all others, and skip() the templates that it has no use for.
class FeatureWriter {
 public:
  explicit FeatureWriter(SequenceKeys& keys) : keys_(&keys) {}

  void add(std::initializer_list<std::uint64_t> values) {
    std::uint64_t key = parser::mix(++template_);
    for (const std::uint64_t value : values) key = parser::mix(key ^ value) + 0x9e3779b97f4a7c15ULL;
    keys_->add(key);
  }
  void skip(std::uint64_t count = 1) { template_ += count; }
  void end_position() {
    keys_->end_position();
    template_ = 0;
  }

 private:
  SequenceKeys* keys_;
  std::uint64_t template_ = 0;
};

}  // namespace kirchhoff::text
