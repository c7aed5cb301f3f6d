// Makes tables of labelled features, checks them, and adds up their weights.
#include "parser/weights/label_table.hpp"

namespace kirchhoff::parser {

LabelTables make_label_tables(const LabelLists& lists, base::Crew& crew, double filled) {
  LabelTables tables;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> values;
  for (std::size_t f = 0; f < lists.keys.size(); ++f) {
    const std::size_t begin = tables.lists.size();
    for (std::size_t i = lists.begin[f]; i < lists.begin[f + 1]; ++i) {
      if (lists.weights[i] != 0.0F) tables.lists.push_back({lists.ids[i], lists.weights[i]});
    }
    if (tables.lists.size() == begin) continue;
    tables.lists.back().label |= LabelWeight::kLast;
    keys.push_back(lists.keys[f]);
    values.push_back(static_cast<std::uint32_t>(begin + 1));
  }
  if (tables.lists.empty()) tables.lists.push_back({LabelWeight::kLast, 0.0F});
  tables.features = make_buckets(keys, values, crew, filled);
  return tables;
}

std::string LabelTable::problem(std::uint32_t labels, const std::string& things) const {
  if (lists_.empty() || (lists_.back().label & LabelWeight::kLast) == 0) return "its " + things + " have no end";
  bool bad = false, bad_weight = false;
  std::uint32_t least = 0;  // The labels of one list ascend, so that it cannot be long.
  for (const LabelWeight& entry : lists_) {
    const std::uint32_t label = entry.label & ~LabelWeight::kLast;
    bad |= (label < least) | (label >= labels);
    bad_weight |= !is_weight(std::bit_cast<std::uint32_t>(entry.weight));
    least = (entry.label & LabelWeight::kLast) != 0 ? 0 : label + 1;
  }
  if (bad) return "has a list of " + things + " that are unknown or not in order";
  if (bad_weight) return "has a weight of " + things + " that is not a number of moderate size";
  for (const Bucket& bucket : features_.buckets()) {
    for (const std::uint32_t value : bucket.value) bad |= value > lists_.size();
  }
  const bool sound = !bad && has_short_runs(features_.buckets()) && is_unambiguous(features_.buckets());
  return sound ? "" : "its table of the features of " + things + " is damaged";
}

void LabelTable::add(std::span<const std::uint64_t> keys, std::vector<const LabelWeight*>& found,
                     std::span<float> scores) const {
  features_.prefetch(keys);
  found.clear();
  for (const std::uint64_t key : keys) {
    const std::uint32_t place = features_.find(key);
    if (place == 0) continue;
    found.push_back(&lists_[place - 1]);
    __builtin_prefetch(found.back());
  }
  for (const LabelWeight* entry : found) {
    for (; (entry->label & LabelWeight::kLast) == 0; ++entry) scores[entry->label] += entry->weight;
    scores[entry->label & ~LabelWeight::kLast] += entry->weight;
  }
}

}  // namespace kirchhoff::parser
