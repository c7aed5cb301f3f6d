// Checks the parts of a model, one kind of thing after the other.
#include "parser/file/check_model.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <cmath>

namespace kirchhoff::parser {
namespace {

constexpr double kLargestTemperature = 1e3;  // Training fits those of trees between exp(-1.5) and exp(1.5).
constexpr std::size_t kMaxLabels = 65535;

void check_settings(const Container& file, const Settings& s) {
  const auto require = [&](bool good, const char* name) {
    if (!good) file.fail(std::string("its settings are damaged: ") + name + " is out of range");
  };
  require(s.pruning.max_heads >= 1, "max_heads");
  require(s.pruning.threshold >= 0.0 && s.pruning.threshold <= 1.0, "threshold");
  for (const double t : {s.temperature, s.label_temperature}) {
    require(t >= 1.0 / kLargestTemperature && t <= kLargestTemperature, "temperature");
  }
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
    for (const std::uint32_t value : bucket.value) bad |= static_cast<std::uint32_t>(!is_weight(value));
  }
  if (bad != 0) model.file.fail("has a weight of arcs that is not a number of moderate size");
  if (!has_short_runs(model.arcs.buckets())) model.file.fail("its table of the features of arcs is damaged");
}

void check_labels(const Model& model) {
  const auto count = static_cast<std::uint32_t>(model.label_use.size());
  if (const std::string problem = model.labels.problem(count, "relations"); !problem.empty()) model.file.fail(problem);
}

}  // namespace

bool are_weights(std::span<const float> weights) {
  std::uint32_t bad = 0;
  for (const float w : weights) {
    bad |= static_cast<std::uint32_t>(!is_weight(std::bit_cast<std::uint32_t>(w)));
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
