// A linear model over the positions of a sequence: each position has features, each feature has weights for some tags,
// and neighbouring tags have weights where the model is a chain (a linear-chain conditional random field). It finds the
// characters where tokens begin, tags, and the scripts of lemmas.
#pragma once

#include "kirchhoff/types.hpp"
#include "parser/file/container.hpp"
#include "parser/weights/label_table.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kirchhoff::text {

/// The keys of the features of each position.
class SequenceKeys {
 public:
  void clear() {
    keys_.clear();
    begin_.assign(1, 0);
  }
  void add(std::uint64_t key) { keys_.push_back(key); }
  /// What was added since the last call belongs to the next position.
  void end_position() { begin_.push_back(keys_.size()); }

  std::size_t length() const { return begin_.size() - 1; }
  std::span<const std::uint64_t> all() const { return keys_; }
  std::span<const std::uint64_t> of(std::size_t position) const {
    return std::span(keys_).subspan(begin_[position], begin_[position + 1] - begin_[position]);
  }

 private:
  std::vector<std::uint64_t> keys_;
  std::vector<std::size_t> begin_{0};
};

/// The share of the slots of tables that are taken. Tables are a third of a model file, and one bucket in three is
/// full.
inline constexpr double kFilled = 0.75;

/// All weights of a model, as training leaves them.
struct SequenceWeights {
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> begin;  ///< Feature f has the pairs begin[f] .. begin[f + 1] - 1.
  std::vector<std::uint16_t> tags;   ///< The tag of each pair, ascending for each feature,
  std::vector<float> weights;        ///< and its weight.
  std::vector<float> transitions;    ///< tags x tags for a chain; else empty.
};

/// A model as it lies in sections "NAME.table", "NAME.lists" and "NAME.pairs" of a model file. The file's memory
/// must outlive it.
class SequenceModel {
 public:
  SequenceModel() = default;
  /// Throws ModelError unless everything that inference relies on holds. A model without transitions is no chain.
  SequenceModel(const parser::Container& file, const std::string& name, int tags);

  int tags() const { return tags_; }
  /// The scores of tags at neighbouring positions, (from, to); 0 x 0 unless the model is a chain.
  const Matrix& transitions() const { return transitions_; }
  /// Writes the scores of all tags at a position.
  void score(std::span<const std::uint64_t> keys, std::vector<float>& scores) const;
  /// The scores of all tags at all positions.
  Matrix emissions(const SequenceKeys& keys) const;

 private:
  int tags_ = 0;
  parser::LabelTable table_;
  Matrix transitions_;
};

/// The tags with a score of at least `least`, best first.
std::vector<std::size_t> best_first(std::span<const float> scores, float least);

/// Adds the sections of a model.
void add_sections(parser::ContainerWriter& writer, const std::string& name, const SequenceWeights& weights,
                  base::Crew& crew);

}  // namespace kirchhoff::text
