// Features with a list of labels each, and a weight for every label of the list: a linear model of many classes, of
// which a feature has seen few.
#pragma once

#include "parser/weights/feature_index.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace kirchhoff::parser {

/// An entry of a feature's list of labels; the last one of a list has the high bit set.
struct LabelWeight {
  static constexpr std::uint32_t kLast = 0x80000000U;
  std::uint32_t label = 0;
  float weight = 0.0F;
};

/// What a table is made from: feature f has the entries begin[f] .. begin[f + 1] - 1.
struct LabelLists {
  std::span<const std::uint64_t> keys;
  std::span<const std::uint32_t> begin;
  std::span<const std::uint16_t> ids;
  std::span<const float> weights;  ///< Those that are 0 are left out.
};

/// The table as it lies in a file: what LabelTable looks at.
struct LabelTables {
  Buckets features;  ///< Their values are 1 + the place in lists.
  std::vector<LabelWeight> lists;
};
LabelTables make_label_tables(const LabelLists& lists, base::Crew& crew, double filled = kHalf);

/// Adds up the weights of a position's features, label by label.
class LabelTable {
 public:
  LabelTable() = default;
  LabelTable(std::span<const Bucket> features, std::span<const LabelWeight> lists)
      : features_(features), lists_(lists) {}

  /// What is wrong with a table of this many labels, which messages call `things`; nothing when add() may trust it.
  std::string problem(std::uint32_t labels, const std::string& things) const;
  /// Adds the weights of these features to scores, which has a number for each label. `found` is memory to use.
  void add(std::span<const std::uint64_t> keys, std::vector<const LabelWeight*>& found, std::span<float> scores) const;
  /// Calls use(label, weight) for a feature's labels, in ascending order.
  template <class Use>
  void visit(std::uint64_t key, Use&& use) const {
    const std::uint32_t place = lists_.empty() ? 0 : features_.find(key);
    if (place == 0) return;
    const LabelWeight* entry = &lists_[place - 1];
    for (; (entry->label & LabelWeight::kLast) == 0; ++entry) use(entry->label, entry->weight);
    use(entry->label & ~LabelWeight::kLast, entry->weight);
  }

 private:
  BucketTable features_;
  std::span<const LabelWeight> lists_;
};

/// The largest size of a weight, of which a sum of thousands is far from overflow. Training stays below a few hundred.
inline constexpr float kLargestWeight = 1e9F;
/// Whether a weight, given by its bits, is a number of at most that size.
inline bool is_weight(std::uint32_t bits) {
  constexpr std::uint32_t kSign = 0x80000000U;
  return (bits & ~kSign) <= std::bit_cast<std::uint32_t>(kLargestWeight);
}

}  // namespace kirchhoff::parser
