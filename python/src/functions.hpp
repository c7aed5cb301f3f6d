// Additive functions of the graphs of a batch: dense arrays, or lists of entries.
#pragma once

#include "batch.hpp"

#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>
#include <kirchhoff/expectation.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace kirchhoff::python {

/// Returns an array (features, nodes, nodes[, labels]) as a sparse function, without the zeros.
template <class D>
Features features_of(const Strided& values, const D& p, std::size_t labels) {
  const std::size_t count = values.shape[0];
  const auto at = [&](std::size_t f, int head, int dependent, std::size_t label) {
    std::ptrdiff_t offset =
        static_cast<std::ptrdiff_t>(f) * values.stride[0] + head * values.stride[1] + dependent * values.stride[2];
    if (labels > 0) offset += static_cast<std::ptrdiff_t>(label) * values.stride[3];
    return values.data[offset];
  };
  std::vector<FeatureEntry> entries;
  for (std::size_t f = 0; f < count; ++f) {
    for (int head = 0; head <= p.words(); ++head) {
      for (int dependent = 1; dependent <= p.words(); ++dependent) {
        if (head == dependent) continue;
        for (std::size_t label = 0; label < std::max<std::size_t>(labels, 1); ++label) {
          const double value = at(f, head, dependent, label);
          if (value != 0.0) entries.push_back({head, dependent, static_cast<int>(f), value, static_cast<int>(label)});
        }
      }
    }
  }
  return {p.words(), static_cast<int>(count), std::move(entries), static_cast<int>(std::max<std::size_t>(labels, 1))};
}

/// Arrays (features, nodes, nodes[, labels]) as in ArraysArgument, or a tuple of entries for each graph, at least one.
using FunctionsArgument = std::variant<ArraysArgument, std::vector<Features>>;

/// Functions with the same number of features for each graph of a batch.
template <class D>
class Functions {
 public:
  explicit Functions(FunctionsArgument argument) {
    if (auto* entries = std::get_if<std::vector<Features>>(&argument)) {
      entries_ = std::move(*entries);
    } else {
      arrays_.emplace(std::move(std::get<ArraysArgument>(argument)), Batch<D>::kAxes + 1);
    }
  }

  std::size_t count() const { return arrays_ ? arrays_->extent(0) : static_cast<std::size_t>(entries_[0].size()); }
  Features of(const Batch<D>& batch, std::size_t i) const {
    return arrays_ ? features_of((*arrays_)[i], batch[i], batch.labels) : entries_.at(i);
  }

 private:
  std::vector<Features> entries_;
  std::optional<GraphArrays> arrays_;
};

}  // namespace kirchhoff::python
