// Builds additive functions: checks their entries, sorts and merges them, and lays out those with many.
#include "base/buffer.hpp"
#include "base/check.hpp"
#include "kirchhoff/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

namespace kirchhoff {
namespace {

auto order(const FeatureEntry& e) { return std::tie(e.dependent, e.head, e.label, e.feature); }

void check(const FeatureEntry& e, std::size_t position, int words, int num_features, int labels) {
  const auto fail = [&](const std::string& problem) {
    base::input_error("Features", "entry " + std::to_string(position) + ": " + problem);
  };
  if (e.head < 0 || e.head > words || e.dependent < 1 || e.dependent > words || e.head == e.dependent) {
    fail("arc " + std::to_string(e.head) + " -> " + std::to_string(e.dependent) + " does not exist among " +
         std::to_string(words) + " words");
  }
  if (e.feature < 0 || e.feature >= num_features) {
    fail("feature " + std::to_string(e.feature) + " is not in 0.." + std::to_string(num_features - 1));
  }
  if (e.label < 0 || e.label >= labels) {
    fail("label " + std::to_string(e.label) + " is not in 0.." + std::to_string(labels - 1));
  }
  if (!(std::abs(e.value) <= base::kLargestScore)) fail("value is not finite or beyond 1e100 in size");
}

// Makes one entry of all that have the same arc and feature.
void merge(std::vector<FeatureEntry>& entries) {
  std::size_t out = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (out > 0 && order(entries[out - 1]) == order(entries[i])) {
      entries[out - 1].value += entries[i].value;
    } else {
      entries[out++] = entries[i];
    }
  }
  entries.resize(out);
}

}  // namespace

Features::Features(int words, int num_features, std::vector<FeatureEntry> entries, int labels)
    : words_(words), labels_(labels), size_(num_features), entries_(std::move(entries)) {
  if (words < 1 || labels < 1 || num_features < 0) {
    base::input_error("Features", "needs at least one word, one label and no negative number of features");
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) check(entries_[i], i, words, num_features, labels);
  const auto before = [](const FeatureEntry& a, const FeatureEntry& b) { return order(a) < order(b); };
  if (!std::is_sorted(entries_.begin(), entries_.end(), before)) {
    std::stable_sort(entries_.begin(), entries_.end(), before);
  }
  merge(entries_);
  const auto arcs = static_cast<std::size_t>(words) * words;
  if (labels == 1 && !entries_.empty() && 2 * entries_.size() >= arcs * num_features) {
    const std::size_t ld = base::padded(num_features);
    dense_.assign(static_cast<std::size_t>(words) * (words + 1) * ld, 0.0);
    for (const FeatureEntry& e : entries_)
      dense_[((e.dependent - 1) * (words + 1ul) + e.head) * ld + e.feature] = e.value;
  }
}

Features Features::from_matrices(const std::vector<Matrix>& matrices) {
  if (matrices.empty()) base::input_error("Features", "no matrices: the number of words is unknown");
  const int words = base::check_square("Features", "matrices[0]", matrices[0]);
  std::vector<FeatureEntry> entries;
  for (const Matrix& m : matrices) base::check_shape("Features", "matrices", m, words);
  for (int d = 1; d <= words; ++d) {
    for (int h = 0; h <= words; ++h) {
      if (h == d) continue;
      for (std::size_t f = 0; f < matrices.size(); ++f) {
        const double value = matrices[f](h, d);
        if (value != 0.0) entries.push_back({h, d, static_cast<int>(f), value, 0});
      }
    }
  }
  return {words, static_cast<int>(matrices.size()), std::move(entries)};
}

}  // namespace kirchhoff
