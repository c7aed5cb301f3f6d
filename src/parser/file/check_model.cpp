// Checks the parts of a model, one kind of thing after the other.
#include "parser/file/check_model.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

constexpr double kLargestTemperature = 1e3;  // Training fits it between exp(-1.5) and exp(1.5).
constexpr std::size_t kMaxLabels = 65535;

/// A weight is a number of moderate size when its bits, without the sign, are at most these.
constexpr std::uint32_t kLargestBits = std::bit_cast<std::uint32_t>(kLargestWeight);
constexpr std::uint32_t kSign = 0x80000000U;

void check_settings(const Container& file, const Settings& s) {
  const auto require = [&](bool good, const char* name) {
    if (!good) file.fail(std::string("its settings are damaged: ") + name + " is out of range");
  };
  require(s.pruning.max_heads >= 1, "max_heads");
  require(s.pruning.threshold >= 0.0 && s.pruning.threshold <= 1.0, "threshold");
  require(s.temperature >= 1.0 / kLargestTemperature && s.temperature <= kLargestTemperature, "temperature");
}

/// A label becomes a DEPREL, so it must be text without tabs and line breaks.
bool is_label(const std::string& name) {
  return !name.empty() && name.find_first_of("\t\r\n") == std::string::npos &&
         base::invalid_utf8(name) == std::string::npos;
}

void check_names(const Model& model) {
  const Inventory& inventory = model.inventory;
  if (inventory.upos.size() > Inventory::kMaxUpos || inventory.tags.size() > Inventory::kMaxTags) {
    model.file.fail("has too many tags");
  }
  const std::vector<std::string>& labels = inventory.labels.names();
  if (labels.empty() || labels.size() > kMaxLabels || model.label_use.size() != labels.size()) {
    model.file.fail("its relations do not fit together");
  }
  if (!std::all_of(labels.begin(), labels.end(), is_label)) model.file.fail("has a relation whose name is not text");
}

void check_arcs(const Model& model) {
  std::uint32_t bad = 0;
  for (const Bucket& bucket : model.arcs.buckets()) {
    for (const std::uint32_t value : bucket.value) bad |= static_cast<std::uint32_t>((value & ~kSign) > kLargestBits);
  }
  if (bad != 0) model.file.fail("has a weight of arcs that is not a number of moderate size");
  if (!has_short_runs(model.arcs.buckets())) model.file.fail("its table of the features of arcs is damaged");
}

void check_labels(const Model& model) {
  const auto count = static_cast<std::uint32_t>(model.label_use.size());
  const std::span<const LabelWeight> lists = model.label_lists;
  if (lists.empty() || (lists.back().label & LabelWeight::kLast) == 0) model.file.fail("its relations have no end");
  std::uint32_t bad = 0, bad_weight = 0;
  std::uint32_t least = 0;  // The labels of one list ascend, so that it cannot be long.
  for (const LabelWeight& entry : lists) {
    const std::uint32_t label = entry.label & ~LabelWeight::kLast;
    bad |= static_cast<std::uint32_t>((label < least) | (label >= count));
    bad_weight |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(entry.weight) & ~kSign) > kLargestBits);
    least = (entry.label & LabelWeight::kLast) != 0 ? 0 : label + 1;
  }
  if (bad != 0) model.file.fail("has a list of relations that are unknown or not in order");
  if (bad_weight != 0) model.file.fail("has a weight of relations that is not a number of moderate size");
  for (const Bucket& bucket : model.labels.buckets()) {
    for (const std::uint32_t value : bucket.value) bad |= static_cast<std::uint32_t>(value > lists.size());
  }
  if (bad != 0 || !has_short_runs(model.labels.buckets()) || !is_unambiguous(model.labels.buckets())) {
    model.file.fail("its table of the features of relations is damaged");
  }
}

}  // namespace

bool are_weights(std::span<const float> weights) {
  std::uint32_t bad = 0;
  for (const float w : weights) {
    bad |= static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(w) & ~kSign) > kLargestBits);
  }
  return bad == 0;
}

void check_model(const Model& model) {
  check_settings(model.file, model.settings);
  check_names(model);
  if (model.pruner.size() != model.tables.size()) model.file.fail("its tags do not fit its pruner");
  if (!are_weights(model.pruner)) model.file.fail("has a weight of the pruner that is not a number of moderate size");
  check_arcs(model);
  check_labels(model);
}

}  // namespace kirchhoff::parser
